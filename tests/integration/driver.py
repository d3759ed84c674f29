"""A client driven over pipes: what a user would do, what they would see, and that nothing is left behind."""

import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.host.agent.context import StartProcess
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.sessions.session_source import NoRecords
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import Change
from acp_tui.session.entries import MessageEntry, NoticeEntry, TextPart, ToolCallEntry
from acp_tui.session.state import Session
from tests.agents.in_process import InProcessAgent, in_process
from tests.agents.scripted import Script
from tests.processes import processes_of_group

BOUND = 60.0
"""Seconds after which a wait has failed; far more than anything takes, for machines that are busy."""
LOOK = 0.1
"""Seconds between two looks at what tells nobody of its changes, such as a file."""

Agent = Script | Sequence[str]
"""A script, which runs in this process unless it is one `as_process`, or the argument vector of any program."""


def command_of(agent: Agent) -> AgentCommand:
    return AgentCommand(tuple(agent.argv if isinstance(agent, Script) else agent))


def start_of(agent: Agent) -> StartProcess:
    """What starts it, for a `Client`."""
    return in_process(agent) if isinstance(agent, Script) and not agent.own_process else AgentProcess.start


class Begun(NoRecords):
    """Records that remember the titles of sessions that began."""

    def __init__(self) -> None:
        self.titles: list[str | None] = []

    def record(self, session: Session, /, *, start: Callable[[], Mapping[str, Any]]) -> None:
        self.titles.append(session.title)


class Driver:
    """A client with one session, and waits that are woken by what changes."""

    def __init__(self, client: Client, session: Session | None = None) -> None:
        self.client = client
        self.session: Session = session or client.open_session()
        self.changes: list[Change] = []
        self.steps: list[str] = []
        self._changed = anyio.Event()
        self.session.subscribe(self._on_change)
        client.subscribe(self._on_connection)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds; once the connection ended nothing changes any more."""
        with anyio.move_on_after(BOUND) as waiting:
            while not condition() and self.client.connection.phase != "closed":
                self._changed = anyio.Event()
                with anyio.move_on_after(LOOK):
                    await self._changed.wait()
        if waiting.cancelled_caught or not condition():
            pytest.fail(f"never happened; {self.client.connection}\n{self.session}\n{self.client.stderr_tail()}")

    async def ready(self) -> None:
        """Wait until the agent has opened the session."""
        await self.until(lambda: self.client.connection.phase == "ready")

    async def closed(self) -> None:
        """Wait until the connection has ended."""
        await self.until(lambda: self.client.connection.phase == "closed")

    async def gone(self) -> None:
        """Wait until the agent has ended and can be restarted."""
        connection = self.client.connection
        await self.until(lambda: connection.phase == "gone" and connection.exit_code is not None)

    async def idle(self, turns: int = 1) -> None:
        """Wait until that many turns have ended."""
        await self.until(lambda: not self.session.turn.active and self.turns >= turns)

    async def asked(self, count: int = 1) -> None:
        """Wait until that many permission requests are pending."""
        await self.until(lambda: len(self.session.permissions) >= count)

    def submit(self, text: str) -> None:
        """Send a prompt."""
        self.client.of(self.session).submit([TextContent(text=text)])

    @property
    def turns(self) -> int:
        """How many prompts of the user are in the transcript."""
        return sum(isinstance(entry, MessageEntry) and entry.role == "user" for entry in self.session.entries)

    def said(self, role: str = "agent") -> list[str]:
        """The texts of that role's messages."""
        return [
            "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            for entry in self.session.entries
            if isinstance(entry, MessageEntry) and entry.role == role
        ]

    def tool_calls(self) -> list[ToolCallEntry]:
        """The tool calls in the transcript."""
        return [entry for entry in self.session.entries if isinstance(entry, ToolCallEntry)]

    def notices(self) -> list[NoticeEntry]:
        """The notices in the transcript."""
        return [entry for entry in self.session.entries if isinstance(entry, NoticeEntry)]

    def noticed(self) -> str:
        """All that the notices say, as one text."""
        return "\n".join(f"{one.title}|{one.message}|{one.hint}" for one in self.notices())

    def offered(self) -> list[str]:
        """What the user chose and may be asked to keep."""
        return [str(choice) for choice in self.client.kept.unknown(self.client.of(self.session).chosen.made)]

    def unkept(self) -> list[str]:
        """What the user chose that is not kept, declined or not."""
        return [str(choice) for choice in self.client.kept.unkept(self.client.of(self.session).chosen.made)]

    def fault(self) -> str:
        """All that the connection's fault says; empty if there is none."""
        return str(self.client.connection.fault or "")

    def _on_change(self, change: Change) -> None:
        self.changes.append(change)
        self._changed.set()

    def _on_connection(self) -> None:
        self.steps.append(self.client.connection.step)
        self._changed.set()


@asynccontextmanager
async def connected(agent: Agent, cwd: Path, capabilities: ClientCapabilities | None = None) -> AsyncIterator[Driver]:
    """A client that runs this agent; at the end it is closed, and nothing of the agent is left."""
    client = Client(
        LaunchPlan(command_of(agent), cwd, capabilities=capabilities or ClientCapabilities()), start=start_of(agent)
    )
    async with driven(Driver(client)) as driver:
        yield driver


@asynccontextmanager
async def attended(agent: Agent, cwd: Path) -> AsyncIterator[Driver]:
    """The same where a user can log in and restart the agent."""
    client = Client(LaunchPlan(command_of(agent), cwd), attended=True, start=start_of(agent))
    async with driven(Driver(client)) as driver:
        yield driver


@asynccontextmanager
async def driven(driver: Driver) -> AsyncIterator[Driver]:
    """Run the driver's client; at the end it is closed, and nothing of the agent is left."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(driver.client.run)
        yield driver
        driver.client.close()
        with anyio.fail_after(BOUND):
            await driver.closed()
    nothing_is_left(driver.client._supervisor.process)


def nothing_is_left(process: AgentProcess | None) -> None:
    """No process of the agent's group lives; of an agent in this process, its script has ended."""
    if isinstance(process, InProcessAgent):
        assert process.returncode is not None
    elif process is not None:
        assert processes_of_group(process.pid) == []


PYTHON = sys.executable
