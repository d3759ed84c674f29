"""Protocol 1 as a dialect: one memory per session, and for each message the module that knows it."""

from typing import Any

from acp_tui.protocol.dialect import Call, Dialect, PermissionRead, SessionSetup
from acp_tui.protocol.reading import read
from acp_tui.protocol.shared.memories import Memories
from acp_tui.protocol.shared.updates import read_update
from acp_tui.protocol.v1 import config_options, messages, permissions
from acp_tui.protocol.v1 import sessions as session_setup
from acp_tui.protocol.v1.memory import SessionMemory
from acp_tui.protocol.v1.updates import READERS
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.updates import Update


class Version1Dialect(Dialect):
    """See `Dialect` for what each method means."""

    name = "ACP 1"
    typed_stdio = False

    def __init__(self) -> None:
        self._memories = Memories(SessionMemory)

    def read_session_setup(self, call: Call, result: Any) -> SessionSetup:
        session_id, response = session_setup.read_setup(call, result)
        return SessionSetup(session_id, session_setup.fold_setup(self._memories.of(session_id).options, response))

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        return read_update(READERS, self._memories, params)

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        return messages.prompt_sent(self._memory_of(call), blocks)

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        return messages.prompt_answered(self._memory_of(call), result)

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        return messages.prompt_failed(self._memory_of(call), code, message, data)

    def set_config_option(self, session_id: str, option: ConfigOption, value: str | bool) -> Call:
        return config_options.set_option_call(self._memories.of(session_id).options, session_id, option, value)

    def config_option_set(self, call: Call, result: Any) -> list[Update]:
        return [config_options.read_option_set(self._memory_of(call).options, call, result)]

    def read_permission(self, params: Any) -> PermissionRead:
        asked = read(permissions.ToolCallPermission, params)
        return permissions.fold_permission(self._memories.of(asked.session_id), asked)

    def break_message(self, session_id: str) -> None:
        self._memories.of(session_id).close_message()

    def turn_ended(self, session_id: str) -> None:
        self._memories.of(session_id).end_turn()

    def forget(self, session_id: str) -> None:
        self._memories.forget(session_id)

    def _memory_of(self, call: Call) -> SessionMemory:
        return self._memories.of(call.params["sessionId"])
