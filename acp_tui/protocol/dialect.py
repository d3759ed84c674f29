"""What a dialect must be able to do: turn one protocol version into the vocabulary and intents into its bytes.

A dialect is chosen once per connection, after `initialize`. It holds one memory per session, because
protocol 1's updates mean different things in different places of the stream.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from acp_tui.protocol.config_options import ConfigOption
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.permissions import PermissionRequest
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.sessions import SessionPage, SessionStatus, SessionTitle
from acp_tui.protocol.updates import Update


@dataclass(frozen=True, slots=True)
class Call:
    """A request or notification to send; `params` is plain JSON data."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionSetup:
    """The answer to `session/new` and its kin; `updates` are what it says about the session, in order."""

    session_id: str
    updates: list[Update]


@dataclass(frozen=True, slots=True)
class PermissionRead:
    """A permission request and what it says about its tool call (apply the updates first)."""

    request: PermissionRequest
    updates: list[Update]


class Dialect(Protocol):
    """One protocol version. Readers raise `ProtocolFault` for what cannot be salvaged."""

    name: str
    """What is spoken, as a person reads it."""

    def new_session(self, scope: SessionScope) -> Call:
        """Ask for a new session. What of `scope` the agent does not offer has been left out by the caller."""

    def load_session(self, session_id: str, scope: SessionScope) -> Call:
        """Go on with a session and have all of it told again (version 2: `session/resume` with `replayFrom`)."""

    def resume_session(self, session_id: str, scope: SessionScope) -> Call:
        """Go on with a session without having it told again."""

    def fork_session(self, session_id: str, scope: SessionScope) -> Call:
        """Begin a new session that knows what another one knows (unstable)."""

    def read_session_setup(self, call: Call, result: Any) -> SessionSetup:
        """Read the answer to the four above; that to going on with a session need not name it, and may be `null`."""

    def close_session(self, session_id: str) -> Call:
        """Have the agent put a session away; its answer says nothing."""

    def delete_session(self, session_id: str) -> Call:
        """Have the agent forget a session for good; its answer says nothing."""

    def list_sessions(self, cwd: str | None, cursor: str | None, *, archived: bool = False) -> Call:
        """Ask for a page of sessions, of one absolute folder or of all, from `cursor` on.

        `archived` (unstable) asks for those in the archive only; else they are left out.
        """

    def read_session_page(self, result: Any) -> SessionPage:
        """Read the answer to `list_sessions`; `null` has no sessions."""

    def title_session(self, session_id: str, title: str) -> Call:
        """Give a session another title; the answer has the one that it got (unstable)."""

    def read_session_title(self, result: Any) -> SessionTitle:
        """Read the answer to `title_session`."""

    def archive_session(self, session_id: str, *, archived: bool) -> Call:
        """Put a session into the archive, which closes it, or take it out again (unstable)."""

    def session_status(self, session_id: str) -> Call:
        """Ask what a session is doing (unstable)."""

    def read_session_status(self, result: Any) -> SessionStatus:
        """Read the answer to `session_status`."""

    def authenticate(self, method_id: str) -> Call:
        """Log in by a method of type `agent`, never another (version 2: `auth/login`); its answer says nothing."""

    def logout(self) -> Call:
        """Log out (version 2: `auth/logout`); its answer says nothing."""

    def older_call(self, call: Call) -> Call | None:
        """What to try when the agent does not know the method of `call` (-32601); None where there is nothing."""

    def read_update(self, params: Any) -> tuple[str, list[Update]]:
        """Read `session/update`: the session's id and the updates that it folds into. Never raises."""

    def prompt(self, session_id: str, blocks: list[ContentBlock]) -> Call:
        """Send a prompt."""

    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]:
        """What the sending of a prompt means: the user's message, the session running."""

    def prompt_answered(self, call: Call, result: Any) -> list[Update]:
        """What the prompt's answer means: idle with a stop reason, or only that it was taken."""

    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]:
        """What an error answer to the prompt means: idle with an error (cancelled for -32800), or never taken."""

    def cancel(self, session_id: str) -> Call:
        """Cancel the turn (a notification)."""

    def cancel_tool_call(self, session_id: str, tool_call_id: str) -> Call:
        """Cancel one tool call, if it says that it can be; its last status follows."""

    def cancel_terminal(self, session_id: str, terminal_id: str) -> Call:
        """Cancel what runs in one terminal, if it says that it can be; its exit follows."""

    def set_config_option(self, session_id: str, option: ConfigOption, value: str | bool) -> Call:
        """Choose a value, by whichever method the option came from."""

    def config_option_set(self, call: Call, result: Any) -> list[Update]:
        """What the answer to `set_config_option` means; an empty answer is the change itself."""

    def read_permission(self, params: Any) -> PermissionRead:
        """Read `session/request_permission`."""

    def permission_answer(self, option_id: str | None) -> dict[str, Any]:
        """The result that answers a permission request; `None` is cancelled."""

    def break_message(self, session_id: str) -> None:
        """Something stands between that no update reports: text without an id begins a new message."""

    def turn_ended(self, session_id: str) -> None:
        """The turn is over for a reason that the protocol did not tell (the agent wants a log-in first)."""

    def forget(self, session_id: str) -> None:
        """Nobody wants the session any more; what was remembered of it goes."""
