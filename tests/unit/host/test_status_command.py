"""The status command, by real processes: what it is told, what it may say, and that nothing of it stays."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.status_command import LINE_AT_MOST, StatusCommand, command_of
from tests.processes import alive

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name == "nt", reason="the tests' programs are shell scripts")]

PATIENCE = 60.0  # seconds; far more than anything takes
FACTS = {"folder": "/project", "branch": "main"}


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Any]:
    """Ask a command that is this script, or these words; patiently, since the tests' machine may be busy."""

    async def ask(script: str = "", *words: str, within: float = PATIENCE, told: Mapping[str, Any] = FACTS) -> str:
        if script:
            path = tmp_path / "status.sh"
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o700)
            words = (str(path),)
        with anyio.fail_after(2 * PATIENCE):
            return await StatusCommand(words, every=0, within=within).ask(lambda: told, str(tmp_path))

    return ask


async def until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE):
        while not true():  # noqa: ASYNC110 (processes and files have no event for us)
            await anyio.sleep(0.01)


async def gone(pids: Path) -> None:
    """Wait until the processes of this file have ended."""
    await until(lambda: not any(alive(int(pid)) for pid in pids.read_text().split()))


async def in_time(ask: Callable[..., Any], *words: str) -> str:
    """What it answers that does not end by itself, with as much time as this machine needs to start it."""
    for within in (1.0, 4.0, 16.0, PATIENCE):
        try:
            return str(await ask(*words, within=within))
        except UserFault:
            pass
    raise AssertionError("it never answered")


async def test_it_is_told_of_the_session_and_answers_with_a_line(ask: Callable[..., Any]) -> None:
    assert json.loads(await ask("cat")) == FACTS
    assert await ask("echo one; echo two") == "one"


async def test_it_runs_in_the_sessions_folder(ask: Callable[..., Any], tmp_path: Path) -> None:
    await ask("touch here")
    assert (tmp_path / "here").exists()


async def test_it_need_not_listen_nor_end_its_line(ask: Callable[..., Any]) -> None:
    assert await ask("exec <&-; printf 'no newline'", told={"long": "x" * 500_000}) == "no newline"
    assert await ask("exit 0") == ""


async def test_what_it_writes_comes_as_it_is(ask: Callable[..., Any]) -> None:
    assert await ask(r"printf '\033[31mred\033]0;owned\007\377\n'") == "\x1b[31mred\x1b]0;owned\x07\ufffd"


async def test_standard_error_is_dropped(ask: Callable[..., Any]) -> None:
    assert await ask("head -c 1000000 /dev/zero >&2; echo fine") == "fine"


@pytest.mark.parametrize(
    ("script", "reason"), [("echo x; exit 3", "exit code 3"), ("kill -9 $$", "exit code -9"), ("exit 1", "exit code 1")]
)
async def test_an_exit_code_is_a_failure(ask: Callable[..., Any], script: str, reason: str) -> None:
    with pytest.raises(UserFault, match=reason):
        await ask(script)


async def test_one_that_hangs_is_killed_with_all_that_it_started(ask: Callable[..., Any], tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(UserFault, match="no answer within"):
        await ask(f"sleep 1000 & echo $! $$ > {pids}.new; mv {pids}.new {pids}; printf half; wait", within=1.0)
    if pids.exists():  # else it had no time at all
        await gone(pids)


async def test_one_that_goes_on_after_its_line_is_heard_and_killed(ask: Callable[..., Any], tmp_path: Path) -> None:
    assert await in_time(ask, f"echo $$ > {tmp_path}/pid; echo done; exec sleep 1000") == "done"
    await gone(tmp_path / "pid")


async def test_a_flood_costs_one_line(ask: Callable[..., Any]) -> None:
    flood = "import sys; [sys.stdout.write('x' * 1_000_000) for _ in range(100)]"
    line = await in_time(ask, "", sys.executable, "-c", flood)
    assert set(line) == {"x"}
    assert len(line) <= 2 * LINE_AT_MOST


async def test_a_child_that_keeps_the_output_open_is_not_waited_for(ask: Callable[..., Any], tmp_path: Path) -> None:
    forever = 10 * PATIENCE
    assert await ask(f"sleep 1000 & echo $! > {tmp_path}/pid; printf here", within=forever) == "here"
    await gone(tmp_path / "pid")


async def test_being_cancelled_ends_it(ask: Callable[..., Any], tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 1000")
        await until(pid.exists)
        tasks.cancel_scope.cancel()
    await gone(pid)


async def test_two_are_never_run_at_once(tmp_path: Path) -> None:
    command = StatusCommand([f"mkdir {tmp_path}/busy && sleep 0.05 && rmdir {tmp_path}/busy && echo alone"], every=0)
    answers: list[str] = []

    async def ask() -> None:
        answers.append(await command.ask(dict, str(tmp_path)))

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(ask)
    assert answers == ["alone"] * 3


async def test_what_goes_on_failing_is_told_once(tmp_path: Path) -> None:
    good = tmp_path / "good"
    command = StatusCommand([f"test -e {good} && echo well"], every=0, within=PATIENCE)
    for _ in range(2):
        with pytest.raises(UserFault):
            await command.ask(dict, str(tmp_path))
        assert await command.ask(dict, str(tmp_path)) == ""
        good.touch()
        assert await command.ask(dict, str(tmp_path)) == "well"
        good.unlink()


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho hello\n")
    path.chmod(0o700)
    return str(path)


def test_a_program_is_found_where_it_is_meant(private_folders: Path, tmp_path: Path) -> None:
    at_home, beside = program(private_folders / ".status.sh"), program(private_folders / ".config/acp-tui/bin/status")
    named, spaced = program(tmp_path / "named"), program(tmp_path / "with blank")
    environment = {"PATH": str(tmp_path), "SHELL": spaced}
    assert command_of(["~/.status.sh"], environment) == [at_home]
    assert command_of(["~/.status.sh", "~", "$HOME"], environment) == [at_home, "~", "$HOME"]
    assert command_of(["bin/status"], environment) == [beside]
    assert command_of(["named"], environment) == [named]
    assert command_of([spaced], environment) == [spaced]
    assert command_of(["jq -r .model"], environment) == [spaced, "-c", "jq -r .model"]
    for elsewhere in ({}, {"SHELL": "/no/such/shell"}, {"SHELL": str(tmp_path)}):
        assert command_of(["jq -r .model"], elsewhere) == ["/bin/sh", "-c", "jq -r .model"]


@pytest.mark.parametrize("words", [["missing"], ["~/missing"], ["two words", "more"], ["/"], [""]])
def test_one_that_is_missing_is_said(words: list[str]) -> None:
    with pytest.raises(OSError, match=r"not found|not executable"):
        command_of(words, {"PATH": "/nowhere"})


async def test_a_folder_that_is_gone_is_named_and_not_the_program(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(UserFault, match=f"{gone} no longer exists"):
        await StatusCommand(("/bin/sh",), every=0, within=PATIENCE).ask(lambda: FACTS, gone)


async def test_missing_is_a_failure_like_any_other(ask: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="missing: command not found"):
        await ask("", "missing")
    text = tmp_path / "text"
    text.write_text("no program")
    with pytest.raises(UserFault, match="not executable"):
        await ask("", str(text))
    text.chmod(0o700)
    with pytest.raises(UserFault, match=shlex.quote(str(text))):
        await ask("", str(text))
