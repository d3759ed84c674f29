"""What parameters and answers of several methods have in common, whichever version is spoken."""

from collections.abc import Callable
from typing import Any

from acp_tui.protocol.base import Integer, Model
from acp_tui.protocol.reading import M, read
from acp_tui.protocol.sessions import SessionPage

Reader = Callable[[Any], Model]


class EmptyResponse(Model):
    """An answer that says no more than that it was done."""


class SessionUpdate(Model):
    """`session/update`; the dialect reads the update itself."""

    session_id: str
    update: dict[str, Any]


class CancelRequest(Model):
    """`$/cancel_request`: the answer to that request is not needed any more."""

    request_id: Integer | str | None


def read_empty(result: Any) -> EmptyResponse:
    """Any answer; agents give `null`, `{}` or `[]`."""
    return read(EmptyResponse, result) if isinstance(result, dict) else EmptyResponse()


def read_if_told(model: type[M], result: Any) -> M:
    """An answer that may say nothing, which is `null`."""
    return read(model, {} if result is None else result)


def read_session_page(result: Any) -> SessionPage:
    """The answer to `session/list`; `null` has no sessions."""
    return read(SessionPage, {"sessions": []} if result is None else result)
