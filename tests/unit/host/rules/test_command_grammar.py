"""The grammar of commands, line by line, and the traps that are none of it. What shells make of commands is in
`tests/integration/test_shell_agreement.py`.
"""

import re
import sys
from types import FrameType
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.host.rules import command_grammar
from acp_tui.host.rules.command_chain import CommandChain, CommandEnvironment, CommandPart, ShellWord, UnreadCommand
from acp_tui.host.rules.command_grammar import MAX_CHARACTERS, MAX_PARTS, read_argument_list, read_command
from acp_tui.host.rules.shell_words import SHELL_WORDS, is_program
from tests.examples import THOROUGH
from tests.rows import each_of

PLAIN = CommandEnvironment()


def read(command: str, environment: CommandEnvironment = PLAIN) -> CommandChain:
    chain = read_command(command, environment)
    assert isinstance(chain, CommandChain), f"{command!r}: {chain}"
    return chain


def refusal(command: str, environment: CommandEnvironment = PLAIN) -> str:
    chain = read_command(command, environment)
    assert isinstance(chain, UnreadCommand), f"{command!r} is read: {chain}"
    return chain.reason


def argvs(chain: CommandChain) -> list[list[str]]:
    return [[*part.argv] for part in chain.parts]


@each_of(
    ("command", "operators"),
    [
        ("x", [""]),
        (" x ", [""]),
        ("x;", [""]),
        ("x ; ", [""]),
        ("x&&x", ["", "&&"]),
        ("x && x||x ; x|x\nx", ["", "&&", "||", ";", "|", "\n"]),
        ("x &&\n\n x ||\nx |\n x", ["", "&&", "||", "|"]),
        ("x\n  x", ["", "\n"]),
        (";".join("x" * MAX_PARTS), ["", *";" * (MAX_PARTS - 1)]),
    ],
)
def test_chains(command: str, operators: list[str]) -> None:
    assert [part.operator for part in read(command).parts] == operators


@each_of(
    "command",
    [
        *("", " ", "\n", ";", "&&", "x &&", "x ||", "x |", "&& x", "| x", "; x", "x;;", "x; ;", "x;;x", "x && && x"),
        *("x\n", "\nx", "x\n\nx", "x;\nx", "x\n&& x", "x & x", "x&", "x &", "x |& x", "x &&& x", "x ||| x", "x & & x"),
        *("(x)", "{ x; }", "{ x }", "! x", "x;\tx", "x\r\nx", "x\rx", "\tx", "x\0", "x\x0bx", "x\x1bx", "x\u00a0x"),
        *("x # y", "#x", "x#y", "x\\\nx", ";".join("x" * (MAX_PARTS + 1)), "x" * (MAX_CHARACTERS + 1)),
    ],
)
def test_what_is_no_chain(command: str) -> None:
    assert refusal(command)


@each_of(
    "redirect",
    [
        *("2>&1", "1>&2", ">&2", ">/dev/null", "1>/dev/null", "2>/dev/null", "> /dev/null", "2> /dev/null"),
        *("</dev/null", "< /dev/null", ">/dev/null 2>&1", "2>&1  >/dev/null </dev/null"),
    ],
)
def test_redirects(redirect: str) -> None:
    for behind in ("", " ", ";", "|x", "&&x", " && x", "\nx"):
        first, *_ = read(f"git log {redirect}{behind}").parts
        assert first == CommandPart("git", (ShellWord("log"),), source="git log")


@each_of(
    "redirect",
    [
        *(">f", ">>f", ">>/dev/null", "<f", "<<E", "<<<x", "<>f", ">|f", "&>/dev/null", "&>f", ">&f", ">&1", "2>&2"),
        *("0</dev/null", "3>/dev/null", "2>&1x", "2>&12", ">/dev/nullx", ">/dev/null/x", ">/dev/../x", ">  /dev/null"),
        *("2 >&1f", ">/dev/null x", "2>&1 x", "2>&-", ">&-", "<&0", "<(x)", ">(x)", ">$x", ">'/dev/null'", "2>&1>f"),
        *("2>&1&", ">/dev/null&", ">", "2>", "<", "2>/dev/tcp/x/1", ">/dev/stdout", "{x}>/dev/null", "> \n/dev/null"),
    ],
)
def test_what_is_no_redirect(redirect: str) -> None:
    assert refusal(f"git log {redirect}")
    assert refusal(f"git log{redirect}")


@each_of("program", ["x", "7z", "_x", ".x", "a.out", "g++", "x-1", "./x", "../x", "/usr/bin/git", "a/b", "x/./y", "2"])
def test_programs(program: str) -> None:
    assert argvs(read(f"{program} y")) == [[program, "y"]]


@each_of(
    "program",
    [
        *("-", "-x", "+x", ".", "..", "./", "x/", "x/..", "x/.", "/", "'x'", '"x"', "x'y'", 'x"y"', "x=y", "A=1 x"),
        "=",
        *("=x", "%x", "%1", "~/x", "x~", "x*", "x?", "x,y", "x:y", "x@y", "x%", "é", "$x", "$(x)", "`x`", "\\x"),
        "x[1]",
        *("[", "[[", "{", "}", "!", ":", "((", "x()", "''", '""', "''x", "a+=b", "漢", "x>/dev/null", ">/dev/null"),
        *("source", "eval", "exec", "if", "time", "builtin", "and", "not", "noglob", "repeat", "foreach", "namespace"),
        *("EVAL", "Command", "COMMAND", "nohup", "coproc", "nextd", "unset", "export", "let", "read", "ulimit"),
        "shift",
    ],
)
def test_what_is_no_program(program: str) -> None:
    assert refusal(program)
    assert refusal(f"{program} y")
    assert refusal(f"x && {program} y")


@each_of(
    ("word", "text"),
    [
        ("a-b_c.d/e:f=g@h%i+j,k", "a-b_c.d/e:f=g@h%i+j,k"),
        ("--a=b", "--a=b"),
        ("a=b=c", "a=b=c"),
        ("a=b:c='':d", "a=b:c=:d"),
        ("-", "-"),
        ("if", "if"),
        ("2", "2"),
        ("''", ""),
        ('""', ""),
        ("'a b'", "a b"),
        ("' $x `x` !* ~ {a,b} \" \\n &;|<>#()'", ' $x `x` !* ~ {a,b} " \\n &;|<>#()'),
        ("'é漢'", "é漢"),
        ('"é"', "é"),
        ("'a'b\"c\"'d'", "abcd"),
        ("'a'\"\"'b'", "ab"),
        ('"a""b"', "ab"),
        ('"a$"', "a$"),
        ('"$"', "$"),
        ("'=x'", "=x"),
        ("'a'=x", "a=x"),
        ("a'=='", "a=="),
        (r'"\"\\\$"', r'"\$'),
        (r'"\$x"', "$x"),
        (r'"\n\ \*\'"', r"\n\ \*\'"),
        ('"it\'s * ? [a] ~ & ; | > #"', "it's * ? [a] ~ & ; | > #"),
    ],
)
def test_words(word: str, text: str) -> None:
    (part,) = read(f"x {word} y").parts
    assert part.argv == ("x", text, "y")
    assert part.words[0].quoted == ("'" in word or '"' in word)


@each_of(
    "word",
    [
        *("a=''=x", 'a="b:"=x', "a=b:=x", "a=b:''=x", "--n=b:=x", "a'='=x", "a:=x", "a=b='':=x", "'='=x"),
        *("=x", "%x", "''=x", '""=x', "''%x", "''\"\"=x", "a==x", "==", "'a''b'", "''''", "'a'''", "'\\\\'", "'a\\'"),
        *("$x", "a$x", "$(x)", "${x}", "$'x'", '$"x"', '"$x"', '"a$ b"', '"$(x)"', '"`x`"', "`x`", '"!x"', '"\\!"'),
        *('"\\`"', '"\\é"', '"\\\n"', '"a\nb"', "'a\nb'", "'a\tb'", '"a\tb"', "'a\0'", "'\x1b'", "'\u00a0'", "'\x85'"),
        *("'\u200b'", "'\ud800'", "'\ue000'", "'\ufdd0'", "é", "aé", "~", "~x", "a~", "*", "a*", "?", "[a]", "]"),
        "{a,b}",
        *("}", "^", "a^b", "#", "a#", "!", "!x", "\\", "\\n", "a\\ b", "(", "a(b)", "'", "'a", '"', '"a', '"a\\'),
        "a'b",
        *("$'\\x2d-output'", "{--output=x,HEAD}", "${IFS}x", "@(a|b)", "+(a)", '"a$', '"\\', "a&b", "a&>b", "a<b"),
        "a>b",
    ],
)
def test_what_is_no_word(word: str) -> None:
    assert refusal(f"x {word}")


def test_letters_outside_ascii_stand_in_quotes_and_in_a_locale_of_utf8() -> None:
    for command in ("x 'é'", 'x "é"', "sh -c \"x 'é'\""):
        assert argvs(read(command)) == [["x", "é"]]
        assert "UTF-8" in refusal(command, CommandEnvironment(utf8=False))
    assert argvs(read("x 'e'", CommandEnvironment(utf8=False))) == [["x", "e"]]


@each_of(
    ("command", "folder"),
    [
        ("cd sub && x", "sub"),
        ("cd 'a b' &&x", "a b"),
        (" cd ./a/b&&\nx; y", "./a/b"),
        ("cd /a 2>&1 && x", "/a"),
        ("bash -lc 'cd a && x'", "a"),
    ],
)
def test_folders(command: str, folder: str) -> None:
    chain = read(command)
    assert (chain.folder, chain.parts[0].program) == (folder, "x")
    if not folder.startswith("./"):
        assert "CDPATH" in refusal(command, CommandEnvironment(cdpath=True))


@each_of(
    "command",
    [
        *("cd", "cd a", "cd && x", "cd a; x", "cd a | x", "cd a || x", "cd a\nx", "x && cd a && x"),
        "cd a && cd b && x",
        *("cd - && x", "cd -P a && x", "cd +1 && x", "cd a b && x", "cd '' && x", "cd '-' && x", "cd a &&"),
        "cd ~ && x",
        *("pushd a && x", "chdir a && x", "/usr/bin/cd a && cd b", "CD a && x", "cd $x && x", "cd a & x", "cd =a && x"),
    ],
)
def test_what_is_no_folder(command: str) -> None:
    assert refusal(command)


@each_of(
    "command",
    [
        *("echo", "echo 'a[$(x)]' -n", "pwd", "pwd -P", "true", "true x", "false", "type x g++", "command -v x"),
        *("printf x", "printf '%s %-20s%%\\n' 'a[$(x)]'", "test -f a/b", "test -L a=b", "realpath x", "sleep 1"),
        "which x",
    ],
)
def test_builtins_that_count_as_programs(command: str) -> None:
    assert read(command).parts[0].program == command.partition(" ")[0]


@each_of(
    "command",
    [
        *("type", "type 'x'", "type -a x", "command", "command x", "command -v", "command -v 'a[0]'", "command -v x y"),
        *("command -V x", "command -p x", "command -- x", "printf", "printf -v 'a[$(x)]' y", "printf -- x"),
        "printf '-v' x",
        *("printf %d 'a[$(x)]'", "printf %n x", "printf '%*s' x", "printf '%(x)T'", "printf %", "printf '%1$s'"),
        "printf %b x",
        *("test", "test x", "test -v 'a[$(x)]'", "test -f 'a'", "test -f a b", "test -f", "test 1 -eq 'a[$(x)]'"),
        "test -n a",
        *("test -t 1", "test a -nt b", "'test' -f x", "Echo", "TEST -f a"),
    ],
)
def test_builtins_with_other_words(command: str) -> None:
    assert refusal(command)


def test_words_of_shells_are_programs_only_where_they_are_listed() -> None:
    programs = {name for name in SHELL_WORDS if name.isalpha() and is_program(name, ())}
    assert programs == {"echo", "pwd", "true", "false", "realpath", "sleep", "which"}


@each_of(
    "shell", ["bash", "zsh", "sh", "dash", "/bin/sh", "/usr/bin/zsh", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"]
)
def test_shells_with_a_string(shell: str) -> None:
    wanted = [["git", "log", "a b"], ["wc"]]
    for option in ("-c", "-lc"):
        assert argvs(read(f"{shell} {option} 'git log \"a b\"|wc'")) == wanted
        assert argvs(read(f" {shell}  {option}  \"git log 'a b' |\nwc\" ")) == wanted
        assert argvs(read(f'{shell} {option} "git log \\"a b\\" | wc"')) == wanted
        listed = read_argument_list([shell, option, "git log 'a b' | wc"], PLAIN)
        assert isinstance(listed, CommandChain)
        assert argvs(listed) == wanted
        assert refusal(f"{shell} {option} 'git log $x'") == refusal("git log $x")
        unread = read_argument_list([shell, option, "git log $x"], PLAIN)
        assert unread == UnreadCommand(refusal("git log $x"))


@each_of(
    ("command", "argv"),
    [
        ("bash -c 'x' y", ["bash", "-c", "x", "y"]),
        ("bash -c x", ["bash", "-c", "x"]),
        ("bash -lc'x'", ["bash", "-lcx"]),
        ("bash -xc 'x'", ["bash", "-xc", "x"]),
        ("bash -l -c 'x'", ["bash", "-l", "-c", "x"]),
        ("./bash -c 'x'", ["./bash", "-c", "x"]),
        ("ksh -c 'x'", ["ksh", "-c", "x"]),
        ("bash -c 'x'\"y\"", ["bash", "-c", "xy"]),
        ("bash -c 'x';", ["bash", "-c", "x"]),
        (r'bash -c "x \n"', ["bash", "-c", r"x \n"]),
        (r"""sh -c "grep 'a\$'" """, ["grep", "a$"]),
    ],
)
def test_other_calls_of_shells_are_parts(command: str, argv: list[str]) -> None:
    assert argvs(read(command)) == [argv]


@each_of(
    "command",
    [
        *("bash -c ''", "bash -c ' '", 'bash -c ""', "bash -c 'a\\\\b'", "bash -c 'a\\'", 'bash -c "a $x"'),
        'bash -c "`x`"',
        *('sh -c "x \\`y\\`"', "sh -c \"x '\\`'\"", 'sh -c "x !y"', "bash -c 'x' && rm y >f", "bash -c 'x"),
        "sh -c 'sh\n'",
        *('bash -c "cat <<E"', "bash -c 'x\ty'", "bash -c 'eval x'", "bash -c 'x' $y", "'bash' -c 'x'"),
        "LD_PRELOAD=./x.so sh",
    ],
)
def test_strings_of_shells_that_are_not_read(command: str) -> None:
    assert refusal(command)


def test_other_lists_are_one_part_as_it_is() -> None:
    chain = read_argument_list(["git", "log", "a; $(x) 'y'", "", "==\\\\", "é"], CommandEnvironment(utf8=False))
    assert isinstance(chain, CommandChain)
    (part,) = chain.parts
    assert part.argv == ("git", "log", "a; $(x) 'y'", "", "==\\\\", "é")
    assert all(word.quoted for word in part.words)
    assert isinstance(read_argument_list(["bash", "-c", "x", "y"], PLAIN), CommandChain)


@each_of(
    "argv",
    [
        *([], [""], ["-x"], ["a b"], ["x=y"], ["cd", "x"], ["eval", "x"], ["x", "a\nb"], ["x", "\x1b"]),
        ["x", "\ud800"],
        *(["é"], ["$x"], ["."], ["x/"], ["x", "y" * MAX_CHARACTERS], ["sh", "-c", "x;;"], ["test", "-f", "x"]),
        ["printf"],
    ],
)
def test_lists_that_are_not_read(argv: list[str]) -> None:
    assert isinstance(read_argument_list(argv, PLAIN), UnreadCommand)


def test_no_command_is_read_on_windows() -> None:
    windows = CommandEnvironment(windows=True)
    assert "Windows" in refusal("git log", windows)
    assert isinstance(read_argument_list(["git", "log"], windows), UnreadCommand)


@each_of(
    ("command", "reason"),
    [
        ("x $y", "it has a variable"),
        ("x > f", "it writes to a file"),
        ("x 2>f", "it writes to a file"),
        ("x <<E", "it reads from a file or a heredoc"),
        ("x `y`", "it runs a command inside another"),
        ("x *", "it has a file pattern"),
        ("x &", "it runs something in the background"),
        ("A=1 x", "it sets a variable"),
        ("eval x", "it uses eval, which is built into shells"),
        ("x 'a", "it has an unclosed quote"),
        ("x" * 4001, "it is longer than 4,000 characters"),
        ("x;" * 21, "it has more than 20 commands"),
        ("x é", "it has a letter outside ASCII"),
        ("x\ty", "it has a control character"),
        ("x 'a\nb'", "it has a newline in quotes"),
    ],
)
def test_reasons(command: str, reason: str) -> None:
    assert refusal(command) == reason


PIECES = st.sampled_from(
    [*" '\"\\$`!*?[]{}()<>|&;#~^=%-+@,:./\n\t\r\0é\x85\ud800\u200b012ax", *("cd", "sh -c ", "2>&1")]
)
NASTY = st.lists(PIECES | st.sampled_from(["x ", " x", "''", '""', " && ", " | ", ">/dev/null", "\\\\"])).map("".join)


@THOROUGH
@given(st.one_of(NASTY, NASTY.map("x {}".format), NASTY.map("x '{}'".format), NASTY.map('x "{}"'.format)))
@example("x 'a'\"b\" | x -c 'y'")
def test_what_is_read_is_read_again_alike(command: str) -> None:
    chain = read_command(command, PLAIN)
    assert chain == read_command(command, PLAIN)
    for part in chain.parts if isinstance(chain, CommandChain) else ():
        assert re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_.+/-]*", part.program)
        assert all(word.text.isprintable() for word in part.words)
        again = read_command(f"x; {part.source}", PLAIN)
        assert isinstance(again, CommandChain)
        assert [part.program, part.words] == [again.parts[-1].program, again.parts[-1].words]


def steps(command: str) -> int:
    """How many lines the grammar runs for a command; no clock is as steady."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename == command_grammar.__file__ else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read_command(command, PLAIN)
    finally:
        sys.settrace(before)
    return count


@each_of("piece", [" ", "x", "x ", "'", "''\"\"", "x '\\", "$", "x |\n", "sh -c '", "2>&1 ", "="])
def test_the_time_is_linear(piece: str) -> None:
    for before in ("", "x '", 'sh -c "'):
        half, whole = (before + (piece * 4000)[:length] for length in (1900, 3900))
        assert steps(whole) <= 2.2 * steps(half) + 100
        assert steps(whole) < 60 * 4000
