"""Calls that every version writes alike."""

from collections.abc import Mapping
from typing import Any, ClassVar

from acp_tui.protocol.answers import read_session_page
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.reading import read
from acp_tui.protocol.sessions import SessionStatus, SessionTitle


class SessionCalls:
    """The part of a dialect that does not depend on the version; see `Dialect` for what each method means."""

    older_names: ClassVar[Mapping[str, str]] = {}

    def close_session(self, session_id: str) -> Call:
        """Have the agent put a session away."""
        return Call("session/close", {"sessionId": session_id})

    def delete_session(self, session_id: str) -> Call:
        """Have the agent forget a session."""
        return Call("session/delete", {"sessionId": session_id})

    def list_sessions(self, cwd: str | None, cursor: str | None, *, archived: bool = False) -> Call:
        """Ask for a page of sessions."""
        given = {"cwd": cwd, "cursor": cursor, "archived": "only" if archived else None}
        return Call("session/list", {name: value for name, value in given.items() if value is not None})

    read_session_page = staticmethod(read_session_page)

    def title_session(self, session_id: str, title: str) -> Call:
        """Give a session another title."""
        return Call("session/set_title", {"sessionId": session_id, "title": title})

    def read_session_title(self, result: Any) -> SessionTitle:
        """Read the title that a session got."""
        return read(SessionTitle, result)

    def archive_session(self, session_id: str, *, archived: bool) -> Call:
        """Put a session into the archive, or take it out again."""
        return Call("session/archive" if archived else "session/unarchive", {"sessionId": session_id})

    def session_status(self, session_id: str) -> Call:
        """Ask what a session is doing."""
        return Call("session/status", {"sessionId": session_id})

    def read_session_status(self, result: Any) -> SessionStatus:
        """Read what a session is doing."""
        return read(SessionStatus, result)

    def cancel(self, session_id: str) -> Call:
        """Cancel the turn (a notification)."""
        return Call("session/cancel", {"sessionId": session_id})

    def cancel_tool_call(self, session_id: str, tool_call_id: str) -> Call:
        """Cancel one tool call."""
        return Call("tool_call/cancel", {"sessionId": session_id, "toolCallId": tool_call_id})

    def cancel_terminal(self, session_id: str, terminal_id: str) -> Call:
        """Cancel what runs in one terminal."""
        return Call("terminal/cancel", {"sessionId": session_id, "terminalId": terminal_id})

    def older_call(self, call: Call) -> Call | None:
        """What to try where the method of `call` is not known."""
        older = self.older_names.get(call.method)
        return None if older is None else Call(older, call.params)

    def permission_answer(self, option_id: str | None) -> dict[str, Any]:
        """The result that answers a permission request; `None` is cancelled."""
        if option_id is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": option_id}}
