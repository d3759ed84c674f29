"""Protocol 2 as a dialect: one memory per session, and for each act the module that knows it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from acp_tui.protocol.config_options import ConfigOption
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.dialect import Call, PermissionRead, SessionSetup
from acp_tui.protocol.memories import Memories
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.session_calls import SessionCalls
from acp_tui.protocol.updates import RejectedUpdate, Update
from acp_tui.protocol.v2 import choices, permissions, session_setup, turn
from acp_tui.protocol.v2.memory import SessionMemory
from acp_tui.protocol.v2.updates import read_update


class Version2Dialect(SessionCalls):
    """See `Dialect` for what each method means. `by_load` says that history comes by `session/load`, as in drafts."""

    name = "ACP 2"
    older_names: ClassVar[Mapping[str, str]] = {"auth/login": "authenticate", "auth/logout": "logout"}

    def __init__(self, *, by_load: bool = False) -> None:
        self._by_load = by_load
        self._memories = Memories(SessionMemory)

    def new_session(self, scope: SessionScope) -> Call:
        """Ask for a new session."""
        return session_setup.setup_call("session/new", scope)

    def load_session(self, session_id: str, scope: SessionScope) -> Call:
        """Go on with a session, told again."""
        return session_setup.load_call(scope, session_id, by_load=self._by_load)

    def resume_session(self, session_id: str, scope: SessionScope) -> Call:
        """Go on with a session, not told again."""
        return session_setup.setup_call("session/resume", scope, session_id)

    def fork_session(self, session_id: str, scope: SessionScope) -> Call:
        """Begin a session that knows what another one knows."""
        return session_setup.setup_call("session/fork", scope, session_id)

    def read_session_setup(self, call: Call, result: Any) -> SessionSetup:
        """Read the answer to `session/new`, `session/resume`, `session/fork` or a draft's `session/load`."""
        session_id, response = session_setup.read_setup(call, result)
        return SessionSetup(session_id, session_setup.fold_setup(self._memory(session_id), response))

    def authenticate(self, method_id: str) -> Call:
        """Log in by a method of type `agent`."""
        return Call("auth/login", {"methodId": method_id})

    def logout(self) -> Call:
        """Log out."""
        return Call("auth/logout", {})

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        """Read `session/update`; the id is empty where the agent named no session."""
        session_id = params.get("sessionId") if isinstance(params, dict) else None
        if not isinstance(session_id, str):
            return "", [RejectedUpdate("session/update", "sessionId", "a string is required", params)]
        return session_id, read_update(self._memory(session_id), params.get("update"))

    def prompt(self, session_id: str, blocks: list[ContentBlock]) -> Call:
        """Send a prompt."""
        return turn.prompt_call(session_id, blocks)

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        """The person's message, and the session running until the agent says otherwise."""
        return turn.prompt_sent(self._memory_of(call), call, blocks)

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        """Mostly nothing: the agent has taken the prompt."""
        return turn.prompt_answered(self._memory_of(call), call, result)

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        """The prompt given back, or the session idle with an error."""
        return turn.prompt_failed(self._memory_of(call), call, code, message, data)

    def cancel(self, session_id: str) -> Call:
        """Cancel the turn (a notification)."""
        self._memory(session_id).cancelling = True
        return super().cancel(session_id)

    def set_config_option(self, session_id: str, option: ConfigOption, value: str | bool) -> Call:
        """Choose a value."""
        return choices.choice_call(session_id, option, value)

    def config_option_set(self, call: Call, result: Any) -> list[Update]:
        """All options anew, or the choice itself."""
        return choices.choice_made(self._memory_of(call), call, result)

    def read_permission(self, params: Any) -> PermissionRead:
        """Read `session/request_permission`."""
        return permissions.read_permission(params)

    def break_message(self, session_id: str) -> None:
        """Nothing to do: every message has an id."""

    def turn_ended(self, session_id: str) -> None:
        """The turn is over for a reason that the protocol did not tell."""
        memory = self._memory(session_id)
        memory.sent.clear()
        memory.end_turn()

    def forget(self, session_id: str) -> None:
        """The session is put away."""
        self._memories.forget(session_id)

    def _memory_of(self, call: Call) -> SessionMemory:
        return self._memory(call.params["sessionId"])

    def _memory(self, session_id: str) -> SessionMemory:
        return self._memories.of(session_id)
