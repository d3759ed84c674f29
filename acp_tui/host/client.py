"""The front ends' only door to the agent: sessions to look at, what the user has done with them, and the supervisor of
the agent's process.

Every act is synchronous: it queues bytes and returns. What came of it shows in `Session`, in
`Client.connection` and in `Client.known_sessions`, never in a return value. One task runs each process: it enters and
leaves what anyio must have entered and left by one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import anyio

from acp_tui.errors import Fault
from acp_tui.host.agent.context import NO_RECORDS, AgentContext, StartProcess
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan, start_of
from acp_tui.host.config.choices import KeptChoices
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.lifecycle import Connection, Login, LoginCommand, Phase
from acp_tui.host.sessions.session_source import SessionRecords, SessionSource, SourceKind
from acp_tui.host.system.paths import real_path
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.protocol.capabilities import McpServer, SessionScope, SystemPrompt
from acp_tui.session.state import Session
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.agent.agent_services import AgentParts, Branches
    from acp_tui.host.agent.connected_agent import ConnectedAgent
    from acp_tui.host.agent.logins import Logins
    from acp_tui.host.changes.session_changes import SessionChanges
    from acp_tui.host.config.presets import Preset
    from acp_tui.host.sessions.conversation import Conversation
    from acp_tui.host.sessions.known_sessions import KnownSessions
    from acp_tui.protocol.vocabulary.initialization import SessionInfo

__all__ = ["AgentCommand", "Client", "Connection", "Login", "LoginCommand", "Phase"]

LATEST = "latest"


async def _nothing() -> None:
    """Nothing is waited for."""


class Client:
    """One agent and its sessions."""

    def __init__(
        self,
        plan: LaunchPlan,
        *,
        attended: bool = False,
        start: StartProcess = AgentProcess.start,
        records: SessionRecords = NO_RECORDS,
    ) -> None:
        """`attended`: a user is there who fills in forms, logs in and restarts the agent; `run` waits for that.

        The folders, the tool servers and the system prompt of the `plan` are given to every session; but one that is
        gone on with keeps the system prompt that it had, unless another one is `given`. `start` starts the agent.
        """
        self.command, self._title = plan.command, plan.title
        self._context = AgentContext(self, plan, start, records, attended=attended)
        self.cwd = self._context.cwd
        self._first_prompt, general = plan.system_prompt, replace(plan.system_prompt, given=False)
        self._scope = SessionScope(self.cwd, plan.roots, plan.mcp_servers, general)
        self._lifecycle, self.traffic = self._context.lifecycle, self._context.traffic
        self.traffic.put_in = tuple({value for server in plan.mcp_servers for value in server.put_in})
        self._supervisor = Supervisor(self._context, lambda: self._parts)

    def record_with(self, records: SessionRecords) -> None:
        """Have sessions kept from run to run; what began before is not told again."""
        self._context.records = records

    @cached_property
    def _parts(self) -> AgentParts:
        parts: AgentParts = late("acp_tui.host.agent.agent_services").AgentParts(self._context)
        return parts

    @property
    def sessions(self) -> list[Session]:
        """Those that are open, in the order in which they began."""
        return [each.session for each in self._context.sessions if not each.source.aside]

    @property
    def connection(self) -> Connection:
        return self._lifecycle.connection

    @property
    def known_sessions(self) -> KnownSessions:
        return self._parts.known_sessions

    @property
    def logins(self) -> Logins:
        """Logging in and out; `connection.login` says what is wanted and goes on success."""
        return self._parts.logins

    @property
    def branches(self) -> Branches:
        """Going on from an earlier message, and asking beside the conversation."""
        return self._parts.branches

    @property
    def kept(self) -> KeptChoices:
        return self._parts.kept

    @property
    def unsent_since(self) -> float | None:
        """Monotonic seconds since which the agent has not read what waits for it; `None` if nothing waits."""
        return self._supervisor.agent.connection.unsent_since if self._supervisor.agent else None

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever `connection` changed; the result ends the subscription."""
        return self._lifecycle.subscribe(listener)

    async def run(self, then: Callable[[], Awaitable[None]] = _nothing) -> None:
        """Start the agent, serve the connection until it ends, leave no process behind.

        Run it in one task that enters and leaves it. A fault is in `connection.fault`, not raised;
        cancelling the task runs the shutdown ladder too. Attended, it waits in phase `gone` for `restart` or `close`.
        `then` is awaited when the agent is gone for good, and snapshots are still taken.
        """
        await (self._supervisor.run() if self._context.snapshots.off else self._parts.serve(self._supervisor.run, then))

    def restart(self) -> None:
        """Start the agent anew, ending it if it lives, and bring every session back.

        By resume, else load (told again, but not shown again), else as a new one whose transcript stays to be
        read, which is said. What was chosen is chosen again, queues are kept and go out.
        """
        self._supervisor.restart()

    def close(self) -> None:
        """Begin the shutdown; `run` returns when it is done. A second call ends the agent at once, without manners."""
        self._supervisor.close()

    def stderr_tail(self, lines: int = 20) -> list[str]:
        """The last lines that the agent wrote to standard error, decoded, escapes and all."""
        return self._supervisor.process.stderr.tail(lines) if self._supervisor.process else []

    def open_session(self, cwd: str | None = None) -> Session:
        """A new session, to be shown at once; its `id` is empty until the agent has answered.

        Prompts submitted before that are queued. An agent that takes input options is asked for the session only after
        `choose_input_options`, if a user is there to choose.
        """
        scope = self._scope.at(str(real_path(cwd or self.cwd)))
        return self.open(SessionSource(Session("", scope.cwd, self._title), scope))

    def begin_session(
        self, resume: str = "", settings: Sequence[tuple[str, str]] = (), preset: Preset | None = None
    ) -> Session:
        """The session of a start: a new one, the `latest` of this folder, or the one that has the id `resume`.

        Where there is no latest, it is a new one, which is said. Without a list of the agent's it is the one that
        records have, which is at least the history of a new one. `settings` are options by name; the `preset` gives way
        to them.
        """
        kind: SourceKind = "latest" if resume == LATEST else "known" if resume else "new"
        known = resume if kind == "known" else ""
        session = Session(known, self.cwd, self._title)
        scope = replace(self._scope, system_prompt=self._first_prompt)
        return self.open(SessionSource(session, scope, kind, known, settings=settings, preset=preset))

    def load_session(self, info: SessionInfo, told: Session | None = None, folders: Collection[str] = ()) -> Session:
        """Go on with a session that the agent knows, shown at once and filled while the agent tells it.

        Of what the agent names as its folders it gets those in `roots()` and in `folders`, which the user gave.
        By `session/load`; else by `session/resume`, where it begins with `told`, which was recorded, or empty (which
        is said in it). What goes wrong is told in the session, which is `closed` then. A session that is open already
        is given back; of a subagent the session that the user talks to.
        """
        for session in self.sessions:
            if info.session_id == session.id or info.session_id in session.family:
                return session
        scope = self._scope.of_named(info.cwd, info.additional_directories, folders)
        session = Session(info.session_id, scope.cwd, self._title, info.title, updated_at=info.updated_at)
        return self.open(SessionSource(session, scope, "known", info.session_id, told))

    def fork_session(self, session: Session) -> Session:
        """A new session of the agent's that knows what `session` knows, and begins with what was said there.

        It needs `capabilities.fork_session`.
        """
        return self._fork(session.id, self._context.sessions[session].source.scope, session)

    def fork_known(self, info: SessionInfo, told: Session | None = None, folders: Collection[str] = ()) -> Session:
        """The same of a session that is not open; `told` is its transcript, where that was recorded.

        A subagent cannot be forked: the session that the user talks to is given back.
        """
        for session in self.sessions:
            if info.session_id in session.family:
                return session
        return self._fork(info.session_id, self._scope.of_named(info.cwd, info.additional_directories, folders), told)

    def close_session(self, session: Session) -> None:
        """Put a session away: its turn is cancelled, the agent is told where it can be, `sessions` loses it."""
        conversation, opened = self.of(session), self._context.sessions[session]
        self._context.sessions.remove(session)
        self._parts.changes.forget(opened)
        if self._supervisor.agent is not None:
            self._supervisor.agent.leave(conversation)
        conversation.close(None)

    def add_folder(self, session: Session, folder: str) -> None:
        """Give this session, and all that are opened from now on, another absolute folder.

        What is served here follows at once. The agent hears of it when it opens a session, or brings this one back.
        """
        self._scope = self._scope.with_folder(folder)
        opened = self._context.sessions.get(session)
        if opened is not None:
            opened.source.scope = opened.source.scope.with_folder(folder)
            self.changes(session).reach(self.roots(session))
            if self._parts.sessions.find(session.id) is opened:
                opened.workspace.reach(opened.source.scope)

    def roots(self, session: Session | None = None) -> tuple[str, ...]:
        """The folders of a session, absolute, its working folder first; without one, what the user gave for all."""
        scope = self._scope_of(session)
        return session.cwd if session else scope.cwd, *scope.additional_directories

    def mcp_servers(self, session: Session) -> tuple[McpServer, ...]:
        """The tool servers that a session was opened with, those that the agent does not take too."""
        return self._scope_of(session).mcp_servers

    def system_prompt(self, session: Session) -> SystemPrompt:
        """What a session was to be opened with, those texts that the agent does not take too."""
        return self._scope_of(session).system_prompt

    def open_without_prompt(self, session: Session) -> bool:
        """Ask for a session without the system prompt, with which its agent did not open it; whether that is so."""
        conversation = self.of(session)
        if not conversation.prompt_refused or self._supervisor.agent is None:
            return False
        conversation.leave_prompt_out()
        self._supervisor.agent.open(conversation)
        return True

    def _scope_of(self, session: Session | None) -> SessionScope:
        opened = self._context.sessions.get(session)
        return self._scope if opened is None else opened.source.scope

    def of(self, session: Session) -> Conversation:
        """What the user does in a session: prompts, the queue, answers, options."""
        return self._parts.opened[session].conversation

    def changes(self, session: Session) -> SessionChanges:
        """What its turns changed in its folders, and taking that back."""
        return self._parts.opened[session].changes

    def choose_input_options(self, session: Session, options: Mapping[str, Any]) -> None:
        """Have the session opened that waits in `session.input_options`; empty options leave all to the agent."""
        conversation = self.of(session)
        if conversation.input_options.choose(options) and self._supervisor.agent is not None:
            self._supervisor.agent.open(conversation)

    def _fork(self, root: str, scope: SessionScope, told: Session | None) -> Session:
        return self.open(SessionSource(Session("", scope.cwd, self._title), scope, "fork", root, told))

    def open(self, source: SessionSource) -> Session:
        """Have the agent asked for a session, which is shown at once."""
        sessions, limits = self._context.sessions, self._context.limits
        source.limits = source.limits if source.aside else limits
        is_open = sessions.with_id(source.session_id) is not None
        source.prompt_known = source.kind == "new" or source.scope.system_prompt.given or is_open
        opened = sessions.begin(source)
        if not source.aside:
            self._context.records.record(source.session, start=self.command.recorded)
        if source.kind in ("fork", "branch"):
            self._parts.begin_fork(opened)
        if self._supervisor.agent is not None:
            self._supervisor.agent.open(opened.conversation)
        return source.session


FAREWELL = 0.5
"""Seconds that an agent has to put its sessions away before its standard input is closed."""


class Supervisor:
    """All processes of one agent, one after the other. Where a user attends, they may want another one."""

    def __init__(self, context: AgentContext, parts: Callable[[], AgentParts]) -> None:
        """`parts` are made when they are first wanted, for what they import is too much before the first frame."""
        self._context, self._parts = context, parts
        self._lifecycle = context.lifecycle
        self.process: AgentProcess | None = None
        self.agent: ConnectedAgent | None = None
        self._serving: anyio.CancelScope | None = None
        self._wake = anyio.Event()
        self._restarting = self._closing = False

    async def run(self) -> None:
        """Serve until nobody wants the agent any more; no process is left behind, whatever happens."""
        try:
            while not self._closing:
                await self._live()
                if not await self._goes_on():
                    break
        finally:
            self._lifecycle.enter("closed")

    def restart(self) -> None:
        if self._closing or self._lifecycle.connection.phase == "closed":
            return
        self._restarting = True
        self._lifecycle.begin("stopping the agent")
        self._wake.set()
        self._stop_serving()

    def close(self) -> None:
        if self._lifecycle.connection.phase == "closed":
            return
        if self._closing:
            if self.agent is not None:
                self.agent.hurry()
            if self.process is not None:
                self.process.kill()
            self._stop_serving()
            return
        self._closing, self._restarting = True, False
        self._lifecycle.enter("closing")
        self._wake.set()
        if self._serving is not None and self.agent is not None and self.agent.say_goodbye(self._stop_serving):
            self._serving.deadline = anyio.current_time() + FAREWELL
        else:
            self._stop_serving()

    def _stop_serving(self) -> None:
        if self._serving is not None:
            self._serving.cancel()

    def fail(self, fault: Fault) -> None:
        if not (self._closing or self._restarting):
            self._lifecycle.fail(fault)
        self._stop_serving()

    async def _live(self) -> None:
        self._restarting, self.process, self._wake = False, None, anyio.Event()
        self._lifecycle.begin("starting the agent")
        try:
            with anyio.CancelScope() as self._serving:
                await self._serve()
        finally:
            with anyio.CancelScope(shield=True):
                await self._bury()

    async def _serve(self) -> None:
        context = self._context
        try:
            if context.command.check is not None:
                await in_joined_thread(context.command.check)
            start = start_of(context.command, context.cwd)
            self.process = await context.start(start.argv, start.env, start.cwd)
        except Fault as fault:
            self.fail(fault)
            return
        self.process.show(context.traffic)
        self._lifecycle.started()
        module = late("acp_tui.host.agent.connected_agent")  # the agent starts meanwhile; a screen has it already
        agent: ConnectedAgent = module.ConnectedAgent(self._parts(), self.process, self)
        self.agent = agent
        await agent.serve()

    def offer_less(self) -> None:
        """The agent took the offer of two versions ill: a new process is offered the older one alone, from now on."""
        self._context.command = replace(self._context.command, protocol="1")
        self._context.offered_less = True
        self.restart()

    async def _goes_on(self) -> bool:
        if self._context.attended and not (self._closing or self._restarting):
            await self._wake.wait()
        return self._restarting

    async def _bury(self) -> None:
        if not self._restarting:
            self._lifecycle.enter("gone" if self._context.attended and not self._closing else "closing")
        fault, self.agent, self._serving = self._lifecycle.connection.fault, None, None
        for conversation in self._parts().sessions:
            conversation.close(fault)
        self._parts().gone()
        if self.process is not None:
            await self.process.stop()
            self._lifecycle.ended(self.process.returncode)
