"""What is wrong with a message of the agent, by the readers that the client has.

It reads every message a second time, with a dialect of its own, when somebody looks.
"""

from contextlib import suppress
from typing import Any

from acp_tui.host.workspace import SERVICES
from acp_tui.protocol.dialect import Call, Dialect
from acp_tui.protocol.elicitation import ElicitationComplete, read_elicitation
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.negotiation import choose
from acp_tui.protocol.reading import noting_salvages, read
from acp_tui.protocol.updates import RejectedUpdate, UnknownUpdate
from acp_tui.wire.jsonrpc import Malformed, Message, Notification, Request, Response

SETUPS = frozenset({"session/new", "session/load", "session/resume", "session/fork"})


class Judge:
    """Judges the messages of one agent in their order."""

    def __init__(self) -> None:
        self._dialect: Dialect | None = None

    def problem_of(self, message: Message, call: Call | None) -> str:
        """What is wrong, in words; empty if nothing is. `call` is the request that an answer belongs to."""
        if isinstance(message, Malformed):
            return f"noise: {message.reason}"
        with noting_salvages() as salvages:
            try:
                wrong = self._read(message, call)
            except ProtocolFault as fault:
                wrong = "rejected: " + (": ".join(filter(None, (fault.path, fault.reason))) or str(fault))
        return wrong or (f"salvaged: {salvages[0]}" if salvages else "")

    def _read(self, message: Request | Notification | Response, call: Call | None) -> str:
        if isinstance(message, Response):
            return self._read_answer(message, call)
        if isinstance(message, Notification):
            return self._read_notification(message)
        if message.method == "session/request_permission" and self._dialect is not None:
            self._dialect.read_permission(message.params)
        elif message.method in SERVICES:
            read(SERVICES[message.method].model, message.params)
        elif message.method == "elicitation/create":
            read_elicitation(message.params)
        elif self._dialect is not None:
            return "a method that is not known here"
        return ""

    def _read_notification(self, message: Notification) -> str:
        if message.method == "session/update":
            updates = self._dialect.read_update(message.params)[1] if self._dialect is not None else []
            return next(filter(None, map(_wrong, updates)), "")
        if message.method == "elicitation/complete":
            read(ElicitationComplete, message.params)
        elif not message.method.startswith("$/"):
            return "a method that is not known here"
        return ""

    def _read_answer(self, message: Response, call: Call | None) -> str:
        if call is None:
            return "an answer to what was not asked, or was asked before somebody looked"
        if message.error is not None:
            return ""
        if call.method == "initialize":
            self._dialect = choose(message.result, "auto")[0]
        elif self._dialect is not None:
            return self._read_result(self._dialect, call, message.result)
        return ""

    def _read_result(self, dialect: Dialect, call: Call, result: Any) -> str:
        with suppress(LookupError):  # a request of ours that names no session is nobody's fault here
            if call.method in SETUPS:
                dialect.read_session_setup(call, result)
            elif call.method == "session/list":
                dialect.read_session_page(result)
            elif call.method == "session/set_title":
                dialect.read_session_title(result)
            elif call.method == "session/status":
                dialect.read_session_status(result)
            elif call.method == "session/prompt":
                return next(filter(None, map(_wrong, dialect.prompt_answered(call, result))), "")
        return ""


def _wrong(update: object) -> str:
    if isinstance(update, RejectedUpdate):
        return f"rejected: {update.path}: {update.reason}" if update.path else f"rejected: {update.reason}"
    return "an update that is not known here" if isinstance(update, UnknownUpdate) else ""
