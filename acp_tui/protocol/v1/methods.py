"""Every method of protocol 1 with the reader of what the agent says in it: parameters or answers."""

from functools import partial

from acp_tui.protocol.answers import CancelRequest, Reader, SessionUpdate, read_empty, read_if_told, read_session_page
from acp_tui.protocol.elicitation import ElicitationComplete, read_elicitation
from acp_tui.protocol.files import ReadTextFileRequest, WriteTextFileRequest
from acp_tui.protocol.reading import read
from acp_tui.protocol.sessions import SessionStatus, SessionTitle
from acp_tui.protocol.terminals import CreateTerminalRequest, TerminalRequest
from acp_tui.protocol.v1.choices import ConfigOptions
from acp_tui.protocol.v1.initialization import InitializeResponse
from acp_tui.protocol.v1.messages import PromptResponse
from acp_tui.protocol.v1.permissions import ToolCallPermission
from acp_tui.protocol.v1.session_setup import NewSessionResponse, SessionSetupResponse

PARAMETERS: dict[str, Reader] = {
    "session/update": partial(read, SessionUpdate),
    "session/request_permission": partial(read, ToolCallPermission),
    "fs/read_text_file": partial(read, ReadTextFileRequest),
    "fs/write_text_file": partial(read, WriteTextFileRequest),
    "terminal/create": partial(read, CreateTerminalRequest),
    "terminal/output": partial(read, TerminalRequest),
    "terminal/wait_for_exit": partial(read, TerminalRequest),
    "terminal/kill": partial(read, TerminalRequest),
    "terminal/release": partial(read, TerminalRequest),
    "elicitation/create": read_elicitation,
    "elicitation/complete": partial(read, ElicitationComplete),
    "$/cancel_request": partial(read, CancelRequest),
}
"""What an agent asks or tells, by method."""

ANSWERS: dict[str, Reader] = {
    "initialize": partial(read, InitializeResponse),
    "authenticate": read_empty,
    "logout": read_empty,
    "session/new": partial(read, NewSessionResponse),
    "session/load": partial(read_if_told, SessionSetupResponse),
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
    "session/set_mode": read_empty,
    "session/set_model": read_empty,  # withdrawn, and still spoken
    "session/set_config_option": partial(read, ConfigOptions),
}
"""What an agent answers, by the method that it was asked."""
