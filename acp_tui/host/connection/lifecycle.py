"""The phases of a connection from its start to its end, published as they change."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import anyio

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.session.changes import Publisher

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.initialization import AuthMethod, AuthStatus, Implementation, Initialized


PATIENCE = 5.0
"""Seconds without an answer while starting, after which that is said."""

Phase = Literal["starting", "ready", "gone", "closing", "closed"]
"""`gone`: the agent has ended and can be restarted; `closed`: nothing more will come."""


class Login(Frozen):
    """The agent wants a log-in before it goes on; what waits for it is tried again after a success.

    `methods` are of type agent, terminal, env_var, or something newer that can only be shown. `reason` is what
    the agent said. `trying` names the method that is being tried, `failed` says why the last try came to nothing,
    `output` is the last of what that one wrote to the terminal, without escapes.
    """

    methods: tuple[AuthMethod, ...]
    reason: str = ""
    trying: str = ""
    failed: str = ""
    output: str = ""


class LoginCommand(Frozen):
    """What to run in the real terminal to log in, in the folder `cwd`; exit code 0 is success. `env` is all of it."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str


@dataclass(slots=True)
class Connection:
    """What is known of the connection. `step` says in words what is being waited for while starting, `late` that
    it has been waited for without an answer.

    `fault` says why the agent is gone when nobody asked it to go. Times are monotonic seconds. A negative
    `exit_code` is the number of the signal that ended the agent. `spoken` names the protocol once that is settled.
    `login` is there while the agent wants one; `auth_methods` are the ways that it has. `auth_status` is what it says
    of who is logged in, if it said so. `starts` counts the processes that were started.
    """

    phase: Phase = "starting"
    step: str = "starting the agent"
    since: float = 0.0
    late: bool = False
    agent: Implementation | None = None
    spoken: str = ""
    capabilities: AgentCapabilities = field(default_factory=AgentCapabilities)
    fault: Fault | None = None
    exit_code: int | None = None
    login: Login | None = None
    auth_methods: tuple[AuthMethod, ...] = ()
    auth_status: AuthStatus | None = None
    starts: int = 0

    @property
    def never_started(self) -> bool:
        """Whether there is no agent, for it could not be started at all."""
        return self.phase in ("gone", "closed") and self.agent is None and self.exit_code is None


class Lifecycle(Publisher[[]]):
    """The one writer of a `Connection`, which publishes that it has changed."""

    def __init__(self) -> None:
        self.connection = Connection()
        self._moved = anyio.Event()

    def wait_for(self, step: str) -> None:
        self.connection.step, self.connection.since, self.connection.late = step, time.monotonic(), False
        self._move()

    def begin(self, step: str) -> None:
        """Another process of the agent is to be started; what was known of the one before is not true any more."""
        connection = self.connection
        connection.phase, connection.fault, connection.exit_code, connection.login = "starting", None, None, None
        connection.auth_status = None
        self.wait_for(step)

    def started(self) -> None:
        self.connection.starts += 1
        self.publish()

    def ended(self, exit_code: int | None) -> None:
        """The process has ended; `None` if there was none."""
        self.connection.exit_code = exit_code
        self.publish()

    def ask_login(self, login: Login | None) -> None:
        """The agent wants a log-in, how it stands with that has changed, or (`None`) it wants none any more."""
        connection = self.connection
        if connection.login is None and login is not None and connection.phase == "starting":
            self.wait_for("waiting for you to log in")
        connection.login = login
        self.publish()

    def know_login(self, status: AuthStatus) -> bool:
        """Who is logged in, as the agent says it; whether that is news, which `tell_login` has to tell."""
        news = status != self.connection.auth_status
        self.connection.auth_status = status
        return news

    def tell_login(self) -> None:
        self.publish()

    def introduced(self, initialized: Initialized, spoken: str) -> None:
        self.connection.spoken = spoken
        self.connection.agent = initialized.agent
        self.connection.capabilities = initialized.capabilities
        self.connection.auth_methods = initialized.auth_methods
        self._move()

    def enter(self, phase: Phase) -> None:
        """The next phase; entering it again is no news."""
        if phase != self.connection.phase:
            self.connection.phase, self.connection.step = phase, ""
            self.connection.since = time.monotonic()
            self._move()

    def opened(self) -> None:
        """A session is open; with the first one the connection is ready."""
        self.enter("ready")
        self.publish()

    def fail(self, fault: Fault) -> None:
        if self.connection.fault is None:
            self.connection.fault = fault
            self._move()

    async def watch(self) -> None:
        """Say so, once for each step of starting, when the agent answers nothing; nothing is killed."""
        while self.connection.phase == "starting":
            moved = self._moved
            with anyio.move_on_after(PATIENCE):
                await moved.wait()
            if not moved.is_set() and self.connection.login is None:
                self.connection.late = True
                self.publish()
            await moved.wait()

    def _move(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()
        self.publish()
