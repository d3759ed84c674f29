"""What cannot be read, and the protocol's error codes."""

from typing import Any

from acp_tui.errors import AgentFault

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002
REQUEST_CANCELLED = -32800
UNSUPPORTED_PROTOCOL_VERSION = -32022

ERROR_MEANINGS = {
    PARSE_ERROR: "a message could not be parsed",
    INVALID_REQUEST: "not a valid request",
    METHOD_NOT_FOUND: "no such method",
    INVALID_PARAMS: "invalid parameters",
    INTERNAL_ERROR: "internal error",
    AUTH_REQUIRED: "log-in required",
    RESOURCE_NOT_FOUND: "not found",
    REQUEST_CANCELLED: "cancelled",
    UNSUPPORTED_PROTOCOL_VERSION: "unsupported protocol version",
}


def error_words(code: object, message: str, data: Any = None) -> str:
    """An error that was answered, for a person: the message or what the code means, the code, and what else is said."""
    said = message or (ERROR_MEANINGS.get(code) if isinstance(code, int) else None) or "no reason given"
    if code is not None:
        said += f" (code {code})"
    if isinstance(data, dict):
        more = "\n".join(f"{name}: {value}" for name, value in data.items())
    else:
        more = "" if data is None or data == [] else str(data)
    return f"{said}\n{more}".strip()


class ProtocolFault(AgentFault):
    """The agent said something that the protocol does not allow; `path` says where."""

    def __init__(self, title: str, path: str = "", reason: str = "", hint: str = "") -> None:
        self.path, self.reason = path, reason
        super().__init__(title, f"{path}: {reason}" if path else reason, hint)
