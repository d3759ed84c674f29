"""Wire records read again: each line goes through the same dialect, conversation and folds as when it passed.

What the user did is what was sent. Nothing runs: no agent, no command, and no file that a line names.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from acp_tui.host.agent.openings import KNOWN, UNSEEN
from acp_tui.host.catalog.launch_plan import AgentCommand
from acp_tui.host.connection.connection import words_of
from acp_tui.host.connection.lifecycle import Connection
from acp_tui.host.records.replay import close_recorded
from acp_tui.host.records.traffic import Traffic, TrafficChunk
from acp_tui.host.records.wire_record import WireLine
from acp_tui.host.sessions.continuation import Branch, BranchPlan, branched_fact
from acp_tui.host.sessions.conversation import Conversation, begin_fork
from acp_tui.host.sessions.open_session import OpenSessions
from acp_tui.host.sessions.questions import Questions
from acp_tui.host.sessions.replay_filter import ForkReplay, ReplayFilter, finish_loading
from acp_tui.host.sessions.session_routing import Sessions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.system.workspace import Workspace
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.faults import AUTH_REQUIRED, ProtocolFault
from acp_tui.protocol.negotiation import choose
from acp_tui.protocol.session_setup import STEERING, Call, SessionSetup, fork_point
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.elicitation import FormElicitation, UrlElicitation, read_elicitation
from acp_tui.protocol.vocabulary.initialization import may_name_accounts
from acp_tui.protocol.vocabulary.tool_calls import TerminalExitStatus, TerminalUpdate
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import (
    AgentReturned,
    CancelRequested,
    ConfigOptionRequested,
    Noticed,
    QueuedPromptTaken,
    SessionIdentified,
)
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import Malformed, Notification, Request, RequestId, Response, decode
from acp_tui.wire.peer import AnsweredCall, Event, Peer, StrayMessage, Waiter

NAMED = 8  # lines that could not be read and are named
FIRST = 2  # the number of the line behind the header
_blocks: TypeAdapter[list[ContentBlock]] = TypeAdapter(list[ContentBlock])


class WireReplay:
    """The `sessions` of a wire record in the order in which they began, as they stood at its end, and what passed.

    `connection`, `command` and `traffic` are for the inspector, as a client has them. A record is foreign: nothing
    that it holds raises, and lines that cannot be read are named in the first session.

    The reason for its size: what both sides sent means something only by what the other has said before.
    """

    def __init__(self, lines: Sequence[WireLine | None]) -> None:
        """`lines` as `read_wire_record` gives them."""
        self.command, self.connection, self.traffic = AgentCommand(()), Connection(), Traffic()
        self._now, self._folder, self._begun = 0.0, _first_folder(lines), OpenSessions()
        self._conversations = Sessions(self._begun, (), asks=False)
        self._problems: dict[Session, str] = {}  # why a session was not opened
        self._requests: Mapping[str, Callable[[Call, int], Waiter | None]] = {
            "initialize": lambda _call, _id: self._introduced,
            **{f"session/{way}": self._open for way in ("new", "load", "resume", "fork")},
            **dict.fromkeys(("session/close", "session/delete"), self._leave),
            **{f"session/set_{what}": self._choose for what in ("config_option", "mode", "model")},
            "session/prompt": self._prompt,
            STEERING: self._steer,
        }
        self._begin_process()
        self._begin_session()
        self._close([number for number, line in enumerate(lines, FIRST) if not self._takes(line)])

    @property
    def sessions(self) -> list[Session]:
        return [each.session for each in self._begun]

    def _begin_process(self) -> None:
        self._peer, self._agent_name = Peer(), ""
        self._dialect: Dialect = Version1Dialect()
        self._asked: dict[RequestId, Callable[[Any], object]] = {}  # by the agent: what the answer to it does
        self._conversations.connected()

    def _begin_session(self, told: Session | None = None) -> Conversation:
        session = Session("", told.cwd if told else self._folder, clock=lambda: self._now)
        return self._begun.begin(SessionSource(session, SessionScope(session.cwd), told=told)).conversation

    def _takes(self, line: WireLine | None) -> bool:
        if line is None:
            return False
        self._now = max(self._now, line.at)
        if line.dropped:
            self._conversations.hear("oversized", f"{line.dropped:,} bytes")
            return True
        whole = line.line + (b"" if line.direction == "start" else b"\n")
        self.traffic.recent.append(TrafficChunk(line.at, line.direction, whole))
        if line.direction == "->":
            return self._sends(line.line)
        if line.direction == "start":
            for conversation in self._conversations:
                conversation.close(None)
            self._begin_process()
        elif line.direction == "<-":
            for event in self._peer.feed(whole):
                self._hear(event)
        return True

    def _close(self, unread: Sequence[int]) -> None:
        for session, conversation in zip(self.sessions, self._conversations, strict=True):
            if not conversation.was_open:
                session.apply(Noticed("warning", "The session was not opened", self._problems.get(session, "")))
            close_recorded(session)
            conversation.close(None)
        if unread:
            more = [f"{len(unread) - NAMED:,} more"] if unread[NAMED:] else []
            numbers = ", ".join([*(f"{number:,}" for number in unread[:NAMED]), *more])
            message = f"{'Line' if len(unread) == 1 else 'Lines'} {numbers}"
            self.sessions[0].apply(Noticed("warning", "Parts of this recording could not be read", message))

    def _sends(self, line: bytes) -> bool:
        try:
            for message in decode(line):
                if isinstance(message, Malformed):
                    return False
                self._send(message)
        except Exception:  # noqa: BLE001 - a value that no client sends, in any of its places
            return False
        return True

    def _send(self, message: Request | Notification | Response) -> None:
        if isinstance(message, Response):
            self._asked.pop(message.id, _ignore)(message.result if isinstance(message.result, dict) else {})
        elif isinstance(message, Notification):
            if message.method == "session/cancel":
                self._cancel(message.params["sessionId"])
        elif isinstance(message.id, int):
            self._peer.expect(message.id, _ignore)
            act = self._requests.get(message.method)
            if act is not None and (waiter := act(Call(message.method, message.params), message.id)) is not None:
                self._peer.expect(message.id, waiter)

    def _introduced(self, answer: Response) -> None:
        if answer.error is not None:
            self._problems[self.sessions[0]] = words_of(answer.error)
            return
        self._dialect, initialized = choose(answer.result, "auto")
        agent, self.connection.spoken = initialized.agent, self._dialect.name
        self._agent_name = (agent.title or agent.name) if agent else ""

    def _open(self, call: Call, request_id: int) -> Waiter:
        way = call.method.removeprefix("session/")
        conversation = self._to_open(way, call.params)
        session, is_open = conversation.session, self._find(conversation.session.id) is not None
        conversation.replay = ReplayFilter() if way in KNOWN and (conversation.was_open or is_open) else None
        if way == "fork":
            conversation.replay = ForkReplay(session.entries) if session.entries else None
        if is_open:  # it is loaded to see what it is
            return lambda _: setattr(conversation, "replay", None)
        self._conversations.expect()
        if way in KNOWN:
            session.apply(SessionIdentified(call.params["sessionId"]))
            self._enter(conversation)
        conversation.asking = request_id
        return partial(self._opened, conversation, way, call)

    def _to_open(self, way: str, params: dict[str, Any]) -> Conversation:
        """The session that has this id, else the first that is not open, else another one."""
        if way == "fork":
            return self._fork(self._meant(params).session, fork_point(params))
        left = [each for each in self._conversations if not each.left and each.asking is None]
        known = (each for each in left if way in KNOWN and each.session.id == params["sessionId"])
        closed = (each for each in left if not (each.session.id and (way != "new" or self._find(each.session.id))))
        return next(known, None) or next(closed, None) or self._begin_session()

    def _fork(self, parent: Session, after: str) -> Conversation:
        """As it was, or from the message that follows the answer after which it was forked."""
        fork, entries = self._begin_session(parent), iter(parent.entries)
        if after and any(entry.id == after for entry in entries):
            message = next((one for one in entries if isinstance(one, MessageEntry) and one.role == "user"), None)
            fact = branched_fact(parent, message)
            fork.source.branch = Branch(BranchPlan("at_message", (), after), fact, fact.prompt if message else None)
        begin_fork(fork.source)
        return fork

    def _opened(self, conversation: Conversation, way: str, call: Call, answer: Response) -> None:
        conversation.asking, problem = None, words_of(answer.error) if answer.error is not None else ""
        try:
            if answer.error is None:
                self._begin(conversation, way, self._dialect.read_session_setup(call, answer.result))
        except ProtocolFault as fault:
            problem = str(fault)
        self._conversations.settle()
        if problem:
            conversation.replay = None
            self._problems[conversation.session] = problem
            self._conversations.leave(conversation.session.id)

    def _begin(self, conversation: Conversation, way: str, setup: SessionSetup) -> None:
        session, was_open, replay = conversation.session, conversation.was_open, conversation.replay
        if was_open:
            session.apply(AgentReturned(forgotten=way == "new"))
        session.apply(SessionIdentified(setup.session_id, self._agent_name))
        if way not in KNOWN:
            self._enter(conversation)
        conversation.was_open, conversation.replay = True, replay.opened() if replay is not None else None
        conversation.fold(setup.updates)
        if way in KNOWN and not was_open:
            finish_loading(session, None)
        if way in ("resume", "fork") and not session.entries:
            session.apply(Noticed("info", "Earlier messages are not shown", UNSEEN))

    def _enter(self, conversation: Conversation) -> None:
        """It has its id. Nobody uses the workspace, which has no folder of the record."""
        self._conversations.add(conversation, Workspace(SessionScope("/"), lambda _id, _update: None))

    def _find(self, session_id: Any) -> Conversation | None:
        found = self._conversations.find(session_id)
        return found.conversation if found is not None else None

    def _meant(self, params: Any) -> Conversation:
        """The conversation that a message is about, also by one of its subagents. Raises LookupError for none."""
        found = self._find(params["sessionId"])
        if found is None:
            raise LookupError(params["sessionId"])
        return found

    def _leave(self, call: Call, _: int) -> None:
        conversation = self._meant(call.params)
        conversation.left = self._conversations.leave(conversation.session.id)
        conversation.close(None)

    def _cancel(self, session_id: str) -> None:
        conversation = self._meant({"sessionId": session_id})
        self._dialect.cancel(session_id)
        if session_id == conversation.session.id:
            conversation.session.apply(CancelRequested())
            conversation.children.turn_cancelled()
        else:
            conversation.children.cancelled(session_id)

    def _prompt(self, call: Call, _: int) -> Waiter:
        conversation = self._meant(call.params)
        session, blocks = conversation.session, _blocks.validate_python(call.params["prompt"])
        waited = next((each.id for each in session.queue if each.blocks == blocks), None)
        if waited is not None:
            session.apply(QueuedPromptTaken(waited))
        conversation.replay = conversation.replay.sent() if conversation.replay is not None else None
        conversation.fold(self._dialect.prompt_sent(call, blocks))

        def answered(answer: Response) -> None:
            if answer.error is not None and answer.error.code == AUTH_REQUIRED:  # it is sent again after the log-in
                conversation.put_back(self._dialect, blocks, answer.error.message)
            else:
                conversation.prompt_answered(self._dialect, call, answer)

        return answered

    def _steer(self, call: Call, _: int) -> Waiter:
        blocks = _blocks.validate_python(call.params["prompt"])
        return self._meant(call.params).steering(self._dialect, call, blocks)

    def _choose(self, call: Call, _: int) -> Waiter:
        conversation, params = self._meant(call.params), call.params
        what = call.method.removeprefix("session/set_")
        if what == "config_option":
            option_id, value = params["configId"], params["value"]
        else:
            options = conversation.session.config_options
            option_id, value = next(each.id for each in options if each.category == what), params[f"{what}Id"]
        conversation.session.apply(ConfigOptionRequested(option_id, value))

        def answered(answer: Response) -> None:
            conversation.chosen.settle(self._dialect, call, option_id, answer)

        return answered

    def _hear(self, event: Event) -> None:
        try:
            if isinstance(event, StrayMessage):
                excerpt = "" if may_name_accounts(event.excerpt) else event.excerpt
                self._conversations.hear(event.kind, f"{excerpt}\n({event.reason})" if excerpt else event.reason)
            elif isinstance(event, AnsweredCall):
                event.waiter(event.response)
            elif isinstance(event, Notification):
                self._notified(event)
            else:
                self._ask(event)
        except ProtocolFault as fault:
            self._conversations.hear("bad request", str(fault))
        except Exception as error:  # noqa: BLE001 - a guard: no value of a recording ends the replay
            self._conversations.hear("stumbled", f"{type(error).__name__}: {error!s:.300}")

    def _notified(self, notification: Notification) -> None:
        if notification.method == "session/update":
            self._conversations.deliver(*self._dialect.read_update(notification.params))
        elif notification.method == "$/cancel_request":
            for conversation in self._conversations:
                conversation.questions.withdraw(notification.params["requestId"])
        elif notification.method == "elicitation/complete":
            for conversation in self._conversations:
                conversation.questions.complete(notification.params["elicitationId"])

    def _ask(self, request: Request) -> None:
        if request.method == "session/request_permission":
            read = self._dialect.read_permission(request.params)
            conversation, asked = self._meant(request.params), read.request
            self._conversations.deliver(asked.session_id, read.updates)
            conversation.questions.ask(request.id, asked, _ignore)
            key = conversation.session.permissions[-1].key
            answer = partial(_answer_permission, conversation.questions, key)
        elif request.method == "elicitation/create":
            elicited = read_elicitation(request.params)
            found = self._find(elicited.session_id) or self._conversations.asking(elicited.request_id)
            if found is None or not isinstance(elicited, FormElicitation | UrlElicitation):
                return
            found.questions.ask(request.id, elicited, _ignore)
            answer = partial(_answer_elicitation, found.questions, found.session.elicitations[-1].key)
        elif request.method.startswith("terminal/"):
            answer = partial(self._terminal_answered, request)
        else:
            return
        self._asked[request.id] = answer

    def _terminal_answered(self, request: Request, result: dict[str, Any]) -> None:
        """What the answer to a request about a terminal says about what was to be seen of it."""
        params, method = request.params, request.method
        given: dict[str, Any] = {"terminal_id": (result if method == "terminal/create" else params)["terminalId"]}
        if method == "terminal/create":
            given["command"] = " ".join(map(str, [params.get("command", ""), *(params.get("args") or [])]))
            given["cwd"] = params.get("cwd")
        status = result if method == "terminal/wait_for_exit" else result.get("exitStatus")
        if isinstance(status, dict):
            given["exit_status"] = TerminalExitStatus.model_validate(status)
        if method == "terminal/release":
            given["released"] = True
        elif method == "terminal/output":
            given["output"] = str(result.get("output", "")).encode("utf-8", "replace")
        self._conversations.deliver(params["sessionId"], [TerminalUpdate(**given)])


def _answer_permission(questions: Questions, key: int, result: dict[str, Any]) -> None:
    outcome = result.get("outcome")
    chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
    questions.answer_permission(key, chosen if isinstance(chosen, str) else None)


def _answer_elicitation(questions: Questions, key: int, result: dict[str, Any]) -> None:
    content = result.get("content")
    questions.answer_elicitation(key, str(result.get("action")), content if isinstance(content, dict) else None)


def _first_folder(lines: Sequence[WireLine | None]) -> str:
    sent = (line.line for line in lines if line is not None and line.direction == "->")
    requests = (each for line in sent for each in decode(line) if isinstance(each, Request))
    folders = (each.params.get("cwd") for each in requests if isinstance(each.params, dict))
    return next((folder for folder in folders if isinstance(folder, str) and folder), "")


def _ignore(_: object) -> None: ...
