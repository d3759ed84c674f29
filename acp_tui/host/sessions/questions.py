"""Questions to the user of one session: permissions, forms and addresses of the agent, and the options of a session
that is to be opened. Each is answered exactly once.

They do not need an open session: an agent may ask while one is being opened. Options that were chosen are kept per
agent for the next time, but nothing that was typed as text.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.choices import file_stem
from acp_tui.host.config.state_files import JsonFile, read_object, state_folder
from acp_tui.host.rules.rule import RuleAnswer
from acp_tui.protocol.vocabulary.elicitation import (
    ElicitationSchema,
    FormElicitation,
    UrlElicitation,
    elicitation_answer,
)
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.session.facts import (
    ElicitationAnswered,
    ElicitationCompleted,
    ElicitationReceived,
    InputOptionsOffered,
    InputOptionsSettled,
    PermissionAnswered,
    PermissionAnsweredByRule,
    PermissionReceived,
)
from acp_tui.session.folds.questions import recordable_answer
from acp_tui.session.form import Settings, form_of_settings
from acp_tui.session.form_fields import recordable
from acp_tui.session.state import Session
from acp_tui.session.text.secret_names import NOT_RECORDED
from acp_tui.wire.jsonrpc import RequestId

ByRule = Callable[[PermissionRequest], RuleAnswer | None]
Asked = PermissionRequest | FormElicitation | UrlElicitation
Reply = Callable[[Any], None]
"""Takes the answer: of a permission request the id of an option (`None`: cancelled), else what the protocol says."""
_keys = count(1)


def _nobody(_: PermissionRequest) -> None:
    """No rule answers."""


class _Question(Frozen):
    request_id: RequestId | None
    asked: Asked
    reply: Reply


class Questions:
    """Those of one session that wait for an answer, by a key of ours."""

    def __init__(self, session: Session, by_rule: ByRule = _nobody) -> None:
        """`by_rule` gives the answer of the user's rules to a request of the agent, if they have one."""
        self._session, self._by_rule = session, by_rule
        self._waiting: dict[int, _Question] = {}

    def ask(self, request_id: RequestId | None, asked: Asked, reply: Reply) -> None:
        """Without the id of a request of the agent it is a question of our own, which no agent can take back."""
        key = next(_keys)
        if isinstance(asked, PermissionRequest):
            answer = self._by_rule(asked) if request_id is not None else None
            if answer is not None:
                reply(answer.option_id)
                self._session.apply(PermissionAnsweredByRule(key, asked, answer.option_id, answer.reason, answer.rules))
                return
            self._waiting[key] = _Question(request_id, asked, reply)
            self._session.apply(PermissionReceived(key, asked))
        else:
            self._waiting[key] = _Question(request_id, asked, reply)
            self._session.apply(ElicitationReceived(key, asked))

    def wait_in(self, session_id: str) -> bool:
        """Whether any belongs to that session; what its children ask does not."""
        return any(each.asked.session_id in (None, session_id) for each in self._waiting.values())

    def answer_permission(self, key: int, option_id: str | None) -> None:
        question = self._waiting.pop(key, None)
        if question is not None:
            question.reply(option_id)
            self._session.apply(PermissionAnswered(key, option_id))

    def answer_elicitation(self, key: int, action: str, content: Mapping[str, Any] | None = None) -> None:
        """Answer accept (a form with its content), decline or cancel; a second answer is ignored.

        The agent gets the content, the session only what may be written down of it.
        """
        question = self._waiting.pop(key, None)
        if question is not None and not isinstance(question.asked, PermissionRequest):
            question.reply(elicitation_answer(action, content))
            self._session.apply(ElicitationAnswered(key, action, recordable_answer(question.asked, content)))

    def decline(self) -> None:
        """Answer all of them for a user who is not to be asked: no, this once."""
        for key, each in list(self._waiting.items()):
            if isinstance(each.asked, PermissionRequest):
                options = each.asked.options
                rejecting = (option.option_id for option in options if option.kind == "reject_once")
                self.answer_permission(key, next(rejecting, None))
            else:
                self.answer_elicitation(key, "decline")

    def withdraw(self, request_id: RequestId) -> bool:
        """The agent takes a request back, which is answered as cancelled; whether there was one."""
        return self._cancel(lambda each: each.request_id == request_id and type(each.request_id) is type(request_id))

    def all_cancelled(self) -> None:
        """What belongs to a session is over; what belongs to a request of ours waits on."""
        self._cancel(lambda each: isinstance(each.asked, PermissionRequest))
        self._cancel(lambda each: each.asked.session_id is not None)

    def work_cancelled(self, session_ids: Collection[str | None]) -> None:
        """What belongs to one of these sessions belongs to the work that was cancelled there."""
        self.permissions_cancelled(session_ids)
        self._cancel(lambda each: each.asked.session_id in session_ids)

    def permissions_cancelled(self, session_ids: Collection[str | None]) -> None:
        self._cancel(lambda each: isinstance(each.asked, PermissionRequest) and each.asked.session_id in session_ids)

    def request_over(self, request_id: int) -> None:
        self._cancel(lambda each: not isinstance(each.asked, PermissionRequest) and each.asked.belongs_to(request_id))

    def complete(self, elicitation_id: str) -> None:
        """The agent says that what it asked by an address is done; unknown ids are ignored."""
        self._session.apply(ElicitationCompleted(elicitation_id))

    def close(self) -> None:
        for key in list(self._waiting):
            del self._waiting[key]
            self._session.apply(ElicitationAnswered(key, "cancel"))

    def _cancel(self, which: Callable[[_Question], bool]) -> bool:
        chosen = [(key, each) for key, each in self._waiting.items() if which(each)]
        for key, each in chosen:
            if isinstance(each.asked, PermissionRequest):
                self.answer_permission(key, None)
            else:
                self.answer_elicitation(key, "cancel")
        return bool(chosen)


NEW = "session/new"
MAX_BYTES = 256 * 1024
"""Of the file; a larger one is not ours."""


class LastOptions:
    """What was chosen last for one agent, told by its command, in one method. Trouble with the file never raises."""

    def __init__(self, argv: Sequence[str], method: str = NEW) -> None:
        ending = "" if method == NEW else f"-{_way(method)}"
        stem = file_stem("\0".join(argv).encode(errors="surrogateescape"), Path(argv[0]).name if argv else "")
        self.path = state_folder() / "input-options" / f"{stem}{ending}.json"
        self._file = JsonFile(self.path, MAX_BYTES)
        self.load()

    def load(self) -> None:
        self.values: dict[str, Any] = self._file.load(read_object) or {}

    def offered(self, schema: ElicitationSchema) -> dict[str, Any]:
        """What a form can begin with. What an older file holds beside that leaves it."""
        if self.values != (kept := _kept(schema, self.values)):
            self._write(kept)
        return self.values

    def keep(self, schema: ElicitationSchema, options: Mapping[str, Any]) -> None:
        self._write(_kept(schema, options))

    def _write(self, values: dict[str, Any]) -> None:
        self.values = values
        self._file.store(values)  # what cannot be kept is asked again next time, no more than that


def _kept(schema: ElicitationSchema, options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in recordable(schema, options).items() if value != NOT_RECORDED}


class InputOptionsChoice:
    """What is decided about one session before it is opened.

    `settings` are `name=value` pairs given beforehand. The user is asked if one is there (`asks`), beginning with them.
    `last` has what was chosen last in a method. `names` are those of the options that settings could be for.
    """

    def __init__(self, session: Session, last: Callable[[str], LastOptions], settings: Settings, *, asks: bool) -> None:
        self._session, self._last, self._settings, self.asks = session, last, settings, asks
        self.left: Settings = ()
        self.names: Mapping[str, str] = {}
        self._method = NEW
        self._schema: ElicitationSchema | None = None
        self._decided = False
        self._chosen: Mapping[str, Any] = {}

    def chosen(self, method: str) -> Mapping[str, Any]:
        """What to send with a method: nothing with one that the user was not asked about."""
        return self._chosen if method == self._method else {}

    def decide(self, method: str, schema: ElicitationSchema | None) -> bool:
        """Whether the session can be opened by `method` now, else the user is asked.

        Raises UserFault for wrong settings.
        """
        given: Mapping[str, Any] = {}
        if self._settings and self.asks:
            given = self._take_gently(method, schema)
        elif self._settings:
            self._take(method, schema)
        if schema is not None and self.asks and not self._decided:
            self._method, self._schema = method, schema
            last = {**self._last(method).offered(schema), **given}
            self._session.apply(InputOptionsOffered(schema, last, way=_way(method)))
            return False
        return True

    def take_settings(self) -> Settings:
        """Those given beforehand that are no input options: to be chosen in the session, once."""
        left, self.left = self.left, ()
        return left

    def _take(self, method: str, schema: ElicitationSchema | None) -> None:
        """What is given for the agent's input options goes with the method, the rest waits for the session."""
        self.left = self._settings
        if schema is not None:
            form, self.left = form_of_settings(schema, self._settings)
            self._method, self._chosen = method, form.changes()
            self.names = {field.name: field.title for field in form.fields}

    def _take_gently(self, method: str, schema: ElicitationSchema | None) -> Mapping[str, Any]:
        """The same for a user who is asked: what a form begins with. Once, for later they choose by themselves."""
        try:
            self._take(method, schema)
        except UserFault:  # it is told when it is chosen in the session, which does not know it either
            self.left = self._settings
        self._settings = ()
        given, self._chosen = self._chosen, {}
        return given

    def choose(self, options: Mapping[str, Any]) -> bool:
        if self._schema is None or self._decided:
            return False
        self._decided, self._chosen = True, dict(options)
        if options:
            self._last(self._method).keep(self._schema, options)
        self._session.apply(InputOptionsSettled())
        return True

    def refuse(self, method: str, reason: str) -> bool:
        """The agent did not take what the user chose, who is asked again; whether that was why it refused."""
        if self._schema is None or not self.chosen(method):
            return False
        self._decided = False
        self._session.apply(InputOptionsOffered(self._schema, self._chosen, reason, _way(method)))
        return True


def _way(method: str) -> str:
    return method.rpartition("/")[2]
