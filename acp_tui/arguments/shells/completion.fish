# Completion of acp-tui for fish. In config.fish: acp-tui completion fish | source
function __acp_tui_complete
    set -l words (commandline -opc)
    set -l written (commandline -ct)
    set -l answer (command acp-tui completion --complete fish -- $words[2..-1] "$written" 2>/dev/null)
    set -l option (string match -r -- '^--[\w-]+=' $written)
    set -l value (string replace -r -- '^--[\w-]+=' '' $written)
    switch "$answer[1]"
        case files
            printf "%s\n" "$option"(__fish_complete_path "$value")
        case folders
            printf "%s\n" "$option"(__fish_complete_directories "$value" "")
        case command
            set -l at (contains -i -- -- $words)
            set -l rest (string escape -- $words[(math $at + 1)..-1])
            complete -C (string join ' ' -- $rest "$written")
        case '*'
            printf "%s\n" $answer[2..-1]
    end
end
complete -c acp-tui -f -k -a '(__acp_tui_complete)'
