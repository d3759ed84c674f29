#compdef acp-tui
# Completion of acp-tui for zsh. In ~/.zshrc, after compinit: eval "$(acp-tui completion zsh)"
_acp_tui() {
    local -a answer rows
    local kind at
    answer=("${(@f)$(command acp-tui completion --complete zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=$answer[1]
    rows=("${(@)answer[2,-1]}")
    [[ $kind != command && $PREFIX == --*=* ]] && compset -P '*='
    case $kind in
        files) _files ;;
        folders) _files -/ ;;
        command)
            at=${words[(i)--]}
            words=("${(@)words[at+1,-1]}")
            ((CURRENT -= at))
            _normal
            ;;
        words) (($#rows)) && _describe -V 'acp-tui' rows ;;
    esac
}
if [[ ${funcstack[1]} == _acp_tui ]]; then
    _acp_tui "$@" # autoloaded: this is the first call
elif (($+functions[compdef])); then
    compdef _acp_tui acp-tui
else
    print -u2 'acp-tui completion: run "autoload -Uz compinit && compinit" first'
fi
