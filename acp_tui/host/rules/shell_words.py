"""The keywords and builtins of shells, which no rule takes for programs; and the builtins that may stand like one.

`tests/integration/test_shell_agreement.py` asks each shell that is installed for its own.
"""

from acp_tui.expressions import expression
from acp_tui.host.rules.command_chain import ShellWord

_POSIX = """
    ! . : [ [[ ]] { } alias bg break case cd chdir command continue do done echo elif else esac eval exec exit export
    false fc fg fi for function getopts hash help history if in jobs kill let local printf pwd read readonly return set
    shift source test then time times trap true type ulimit umask unalias unset until wait while
"""
_BASH = """
    bind builtin caller compgen complete compopt coproc declare dirs disown enable logout mapfile popd pushd readarray
    select shopt suspend typeset
"""
_ZSH = """
    - autoload bindkey builtin bye cap clone compadd comparguments compcall compctl compdescribe compfiles
    compgroups compquote compset comptags comptry compvalues coproc declare dirs disable disown echotc echoti
    emulate enable end float foreach functions getcap getln integer limit log logout nocorrect noglob popd print
    private pushd pushln r rehash repeat run-help sched select setcap setopt suspend syserror sysopen sysread
    sysseek syswrite ttyctl typeset unfunction unhash unlimit unsetopt vared whence where which which-command
    zcompile zcurses zformat zftp zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstat zstyle
    zsystem ztcp
"""
_KORN = """
    alarm autoload bind builtin compound disown enum float functions global hist integer login mknod namespace nameref
    newgrp nohup poll print r realpath redirect rename select sleep stop suspend typeset vmap vpath whence
"""
_FISH = """
    _ abbr and argparse begin bind block breakpoint builtin cdh commandline complete contains contains_seq count dirh
    dirs disown emit end fish_indent fish_key_reader funced funcsave functions isatty math nextd not or path popd prevd
    psub pushd random realpath set_color setenv status string suspend switch vared
"""

SHELL_WORDS = frozenset(" ".join((_POSIX, _BASH, _ZSH, _KORN, _FISH)).split())
"""Keywords and builtins of dash, bash, zsh, busybox, mksh, ksh93 and fish, and the aliases they begin with. Of fish's
functions those that change the shell, or run others; its wrappers around programs of the same name are none."""

SAME_AS_PROGRAM = frozenset({"realpath", "sleep", "which"})
"""Builtins of one shell or another that do with their words what the program of that name does, and no more."""

_ANY_WORDS = frozenset({"echo", "pwd", "true", "false"})
_FORMAT = expression(r"(?!-)(?:[^%]|%%|%-?[0-9]{0,3}s)*")  # %n runs a[$(x)] in zsh, and %d may count it
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_BARE_WORDS = {
    "type": expression(rf"{_NAME}(?: {_NAME})*"),
    "command": expression(rf"-v {_NAME}"),
    "test": expression(r"-[fdesrwxL] [^ ]+"),
}


def is_program(name: str, words: tuple[ShellWord, ...]) -> bool:
    """Whether every shell takes `name` for a program, or for a builtin that does with these words what one would.

    Case does not count: a Mac finds its script for `command` under the name of `COMMAND` too.
    """
    if name.lower() not in SHELL_WORDS or name in SAME_AS_PROGRAM:
        return True
    if name in _BARE_WORDS:
        text = " ".join(word.text for word in words)
        return not any(word.quoted for word in words) and _BARE_WORDS[name].fullmatch(text) is not None
    if name == "printf":
        return bool(words) and _FORMAT.fullmatch(words[0].text) is not None
    return name in _ANY_WORDS
