"""Questions of an agent to the user of one session: permissions, forms and addresses. Each is answered exactly once.

It does not need an open session: an agent may ask while one is being opened.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import count
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.elicitation import FormElicitation, UrlElicitation, elicitation_answer
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.session.facts import (
    ElicitationAnswered,
    ElicitationCompleted,
    ElicitationReceived,
    PermissionAnswered,
    PermissionReceived,
)
from acp_tui.session.folds.questions import recordable_answer
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import RequestId

Asked = PermissionRequest | FormElicitation | UrlElicitation
Reply = Callable[[Any], None]
"""Takes the answer: of a permission request the id of an option (`None`: cancelled), else what the protocol says."""
_keys = count(1)


class _Question(Frozen):
    request_id: RequestId | None
    asked: Asked
    reply: Reply


class Questions:
    """Those of one session that wait for an answer, by a key of ours."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: dict[int, _Question] = {}

    def ask(self, request_id: RequestId | None, asked: Asked, reply: Reply) -> None:
        """Without the id of a request of the agent it is a question of our own, which no agent can take back."""
        key = next(_keys)
        self._waiting[key] = _Question(request_id, asked, reply)
        if isinstance(asked, PermissionRequest):
            self._session.apply(PermissionReceived(key, asked))
        else:
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
