"""The front ends' only door to the agent: sessions to look at, and acts that the person takes.

Every act is synchronous: it queues bytes and returns. What came of it shows in `Session`, in
`Client.connection` and in `Client.known_sessions`, never in a return value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.host.agent_command import AgentCommand
from acp_tui.host.agent_process import AgentProcess
from acp_tui.host.choices import KeptChoices
from acp_tui.host.conversations import Conversations
from acp_tui.host.known_sessions import KnownSessions
from acp_tui.host.lifecycle import Connection, Lifecycle, Login, LoginCommand, Phase
from acp_tui.host.lives import Lives, Start
from acp_tui.host.logins import Logins
from acp_tui.host.origin import LookUp, Origin, no_record
from acp_tui.host.session_list import SessionList
from acp_tui.host.traffic import Traffic
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.scope import McpServer, SessionScope
from acp_tui.session.state import HistoryTold, Session

if TYPE_CHECKING:
    from acp_tui.host.choices import Choice
    from acp_tui.host.conversation import Conversation, Line
    from acp_tui.protocol.content import ContentBlock
    from acp_tui.protocol.initialization import Initialized
    from acp_tui.protocol.sessions import SessionInfo
    from acp_tui.session.background import Work


__all__ = ["AgentCommand", "Client", "Connection", "Login", "LoginCommand", "Phase", "SessionList"]

LATEST = "latest"


class Client:
    """One agent and its sessions: acts of the person, each handed to the room that knows it.

    `session_begun` is called with every new session before anything has happened in it. `look_up` finds what was
    recorded last in the folder, for agents that cannot list their sessions.

    It is long for one reason: it has every act that a front end can take, and nothing else.
    """

    def __init__(
        self,
        command: AgentCommand,
        cwd: str,
        capabilities: ClientCapabilities | None = None,
        *,
        attended: bool = False,
        additional_directories: Sequence[str] = (),
        mcp_servers: Sequence[McpServer] = (),
        start: Start = AgentProcess.start,
    ) -> None:
        """`attended`: a person is there who fills in forms, logs in and restarts the agent; `run` waits for that.

        `additional_directories` (absolute) and `mcp_servers` are given to every session. `start` starts the agent.
        """
        self.command = command
        self.cwd = str(Path(cwd).resolve())
        offered = capabilities or ClientCapabilities()
        self.capabilities = offered.with_user() if attended else replace(offered, terminal_login=False)
        self.sessions: list[Session] = []
        self.session_begun: Callable[[Session], None] = lambda _: None
        self.look_up: LookUp = no_record
        self.traffic = Traffic()
        self._scope = SessionScope(self.cwd, tuple(additional_directories), tuple(mcp_servers))
        self._kept: KeptChoices | None = None
        self._line: Line | None = None
        self._lifecycle = Lifecycle()
        self.known_sessions = KnownSessions(lambda: self.connection.capabilities, self.sessions, self.close_session)
        self._conversations = Conversations(command.argv, asks=self.capabilities.elicitation)
        self._logins = Logins(self._lifecycle, command, self.cwd, self._conversations, self._logged_in)
        self._lives = Lives(
            command,
            self.cwd,
            self.capabilities,
            self._lifecycle,
            self._conversations,
            self._greeted,
            self._agent_ended,
            self._logins if attended else None,
            self.traffic,
            start,
        )

    @property
    def connection(self) -> Connection:
        """What is known of the connection."""
        return self._lifecycle.connection

    @property
    def unsent_since(self) -> float | None:
        """Monotonic seconds since which the agent has not read what waits for it; `None` if nothing waits."""
        return self._lives.agent.unsent_since if self._lives.agent else None

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever `connection` changed; the result ends the subscription."""
        return self._lifecycle.subscribe(listener)

    async def run(self) -> None:
        """Start the agent, serve the connection until it ends, leave no process behind.

        Run it in one task that enters and leaves it. A fault is in `connection.fault`, not raised;
        cancelling the task runs the shutdown ladder too. Attended, it waits in phase `gone` for `restart` or `close`.
        """
        await self._lives.run()

    def restart(self) -> None:
        """Start the agent anew, ending it if it lives, and bring every session back.

        By resume, else load (told again, but not shown again), else as a new one whose transcript stays to be
        read, which is said. What was chosen is chosen again, queues are kept and go out.
        """
        self._lives.restart()

    def close(self) -> None:
        """Begin the shutdown; `run` returns when it is done. A second call ends the agent at once, without manners."""
        self._lives.close()

    def stderr_tail(self, lines: int = 20) -> list[str]:
        """The last lines that the agent wrote to standard error, decoded, escapes and all."""
        return self._lives.process.stderr.tail(lines) if self._lives.process else []

    def open_session(
        self,
        cwd: str | None = None,
        settings: Sequence[tuple[str, str]] = (),
        additional_directories: Sequence[str] | None = None,
        mcp_servers: Sequence[McpServer] | None = None,
    ) -> Session:
        """A new session, to be shown at once; its `id` is empty until the agent has answered.

        Prompts submitted before that are queued. `settings` are options by name; without them, an agent that takes
        input options is asked for the session only after `choose_input_options`, if a person is there to choose.
        """
        scope = self._scope
        if additional_directories is not None:
            scope = replace(scope, additional_directories=tuple(additional_directories))
        if mcp_servers is not None:
            scope = replace(scope, mcp_servers=tuple(mcp_servers))
        return self._open(replace(scope, cwd=_absolute(cwd or self.cwd)), Origin(), settings)

    def continue_session(self, settings: Sequence[tuple[str, str]] = ()) -> Session:
        """Go on with the session of this folder that was worked on last; a new one if there is none, which is said.

        Without a list of the agent's it is the one that `look_up` finds, which is at least the history of a new one.
        """
        origin = Origin("latest", look_up=lambda *whose, retold: self.look_up(*whose, retold=retold))  # may be set yet
        return self._open(self._scope, origin, settings)

    def begin_session(self, resume: str = "", settings: Sequence[tuple[str, str]] = ()) -> Session:
        """The session of a start: a new one, the `latest` of this folder, or the one that has the id `resume`."""
        if resume == LATEST:
            return self.continue_session(settings)
        if resume:
            return self._open(self._scope, Origin("known", resume), settings)
        return self.open_session(settings=settings)

    def load_session(self, info: SessionInfo, told: Session | None = None, folders: Collection[str] = ()) -> Session:
        """Go on with a session that the agent knows, shown at once and filled while the agent tells it.

        Of what the agent names as its folders it gets those in `roots()` and in `folders`, which the user gave.
        By `session/load`; else by `session/resume`, where it begins with `told`, which was recorded, or empty (which
        is said in it). What goes wrong is told in the session, which is `closed` then. A session that is open already
        is given back.
        """
        for session in self.sessions:
            if session.id == info.session_id:
                return session
        scope = self._scope.of_named(info.cwd, info.additional_directories, folders)
        return self._open(scope, Origin("known", info.session_id, told, info.title, info.updated_at))

    def fork_session(self, session: Session) -> Session:
        """A new session of the agent's that knows what `session` knows, and begins with what was said there.

        It needs `capabilities.fork_session`.
        """
        return self._open(self._conversation(session).scope, Origin("fork", session.id, told=session))

    def fork_known(self, info: SessionInfo, told: Session | None = None, folders: Collection[str] = ()) -> Session:
        """The same of a session that is not open; `told` is its transcript, where that was recorded."""
        scope = self._scope.of_named(info.cwd, info.additional_directories, folders)
        return self._open(scope, Origin("fork", info.session_id, told=told))

    def close_session(self, session: Session) -> None:
        """Put a session away: its turn is cancelled, the agent is told where it can be, `sessions` loses it."""
        conversation = self._conversation(session)
        self.sessions.remove(session)
        self._conversations.remove(conversation)
        if self._lives.agent is not None:
            self._lives.agent.leave(conversation)
        conversation.close(None)

    def log_in(self, method_id: str, session: Session | None = None) -> None:
        """Log in by a method of type `agent`, whose questions `session` gets; `connection.login` goes on success."""
        self._logins.log_in(method_id, session)

    def cancel_login(self) -> None:
        """Wait no longer for that log-in; the ways are offered again."""
        self._logins.cancel()

    def terminal_login(self, method_id: str) -> LoginCommand | None:
        """What to run in the real terminal for a method of type `terminal`; then call `login_finished`."""
        return self._logins.command(method_id)

    def login_finished(self, exit_code: int | None, output: bytes = b"") -> None:
        """The terminal log-in has ended (`None`: it did not start): after 0 the agent is restarted, to try again."""
        if self._logins.finished(exit_code, output):
            self._lives.restart()

    def log_in_with_variables(self, values: Mapping[str, str]) -> None:
        """Restart the agent with variables (type `env_var`) on top of its own; they are never stored."""
        self._logins.set_variables(values)
        self._lives.restart()

    def log_out(self) -> None:
        """Log out; needs `capabilities.logout`. The next thing that needs a log-in asks for it."""
        if self.connection.capabilities.logout:
            self._logins.log_out()

    def roots(self, session: Session | None = None) -> tuple[str, ...]:
        """The folders of a session, absolute, its working folder first; without one, what the user gave for all."""
        scope = (self._conversations.scope_of(session) if session else None) or self._scope
        return session.cwd if session else scope.cwd, *scope.additional_directories

    def choices_offered(self, session: Session) -> tuple[Choice, ...]:
        """What the person chose in this session that is not kept yet and was never declined: ask once about it.

        Look again after each `ConfigOptionsChanged`; empty means that there is nothing to ask.
        """
        return self._kept.unknown(self._conversation(session).chosen.made) if self._kept is not None else ()

    def choices_unkept(self, session: Session) -> tuple[Choice, ...]:
        """What the person chose in this session that is not kept, declined or not."""
        return self._kept.unkept(self._conversation(session).chosen.made) if self._kept is not None else ()

    def keep_choices(self, session: Session) -> None:
        """Keep what `choices_unkept` gives for the next sessions with this agent; later choices are kept too."""
        if self._kept is not None:
            self._kept.keep(self.choices_unkept(session))

    def decline_choices(self, session: Session) -> None:
        """Do not ask about what `choices_offered` gives again."""
        if self._kept is not None:
            self._kept.decline(self.choices_offered(session))

    def forget_choices(self) -> None:
        """Forget all that was kept or declined for this agent."""
        if self._kept is not None:
            self._kept.forget()

    def recent_values(self, option_id: str) -> tuple[str, ...]:
        """The values of an option that the person chose last with this agent, the latest first."""
        return tuple(self._kept.recent.get(option_id, ())) if self._kept is not None else ()

    def submit(self, session: Session, blocks: list[ContentBlock], place: int | None = None) -> None:
        """Send a prompt, or queue it while the agent works or is not ready; at `place`, from 0, instead of last."""
        self._conversation(session).submit(blocks, place)

    def withdraw_queued(self, session: Session, queued_id: int) -> None:
        """Take a queued prompt out of the queue."""
        self._conversation(session).withdraw_queued(queued_id)

    def move_queued(self, session: Session, queued_id: int, place: int) -> None:
        """Give a queued prompt another place, from 0."""
        self._conversation(session).move_queued(queued_id, place)

    def cancel(self, session: Session) -> None:
        """Cancel the turn; every pending permission request is answered `cancelled`."""
        self._conversation(session).cancel()

    def cancel_work(self, session: Session, work: Work) -> None:
        """Cancel one piece of `session.background.separate_work`, if it says that it can be."""
        self._conversation(session).cancel_work(work)

    def answer_permission(self, session: Session, key: int, option_id: str | None) -> None:
        """Answer a pending permission request, exactly once; `None` is cancelled. A second answer is ignored."""
        self._conversation(session).answer_permission(key, option_id)

    def answer_elicitation(
        self, session: Session, key: int, action: str, content: Mapping[str, Any] | None = None
    ) -> None:
        """Answer what the agent asks by a form (`content`) or an address: accept, decline or cancel, exactly once."""
        self._conversation(session).elicitations.answer(key, action, content)

    def choose_input_options(self, session: Session, options: Mapping[str, Any]) -> None:
        """Have the session opened that waits in `session.input_options`; empty options leave all to the agent."""
        conversation = self._conversation(session)
        if conversation.input_options is not None and conversation.input_options.choose(options) and self._lives.agent:
            self._lives.agent.open(conversation)

    def choose(self, session: Session, option_id: str, value: str | bool) -> None:
        """Ask the agent to set a config option (or a legacy mode or model) to `value`."""
        self._conversation(session).choose(option_id, value)

    def _open(self, scope: SessionScope, origin: Origin, settings: Sequence[tuple[str, str]] = ()) -> Session:
        known = origin.session_id if origin.kind == "known" else ""
        session = Session(known, scope.cwd, self.command.title, origin.title, updated_at=origin.updated_at)
        self.sessions.append(session)
        self.session_begun(session)
        if origin.kind == "fork" and origin.told is not None:
            session.apply(HistoryTold(origin.told, "The agent knows it: this session was forked from there."))
            origin.told = None  # not kept alive by its forks
        self._conversations.begin(session, scope, origin, settings)
        if self._lives.agent is not None:
            self._lives.agent.open(self._conversation(session))
        return session

    def _conversation(self, session: Session) -> Conversation:
        return self._conversations.of(session)

    def _greeted(self, line: Line, initialized: Initialized) -> KeptChoices:
        self._line = line
        self._logins.introduced(line)
        self.known_sessions.connected(line)
        agent = initialized.agent
        self._kept = self._kept or KeptChoices.for_agent(agent.name if agent else "\0".join(self.command.argv))
        return self._kept

    def _agent_ended(self) -> None:
        self._line = None
        self._logins.gone()
        self.known_sessions.gone()

    def _logged_in(self) -> None:
        if self._line is not None:
            self.known_sessions.connected(self._line)
        if self._lives.agent is not None:
            self._lives.agent.go_on()


def _absolute(folder: str) -> str:
    return str(Path(folder).resolve())
