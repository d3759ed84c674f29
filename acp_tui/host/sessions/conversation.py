"""One session's side of the connection: the turn, the queue, what the agent asks, and the options chosen.

What the user does becomes bytes through the dialect, and what came of it becomes state through
`Session.apply`. Nothing here waits: answers come back as calls, at their place in the stream.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from acp_tui.errors import Fault
from acp_tui.host.changes.turn_tracker import TurnWatch
from acp_tui.host.config.choices import KeptChoices
from acp_tui.host.connection.connection import AgentLink
from acp_tui.host.rules.rule import NO_RULES, RuleSetup
from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.host.sessions.children import LEFT_AT_WORK, Announced, Children, NoiseMeter
from acp_tui.host.sessions.chosen_options import ChosenOptions, Refused, reason_of
from acp_tui.host.sessions.continuation import Branch, carry, led
from acp_tui.host.sessions.limits import SessionLimits
from acp_tui.host.sessions.questions import Asked, InputOptionsChoice, Questions, Reply
from acp_tui.host.sessions.replay_filter import ReplayFilter
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.system.workspace_files import FailedReads
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import SystemPrompt
from acp_tui.protocol.faults import RESOURCE_NOT_FOUND, ProtocolFault
from acp_tui.protocol.session_setup import Call, read_outcome
from acp_tui.protocol.vocabulary.config_options import OptionValue
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.session_updates import RejectedUpdate, StateUpdate, Update, UsageUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest, ToolCallUpdate
from acp_tui.session.facts import (
    AgentGone,
    CancelRequested,
    Noticed,
    PromptPutBack,
    PromptQueued,
    PromptSteered,
    QueuedPromptMoved,
    QueuedPromptTaken,
    SteeringAnswered,
    SubagentEvent,
    SystemPromptSent,
)
from acp_tui.session.folds.messages import is_carried
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.session.tools.running_work import WorkItem, can_be_cancelled
from acp_tui.wire.jsonrpc import INTERNAL_ERROR, RequestId, Response

INSTEAD = "This is a new session. Your next prompt includes the conversation so far."


def carry_branch(session: Session, branch: Branch) -> list[Noticed]:
    """The agent has forked nothing: what was said goes with the first prompt. What the user is told of that."""
    carry(session)
    return [Noticed("warning", "The agent could not fork here", branch.problem, INSTEAD)] if branch.problem else []


def begin_fork(source: SessionSource) -> None:
    """Begin with what was said in the session that this one is forked or branched from."""
    session = source.session
    told, branch = source.told, source.branch
    if told is not None and branch is not None:
        session.apply(CopiedHistory(told, "", branch.prompts))
        session.apply(branch.fact)
    elif told is not None:
        message = "Forked from this conversation. The agent remembers it."
        session.apply(CopiedHistory(told, message, remembered=not told.index.forgotten))
        carry(session, told.carrying)
    source.told = None  # not kept alive by its forks


def _nothing() -> None:
    """Nothing is to be done after a turn."""


class Conversation:
    """A session and how it talks to its agent: not before `open`, not after `close`; both may come again.

    It is long for one reason: everything here reads or changes who waits for whom in one turn.

    `was_open` says that the transcript here is what the session was, `asking` is the id of the request that opens
    it, or of one before that, `left` that the user does not want it any more. `prompt_refused`: the agent did not open
    it with its system prompt, and may do so without. `watch` looks at the files around each turn, beside it: no prompt
    waits. While the user does something between the turns it `holds_queue`: no queued prompt goes out, nor does one
    while one of its `limits` holds it.
    """

    def __init__(
        self,
        source: SessionSource,
        options: InputOptionsChoice,
        announced: Announced,
        watch: TurnWatch,
        rules: RuleSetup = NO_RULES,
    ) -> None:
        session = self.session = source.session
        self.source, self.input_options = source, options
        self._after_login: list[Callable[[], None]] = []
        wait = self._after_login.append
        self.chosen = ChosenOptions(session, self.fold, wait, attended=options.asks, preset=source.preset)
        self.replay: ReplayFilter | None = None
        self.was_open = self.left = self.prompt_refused = self.holds_queue = False
        self.asking: int | None = None
        self.rules = SessionRules(session, lambda: source.scope, rules)
        self.questions = Questions(session, self.rules.answer)
        self.children = Children(session, self.questions, announced, attended=options.asks and not source.aside)
        self.noise = NoiseMeter(session.apply)
        self.failed_reads = FailedReads(session)
        self.limits = SessionLimits(session, source.limits, source.told)
        self._link: AgentLink | None = None
        self._active = self._cancelling = self._choosing = self._held = False
        self._prompt_sent: SystemPromptSent | None = None
        self.watch, self._after_turn = watch, _nothing

    def after_each_turn(self, act: Callable[[], None]) -> None:
        """Do this from now on: the session has its id with this process of the agent."""
        self._after_turn = act

    @property
    def is_open(self) -> bool:
        return self._link is not None

    def open(self, link: AgentLink) -> None:
        self._link, self._choosing, self._held = link, True, False
        self.was_open = True

    def choose_again(self, link: AgentLink, kept: KeptChoices) -> None:
        """Choose what is kept (in a session that began as a new one) and what was chosen here; then what was given
        beforehand; then the queue goes out.

        From now on, what is kept follows what the user chooses here.
        """

        def choose_given() -> None:
            self.chosen.choose_by_name(link, self.input_options.take_settings(), self.input_options.names, go)

        def go() -> None:
            self._choosing = False
            self.chosen.settled()
            self.send_queued()

        self.begin_choosing(kept)
        self.chosen.choose_again(link, self.input_options.left, choose_given)

    def begin_choosing(self, kept: KeptChoices) -> None:
        """What is kept counts in a session that begins as a new one, what the parent had in a branch of it."""
        self.chosen.begin(kept, kept.kept.values() if self.source.kind == "new" else self.source.inherited)

    @property
    def wants_options(self) -> bool:
        return bool(self.chosen.wanted or self.input_options.left)

    def leave_prompt_out(self) -> None:
        self.source.scope = replace(self.source.scope, system_prompt=SystemPrompt(given=True))
        self.prompt_refused = False

    def note_prompt(self, sent: SystemPromptSent | None) -> None:
        if sent is not None and sent != self._prompt_sent:
            self._prompt_sent = sent
            self.session.apply(sent)

    def release(self) -> None:
        waiting, self._held = list(self._after_login), False
        self._after_login.clear()
        for act in waiting:
            act()
        self.send_queued()

    def close(self, fault: Fault | None) -> None:
        """Nothing is sent any more. `fault` is what the user is told; without it they know that they left."""
        for update in self.replay.rest() if self.replay is not None else ():
            self.session.apply(update)
        self.questions.all_cancelled()
        self._link, self.asking, self.replay = None, None, None
        self.limits.costs.reopened()
        self._after_login.clear()
        self.questions.close()
        self.noise.settle()
        if fault is not None:
            self.session.apply(AgentGone(fault.title, fault.message, fault.hint))
        elif self.session.turn.active:
            self.session.apply(AgentGone("Disconnected during a turn"))
        elif self.children.any_works:
            self.session.apply(AgentGone(LEFT_AT_WORK))
        if self._active:
            self.watch.ended()

    def fold(self, updates: Sequence[Update], child_id: str = "") -> None:
        """Apply updates of the session, or of the child that it announced, in order.

        When they end the turn, what waited for that happens.
        """
        updates = list(self.children.admitted(updates, child_id, self.noise))
        if self.replay is not None:
            sift = self.replay.sift_child if child_id else self.replay.sift
            updates = [shown for update in updates for shown in sift(update)]
        for update in updates:
            if not isinstance(update, RejectedUpdate) or self.noise.allows("rejected"):
                self.session.apply(SubagentEvent(child_id, update) if child_id else update)
            if isinstance(update, UsageUpdate) and not child_id:
                self.limits.usage_changed()
            if isinstance(update, ToolCallUpdate):
                owner = self.session.whose(child_id)
                if (call := owner.index.tool_calls.get(update.tool_call_id)) is not None:
                    self.watch.called(owner.cwd, call)
                    self.failed_reads.look(call)
        active = self.session.turn.active
        if active is not self._active:
            self._active = active
            self.failed_reads.forget()
            if not active:
                self._turn_ended()

    def submit(self, blocks: list[ContentBlock], place: int | None = None) -> None:
        session = self.session
        waiting = session.queue or self.questions.wait_in(session.id) or self._cancelling or self.limits.reached
        if self._link is not None and self._link.can.steering and session.turn.active and not waiting:
            call = self._link.dialect.steer(session.id, blocks)
            self._link.connection.call(call, self.steering(self._link.dialect, call, blocks, place))
        elif self._link is None or self._waits or session.queue:
            self._queue(blocks, place)
        else:
            self._send(self._link, blocks)

    def steering(
        self, dialect: Dialect, call: Call, blocks: list[ContentBlock], place: int | None = None
    ) -> Callable[[Response], None]:
        """A prompt goes into the turn that runs; what the agent does not take goes to its `place` in the queue.

        The result takes the answer.
        """

        def answered(answer: Response) -> None:
            self.session.apply(SteeringAnswered(steered.id))
            outcome = "left" if answer.error is not None else read_outcome(answer.result)
            if outcome == "left":
                self._queue(steered.blocks, place)
                return
            # The turn's own prompt tells its end; this one neither begins nor ends a turn.
            sent = dialect.prompt_sent(call, steered.blocks)
            self.fold([update for update in sent if not isinstance(update, StateUpdate)])
            said = "Added to the current turn" if outcome == "joined" else "The agent continues with this"
            self.session.apply(Noticed("info", said))

        self.session.apply(PromptSteered(blocks))
        steered = self.session.steering[-1]
        return answered

    def _queue(self, blocks: list[ContentBlock], place: int | None) -> None:
        self.session.apply(PromptQueued(blocks))
        if place is not None:
            self.move_queued(self.session.queue[-1].id, place)
        self.send_queued()

    def send_queued(self) -> None:
        if self._link is not None and self.session.queue and not self._waits and not self.limits.holds_queue:
            prompt = self.session.queue[0]
            self.session.apply(QueuedPromptTaken(prompt.id))
            self._send(self._link, prompt.blocks)

    def withdraw_queued(self, queued_id: int) -> None:
        self.session.apply(QueuedPromptTaken(queued_id))

    def move_queued(self, queued_id: int, place: int) -> None:
        self.session.apply(QueuedPromptMoved(queued_id, place))

    def cancel(self) -> None:
        """Cancel the turn, once; the agent hears of it before its questions are answered `cancelled`.

        Subagents end with it, but for those that the agent lists as background work.
        """
        if self._link is None or not self.session.turn.active or self._cancelling:
            return
        self._cancelling = True
        self._link.connection.notify(self._link.dialect.cancel(self.session.id))
        self.session.apply(CancelRequested())
        self.children.turn_cancelled()

    def cancel_child(self, child_id: str) -> None:
        """Cancel what a subagent is at, and its own subagents, once; where its agent says now that it can be."""
        if self._link is not None and self.children.can_cancel(child_id):
            self._link.connection.notify(self._link.dialect.cancel(child_id))
            self.children.cancelled(child_id)

    def cancel_work(self, work: WorkItem) -> None:
        if self._link is None or not can_be_cancelled(self.session, work):
            return
        if work.type == "subagent":
            self.cancel_child(work.id)
            return
        call = self._link.dialect.cancel_work(self.session.id, work.type, work.id)
        self._link.connection.call(call, partial(self._cancel_answered, self._link, work))

    def ask(self, request_id: RequestId, asked: Asked, reply: Reply) -> None:
        """The agent asks the user something; after a cancel, what belongs to the turn is answered so at once."""
        stopping = self.children.is_stopping(asked.session_id, turn=self._cancelling)
        if stopping and isinstance(asked, PermissionRequest):
            reply(None)
            return
        self.questions.ask(request_id, asked, reply)
        if stopping:
            self.questions.work_cancelled([asked.session_id])
        elif self.source.aside:
            self.questions.decline()
            self.session.apply(Noticed("info", "Permission declined: in a side question, the agent can only answer"))

    def choose(self, option_id: str, value: OptionValue, then: Refused | None = None) -> None:
        if self._link is not None:
            self.chosen.choose(self._link, option_id, value, then)

    @property
    def _waits(self) -> bool:
        held = self.session.turn.active or self._choosing or self._held or self.holds_queue
        return held or self.limits.reached is not None

    def _send(self, link: AgentLink, blocks: list[ContentBlock]) -> None:
        if self.replay is not None:
            self.replay = self.replay.sent()
        blocks = led(self.session, blocks, embedded=link.can.prompt.embedded_context)
        self.limits.prompted()
        call = link.dialect.prompt(self.session.id, blocks)
        self.fold(link.dialect.prompt_sent(call, blocks))
        self.watch.prompted(blocks)
        self.watch.went_out()
        link.connection.call(call, partial(self._prompt_answered, link, call, blocks))

    def _prompt_answered(self, link: AgentLink, call: Call, blocks: list[ContentBlock], answer: Response) -> None:
        if link.wants_login(answer):
            self.put_back(link.dialect, blocks, answer.error.message if answer.error is not None else "")
        else:
            self.prompt_answered(link.dialect, call, answer)

    def prompt_answered(self, dialect: Dialect, call: Call, answer: Response) -> None:
        error = answer.error
        if error is not None:
            self.fold(dialect.prompt_failed(call, error.code, error.message, error.data))
            if error.code == RESOURCE_NOT_FOUND:
                hint = "Start a new session or restart the agent."
                self.session.apply(Noticed("warning", "The agent may have lost this session", hint=hint))
            return
        try:
            updates = dialect.prompt_answered(call, answer.result)
        except ProtocolFault as fault:
            updates = dialect.prompt_failed(call, INTERNAL_ERROR, str(fault), None)
        self.fold(updates)

    def _cancel_answered(self, link: AgentLink, work: WorkItem, answer: Response) -> None:
        if link.wants_login(answer):
            self._after_login.append(partial(self.cancel_work, work))
        elif answer.error is not None:
            self.session.apply(Noticed("warning", f"Could not cancel: {work.title}", reason_of(answer.error)))

    def put_back(self, dialect: Dialect, blocks: list[ContentBlock], reason: str) -> None:
        """The agent took no prompt before a log-in: it waits for that."""
        self._held = True
        dialect.turn_ended(self.session.id)
        self.watch.ended(void=True)
        own = [block for block in blocks if not is_carried(block)]
        self.session.apply(PromptPutBack(own, reason))
        if len(own) < len(blocks):  # with whatever goes out first then
            carry(self.session)
        self.fold([])

    def _turn_ended(self) -> None:
        """What the agent asked in it is over; subagents may work on, and what they ask waits on."""
        own = [self.session.id]
        if self._cancelling:
            self.questions.work_cancelled(own)
        self._cancelling = False
        self.questions.permissions_cancelled(own)
        self.noise.settle()
        self.watch.ended()
        self._after_turn()
        self.limits.turn_ended()
        self.send_queued()
