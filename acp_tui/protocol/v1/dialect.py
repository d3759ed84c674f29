"""Protocol 1 as a dialect: one memory per session, and for each act the module that knows it."""

from typing import Any

from acp_tui.protocol.config_options import ConfigOption
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.dialect import Call, PermissionRead, SessionSetup
from acp_tui.protocol.memories import Memories
from acp_tui.protocol.reading import read
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.session_calls import SessionCalls
from acp_tui.protocol.updates import RejectedUpdate, Update
from acp_tui.protocol.v1 import choices, messages, permissions, session_setup
from acp_tui.protocol.v1.memory import SessionMemory
from acp_tui.protocol.v1.updates import read_update


class Version1Dialect(SessionCalls):
    """See `Dialect` for what each method means."""

    name = "ACP 1"

    def __init__(self) -> None:
        self._memories = Memories(SessionMemory)

    def new_session(self, scope: SessionScope) -> Call:
        """Ask for a new session."""
        return session_setup.setup_call("session/new", scope)

    def load_session(self, session_id: str, scope: SessionScope) -> Call:
        """Go on with a session, told again."""
        return session_setup.setup_call("session/load", scope, session_id)

    def resume_session(self, session_id: str, scope: SessionScope) -> Call:
        """Go on with a session, not told again."""
        return session_setup.setup_call("session/resume", scope, session_id)

    def fork_session(self, session_id: str, scope: SessionScope) -> Call:
        """Begin a session that knows what another one knows."""
        return session_setup.setup_call("session/fork", scope, session_id)

    def authenticate(self, method_id: str) -> Call:
        """Log in by a method of type `agent`."""
        return Call("authenticate", {"methodId": method_id})

    def logout(self) -> Call:
        """Log out."""
        return Call("logout", {})

    def read_session_setup(self, call: Call, result: Any) -> SessionSetup:
        """Read the answer to `session/new`, `session/load`, `session/resume` or `session/fork`."""
        session_id, response = session_setup.read_setup(call, result)
        return SessionSetup(session_id, session_setup.fold_setup(self._memory(session_id), response))

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        """Read `session/update`; the id is empty where the agent named no session."""
        session_id = params.get("sessionId") if isinstance(params, dict) else None
        if not isinstance(session_id, str):
            return "", [RejectedUpdate("session/update", "sessionId", "a string is required", params)]
        return session_id, read_update(self._memory(session_id), params.get("update"))

    def prompt(self, session_id: str, blocks: list[ContentBlock]) -> Call:
        """Send a prompt."""
        return messages.prompt_call(session_id, blocks)

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        """The person's message, and the session running."""
        return messages.prompt_sent(self._memory_of(call), blocks)

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        """The session idle with a stop reason."""
        return messages.prompt_answered(self._memory_of(call), result)

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        """The session idle with an error, or cancelled."""
        return messages.prompt_failed(self._memory_of(call), code, message, data)

    def set_config_option(self, session_id: str, option: ConfigOption, value: str | bool) -> Call:
        """Choose a value, by whichever method the option came from."""
        return choices.choice_call(self._memory(session_id), session_id, option, value)

    def config_option_set(self, call: Call, result: Any) -> list[Update]:
        """All options anew, or the choice itself."""
        return choices.choice_made(self._memory_of(call), call, result)

    def read_permission(self, params: Any) -> PermissionRead:
        """Read `session/request_permission`."""
        asked = read(permissions.ToolCallPermission, params)
        return permissions.fold_permission(self._memory(asked.session_id), asked)

    def break_message(self, session_id: str) -> None:
        """The next chunk without an id begins a new message."""
        self._memory(session_id).close_message()

    def turn_ended(self, session_id: str) -> None:
        """The turn is over for a reason that the protocol did not tell."""
        self._memory(session_id).end_turn()

    def forget(self, session_id: str) -> None:
        """The session is put away."""
        self._memories.forget(session_id)

    def _memory_of(self, call: Call) -> SessionMemory:
        return self._memory(call.params["sessionId"])

    def _memory(self, session_id: str) -> SessionMemory:
        return self._memories.of(session_id)
