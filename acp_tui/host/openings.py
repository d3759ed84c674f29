"""How sessions are opened on one connection, whatever the agent can; must not know what is said in them.

A session that was open before is brought back: resumed, else loaded (what is told again is not shown again), else
a new one takes its place, whose agent has forgotten what the person still sees.
"""

from collections.abc import Callable
from functools import partial

from acp_tui.errors import AgentFault, Fault, UserFault
from acp_tui.host.choices import KeptChoices
from acp_tui.host.conversation import Conversation, Line
from acp_tui.host.last_session import NONE_SO_NEW, LastSession, Spawn
from acp_tui.host.lifecycle import Lifecycle
from acp_tui.host.open_sessions import OpenSession, OpenSessions
from acp_tui.host.origin import RECORDED
from acp_tui.host.records import RecordInfo, continue_in
from acp_tui.host.retelling import Retelling
from acp_tui.host.session_scope import offered
from acp_tui.host.workspace import Workspace, find_edits
from acp_tui.protocol.dialect import Call, SessionSetup
from acp_tui.protocol.faults import AUTH_REQUIRED, INVALID_PARAMS, RESOURCE_NOT_FOUND, ProtocolFault, error_words
from acp_tui.protocol.initialization import Initialized
from acp_tui.protocol.input_options import with_input_options
from acp_tui.protocol.scope import SessionScope
from acp_tui.session.facts import AgentReturned, Noticed, SessionIdentified, SessionLoaded
from acp_tui.session.state import HistoryTold
from acp_tui.session.writes import unfinished_edits
from acp_tui.wire.jsonrpc import Error, Response

Refused = Callable[[Conversation, Error | Fault], None]
KNOWN = ("load", "resume")
METHODS = {way: f"session/{way}" for way in ("new", *KNOWN, "fork")}
"""By which an agent says what options each way takes."""
STEPS = {
    "new": "waiting for the agent to open a session",
    "load": "waiting for the agent to load the session",
    "resume": "waiting for the agent to resume the session",
    "fork": "waiting for the agent to fork the session",
}


class Openings:
    """Opens the sessions of one connection.

    `equip` gives a scope's workspace, `refused` hears what was not opened, `spawn` runs what takes its time.
    """

    def __init__(
        self,
        line: Line,
        initialized: Initialized,
        sessions: OpenSessions,
        lifecycle: Lifecycle,
        kept: KeptChoices,
        equip: Callable[[SessionScope], Workspace],
        refused: Refused,
        spawn: Spawn,
    ) -> None:
        self._line, self._initialized, self._sessions = line, initialized, sessions
        self._lifecycle, self._kept, self._equip, self._refused = lifecycle, kept, equip, refused
        self._last = LastSession(line, initialized, lifecycle, spawn, self.open)
        self._spawn = spawn
        self._unclosed: list[str] = []

    def open(self, conversation: Conversation) -> None:
        """Ask the agent for the session; not twice, and not before the person has chosen what it asks for."""
        if conversation.asking is not None or conversation.is_open:
            return
        if conversation.origin.kind == "latest" and not conversation.was_open:
            self._last.find(conversation)
            return
        ways = self._ways(conversation)
        if not ways:
            message = "It does not offer to load, resume or fork one."
            self._refused(conversation, AgentFault("The agent cannot open this session", message, RECORDED))
        elif conversation.was_open or self._decided(conversation, ways[0]):
            self._try(conversation, ways)

    def leave(self, conversation: Conversation) -> None:
        """The person does not want the session any more."""
        conversation.left = True
        connection, dialect = self._line.connection, self._line.dialect
        session_id = conversation.session.id
        if conversation.asking is not None:
            connection.withdraw(conversation.asking)
        opened = self._sessions.remove(session_id) if session_id else None
        if opened is not None and self._initialized.capabilities.close_session:
            self._close(session_id)
        elif conversation.session.turn.active:
            connection.notify(dialect.cancel(session_id))
        dialect.forget(session_id)

    def go_on(self) -> None:
        """A log-in was done: close what waited for it."""
        unclosed, self._unclosed = self._unclosed, []
        for session_id in unclosed:
            self._close(session_id)

    def _close(self, session_id: str) -> None:
        def answered(answer: Response) -> None:
            if self._line.wants_login(answer):
                self._unclosed.append(session_id)

        self._line.connection.call(self._line.dialect.close_session(session_id), answered)

    def _ways(self, conversation: Conversation) -> list[str]:
        """How the session can be opened, the best way first."""
        can = self._initialized.capabilities
        load, resume = ["load"] * can.load_session, ["resume"] * can.resume_session
        if conversation.was_open:
            return [*resume, *load, "new"]
        if conversation.origin.kind == "known":
            return [*load, *resume, *["new"] * (conversation.origin.record is not None)]
        if conversation.origin.kind == "fork":
            return ["fork"] * can.fork_session
        return ["new"]

    def _decided(self, conversation: Conversation, way: str) -> bool:
        choice = conversation.input_options
        try:
            if choice is None or choice.decide(METHODS[way], self._initialized.input_options.get(METHODS[way])):
                return True
        except UserFault as fault:
            self._refused(conversation, fault)
            return False
        self._lifecycle.enter("ready")  # from here on it waits for the person
        return False

    def _call(self, way: str, conversation: Conversation) -> Call:
        dialect, capabilities = self._line.dialect, self._initialized.capabilities
        scope, _ = offered(conversation.scope, capabilities)
        session_id = conversation.session.id if conversation.was_open else conversation.origin.session_id
        if way == "load":
            call = dialect.load_session(session_id, scope)
        elif way == "resume":
            call = dialect.resume_session(session_id, scope)
        elif way == "fork":
            call = dialect.fork_session(session_id, scope)
        else:
            call = dialect.new_session(scope)
        choice = conversation.input_options
        return Call(call.method, with_input_options(call.params, choice.chosen(METHODS[way]) if choice else {}))

    def _try(self, conversation: Conversation, ways: list[str]) -> None:
        way, session = ways[0], conversation.session
        call = self._call(way, conversation)
        if self._lifecycle.connection.phase == "starting":
            self._lifecycle.wait_for(STEPS[way])
        self._sessions.expect()
        told = conversation.was_open if way in KNOWN else way == "fork" and bool(session.entries)
        conversation.retelling = Retelling() if told else None
        if way in KNOWN:  # its updates come before the answer
            if not session.id:
                session.apply(SessionIdentified(conversation.origin.session_id))
            self._enter(conversation)
        conversation.asking = self._line.connection.call(call, partial(self._answered, conversation, call, ways))

    def _answered(self, conversation: Conversation, call: Call, ways: list[str], answer: Response) -> None:
        conversation.asking = None
        problem: Error | Fault | None = answer.error
        if problem is None:
            try:
                setup = self._line.dialect.read_session_setup(call, answer.result)
                self._begin(conversation, ways[0], setup)
            except ProtocolFault as fault:
                problem = fault
        self._sessions.settle()
        if problem is not None:
            self._failed(conversation, ways, problem)

    def _begin(self, conversation: Conversation, way: str, setup: SessionSetup) -> None:
        """Give the session its name, its updates (the early ones came first), its workspace and its choices."""
        session, agent, was_open = conversation.session, self._initialized.agent, conversation.was_open
        if was_open or session.closed:
            session.apply(AgentReturned(forgotten=way == "new"))
        session.apply(SessionIdentified(setup.session_id, (agent.title or agent.name) if agent else ""))
        if conversation.left:
            self._sessions.add(session.id, OpenSession(conversation, self._equip(conversation.scope)))
            self.leave(conversation)
            return
        conversation.open(self._line)
        if way not in KNOWN:
            self._enter(conversation)  # what came early may tell again what a fork begins with
        retelling, conversation.retelling = conversation.retelling, None
        conversation.fold(setup.updates)
        if way in KNOWN and not was_open:
            session.apply(SessionLoaded())
        self._lifecycle.opened()
        self._tell(conversation, way, was_open, retelling)
        conversation.choose_again(self._kept)

    def _enter(self, conversation: Conversation) -> None:
        workspace, session = self._equip(conversation.scope), conversation.session
        self._sessions.add(session.id, OpenSession(conversation, workspace))

        def turn_ended() -> None:
            if unfinished_edits(session):
                self._spawn(lambda _conversation: find_edits(workspace, session), conversation)

        conversation.turn_ended = turn_ended

    def _tell(self, conversation: Conversation, way: str, was_open: bool, retelling: Retelling | None) -> None:
        """What a person must know about how the session was opened."""
        notices = [] if was_open else offered(conversation.scope, self._initialized.capabilities)[1]
        if was_open and way == "new":
            message = "What is above stays to be read, but the agent knows nothing of it."
            notices.append(Noticed("warning", "The agent has forgotten this session", message))
        elif was_open and way == "load" and retelling is not None:
            notices += filter(None, [retelling.shortfall(conversation.session)])
        elif not was_open and way in ("resume", "fork") and not conversation.session.entries:
            if conversation.origin.told is not None:
                recorded = HistoryTold(conversation.origin.told, "It was recorded here. The agent knows it.")
                conversation.session.apply(recorded)
            if not conversation.session.entries:
                message = "The agent remembers it, but does not tell it again."
                notices.append(Noticed("info", "What was said before is not shown", message))
        elif not was_open and way == "new" and conversation.origin.record is not None:
            notices += self._begin_with_record(conversation, conversation.origin.record)
        conversation.origin.told = None
        for notice in notices:
            conversation.session.apply(notice)

    def _begin_with_record(self, conversation: Conversation, record: RecordInfo) -> list[Noticed]:
        """The agent cannot bring back what was recorded, or has forgotten it: what was said is its history at least."""
        conversation.origin.kind = "new"
        if conversation.origin.told is None:
            return [Noticed("warning", NONE_SO_NEW, "The agent did not bring back the last one.", RECORDED)]
        continue_in(conversation.session, conversation.origin.told, record)
        return []

    def _failed(self, conversation: Conversation, ways: list[str], problem: Error | Fault) -> None:
        conversation.retelling = None
        if ways[0] in KNOWN:
            self._sessions.remove(conversation.session.id)
        if conversation.left:
            return
        code, choice = problem.code if isinstance(problem, Error) else None, conversation.input_options
        if code == INVALID_PARAMS and choice is not None and choice.refuse(METHODS[ways[0]], problem.message):
            return
        if ways[1:] and code != AUTH_REQUIRED:
            self._try(conversation, ways[1:])
        elif ways[0] in KNOWN and isinstance(problem, Error) and code == RESOURCE_NOT_FOUND:
            words = error_words(problem.code, problem.message, problem.data)
            self._refused(conversation, AgentFault("The agent does not know this session", words, RECORDED))
        else:
            self._refused(conversation, problem)
