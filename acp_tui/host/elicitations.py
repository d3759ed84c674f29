"""What an agent asks one session's person by forms and addresses: each is answered exactly once; must not know JSON.

It does not need an open session: an agent may ask while one is being opened.
"""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from acp_tui.protocol.elicitation import FormElicitation, UrlElicitation, elicitation_answer
from acp_tui.session.facts import ElicitationAnswered, ElicitationCompleted, ElicitationReceived
from acp_tui.session.questions import recordable_answer
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import RequestId

Reply = Callable[[dict[str, Any]], None]
_keys = count(1)


class Elicitations:
    """Those of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: dict[int, tuple[RequestId, FormElicitation | UrlElicitation, Reply]] = {}

    def ask(self, request_id: RequestId, request: FormElicitation | UrlElicitation, reply: Reply) -> None:
        """Put a request into the person's queue; `reply` takes the answer."""
        key = next(_keys)
        self._asked[key] = (request_id, request, reply)
        self._session.apply(ElicitationReceived(key, request))

    def answer(self, key: int, action: str, content: Mapping[str, Any] | None = None) -> None:
        """Answer accept (a form with its content), decline or cancel; a second answer is ignored.

        The agent gets the content, the session only what may be written down of it.
        """
        asked = self._asked.pop(key, None)
        if asked is not None:
            _, request, reply = asked
            reply(elicitation_answer(action, content))
            self._session.apply(ElicitationAnswered(key, action, recordable_answer(request, content)))

    def withdraw(self, request_id: RequestId) -> bool:
        """The agent takes a request back, which is answered `cancel`; whether there was one."""
        for key, (asked_id, _, _) in self._asked.items():
            if asked_id == request_id and type(asked_id) is type(request_id):
                self.answer(key, "cancel")
                return True
        return False

    def turn_cancelled(self) -> None:
        """What belongs to the session belongs to its turn, too; what belongs to a request of ours waits on."""
        for key in [key for key, (_, request, _) in self._asked.items() if request.session_id is not None]:
            self.answer(key, "cancel")

    def request_over(self, request_id: int) -> None:
        """A request of ours is over: what was asked for it alone is answered `cancel`."""
        for key in [key for key, (_, request, _) in self._asked.items() if request.belongs_to(request_id)]:
            self.answer(key, "cancel")

    def complete(self, elicitation_id: str) -> None:
        """The agent says that what it asked by an address is done; unknown ids are ignored."""
        self._session.apply(ElicitationCompleted(elicitation_id))

    def close(self) -> None:
        """Nobody takes answers any more."""
        for key in list(self._asked):
            del self._asked[key]
            self._session.apply(ElicitationAnswered(key, "cancel"))
