"""A second opinion on our bytes: the official Python SDK plays the agent over real pipes."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.entries import MessageEntry, TextPart, ToolCallEntry
from acp_tui.session.state import Session

AGENT = Path(__file__).with_name("sdk_agent.py")
pytestmark = pytest.mark.anyio


@asynccontextmanager
async def talking(cwd: Path) -> AsyncIterator[tuple[Client, Session]]:
    """A client that runs, and its one session."""
    client = Client(LaunchPlan(AgentCommand((sys.executable, str(AGENT))), cwd))
    session = client.open_session()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.run)
        await until(session, lambda: bool(session.id) or client.connection.fault is not None)
        assert client.connection.fault is None, client.connection.fault
        yield client, session
        client.close()


async def until(session: Session, condition: Callable[[], bool]) -> None:
    """Wait, at most 60 s, until a change of the session makes `condition` true."""
    changed = anyio.Event()

    def listen(_: object) -> None:
        changed.set()

    stop = session.subscribe(listen)
    try:
        with anyio.fail_after(60):
            while not condition():
                with anyio.move_on_after(0.2):
                    await changed.wait()
                changed = anyio.Event()
    finally:
        stop()


async def turn(client: Client, session: Session, text: str) -> str:
    """Send a prompt, wait for the end of the turn, return the agent's last words."""
    client.of(session).submit([TextContent(text=text)])
    await until(session, lambda: not session.turn.active and session.turn.stop_reason is not None)
    return last_words(session)


def last_words(session: Session) -> str:
    messages = [entry for entry in session.entries if isinstance(entry, MessageEntry) and entry.role == "agent"]
    return "".join(part.text for part in messages[-1].parts if isinstance(part, TextPart))


async def test_talk(tmp_path: Path) -> None:
    async with talking(tmp_path) as (client, session):
        assert await turn(client, session, "talk") == "Hello there"
        assert [entry.content for plan in session.plans.values() for entry in plan.entries] == ["look"]
        assert session.turn.stop_reason == "end_turn"
        assert [entry.role for entry in session.entries if isinstance(entry, MessageEntry)] == [
            "user",
            "thought",
            "agent",
        ]


async def test_permission_is_read_by_the_sdk(tmp_path: Path) -> None:
    async with talking(tmp_path) as (client, session):
        client.of(session).submit([TextContent(text="edit")])
        await until(session, lambda: bool(session.permissions))
        pending = session.permissions[0]
        assert [option.name for option in pending.request.options] == ["Allow", "Reject"]
        client.of(session).questions.answer_permission(pending.key, "yes")
        await until(session, lambda: not session.turn.active)
        assert last_words(session) == "selected"


async def test_files(tmp_path: Path) -> None:
    async with talking(tmp_path) as (client, session):
        assert await turn(client, session, "files") == repr("two\n")
        assert (tmp_path / "peer.txt").read_bytes() == b"one\r\ntwo\n"


async def test_terminal(tmp_path: Path) -> None:
    async with talking(tmp_path) as (client, session):
        assert await turn(client, session, "terminal") == "'red done' 0"
        (call,) = [entry for entry in session.entries if isinstance(entry, ToolCallEntry)]
        assert call.status == "completed"
        (terminal,) = session.terminals.values()
        assert b"\x1b[31mred" in b"".join(terminal.chunks)


async def test_cancel(tmp_path: Path) -> None:
    async with talking(tmp_path) as (client, session):
        client.of(session).submit([TextContent(text="wait")])
        await until(session, lambda: len(session.entries) > 1)
        client.of(session).cancel()
        await until(session, lambda: not session.turn.active)
        assert session.turn.stop_reason == "cancelled"


async def test_config_options_by_select_and_boolean(tmp_path: Path) -> None:
    async with talking(tmp_path) as (client, session):
        client.of(session).choose("model", "large")
        await until(session, lambda: session.config_options[0].current_value == "large")
        client.of(session).choose("fast", True)
        await until(session, lambda: session.config_options[1].current_value is True)
        assert session.config_in_flight == {}
