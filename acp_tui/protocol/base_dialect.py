"""A dialect: reads one protocol version into the vocabulary, and writes its requests.

A dialect is chosen once per connection, after `initialize`. It holds one memory per session, because
protocol 1's updates mean different things in different places of the stream.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from acp_tui.protocol.base import read, read_if_told
from acp_tui.protocol.capabilities import McpServer, SessionScope, SystemPrompt
from acp_tui.protocol.session_setup import (
    STEERING,
    Call,
    NewSessionResponse,
    PermissionMessage,
    SessionOptions,
    SessionSetup,
    SessionSetupResponse,
)
from acp_tui.protocol.update_readers import Memories, Reader, SessionMemory, read_update
from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue
from acp_tui.protocol.vocabulary.content import ContentBlock, content_data
from acp_tui.protocol.vocabulary.initialization import AUTH_STATUS, SessionPage
from acp_tui.protocol.vocabulary.session_updates import AvailableCommandsUpdate, Update

Way = Literal["new", "load", "resume", "fork"]
Act = Literal["close", "delete", "archive", "unarchive", "status"]
SAME_SESSION = frozenset({"session/load", "session/resume"})
"""Methods whose answer need not name the session."""


class Dialect(ABC):
    """One protocol version; what is not abstract both write alike, or the second does otherwise.

    Readers raise `ProtocolFault` for what cannot be salvaged.
    """

    name: ClassVar[str]
    """What is spoken, as a user reads it."""
    older_names: ClassVar[Mapping[str, str]] = {}
    typed_stdio: ClassVar[bool] = True
    """Whether a tool server on standard input and output has a `type`, as those at an address have."""
    readers: ClassVar[Mapping[str, Reader[Any]]]
    """One for each kind of update."""
    _memories: Memories[SessionMemory]

    def open_session(self, way: Way, scope: SessionScope, session_id: str | None = None) -> Call:
        """Ask for a session. What of `scope` the agent does not offer has been left out by the caller.

        `load` goes on with a session and has all of it replayed (version 2: `session/resume` with `replayFrom`),
        `resume` does so without a replay; `fork` (unstable) begins a new one that knows what another one knows.
        """
        servers = [_mcp_server(server, typed=self.typed_stdio) for server in scope.mcp_servers]
        params: dict[str, Any] = {"cwd": scope.cwd, "mcpServers": servers}
        if session_id is not None:
            params["sessionId"] = session_id
        if scope.additional_directories:
            params["additionalDirectories"] = list(scope.additional_directories)
        if texts := scope.system_prompt.texts:
            content = [{"type": "text", "text": text} for text in texts]
            params["systemPrompt"] = {"mode": scope.system_prompt.mode, "content": content}
        return Call(f"session/{way}", params)

    def read_session_setup(self, call: Call, result: Any) -> SessionSetup:
        """Read the answer to `open_session`; that to going on with a session need not name it, and may be `null`.

        It says nothing of the state, which may be known already.
        """
        response: SessionSetupResponse
        if call.method in SAME_SESSION:
            session_id, response = call.params["sessionId"], read_if_told(SessionSetupResponse, result)
        else:
            response = new = read(NewSessionResponse, result)
            session_id = new.session_id
        updates: list[Update] = [*self._memories.of(session_id).options.begin(response)]
        if response.available_commands is not None:
            updates.append(AvailableCommandsUpdate(available_commands=response.available_commands))
        return SessionSetup(session_id, updates)

    def session_options(self, scope: SessionScope, session_id: str = "") -> Call:
        """Ask which options a session in `scope` would have, or the one of that id (unstable); none is opened by it."""
        params: dict[str, Any] = {"cwd": scope.cwd}
        if session_id:
            params["sessionId"] = session_id
        if scope.additional_directories:
            params["additionalDirectories"] = list(scope.additional_directories)
        return Call("session/options", params)

    def read_session_options(self, result: Any) -> SessionOptions:
        """Read the answer to `session_options`; what it says is of no session."""
        options = self._memories.fresh().options
        options.begin(read_if_told(SessionSetupResponse, result))
        return options

    def about_session(self, act: Act, session_id: str) -> Call:
        """Have the agent put a session away (`close`), forget it (`delete`) or say what it is doing (`status`).

        `archive` puts it into the archive, which closes it, and `unarchive` takes it out again. The last three are
        unstable; no answer but that to `status` says anything.
        """
        return Call(f"session/{act}", {"sessionId": session_id})

    def list_sessions(self, cwd: str | None, cursor: str | None, *, archived: bool = False) -> Call:
        """Ask for a page of sessions, of one absolute folder or of all, from `cursor` on.

        `archived` (unstable) asks for those in the archive only; else they are left out.
        """
        given = {"cwd": cwd, "cursor": cursor, "archived": "only" if archived else None}
        return Call("session/list", {name: value for name, value in given.items() if value is not None})

    def read_session_page(self, result: Any) -> SessionPage:
        """Read the answer to `list_sessions`; `null` has no sessions. A folder that was left out is empty."""
        if result is None:
            return SessionPage(sessions=[])
        if isinstance(result, dict) and isinstance(told := result.get("sessions"), list):
            result = {**result, "sessions": [_with_folder(each) for each in told]}
        return read(SessionPage, result)

    def title_session(self, session_id: str, title: str) -> Call:
        """Give a session another title; the answer has the one that it got (unstable)."""
        return Call("session/set_title", {"sessionId": session_id, "title": title})

    def authenticate(self, method_id: str) -> Call:
        """Log in by a method of type `agent`, never another; its answer says nothing."""
        return Call("authenticate", {"methodId": method_id})

    def logout(self) -> Call:
        return Call("logout", {})

    def auth_status(self) -> Call:
        """Ask who is logged in (unstable); `initialize_response` reads the answer."""
        return Call(AUTH_STATUS, {})

    def older_call(self, call: Call) -> Call | None:
        """What to try when the agent does not know the method of `call` (-32601); None where there is nothing."""
        older = self.older_names.get(call.method)
        return None if older is None else Call(older, call.params)

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        """Read `session/update`: the session's id and the updates that it folds into. Never raises.

        The id is empty where the agent named no session.
        """
        return read_update(self.readers, self._memories, params)

    def prompt(self, session_id: str, blocks: list[ContentBlock]) -> Call:
        return Call("session/prompt", {"sessionId": session_id, "prompt": [content_data(block) for block in blocks]})

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        """What the sending of a prompt means: the user's message, the session running."""
        return self._memory_of(call).prompt_sent(call, blocks)

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        """What the prompt's answer means: idle with a stop reason, or only that it was taken."""
        return self._memory_of(call).prompt_answered(call, result)

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        """What an error answer to the prompt means: idle with an error (cancelled for -32800), or never taken."""
        return self._memory_of(call).prompt_failed(call, code, message, data)

    def steer(self, session_id: str, blocks: list[ContentBlock]) -> Call:
        call = self.prompt(session_id, blocks)
        return Call(STEERING, {**call.params, "_meta": {"steering": {"idleBehavior": "promptRequired"}}})

    def cancel(self, session_id: str) -> Call:
        return Call("session/cancel", {"sessionId": session_id})

    def cancel_work(self, session_id: str, kind: str, work_id: str) -> Call:
        """Cancel one tool call or terminal, if it says that it can be; its last status or its exit follows."""
        if kind == "terminal":
            return Call("terminal/cancel", {"sessionId": session_id, "terminalId": work_id})
        return Call("tool_call/cancel", {"sessionId": session_id, "toolCallId": work_id})

    def set_config_option(self, session_id: str, option: ConfigOption, value: OptionValue) -> Call:
        return self._memories.of(session_id).options.set_call(session_id, option, value)

    def config_option_set(self, call: Call, result: Any) -> list[Update]:
        """What the answer to `set_config_option` means: all options anew; an empty answer is the change itself."""
        return [self._memory_of(call).options.was_set(call, result)]

    @abstractmethod
    def read_permission(self, params: Any) -> PermissionMessage:
        """Read `session/request_permission`."""

    def permission_answer(self, option_id: str | None) -> dict[str, Any]:
        if option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": option_id}}

    def break_message(self, session_id: str) -> None:
        """Something stands between that no update reports: text without an id begins a new message."""
        self._memories.of(session_id).close_message()

    def turn_ended(self, session_id: str) -> None:
        """The turn is over for a reason that no update reports (the agent wants a log-in first)."""
        self._memories.of(session_id).turn_ended()

    def forget(self, session_id: str) -> None:
        self._memories.forget(session_id)

    def _memory_of(self, call: Call) -> SessionMemory:
        return self._memories.of(call.params["sessionId"])


def system_prompt_of(params: Any) -> SystemPrompt:
    """What a request that opened a session had; that of bad parameters is none."""
    told = params.get("systemPrompt") if isinstance(params, dict) else None
    told = told if isinstance(told, dict) else {}
    blocks = told["content"] if isinstance(told.get("content"), list) else []
    texts = [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
    if texts and told.get("mode") == "override":
        return SystemPrompt(texts[0], tuple(texts[1:]))
    return SystemPrompt("", tuple(texts))


def _mcp_server(server: McpServer, *, typed: bool) -> dict[str, Any]:
    """A tool server as it is sent. Drafts of protocol 2 require `args` and `headers`, so they are always given."""
    if server.transport != "stdio":
        headers = _pairs(server.headers)
        return {"type": server.transport, "name": server.name, "url": server.url, "headers": headers}
    command = {"name": server.name, "command": server.command, "args": list(server.args), "env": _pairs(server.env)}
    return {"type": "stdio", **command} if typed else command


def _pairs(members: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in members.items()]


def _with_folder(session: Any) -> Any:
    known = not isinstance(session, dict) or isinstance(session.get("cwd"), str)
    return session if known else {**session, "cwd": ""}
