"""Sessions of protocol 2 and its drafts: what the answer to opening one says about it."""

from typing import Any

from acp_tui.protocol.base import LenientItems, Model
from acp_tui.protocol.dialect import SAME_SESSION, Call
from acp_tui.protocol.reading import read, read_if_told
from acp_tui.protocol.shared.config_options import SessionOptions
from acp_tui.protocol.v2.config_options import replace_options
from acp_tui.protocol.vocabulary.commands import AvailableCommand, AvailableCommandsUpdate
from acp_tui.protocol.vocabulary.updates import Update


class SessionSetupResponse(Model):
    """The answer to `session/resume`, and what the answers about new sessions share with it."""

    config_options: LenientItems[list[dict[str, Any]] | None] = None
    available_commands: LenientItems[list[AvailableCommand] | None] = None


class NewSessionResponse(SessionSetupResponse):
    """The answer to `session/new` and (unstable) `session/fork`."""

    session_id: str


def read_setup(call: Call, result: Any) -> tuple[str, SessionSetupResponse]:
    """The session's id, which only the answer to going on with one need not name, and what is said about it."""
    if call.method in SAME_SESSION:
        return call.params["sessionId"], read_if_told(SessionSetupResponse, result)
    response = read(NewSessionResponse, result)
    return response.session_id, response


def fold_setup(options: SessionOptions, response: SessionSetupResponse) -> list[Update]:
    """What can be chosen and called in the session. It says nothing of the state, which may be known already."""
    updates: list[Update] = []
    if response.config_options is not None:
        updates.append(replace_options(options, response.config_options))
    if response.available_commands is not None:
        updates.append(AvailableCommandsUpdate(available_commands=response.available_commands))
    return updates
