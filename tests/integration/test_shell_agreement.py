"""Whatever the grammar of rules reads, each shell here starts just that: these programs with these words, in this
order, under these operators, and nothing else, in a folder full of nasty names.

The shells read a script of accepted strings. The only programs they find are names of one recorder, which appends its
words to the log of the string (`$ID`), and what was piped into it. More strings: `--hypothesis-profile=deep`.
"""

import os
import random
import re
import shutil
import string
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from acp_tui.host.rules.command_chain import CommandChain, CommandEnvironment, CommandPart, UnreadCommand
from acp_tui.host.rules.command_grammar import read_command
from acp_tui.host.rules.shell_words import SHELL_WORDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX; no rule reads commands on Windows")

PASSING = ("x", "git", "touch", "a.b", "x+y", "7z", "_q", "p-q", "2")
FAILING = ("no", "no-2", "rm.no")
RECORDED = (*PASSING, *FAILING)
RECORDER = """\
#!/bin/sh
fed=
while read -r line; do fed=$fed$line; done
printf '%s\\001' "${0##*/}" "${PWD##*/}" "$fed" "$@" '\x02' >>"$LOGS/$ID"
printf '%s\\n' "${0##*/}"
case $0 in *no*) exit 1;; esac
"""
NASTY_NAMES = (
    *("*", "-rf", "a b", "$x", "new\nline", "?", "[a]", "~", "=x", "%1", "#x", "'", '"', "\\", "!x", "a", "x", "b.c"),
    *("{a,b}", "$(x)", "`x`", ">x", "|x", "&x", ";x", "--", "a=b", "é", "\x01", " "),  # and the folders sub, c d
)
HOSTILE_ZSH = "RC_QUOTES MAGIC_EQUAL_SUBST EXTENDED_GLOB KSH_GLOB NULL_GLOB SH_WORD_SPLIT BRACE_CCL AUTO_CD PATH_DIRS"


class Shell(NamedTuple):
    """How a shell is started for a script, and the line that sets it up."""

    argv: tuple[str, ...]
    setup: str = ""


SHELLS = {
    "dash": Shell(("dash",)),
    "bash": Shell(("bash", "--norc")),
    "bash as sh": Shell(("bash", "--posix")),
    "bash with options": Shell(("bash",), "shopt -s extglob nullglob globstar dotglob; set -o history -o histexpand"),
    "zsh": Shell(("zsh", "-f")),
    "zsh with options": Shell(("zsh", "-f"), f"setopt {HOSTILE_ZSH}"),
    "zsh as ksh": Shell(("zsh", "--emulate", "ksh", "-f")),
    "busybox": Shell(("busybox", "sh")),
    "mksh": Shell(("mksh",)),
    "ksh93": Shell(("ksh93",)),
    "fish": Shell(("fish", "--no-config")),
}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> Shell:
    if not shutil.which(SHELLS[request.param].argv[0]):
        pytest.skip(f"{SHELLS[request.param].argv[0]} is not installed")
    return SHELLS[request.param]


# --- strings, of the grammar and near it ---

SINGLE = string.ascii_letters + ' $`!*?[]{}()<>|&;#~^"=%é漢\U0001f389Á😀с'
DOUBLE = string.ascii_letters + " *?[]{}()<>|&;#~^'=%é漢\U0001f389Áс"
BARE = "abxn09_./:=@%+,-"
ESCAPES = ("", "", r"\"", r"\\", r"\$x", r"\n", r"\ ", r"\'", r"\*", r"\$")
REDIRECTS = (" 2>&1", " 1>&2", " >&2", " >/dev/null", " 2>/dev/null", " 1> /dev/null", " </dev/null", " < /dev/null")
OPERATORS = ("&&", "||", ";", "|", "\n", " && ", " || ", "; ", " | ", " \n ", " &&\n", " ||\n\n ", " |\n")
MUTATIONS = (*" '\"\\$`!*?[]{}()<>|&;#~^=%-+@,:./\n\t0129ax", *("''", "$(x)", "2>", "=x", "\\n", "&&", "cd ", "~x"))
WORDS = (
    *("x", "-rf", "a=x", "a=b:c", "--n=/x", "a=", "a=b:", "''", '""', "if", "and", "}", "1", "2", "-", "..", "'a'"),
    "%",
)
REFUSED = (  # these would fail here if the grammar read them
    *("$x", "~", "~x", "*", "b*", "?", "[a]", "{a,b}", "!x", "^", "#", "=x", "%self", "\\x", "a==x", "a=:=x"),
    *("$(x)", "`x`", "''=x", '"$x"', '"`x`"', '"!x"', "$'x'", ">x", "&x", "(x)", "'a''b'", "'a\\\\b'", "'\\\\'"),
    *("'a\\'", '"a$ x"', "'a\nb'"),
)


class Strings:
    """Random commands: most of them of the grammar, some with a few signs changed."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def _of(self, signs: str, most: int) -> str:
        return "".join(self._chance.choices(signs, k=self._chance.randint(0, most)))

    def _piece(self) -> str:
        one: Callable[[Sequence[str]], str] = self._chance.choice
        kind = self._chance.randrange(5)
        if kind == 0:
            return "'" + self._of(SINGLE, 4) + one(["", "", r"\n", r"\x"]) + "'"
        if kind == 1:
            return '"' + self._of(DOUBLE, 3) + one(ESCAPES) + self._of(DOUBLE, 2) + one(["", "", "", "$"]) + '"'
        if kind == 2:
            return one(WORDS) if self._chance.randrange(4) else one(REFUSED)
        return self._of(BARE, 4)

    def _part(self) -> str:
        program = self._chance.choice((*RECORDED, *RECORDED, "true", "false", "echo"))
        words = (
            "".join(self._piece() for _ in range(self._chance.randint(1, 3))) for _ in range(self._chance.randint(0, 3))
        )
        redirects = self._chance.choices(REDIRECTS, k=self._chance.choice([0, 0, 0, 1, 2]))
        blank = self._chance.choice([" ", "  "])
        return blank.join((program, *words)) + "".join(redirects)

    def _chain(self) -> str:
        text = self._chance.choice(["", "", "", "cd sub && ", "cd './c d'&&", " "]) + self._part()
        for _ in range(self._chance.choice([0, 0, 1, 1, 2, 3, 5])):
            text += self._chance.choice(OPERATORS) + self._part()
        return text + self._chance.choice(["", "", ";", " "])

    def _changed(self, text: str) -> str:
        at = self._chance.randint(0, len(text))
        change: str = self._chance.choice(MUTATIONS)
        return text[:at] + change + text[at + self._chance.randint(0, 1) :]

    def _wrapped(self, text: str) -> str:
        if self._chance.randrange(2) and "'" not in text:
            return f"sh -c '{text}'"
        escaped = re.sub(r'([$"\\])', r"\\\1", text)
        return f'/bin/sh  -c "{escaped}"'

    def accepted(self, place: Path) -> Iterator[tuple[str, CommandChain]]:
        while True:
            text = self._chain()
            if not self._chance.randrange(6):
                text = self._wrapped(text)
            for _ in range(self._chance.choice([0, 0, 1, 2, 3])):
                text = self._changed(text)
            chain = read_command(text, CommandEnvironment())
            if isinstance(chain, CommandChain) and all(map(_is_known, chain.parts)) and (place / chain.folder).is_dir():
                yield text, chain


def _is_known(part: CommandPart) -> bool:
    """A program that is not found would do nothing, and prove nothing."""
    return part.program in (*RECORDED, "true", "false", "echo")


# --- what a chain starts ---


class Started(NamedTuple):
    """A call of the recorder. `fed` is what it was piped, or None if that does not follow from the parts alone."""

    program: str
    folder: str
    fed: str | None
    words: tuple[str, ...]


def pipelines(chain: CommandChain) -> Iterator[list[CommandPart]]:
    """The parts that run, those of a pipeline in one list."""
    joined: list[list[CommandPart]] = []
    for part in chain.parts:
        if part.piped:
            joined[-1].append(part)
        else:
            joined.append([part])
    passed = True
    for pipeline in joined:
        operator = pipeline[0].operator
        if operator not in ("&&", "||") or passed == (operator == "&&"):
            yield pipeline
            passed = pipeline[-1].program not in (*FAILING, "false")


def expected(text: str, chain: CommandChain, place: Path) -> list[list[Started]]:
    folder = Path(os.path.realpath(place / chain.folder)).name
    found = []
    for pipeline in pipelines(chain):
        feeds = [None if "<" in text or ">" in text else "", *(_output(part, text) for part in pipeline[:-1])]
        found.append(
            [
                Started(part.program, folder, fed, part.argv[1:])
                for part, fed in zip(pipeline, feeds, strict=True)
                if part.program in RECORDED
            ]
        )
    return found


def _output(part: CommandPart, text: str) -> str | None:
    if part.program == "echo" or "<" in text or ">" in text:
        return None
    return part.program if part.program in RECORDED else ""


def logged(log: Path) -> list[Started]:
    records = log.read_bytes().decode(errors="replace").split("\x02\x01")[:-1] if log.exists() else []
    return [
        Started(program, folder, fed, tuple(words))
        for program, folder, fed, *words in (record.split("\x01")[:-1] for record in records)
    ]


def differs(text: str, chain: CommandChain, place: Path, log: Path) -> str:
    """How what was started differs from what was read, if it does. The parts of a pipeline start in any order, and
    ksh93 does not wait for its first ones.
    """
    started, read = logged(log), expected(text, chain, place)
    rest = list(started)
    for call in (call for pipeline in read for call in pipeline):
        same = next((one for one in rest if one._replace(fed=one.fed if call.fed is not None else None) == call), None)
        if same is None:
            return f"{text!r}: {call} was not started, but {started}"
        rest.remove(same)
    last = [parts[-1].argv for parts in pipelines(chain) if parts[-1].program in RECORDED]
    order = iter([(call.program, *call.words) for call in started])
    if rest or not all(call in order for call in last):
        return f"{text!r}: started {started}, not {read}"
    return ""


# --- real shells ---


class Bench:
    """A folder with nasty names, and the programs that shells find."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.place, self.programs, self.logs = (
            folder,
            folder / "place",
            folder / "programs",
            folder / "logs",
        )
        for each in (self.place / "sub", self.place / "c d", self.programs, self.logs, folder / "home"):
            each.mkdir(parents=True)
        for name in NASTY_NAMES:
            (self.place / name).write_text("")
        recorder = folder / "recorder"
        recorder.write_text(RECORDER)
        recorder.chmod(0o755)
        for name in RECORDED:
            (self.programs / name).symlink_to(recorder)
        (self.programs / "sh").symlink_to("/bin/sh")

    @property
    def names(self) -> list[str]:
        return sorted(str(path) for path in self.place.rglob("*"))

    def run(self, shell: Shell, *arguments: str) -> None:
        """Runs a shell until it and all that it started have ended: they all have one end of a pipe."""
        program = shutil.which(shell.argv[0])
        assert program
        variables = {"PATH": self.programs, "HOME": self.folder / "home", "PLACE": self.place, "LOGS": self.logs}
        environ = {name: str(value) for name, value in variables.items()}
        environ |= {"LC_ALL": "C.UTF-8", "x": "touch r", "n": "*", "ID": "none", "TERM": "dumb"}
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as ending:
            process = subprocess.Popen(
                [program, *shell.argv[1:], *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[writing],
                cwd=self.place,
                env=environ,
            )
            os.close(writing)
            process.wait(60)
            ending.read()

    def script(self, shell: Shell, texts: Sequence[str]) -> None:
        lines = [shell.setup]
        for number, text in enumerate(texts):
            lines += [f"export ID={number}", text, 'cd "$PLACE"']
        script = self.folder / "script"
        script.write_text("\n".join([*lines, "export ID=end", "x", ""]))
        self.run(shell, str(script))
        script.unlink()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def strings() -> tuple[random.Random, int]:
    """Their chance and number, as the profile of Hypothesis wants them."""
    assert settings.default is not None
    return random.Random(36 if settings.default.derandomize else None), settings.default.max_examples * 6


def test_shells_start_what_was_read(shell: Shell, bench: Bench) -> None:
    chance, count = strings()
    source = Strings(chance).accepted(bench.place)
    cases = [next(source) for _ in range(count)]
    if shell.argv[0] == "fish":  # a string that it does not read would end the script
        cases = [case for case in cases if '$"' not in case[0]]
    before = bench.names
    bench.script(shell, [text for text, _ in cases])
    wrong = [differs(*case, bench.place, bench.logs / str(number)) for number, case in enumerate(cases)]
    assert [problem for problem in wrong if problem] == []
    assert [call.program for call in logged(bench.logs / "end")] == ["x"]
    assert not (bench.logs / "none").exists()
    assert bench.names == before


BUILTINS = """
    echo 'a[$(x)]' '`x`' "\\$x" && no; pwd && no; printf '%s %-3s%%\\n' 'a[$(x)]' b || no; type x && no
    command -v x && no; command -v 7z.7 || no; test -f a && no; test -d sub && no; test -e ./a/b || no; test -s x || no
    test -r 0 || no; test -w a=b && no
"""


def test_builtins_do_no_more_than_programs(shell: Shell, bench: Bench) -> None:
    """`no` runs behind each that does what it should; mksh has no printf of its own."""
    texts = [text.strip() for text in re.split("[;\n]", BUILTINS) if text.strip()]
    assert [text for text in texts if isinstance(read_command(text, CommandEnvironment()), UnreadCommand)] == []
    before = bench.names
    bench.script(shell, texts)
    started = {text: len(logged(bench.logs / str(number))) for number, text in enumerate(texts)}
    assert started == {text: int("printf" not in text or "mksh" in shell.argv) for text in texts}
    assert bench.names == before


def test_fish_starts_nothing_where_a_dollar_ends_a_word(bench: Bench) -> None:
    """Others take that sign as it is."""
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    bench.run(SHELLS["fish"], "-c", 'x "a$"; x')
    assert not [*bench.logs.iterdir()]


# --- their own words ---

LISTED = {
    "bash": "compgen -b; compgen -k",
    "zsh": "emulate zsh; print -l ${(k)builtins} ${(k)reswords} ${(k)aliases}",
    "ksh93": "builtin",  # and its keywords are those of dash, with `namespace`, `select` and `time`
    "fish": "builtin -n",
}
TYPED = re.compile(r"(\S+) is (?:an? )?(?:special )?(?:shell )?(?:builtin|keyword|reserved word|alias)\b")


def words_in(program: str) -> list[str]:
    """What could be a word of a shell: some list no words of their own, but they have them in their program."""
    return sorted(
        {found.decode() for found in re.findall(rb"[a-z_][a-z_0-9.-]{0,15}(?=\0)", Path(program).read_bytes())}
    )


@pytest.mark.parametrize("name", ["dash", "bash", "zsh", "busybox", "mksh", "ksh93", "fish"])
def test_words_of_shells_are_no_programs(name: str) -> None:
    if not (program := shutil.which(name)):
        pytest.skip(f"{name} is not installed")
    argv = [program, *(["sh"] if name == "busybox" else [])]
    if name in LISTED:
        argv += ["-c", LISTED[name]]
    else:
        argv += ["-c", 'for each do type "$each"; done', name, *words_in(os.path.realpath(program))]
    listed = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, errors="replace", check=False).stdout
    found = {line for line in listed.splitlines() if "/" not in line} if name in LISTED else set(TYPED.findall(listed))
    assert len(found) > 40
    assert sorted(found - SHELL_WORDS) == []
