# acp-tui: when it has ended, however it did, this ends the agents and commands that it left, and their descendants
#
# It reads lines: `group PID` (a process that leads a session and a group), `end PID START` (a descendant of one),
# `forget PID` (either, which has ended). START tells a process from one that gets its number later; it is written as
# processes.py writes it. The standard input ends with acp-tui. $1 is the mark of its run.

exec 3<&0
export LC_ALL=C TZ=UTC0
set -f

# Set parent, group, session and start of the process $1; fail if it has ended.
find_process() {
    line=
    while read -r part; do line="$line $part"; done <"/proc/$1/stat"
    [ -n "$line" ] || return 1
    set -- ${line##*\) } # what stands behind the name, which may hold anything; ksh93 stops at a bare bracket
    [ "$1" = Z ] || [ "$1" = X ] && return 1
    parent=$2 group=$3 session=$4
    shift 19
    start=$1
}

list_processes() {
    if [ -r /proc/self/stat ]; then
        set +f
        for folder in /proc/[0-9]*; do
            pid=${folder#/proc/}
            find_process "$pid" && echo "$pid $parent $group $session $start"
        done
    else
        ps -A -o pid= -o ppid= -o pgid= -o stat= -o lstart= | while read -r pid parent group state start; do
            case $state in Z*) continue ;; esac
            set -- $start
            echo "$pid $parent $group 0 $(IFS=_; echo "$*")"
        done
    fi
}

# Note the children of all that are noted, and theirs: an agent that ends with its input ends in a moment.
follow_children() {
    known=$groups
    for one in $seen; do
        find_process "${one%/*}" && [ "$start" = "${one#*/}" ] && known="$known ${one%/*}"
    done
    while [ -n "$known" ]; do
        next=
        for pid in $known; do
            set +f
            for file in "/proc/$pid/task/"*/children; do
                children=
                read -r children <"$file"
                for child in $children; do
                    find_process "$child" && [ "$parent" = "$pid" ] || continue
                    seen="$seen $child/$start" next="$next $child"
                done
            done
            set -f
        done
        known=$next
    done
}

# Note who was started in the last five seconds: acp-tui may not have seen them, and their parents may have ended.
# All that our agents and commands started have the mark $1 in their environment.
find_newest() {
    [ ${#1} = 32 ] || return # an empty mark would be everybody's
    read -r uptime rest </proc/uptime || return
    since=$((${uptime%.*} * 100 - 500)) # in clock ticks
    set +f
    for file in $(grep -ls "$1" /proc/[0-9]*/environ); do
        pid=${file#/proc/}
        pid=${pid%/environ}
        find_process "$pid" && [ "$start" -gt "$since" ] && seen="$seen $pid/$start"
    done
    set -f
}

# See who is there: who was seen, whoever descends from them, and the members of the groups.
look() {
    rows=$(list_processes)
    here= pids=
    more=yes
    while [ -n "$more" ]; do
        more=
        while read -r pid parent group session start; do
            case " $here " in *" $pid/$start "*) continue ;; esac
            case " $seen " in *" $pid/$start "*) ;; *)
                case " $pids " in *" $parent "*) ;; *)
                    case " $groups " in *" $group "* | *" $session "*) ;; *) continue ;; esac ;;
                esac ;;
            esac
            here="$here $pid/$start" pids="$pids $pid" more=yes
        done <<ROWS
$rows
ROWS
    done
    seen=$here
    [ -n "$rows" ] && groups= # from now on a number may be another's
}

send() {
    for one in $seen; do kill -s "$1" "${one%/*}"; done
    for one in $groups; do kill -s "$1" -- "-$one"; done # where nothing tells of processes
}

{
    groups= seen=
    while read -r act pid start; do
        case $act in
            group) groups="$groups $pid" ;;
            end) seen="$seen $pid/$start" ;;
            forget)
                rest=
                for one in $groups; do [ "$one" = "$pid" ] || rest="$rest $one"; done
                groups=$rest rest=
                for one in $seen; do [ "${one%/*}" = "$pid" ] || rest="$rest $one"; done
                seen=$rest
                ;;
        esac
    done
    [ -z "$groups$seen" ] && exit
    follow_children
    [ -n "$groups" ] && find_newest "$1" # else it ended in good order, and let daemons go
    look
    sleep 1 # for agents that end by themselves when their input does
    look
    send TERM
    sleep 1
    for name in STOP STOP KILL; do # nobody starts another one meanwhile
        look
        send "$name"
    done
} <&3 3<&- &
