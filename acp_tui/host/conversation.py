"""One session's side of the connection: the turn, the queue, permissions and choices; must not know JSON.

What the person does becomes bytes through the dialect, and what came of it becomes state through
`Session.apply`. Nothing here waits: answers come back as calls, at their place in the stream.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from acp_tui.errors import Fault
from acp_tui.host.choices import KeptChoices
from acp_tui.host.chosen import Chosen
from acp_tui.host.connection import AgentConnection
from acp_tui.host.elicitations import Elicitations, Reply
from acp_tui.host.failed_reads import FailedReads
from acp_tui.host.input_options import InputOptionsChoice
from acp_tui.host.noise import NoiseMeter
from acp_tui.host.origin import Origin
from acp_tui.host.retelling import Retelling
from acp_tui.host.steering import Steering
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.dialect import Call, Dialect, PermissionRead
from acp_tui.protocol.elicitation import FormElicitation, UrlElicitation
from acp_tui.protocol.faults import (
    AUTH_REQUIRED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    ProtocolFault,
    error_words,
)
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.tool_calls import ToolCallUpdate
from acp_tui.protocol.updates import RejectedUpdate, Update
from acp_tui.session.background import Work, can_be_cancelled
from acp_tui.session.facts import (
    AgentGone,
    CancelRequested,
    ConfigOptionRequested,
    ConfigOptionSettled,
    Noticed,
    PermissionAnswered,
    PermissionReceived,
    PromptPutBack,
    PromptQueued,
    QueuedPromptMoved,
    QueuedPromptTaken,
)
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import Error, RequestId, Response

_keys = count(1)


@dataclass(frozen=True, slots=True)
class Line:
    """What a conversation needs to talk: the connection, and the words for it. `fail` ends it and says why.

    `login_wanted` hears of what needs a log-in first; without it, that is a failure like any other.
    `steers` says that prompts may join a turn that runs.
    """

    connection: AgentConnection
    dialect: Dialect
    fail: Callable[[Fault], None]
    login_wanted: Callable[[Error], None] | None = None
    steers: bool = False

    def wants_login(self, answer: Response) -> bool:
        """Whether the agent does this only after a log-in, which is offered then; the caller tries again after it."""
        if answer.error is None or answer.error.code != AUTH_REQUIRED or self.login_wanted is None:
            return False
        self.login_wanted(answer.error)
        return True


class Conversation:
    """A session and how it talks to its agent: not before `open`, not after `close`; both may come again.

    It is long for one reason: everything here reads or changes who waits for whom in one turn.

    `was_open` says that the transcript here is what the session was, `asking` is the id of the request that opens
    it, `left` that the person does not want it any more.
    """

    def __init__(
        self,
        session: Session,
        input_options: InputOptionsChoice | None = None,
        scope: SessionScope | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.session = session
        self.scope = scope or SessionScope(session.cwd)
        self.origin = origin or Origin()
        self.chosen = Chosen(session)
        self.retelling: Retelling | None = None
        self.was_open = self.left = False
        self.asking: int | None = None
        self.input_options = input_options
        self.elicitations = Elicitations(session)
        self.noise = NoiseMeter(session.apply)
        self.failed_reads = FailedReads(session)
        self._steering = Steering(session, self.fold, self._queue)
        self._line: Line | None = None
        self._asked: dict[int, RequestId] = {}
        self._active = False
        self._cancelling = False
        self._choosing = self._held = False
        self._after_login: list[Callable[[], None]] = []
        self.turn_ended: Callable[[], None] = lambda: None

    @property
    def is_open(self) -> bool:
        """Whether the agent knows this session."""
        return self._line is not None

    def open(self, line: Line) -> None:
        """The agent has opened the session; `choose_again` lets the prompts out."""
        self._line, self._choosing, self._held = line, True, False
        self.was_open = True

    def choose_again(self, kept: KeptChoices) -> None:
        """Choose what is kept (in a session that began as a new one) and what was chosen here; then what was given
        beforehand; then the queue goes out.

        From now on, what is kept follows what the person chooses here.
        """
        self.chosen.kept = kept
        first = kept.kept.values() if self.origin.kind == "new" else ()
        self.chosen.choose_again(first, self._choose, self._choose_settings)

    def release(self) -> None:
        """The log-in that something waited for has been done."""
        waiting, self._after_login, self._held = self._after_login, [], False
        for act in waiting:
            act()
        self.send_queued()

    def close(self, fault: Fault | None) -> None:
        """Nothing is sent any more. `fault` is what the person is told; without it they know that they left."""
        self._answer_all_cancelled()
        self.elicitations.turn_cancelled()
        self._line, self.asking, self.retelling = None, None, None
        self._after_login.clear()
        for key in list(self._asked):
            self._settle(key, None)
        self.elicitations.close()
        self.noise.settle()
        if fault is not None:
            self.session.apply(AgentGone(fault.title, fault.message, fault.hint))
        elif self.session.turn.active:
            self.session.apply(AgentGone("The connection was closed during a turn"))

    def fold(self, updates: Sequence[Update]) -> None:
        """Apply updates in order; when they end the turn, what waited for that happens."""
        apply = self.session.apply
        for update in updates:
            if self.retelling is not None and self.retelling.takes(update):
                continue
            if not isinstance(update, RejectedUpdate) or self.noise.allows("rejected"):
                apply(update)
            if isinstance(update, ToolCallUpdate) and self.failed_reads:
                self.failed_reads.look(update.tool_call_id)
        active = self.session.turn.active
        if active is not self._active:
            self._active = active
            self.failed_reads.forget()
            if not active:
                self._turn_ended()

    def submit(self, blocks: list[ContentBlock], place: int | None = None) -> None:
        """Send a prompt, or queue it while the agent works or is not ready; at `place`, from 0, instead of last."""
        if self._line is not None and not self._cancelling and self._steering.takes(self._line, blocks, place):
            return
        if self._line is None or self._waits or self.session.queue:
            self._queue(blocks, place)
        else:
            self._send(self._line, blocks)

    def _queue(self, blocks: list[ContentBlock], place: int | None) -> None:
        self.session.apply(PromptQueued(blocks))
        if place is not None:
            self.move_queued(self.session.queue[-1].id, place)
        self.send_queued()

    def send_queued(self) -> None:
        """Send the oldest queued prompt, if the agent is free."""
        if self._line is not None and self.session.queue and not self._waits:
            prompt = self.session.queue[0]
            self.session.apply(QueuedPromptTaken(prompt.id))
            self._send(self._line, prompt.blocks)

    def withdraw_queued(self, queued_id: int) -> None:
        """Take a queued prompt out of the queue."""
        self.session.apply(QueuedPromptTaken(queued_id))

    def move_queued(self, queued_id: int, place: int) -> None:
        """Give a queued prompt another place, from 0."""
        self.session.apply(QueuedPromptMoved(queued_id, place))

    def cancel(self) -> None:
        """Cancel the turn, once; the agent hears of it before its questions are answered `cancelled`."""
        if self._line is None or not self.session.turn.active or self._cancelling:
            return
        self._cancelling = True
        self._line.connection.notify(self._line.dialect.cancel(self.session.id))
        self.session.apply(CancelRequested())
        self._answer_all_cancelled()
        self.elicitations.turn_cancelled()

    def cancel_work(self, work: Work) -> None:
        """Cancel one tool call or terminal that says it can be; what comes of it, the agent tells."""
        if self._line is None or not can_be_cancelled(self.session, work):
            return
        dialect = self._line.dialect
        cancel = dialect.cancel_terminal if work.type == "terminal" else dialect.cancel_tool_call
        self._line.connection.call(cancel(self.session.id, work.id), partial(self._cancel_answered, self._line, work))

    def ask(self, request_id: RequestId, asked: PermissionRead) -> None:
        """The agent asks for permission; after a cancel, the answer is `cancelled` at once."""
        self.fold(asked.updates)
        key = next(_keys)
        self._asked[key] = request_id
        if self._cancelling:
            self.answer_permission(key, None)
        else:
            self.session.apply(PermissionReceived(key, asked.request))

    def elicit(self, request_id: RequestId, request: FormElicitation | UrlElicitation, reply: Reply) -> None:
        """The agent asks by a form or an address; after a cancel, the answer is `cancel` at once."""
        self.elicitations.ask(request_id, request, reply)
        if self._cancelling:
            self.elicitations.turn_cancelled()

    def answer_permission(self, key: int, option_id: str | None) -> None:
        """Answer a pending permission request; `None` is cancelled, a second answer is ignored."""
        if self._line is not None and key in self._asked:
            result = self._line.dialect.permission_answer(option_id)
            self._line.connection.answer(self._asked[key], result)
            self._settle(key, option_id)

    def withdraw_permission(self, request_id: RequestId) -> bool:
        """The agent takes a permission request back, which is answered `cancelled`; whether there was one."""
        for key, asked_id in self._asked.items():
            if asked_id == request_id and type(asked_id) is type(request_id):
                self.answer_permission(key, None)
                return True
        return False

    def choose(self, option_id: str, value: str | bool) -> None:
        """Ask the agent to set a config option; it is in flight until the agent has answered."""
        option = next((option for option in self.session.config_options if option.id == option_id), None)
        if option is not None:
            self._choose(option_id, value, partial(self.chosen.answered, option, value))

    @property
    def _waits(self) -> bool:
        return self.session.turn.active or self._choosing or self._held

    def _choose_settings(self) -> None:
        if self._line is not None:
            before = self.input_options
            settings, names = (before.take_settings(), before.names) if before is not None else ((), {})
            self.chosen.choose_by_name(settings, names, self._choose, self._go, self._line.fail)

    def _go(self) -> None:
        self._choosing = False
        self.send_queued()

    def _choose(self, option_id: str, value: str | bool, then: Callable[[str], None]) -> None:
        """Ask for a choice; `then` gets why it was refused, empty if it was not."""
        option = next((option for option in self.session.config_options if option.id == option_id), None)
        if self._line is None or option is None:
            return
        line, call = self._line, self._line.dialect.set_config_option(self.session.id, option, value)

        def ask() -> None:
            line.connection.call(call, answered)

        def answered(answer: Response) -> None:
            if line.wants_login(answer):  # it stays in flight
                self.chosen.waits(option, value)
                self._after_login.append(ask)
            else:
                self._answered_choice(line.dialect, call, option_id, then, answer)

        self.session.apply(ConfigOptionRequested(option_id, value))
        ask()

    def _answered_choice(
        self, dialect: Dialect, call: Call, option_id: str, then: Callable[[str], None], answer: Response
    ) -> None:
        refused, unsupported = "", False
        if answer.error is not None and answer.error.code == METHOD_NOT_FOUND:
            refused, unsupported = f"the agent does not know {call.method}", True
        elif answer.error is not None:
            refused = _reason(answer.error)
        else:
            try:
                self.fold(dialect.config_option_set(call, answer.result))
            except ProtocolFault as fault:
                refused = str(fault)
        self.session.apply(ConfigOptionSettled(option_id, refused, unsupported))
        then(refused)

    def _send(self, line: Line, blocks: list[ContentBlock]) -> None:
        call = line.dialect.prompt(self.session.id, blocks)
        self.fold(line.dialect.prompt_sent(call, blocks))
        line.connection.call(call, partial(self._prompt_answered, line, call, blocks))

    def _prompt_answered(self, line: Line, call: Call, blocks: list[ContentBlock], answer: Response) -> None:
        dialect, error = line.dialect, answer.error
        if line.wants_login(answer):
            self._put_back(dialect, blocks, error.message if error is not None else "")
            return
        if error is not None:
            self.fold(dialect.prompt_failed(call, error.code, error.message, error.data))
            if error.code == RESOURCE_NOT_FOUND:
                hint = "Begin a new session, or restart the agent."
                self.session.apply(Noticed("warning", "The agent may not know this session any more", hint=hint))
            return
        try:
            updates = dialect.prompt_answered(call, answer.result)
        except ProtocolFault as fault:
            updates = dialect.prompt_failed(call, INTERNAL_ERROR, str(fault), None)
        self.fold(updates)

    def _cancel_answered(self, line: Line, work: Work, answer: Response) -> None:
        if line.wants_login(answer):
            self._after_login.append(partial(self.cancel_work, work))
        elif answer.error is not None:
            self.session.apply(Noticed("warning", f"Not cancelled: {work.title}", _reason(answer.error)))

    def _put_back(self, dialect: Dialect, blocks: list[ContentBlock], reason: str) -> None:
        """The agent took no prompt before a log-in: it waits for that."""
        self._held = True
        dialect.turn_ended(self.session.id)
        self.session.apply(PromptPutBack(blocks, reason))
        self.fold([])

    def _turn_ended(self) -> None:
        if self._cancelling:
            self.elicitations.turn_cancelled()
        self._cancelling = False
        self._answer_all_cancelled()
        self.noise.settle()
        self.turn_ended()
        self.send_queued()

    def _answer_all_cancelled(self) -> None:
        for key in list(self._asked):
            self.answer_permission(key, None)

    def _settle(self, key: int, option_id: str | None) -> None:
        del self._asked[key]
        self.session.apply(PermissionAnswered(key, option_id))


def _reason(error: Error) -> str:
    """Why the agent would not; a code says something only where there are no words."""
    return error_words(None if error.message else error.code, error.message, error.data)
