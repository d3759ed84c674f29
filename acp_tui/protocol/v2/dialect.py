"""Protocol 2 as a dialect: one memory per session, and for each message the module that knows it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from acp_tui.protocol.dialect import Call, Dialect, PermissionRead, SessionSetup
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.shared.memories import Memories
from acp_tui.protocol.shared.updates import read_update
from acp_tui.protocol.v2 import config_options, messages, permissions
from acp_tui.protocol.v2 import sessions as session_setup
from acp_tui.protocol.v2.memory import SessionMemory
from acp_tui.protocol.v2.updates import READERS
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.updates import Update

FROM_START = {"replayFrom": {"type": "start"}}


class Version2Dialect(Dialect):
    """See `Dialect` for what each method means. `by_load` says that history comes by `session/load`, as in drafts."""

    name = "ACP 2"
    older_names: ClassVar[Mapping[str, str]] = {"auth/login": "authenticate", "auth/logout": "logout"}

    def __init__(self, *, by_load: bool = False) -> None:
        self._by_load = by_load
        self._memories = Memories(SessionMemory)

    def load_session(self, session_id: str, scope: SessionScope) -> Call:
        if self._by_load:
            return super().load_session(session_id, scope)
        call = self.resume_session(session_id, scope)
        return Call(call.method, {**call.params, **FROM_START})

    def read_session_setup(self, call: Call, result: Any) -> SessionSetup:
        session_id, response = session_setup.read_setup(call, result)
        return SessionSetup(session_id, session_setup.fold_setup(self._memories.of(session_id).options, response))

    def authenticate(self, method_id: str) -> Call:
        return Call("auth/login", {"methodId": method_id})

    def logout(self) -> Call:
        return Call("auth/logout", {})

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        return read_update(READERS, self._memories, params)

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        return messages.prompt_sent(self._memory_of(call), call, blocks)

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        return messages.prompt_answered(self._memory_of(call), call, result)

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        return messages.prompt_failed(self._memory_of(call), call, code, message, data)

    def cancel(self, session_id: str) -> Call:
        self._memories.of(session_id).cancelling = True
        return super().cancel(session_id)

    def set_config_option(self, session_id: str, option: ConfigOption, value: str | bool) -> Call:
        return config_options.set_option_call(session_id, option, value)

    def config_option_set(self, call: Call, result: Any) -> list[Update]:
        return [config_options.read_option_set(self._memory_of(call).options, call, result)]

    def read_permission(self, params: Any) -> PermissionRead:
        return permissions.read_permission(params)

    def break_message(self, session_id: str) -> None:
        """Nothing to do: every message has an id."""

    def turn_ended(self, session_id: str) -> None:
        memory = self._memories.of(session_id)
        memory.sent.clear()
        memory.end_turn()

    def forget(self, session_id: str) -> None:
        self._memories.forget(session_id)

    def _memory_of(self, call: Call) -> SessionMemory:
        return self._memories.of(call.params["sessionId"])
