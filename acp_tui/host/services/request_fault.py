"""The JSON-RPC errors by which a request of the agent is refused."""

from typing import Any

from acp_tui.protocol.faults import INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND
from acp_tui.wire.jsonrpc import INTERNAL_ERROR


class RequestFault(Exception):
    """The answer to a request of the agent is a JSON-RPC error with this code, message and data."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code, self.message, self.data = code, message, data
        super().__init__(message)


class OutsideFault(RequestFault):
    """A path leads out of the folders that a session has, to the absolute path `target`, which has no links."""

    def __init__(self, message: str, path: str, target: str) -> None:
        super().__init__(INVALID_PARAMS, message, {"path": path})
        self.target = target


def not_offered(method: str) -> RequestFault:
    """The method is known, but this connection's capabilities do not offer it."""
    return RequestFault(METHOD_NOT_FOUND, f"{method} is not supported by this client", {"method": method})


def invalid_params(message: str, data: Any = None) -> RequestFault:
    """The request cannot be served as it was given."""
    return RequestFault(INVALID_PARAMS, message, data)


def not_found(message: str, data: Any = None) -> RequestFault:
    """What the request names does not exist."""
    return RequestFault(RESOURCE_NOT_FOUND, message, data)


def failed(message: str, data: Any = None) -> RequestFault:
    """The request is in order, but this machine could not do it."""
    return RequestFault(INTERNAL_ERROR, message, data)
