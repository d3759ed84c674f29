"""Running commands of the user."""

import os
from pathlib import Path

import anyio
import pytest

from acp_tui.host.user_programs import OUTPUT_AT_MOST, OwnCommands, told_output
from acp_tui.protocol.vocabulary.tool_calls import TerminalExitStatus
from acp_tui.session.entries import NoticeEntry, ToolCallEntry
from acp_tui.session.state import Session, Terminal

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


def entry_of(session: Session) -> ToolCallEntry:
    entry = session.entries[0]
    assert isinstance(entry, ToolCallEntry)
    return entry


def output_of(session: Session) -> str:
    (terminal,) = session.terminals.values()
    return told_output(entry_of(session), terminal)


async def test_a_command_runs_in_the_sessions_folder(tmp_path: Path) -> None:
    (tmp_path / "here.txt").touch()
    session = Session("s", str(tmp_path))
    await OwnCommands(session).run("ls; exit 3")
    assert entry_of(session).status == "failed"
    assert output_of(session) == "\nOutput of `ls; exit 3`, exit code 3:\n```\nhere.txt\n```\n"


async def test_a_shell_that_is_not_there_is_named_once_and_another_one_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/nosuch")
    session = Session("s", str(tmp_path))
    commands = OwnCommands(session)
    await commands.run("echo hi")
    await commands.run("echo again")
    notices = [entry for entry in session.entries if isinstance(entry, NoticeEntry)]
    assert [(notice.message, notice.hint) for notice in notices] == [
        ("SHELL=/usr/bin/nosuch", "Commands run in /bin/sh instead.")
    ]
    assert [terminal.exit_status for terminal in session.terminals.values()] == [TerminalExitStatus(exit_code=0)] * 2


async def test_a_folder_that_is_gone_is_named_and_not_the_shell(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path / "gone"))
    await OwnCommands(session).run("echo hi")
    notice = session.entries[-1]
    assert isinstance(notice, NoticeEntry)
    assert notice.message == f"{tmp_path}/gone no longer exists"


async def test_it_is_stopped_by_the_user(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path))
    commands = OwnCommands(session)
    assert not commands.stop()
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(commands.run, "echo $$; exec sleep 1000")
            await running(session)
            assert commands.stop()
    assert entry_of(session).status == "cancelled"
    assert not commands.stop()


async def test_one_that_does_not_listen_is_stopped_the_second_time(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path))
    commands = OwnCommands(session)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(commands.run, "trap '' INT; echo ready; while :; do sleep 0.05; done")
            await running(session)
            commands.stop()
            commands.stop()
    assert entry_of(session).sealed


async def test_when_nobody_waits_any_more_it_ends(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(OwnCommands(session).run, "echo $$; exec sleep 1000")
            pid = int(await running(session))
            tasks.cancel_scope.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert entry_of(session).sealed


async def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path / "missing"))
    await OwnCommands(session).run("ls")
    assert entry_of(session).status == "failed"
    assert [each.title for each in session.entries if isinstance(each, NoticeEntry)] == ["Cannot run the command"]


def told(*chunks: bytes) -> str:
    terminal = Terminal("t", "make")
    for chunk in chunks:
        terminal.append(chunk)
    return told_output(ToolCallEntry("t", "make"), terminal)


async def test_the_told_output_is_plain_and_fenced() -> None:
    assert told(b"\x1b[31mred\x1b[0m\r\n10%\r100%\r\n").split("\n")[3:5] == ["red", "100%"]
    assert told(b"```\n").split("\n")[2] == "````"
    assert "still running" in told(b"")


async def test_a_long_output_says_that_it_was_cut() -> None:
    text = told(b"x" * 100 + b"\n", b"y" * OUTPUT_AT_MOST)
    assert "only the last 20 KB" in text
    assert "x" not in text.split("```")[1].split("\n", 2)[2]


async def running(session: Session) -> str:
    """Wait until the command has written its first line."""
    while True:
        for terminal in session.terminals.values():
            if any(b"\n" in chunk for chunk in terminal.chunks):
                return b"".join(terminal.chunks).decode().split()[0]
        await anyio.sleep(0.01)
