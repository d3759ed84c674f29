"""The command line: what it accepts, what it says, and what it costs to start."""

import contextlib
import os
import pty
import select
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from acp_tui import __version__, cli
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.config.state_files import state_folder
from tests.answering_terminal import ATTRIBUTES
from tests.integration.runs import BOUND, Run, run
from tests.own_config import write_own_config


def exit_code(*arguments: str) -> int | str | None:
    try:
        return cli.main(arguments)
    except SystemExit as ended:
        return ended.code


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there is a terminal."""
    monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("--version") == 0
    assert capsys.readouterr().out == f"acp-tui {__version__}\n"


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help")])
def test_help_shows_how(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    assert exit_code(*arguments) == 0
    text = capsys.readouterr().out
    assert "--demo" in text
    assert "examples:" in text
    assert " -- opencode acp" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--nonsense",), "--nonsense"),
        (("kimi", "acp"), 'acp-tui run --agent kimi "PROMPT"'),
        (("kimi", "fix it", "-c"), """acp-tui run --agent kimi -c "fix it"\n"""),
        (("kimi", "fix", "it"), """Put the prompt in quotes: acp-tui kimi "fix it"\n"""),
        (("my-agent", "--acp"), "Did you mean: acp-tui -- my-agent --acp"),
        (("run", "hi"), "after two dashes"),
        (("run", "hi", "kimi", "acp"), "Did you mean: acp-tui run hi -- kimi acp"),
        (("run", "hi", "--"), "after two dashes"),
        (("run", "hi", "--demo", "--", "kimi"), "only one of"),
        (("run", "  ", "--demo"), "empty"),
        (("run", "hi", "--resume", "--demo"), "needs the ID"),
        (("run", "hi", "--format", "xml", "--demo"), "xml"),
        (("run", "hi", "--permission", "yes", "--demo"), "yes"),
        (("run", "hi", "--cwd", "/no/such/folder", "--", "kimi"), "No such folder: /no/such/folder"),
        (("run", "hi", "--cwd", "x" * 300, "--", "kimi"), "File name too long"),
        (("run", "hi", "--add-dir", "x" * 300, "--", "kimi"), "File name too long"),
        (("run", "hi", "--cwd", __file__, "--", "kimi"), "Not a folder"),
        ((), 'acp-tui run "PROMPT" -- AGENT'),
        (("--demo",), 'acp-tui run --demo "PROMPT"\n'),
        (("-c", "-m", "a b"), """acp-tui run -c -m 'a b' "PROMPT"\n"""),
        (("--agent",), 'acp-tui run "PROMPT" -- AGENT'),
        (("--", "kimi", "a b"), """acp-tui run "PROMPT" -- kimi 'a b'"""),
    ],
)
def test_what_cannot_be_used_is_told(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str) -> None:
    assert exit_code(*arguments) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


@pytest.fixture
def gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder does not exist any more."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()


@pytest.mark.usefixtures("terminal", "gone")
@pytest.mark.parametrize(
    "line",
    [
        *("agents", "agents status", "agents update", "config --print", "changes", "changes latest", "run hi"),
        *("run hi -- ./agent", "-- agent", "--agent", "--agent kimi", "-c", "-r", "-C . agents"),
        *("--hand-over latest", "--add-dir . --demo", "run --add-dir . --demo hi"),
    ],
)
def test_a_current_folder_that_is_gone_is_said(capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert exit_code(*line.split()) == 2
    assert capsys.readouterr().err == "The current folder no longer exists\nChange to another one: cd FOLDER\n"


@pytest.mark.usefixtures("terminal", "gone")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("config --schema", 0),
        ("snapshots", 0),
        ("search nothing-of-that", 1),
        ("changes no-such-id", 2),
        ("completion bash", 0),
        ("completion zsh --complete -- acp-tui --agent ", 0),
        ("-C / agents", 0),
        ("-C / config --print", 0),
    ],
)
def test_what_needs_no_current_folder_does_without(capsys: pytest.CaptureFixture[str], line: str, code: int) -> None:
    assert exit_code(*line.split(" ")) == code
    captured = capsys.readouterr()
    assert "bug" not in captured.err
    assert "current folder" not in captured.err


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--",), "--demo"),
        (("--demo", "--", "kimi"), "only one of"),
        (("claude", "--demo"), "only one of"),
        (("claude", "--", "kimi"), "only one of"),
        (("claude", "fix", "it"), 'Put the prompt in quotes: acp-tui claude "fix it"'),
        (("mistyped",), "Unknown command or agent: mistyped"),
        (("--agent", "kimi", "--demo"), "only one of"),
        (("--agent", "kimi", "--", "kimi"), "only one of"),
        (("--agent", "--", "kimi"), "only one of"),
        (("--agent", "nobody"), "Unknown agent: nobody"),
        (("--cwd", "/no/such/folder"), "/no/such/folder"),
        (("run", "--demo"), "No prompt"),
        (("run", "--", "kimi", "acp", "fix it"), "Did you mean: acp-tui run 'fix it' -- kimi acp"),
        (("-p", "--", "kimi", "acp", "fix it"), "Did you mean: acp-tui run 'fix it' -- kimi acp"),
    ],
)
def test_on_a_terminal_too(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str) -> None:
    assert exit_code(*arguments) == 2
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("wanted", [True, False])
def test_an_agent_is_asked_for_suggestions_only_by_who_wants_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wanted: bool
) -> None:
    launches: list[LaunchPlan] = []

    def show(what: str, launch: LaunchPlan, *_: object) -> int:
        launches.append(launch)
        return 0

    monkeypatch.setattr(cli, "_on_screen", show)
    write_own_config(f"suggestions = {str(wanted).lower()}\n")
    assert exit_code("--cwd", str(tmp_path), "--", "agent") == 0
    assert [launch.capabilities.prompt_suggestions for launch in launches] == [wanted]


@pytest.mark.usefixtures("terminal")
def test_the_agent_s_own_dashes_are_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown: list[tuple[tuple[str, ...], Path]] = []

    def show(what: str, launch: LaunchPlan, *_: object) -> int:
        shown.append((launch.command.argv, launch.cwd))
        return 0

    monkeypatch.setattr(cli, "_on_screen", show)
    assert exit_code("--cwd", str(tmp_path), "--", "agent", "--flag", "--", "run") == 0
    assert shown == [(("agent", "--flag", "--", "run"), tmp_path.resolve())]


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "interrupt", [KeyboardInterrupt(), BaseExceptionGroup("tasks", [ValueError(), KeyboardInterrupt()])]
)
def test_ctrl_c_at_any_moment_is_no_mistake(
    interrupt: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> int:
        raise interrupt

    monkeypatch.setattr(cli, "_on_screen", interrupted)
    assert exit_code("--", "agent") == cli.CANCELLED
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_a_mistake_of_ours_is_one_line_and_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("oh no")

    monkeypatch.setattr(cli, "_on_screen", fail)
    assert exit_code("--", "agent") == 1
    log_file = state_folder() / "acp-tui.log"
    assert capsys.readouterr().err == (f"acp-tui crashed. This is a bug: RuntimeError: oh no\nDetails: {log_file}\n")
    assert "Traceback" in log_file.read_text()


def test_without_a_terminal_it_says_what_to_do(tmp_path: Path) -> None:
    ended = run("--", "agent", cwd=tmp_path)
    assert ended.code == 2
    assert "acp-tui run" in ended.err
    assert "Traceback" not in ended.err


def test_alone_on_a_real_terminal_it_shows_the_agents(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-m", "acp_tui"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path
    )
    os.close(theirs)
    told = b""
    while b"Choose an agent" not in told:
        assert select.select([ours], [], [], BOUND)[0], told
        told += os.read(ours, 65536)
    os.write(ours, ATTRIBUTES + b"\x11")  # Ctrl+Q
    drain = threading.Thread(target=drained, args=(ours,), daemon=True)
    drain.start()
    assert program.wait(BOUND) == 0
    os.close(ours)


def drained(descriptor: int) -> None:
    """Read what a program writes until it ends."""
    with contextlib.suppress(OSError):
        while os.read(descriptor, 65536):
            pass


def test_what_is_not_wanted_is_not_imported() -> None:
    program = (
        "import sys; import acp_tui.cli; "
        "names = ('anyio', 'asyncio', 'difflib', 'logging', 'pydantic', 'textual'); "
        "print([name for name in names if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=BOUND, check=True)
    assert ended.stdout == "[]\n"


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("config --print <&-", 0, ""),
        ("config --print 2>&-", 0, ""),
        ("config --print <&- 2>&-", 0, ""),
        ("config --print >&-", 1, "Cannot write to stdout\nstdout is closed\n"),
        ("config --print <&- >&-", 1, "Cannot write to stdout\nstdout is closed\n"),
        ("config --print <&- >&- 2>&-", 1, ""),
        ("agents >&-", 1, "Cannot write to stdout\nstdout is closed\n"),
        ("completion bash >&-", 1, "Cannot write to stdout\nstdout is closed\n"),
        ("--version >&-", 1, "Cannot write to stdout\nstdout is closed\n"),
        ("changes no-such-id 2>&-", 2, ""),
        ("changes no-such-id 2>/dev/full", 2, ""),
        ("changes no-such-id >&- 2>&-", 2, ""),
    ],
)
def test_only_an_answer_that_cannot_be_written_is_a_failure(tmp_path: Path, line: str, code: int, told: str) -> None:
    shell = ["/bin/sh", "-c", f'"$0" -m acp_tui {line}', sys.executable]
    ended = subprocess.run(shell, cwd=tmp_path, capture_output=True, check=False, timeout=BOUND)
    assert (ended.returncode, ended.stderr.decode()) == (code, told)
    assert bool(ended.stdout) is (code == 0)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_has_read_enough_is_no_mistake(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    ended = Run(["config", "--print"], tmp_path, stdout=write_end)
    os.close(write_end)
    assert ended.end().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_standard_output_that_is_full_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = Run(["config", "--print"], tmp_path, stdout=full.fileno()).end()
    assert ended.code == 1
    assert ended.err == "Cannot write to stdout\nNo space left on device\n"
