"""Tab in real shells: the script that is printed, asking the program that is installed."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.runs import BOUND
from tests.unit.headless.test_candidates import write_records

CTRL_A = "\x01"
TOLD = re.compile(r"\(acp-tui\)((?:\([^)]*\))*)end-2")  # what the typed line itself does not contain
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "bind 'set enable-bracketed-paste off'"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; unsetopt PROMPT_SP"),
}


class Place:
    """A folder with files in it, and a PATH with `acp-tui` and an agent."""

    def __init__(self, folder: Path, shell: str) -> None:
        self.folder, self.shell = folder, shell
        programs = folder / "programs"
        programs.mkdir()
        for name, line in (("acp-tui", f'exec {sys.executable} -m acp_tui "$@"'), ("my-own-agent", "")):
            (programs / name).write_text(f"#!/bin/sh\n{line}\n")
            (programs / name).chmod(0o755)
        (folder / "wire.jsonl").touch()
        (folder / "two words.jsonl").touch()
        (folder / "sources").mkdir()
        self.environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "xterm"}

    def completed(self, line: str) -> list[str]:
        """The words of a line after Tab at its end."""
        return self._fish(line) if self.shell == "fish" else self._typed(line)

    def _fish(self, line: str) -> list[str]:
        """The words with the only candidate in place of the last one."""
        script = f"acp-tui completion fish | source; complete -C {_quoted(line)}"
        told = subprocess.run(
            ["fish", "--no-config", "-c", script],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=BOUND,
            check=True,
        )
        candidates = [row.split("\t")[0] for row in told.stdout.splitlines()]
        written = line.split(" ")
        return [*written[:-1], *(name for name in candidates if name.startswith(written[-1]))]

    def _typed(self, line: str) -> list[str]:
        """The words that the shell would start, after Tab was pressed in it."""
        command, setting = START[self.shell]
        process, master = _on_terminal(command, self.folder, self.environ)
        try:
            _type(master, f'{setting}; eval "$(acp-tui completion {self.shell})"; echo ready-$((1 + 1))\r')
            _read_until(master, re.compile("ready-2"))
            _type(master, f"{line}\t; echo end-$((1 + 1)){CTRL_A}printf '(%s)' \r")
            told = _read_until(master, TOLD)[1]
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
            os.close(master)
        return ["acp-tui", *told[1:-1].split(")(")] if told else ["acp-tui"]


def _quoted(line: str) -> str:
    return "'" + line.replace("'", "\\'") + "'"


def _on_terminal(command: list[str], folder: Path, environ: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command, cwd=folder, env=environ, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    return process, master


def _type(master: int, text: str) -> None:
    os.write(master, text.encode())


def _read_until(master: int, ending: re.Pattern[str]) -> re.Match[str]:
    """Read until something was written; it is found over the ends of lines that the terminal has broken."""
    told, deadline = "", time.monotonic() + BOUND
    while (found := ending.search(told)) is None:
        assert time.monotonic() < deadline, told
        if select.select([master], [], [], 0.05)[0]:
            told += os.read(master, 65536).decode(errors="replace")
    return found


@pytest.fixture(params=["bash", "zsh", "fish"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed here")
    return Place(tmp_path, request.param)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("acp-tui repl", "acp-tui replay"),
        ("acp-tui --ag", "acp-tui --agent"),
        ("acp-tui --agent goo", "acp-tui --agent goose"),
        ("acp-tui -C . --agent goo", "acp-tui -C . --agent goose"),
        ("acp-tui run --permission allow-o", "acp-tui run --permission allow-once"),
        ("acp-tui run --format=js", "acp-tui run --format=json"),
        ("acp-tui -p x --perm", "acp-tui -p x --permission"),
        ("acp-tui replay wi", "acp-tui replay wire.jsonl"),
        ("acp-tui --mcp=wi", "acp-tui --mcp=wire.jsonl"),
        ("acp-tui -C sou", "acp-tui -C sources"),
        ("acp-tui completion fi", "acp-tui completion fish"),
        ("acp-tui --demo -- my-own", "acp-tui --demo -- my-own-agent"),
        ("acp-tui -- my-own-agent wi", "acp-tui -- my-own-agent wire.jsonl"),
        ("acp-tui nothing-l", "acp-tui nothing-l"),
    ],
)
def test_tab(place: Place, line: str, words: str) -> None:
    completed = place.completed(line)
    if place.shell == "fish" and line.endswith("nothing-l"):  # whose list is empty
        words = "acp-tui"
    assert [word.removesuffix("/") for word in completed] == words.split(" ")


def test_a_session_id_of_this_folder(place: Place) -> None:
    write_records(place.folder, "ses:12", "other")
    write_records(place.folder / "sources", "ses:99")
    assert place.completed("acp-tui --resume ses:") == ["acp-tui", "--resume", "ses:12"]
    assert place.completed("acp-tui -r o") == ["acp-tui", "-r", "other"]


@pytest.mark.parametrize(
    ("line", "heavy"),
    [("acp-tui run --perm", {"textual", "pydantic", "anyio"}), ("acp-tui --agent ", {"textual"})],
)
def test_what_a_key_waits_for_is_not_loaded(line: str, heavy: set[str], tmp_path: Path) -> None:
    program = "import sys; from acp_tui.startup import main; main(); print(*sys.modules, file=sys.stderr)"
    asked = [sys.executable, "-c", program, "completion", "--complete", "bash", "--", line]
    told = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, timeout=BOUND, check=True)
    assert heavy & {*told.stderr.split()} == set()
