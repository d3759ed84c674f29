"""Proof with the real programs of this machine: calls that count as reading write nothing, start nothing, and stay in.

READER_CALLS in the environment is the number of random calls of each program (6 otherwise).
"""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.host.rules.command_chain import CommandEnvironment, CommandPart, CommandPlace, ShellWord
from acp_tui.host.rules.git_readers import _commands
from acp_tui.host.rules.reader_options import option_table
from acp_tui.host.rules.reading_programs import _FIND_PATH, _FIND_PLAIN, _FIND_TEXT, _readers, reader_problem

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs of POSIX")
CALLS = int(os.environ.get("READER_CALLS", "6"))
BOUND = 20  # seconds
CANARY = b"never-to-be-read"
NAMES = ("a.txt", "-o", "-rf", "x y", "--output=x", "*", "$(touch r)", "b.json", "sub/c.py", "sub/-exec", "e", "1w x")
VALUES = (
    *NAMES, "1", "3", "+2", "0", "x", "1p", "2,3p", "1w made", "e touch made", ".", "-", "sub", "*.py", "a", "[a-z]",
    "%s", "%p", "/", "/etc/passwd", "../outside/secret", "to_file", "to_folder", "sub/to_file", "auto", "name",
    "to_folder/secret", "@opts", "list", "always", ".a", "-n", "-o", "-e", "--", "--files0-from=list", "+%s", "-f",
    "-exec", "-delete", "-printf", "-fprint", "made", "-i", "-T", "--pre=./evil", "-z", "-L", "-R", "-follow", "(", ")",
    "!", "-name", "-type", "-quit", "-newer", "-prune", 'import "x" as $x; .', "env", "$ENV", "HEAD", "f", "d",
    "HEAD~1..HEAD", "HEAD:a.txt", "--output=made", "-O./evil", "--ext-diff", "--textconv", "user.name", "-10",
    ":!sub", "main",
)  # fmt: skip
OTHERS = """sh bash dash env cat less more pager vi vim editor nano git gpg gpg2 ssh pr gzip bzip2 xz zstd compress lz4
    zcat uncompress brotli file ls find rm cp mv touch tee xargs python3 perl sort uniq grep rg
    hostname evil python locate"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session's folder with names that look like options, links that lead out, and recorders for other programs."""
    outside, root, others = tmp_path / "outside", tmp_path / "root", tmp_path / "others"
    for made in (outside, root / "sub", others, tmp_path / "marks", tmp_path / "home"):
        made.mkdir(parents=True)
    (outside / "secret").write_bytes(CANARY)
    for name in NAMES:
        (root / name).write_text('{"a": 1}\nb = 2\n')
    (root / "list").write_text(f"{outside}/secret\0")
    (root / "opts").write_text(f"{outside}/secret\n")
    (root / "to_file").symlink_to(outside / "secret")
    (root / "to_folder").symlink_to(outside)
    (root / "sub" / "to_file").symlink_to("../../outside/secret")
    for name in OTHERS.split():
        record(others / name, tmp_path / "marks" / name)
    record(root / "evil", tmp_path / "marks" / "evil")
    return root


def record(path: Path, mark: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n: > '{mark}'\nexit 1\n")
    path.chmod(0o755)


def state_of(root: Path) -> dict[str, tuple[object, ...]]:
    """All that a write would change; Git may renew what it remembers of the files in its index."""
    found = {}
    for path in [root, *root.rglob("*")]:
        info = path.lstat()
        if path.parent.name != ".git" or path.name != "index":
            times = () if path.name == ".git" else (info.st_mtime_ns, info.st_size)
            content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
            found[str(path)] = (info.st_mode, info.st_ino, *times, content)
    return found


def place_of(root: Path) -> CommandPlace:
    return CommandPlace(os.path.realpath(root), (os.path.realpath(root),), CommandEnvironment(path="/usr/bin:/bin"))


def part_of(*argv: str, piped: bool = False) -> CommandPart:
    return CommandPart(argv[0], tuple(map(ShellWord, argv[1:])), "|" if piped else "")


def words_of(table: str, chance: random.Random) -> list[str]:
    """Some options with some values, and some other words, in any order."""
    words: list[list[str]] = [[chance.choice(VALUES)] for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3)))]
    for name, kind in chance.sample(
        sorted(option_table(table).items()), min(len(option_table(table)), chance.randint(0, 3))
    ):
        value = str(chance.randint(0, 9)) if kind == "=#" else chance.choice(VALUES)
        glued = f"{name}={value}" if name.startswith("--") else name + value
        apart = [name] if kind == "" else [name, value]
        words.append(
            ["-7"] if name == "-#" else [glued] if kind == "[=]" or (kind and chance.random() < 0.4) else apart
        )
    if chance.random() < 0.7:  # options mostly stand before the other words
        words.sort(key=lambda each: not each[0].startswith("-"))
    return [word for each in words for word in each]


def find_words(chance: random.Random) -> list[str]:
    words = chance.choice(([], ["."], ["sub", "a.txt"], ["to_folder"]))
    for _ in range(chance.randint(0, 4)):
        table = chance.choice((_FIND_PLAIN, _FIND_TEXT, _FIND_TEXT, _FIND_PATH, "-exec -ok -delete -fprint -fls -L"))
        name = chance.choice(table.split())
        words = (
            [*words, name]
            if table is _FIND_PLAIN
            else [*words, name, chance.choice((*VALUES, "f", "1", "*.py", "+1k"))]
        )
    return words


def accepted(program: str, table: str, place: CommandPlace, seed: str) -> Iterator[CommandPart]:
    chance = random.Random(f"{program} {seed}")  # the same each time
    count, filters = 0, program in _readers() and _readers()[program].filters
    for _ in range(CALLS * 400):
        words = find_words(chance) if program == "find" else words_of(table, chance)
        part = part_of(*program.split(), *words, piped=filters and chance.random() < 0.5)
        if reader_problem(part, place) == "":
            yield part
            count += 1
        if count == CALLS:
            return


def run(part: CommandPart, root: Path) -> bytes:
    """What it writes; before one that stands behind no pipe is an input that never ends, which it may not wait for."""
    program = shutil.which(part.program)
    assert program is not None
    environment = {"PATH": f"{root.parent}/others", "HOME": f"{root.parent}/home", "LC_ALL": "C.UTF-8"}
    endless, keeper = os.pipe()
    try:
        ended = subprocess.run(
            [program, *part.argv[1:]],
            cwd=root,
            env=environment,
            input=b"x\n1\n" if part.piped else None,
            # ripgrep reads a pipe instead of files, and says so in its manual
            stdin=None if part.piped else subprocess.DEVNULL if part.program == "rg" else endless,
            capture_output=True,
            timeout=BOUND,
            check=False,
        )
    finally:
        os.close(endless)
        os.close(keeper)
    return ended.stdout + ended.stderr


def prove(parts: Iterator[CommandPart], root: Path) -> int:
    """Run calls, and nothing may have been written, started or read outside."""
    before, calls = state_of(root), []
    for part in parts:
        calls.append(part.argv)
        assert CANARY not in run(part, root), part.argv
    assert (state_of(root), [*(root.parent / "marks").iterdir()]) == (before, []), calls
    return len(calls)


NO_READING = (
    ("sort", "-o", "made", "a.txt"),
    ("uniq", "a.txt", "made"),
    ("sed", "-n", "1w made", "a.txt"),
    ("find", ".", "-fprint", "made"),
    ("find", ".", "-exec", "evil", ";"),
    ("cat", "to_file"),
    ("grep", "-R", "never", "sub"),
    ("diff", "sub", "to_folder"),
    ("strings", "@opts"),
    ("tree", "-Iox", "a", "made"),
    ("rg", "--pre", "./evil", "x"),
    ("rg", "-L", "never", "--hidden"),
)


@pytest.mark.parametrize("argv", NO_READING, ids=" ".join)
def test_the_proof_finds_what_is_more_than_reading(argv: tuple[str, ...], folder: Path) -> None:
    """Else the tests below could not fail; and each of these is asked about."""
    assert reader_problem(part_of(*argv), place_of(folder)) != ""
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    (folder / "sub" / "secret").write_text("x")
    with pytest.raises(AssertionError):
        prove(iter([part_of(*argv)]), folder)


PROGRAMS = sorted(name for name in _readers() if name not in ("command", "type"))  # which only shells have


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_reader_only_reads(program: str, folder: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    assert prove(accepted(program, _readers()[program].options, place_of(folder), "1"), folder) > 0


def git(root: Path, *words: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": f"{root.parent}/home", "GIT_CONFIG_NOSYSTEM": "1"}
    names = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "core.hooksPath=/none")
    subprocess.run(["git", *names, *words], cwd=root, env=environment, check=True, capture_output=True, timeout=BOUND)


def repository(root: Path) -> Path:
    root.mkdir(exist_ok=True)
    git(root, "init", "--template=")
    (root / "a.txt").write_text("one\n")
    git(root, "add", "a.txt")
    git(root, "commit", "-m", "first")
    (root / "a.txt").write_text("two\n")
    git(root, "commit", "-am", "second")
    return root


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
HOOKS = "pre-commit post-checkout reference-transaction fsmonitor-watchman post-rewrite pre-auto-gc"


@needs_git
@pytest.mark.parametrize("command", sorted(_commands()))
def test_git_only_reads(command: str, folder: Path) -> None:
    repository(folder)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    for hook in HOOKS.split():
        record(folder / ".git" / "hooks" / hook, folder.parent / "marks" / hook)
    kind, table = _commands()[command]
    calls = accepted(f"git {command}", table, place_of(folder), kind)
    assert prove(calls, folder) > 0
