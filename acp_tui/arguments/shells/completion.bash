# Completion of acp-tui for bash. In ~/.bashrc: eval "$(acp-tui completion bash)"
_acp_tui() {
    local IFS=$'\n' kind="" line at
    COMPREPLY=()
    for line in $(command acp-tui completion --complete bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null); do
        if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
    done
    case $kind in
        files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2")) ;;
        folders) compopt -o dirnames -o filenames 2>/dev/null || COMPREPLY=($(compgen -d -- "$2")) ;;
        command)
            for ((at = 1; at < COMP_CWORD; at++)); do
                [[ ${COMP_WORDS[at]} == -- ]] && break
            done
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset $((at + 1))
            elif declare -F _command_offset >/dev/null; then
                _command_offset $((at + 1))
            elif ((COMP_CWORD == at + 1)); then
                COMPREPLY=($(compgen -c -- "$2"))
            else
                compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2"))
            fi
            ;;
    esac
}
complete -F _acp_tui acp-tui
