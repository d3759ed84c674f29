"""Every method of protocol 2 with the reader of what the agent says in it: parameters or answers."""

from functools import partial

from acp_tui.protocol.answers import CancelRequest, Reader, SessionUpdate, read_empty, read_if_told, read_session_page
from acp_tui.protocol.elicitation import ElicitationComplete, read_elicitation
from acp_tui.protocol.reading import read
from acp_tui.protocol.sessions import SessionStatus, SessionTitle
from acp_tui.protocol.v2.choices import ConfigOptions
from acp_tui.protocol.v2.initialization import InitializeResponse
from acp_tui.protocol.v2.permissions import PermissionAsked
from acp_tui.protocol.v2.session_setup import NewSessionResponse, SessionSetupResponse
from acp_tui.protocol.v2.turn import PromptResponse

PARAMETERS: dict[str, Reader] = {
    "session/update": partial(read, SessionUpdate),
    "session/request_permission": partial(read, PermissionAsked),
    "elicitation/create": read_elicitation,
    "elicitation/complete": partial(read, ElicitationComplete),
    "$/cancel_request": partial(read, CancelRequest),
}
"""What an agent asks or tells, by method."""

ANSWERS: dict[str, Reader] = {
    "initialize": partial(read, InitializeResponse),
    "auth/login": read_empty,
    "auth/logout": read_empty,
    "session/new": partial(read, NewSessionResponse),
    "session/load": partial(read_if_told, SessionSetupResponse),  # of drafts
    "session/resume": partial(read_if_told, SessionSetupResponse),
    "session/fork": partial(read, NewSessionResponse),  # unstable
    "session/list": read_session_page,
    "session/close": read_empty,
    "session/delete": read_empty,
    "session/set_title": partial(read, SessionTitle),  # unstable, as are the three that follow
    "session/archive": read_empty,
    "session/unarchive": read_empty,
    "session/status": partial(read, SessionStatus),
    "session/prompt": partial(read, PromptResponse),
    "session/set_config_option": partial(read, ConfigOptions),
    "tool_call/cancel": read_empty,
    "terminal/cancel": read_empty,
}
"""What an agent answers, by the method that it was asked."""
