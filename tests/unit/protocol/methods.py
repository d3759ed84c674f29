"""Every method of either version with a reader of what the agent says in it: parameters or answers."""

from collections.abc import Callable
from functools import partial
from typing import Any

from acp_tui.protocol import session_setup
from acp_tui.protocol.base import Integer, Model, read, read_if_told
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.v1 import dialect, session_memory
from acp_tui.protocol.v1.dialect import ToolCallPermission, Version1Dialect
from acp_tui.protocol.v2 import dialect as initialization_2
from acp_tui.protocol.v2 import session_memory as messages_2
from acp_tui.protocol.v2.dialect import PermissionAsked
from acp_tui.protocol.vocabulary.elicitation import ElicitationComplete, read_elicitation
from acp_tui.protocol.vocabulary.initialization import SessionStatus, SessionTitle
from acp_tui.protocol.vocabulary.tool_calls import (
    CreateTerminalRequest,
    ReadTextFileRequest,
    TerminalRequest,
    WriteTextFileRequest,
)

Reader = Callable[[Any], Model]
DIALECT: Dialect = Version1Dialect()


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


BOTH_PARAMETERS: dict[str, Reader] = {
    "session/update": partial(read, SessionUpdate),
    "elicitation/create": read_elicitation,
    "elicitation/complete": partial(read, ElicitationComplete),
    "$/cancel_request": partial(read, CancelRequest),
}
PARAMETERS: dict[int, dict[str, Reader]] = {
    1: BOTH_PARAMETERS
    | {
        "session/request_permission": partial(read, ToolCallPermission),
        "fs/read_text_file": partial(read, ReadTextFileRequest),
        "fs/write_text_file": partial(read, WriteTextFileRequest),
        "terminal/create": partial(read, CreateTerminalRequest),
        "terminal/output": partial(read, TerminalRequest),
        "terminal/wait_for_exit": partial(read, TerminalRequest),
        "terminal/kill": partial(read, TerminalRequest),
        "terminal/release": partial(read, TerminalRequest),
    },
    2: BOTH_PARAMETERS | {"session/request_permission": partial(read, PermissionAsked)},
}
"""What an agent asks or tells, by method."""

BOTH_ANSWERS: dict[str, Reader] = {
    "session/list": DIALECT.read_session_page,
    "session/close": read_empty,
    "session/delete": read_empty,
    "session/set_title": partial(read, SessionTitle),  # unstable, as are the three that follow
    "session/archive": read_empty,
    "session/unarchive": read_empty,
    "session/status": partial(read, SessionStatus),
}
ANSWERS: dict[int, dict[str, Reader]] = {
    1: BOTH_ANSWERS
    | {
        "initialize": partial(read, dialect.InitializeResponse),
        "authenticate": read_empty,
        "logout": read_empty,
        "session/new": partial(read, session_setup.NewSessionResponse),
        "session/load": partial(read_if_told, session_setup.SessionSetupResponse),
        "session/resume": partial(read_if_told, session_setup.SessionSetupResponse),
        "session/fork": partial(read, session_setup.NewSessionResponse),  # unstable
        "session/prompt": partial(read, session_memory.PromptResponse),
        "session/set_mode": read_empty,
        "session/set_model": read_empty,  # withdrawn, and still spoken
        "session/set_config_option": partial(read, session_memory.ConfigOptions),
    },
    2: BOTH_ANSWERS
    | {
        "initialize": partial(read, initialization_2.InitializeResponse),
        "auth/login": read_empty,
        "auth/logout": read_empty,
        "session/new": partial(read, session_setup.NewSessionResponse),
        "session/load": partial(read_if_told, session_setup.SessionSetupResponse),  # of drafts
        "session/resume": partial(read_if_told, session_setup.SessionSetupResponse),
        "session/fork": partial(read, session_setup.NewSessionResponse),  # unstable
        "session/prompt": partial(read, messages_2.PromptResponse),
        "session/set_config_option": partial(read, session_setup.ConfigOptions),
        "tool_call/cancel": read_empty,
        "terminal/cancel": read_empty,
    },
}
"""What an agent answers, by the method that it was asked."""
