"""The row above the prompt that says that the next prompt carries the conversation so far, for an agent without it."""

from acp_tui.host.sessions.carried import size_carried, toggle_carrying
from acp_tui.session.export.digest import tokens_in
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.take_back.line import Said
from acp_tui.views.formatting import tokens

_WORDS = {
    "wanted": ("Your next prompt includes the conversation so far", "leave out"),
    "offered": ("Your next prompt can include the conversation so far", "include"),
}


class ConversationRow:
    """What is carried is measured once for each state; it takes milliseconds."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._measured: tuple[int, int] | None = None  # entries, and characters

    def rows(self) -> list[Said]:
        """One row, or none where the agent knows what was said."""
        session = self._view.session
        if not session.carrying or session.turn.active:
            return []
        words, act = _WORDS[session.carrying]
        said = f"{words} (≈{tokens(tokens_in(self._size()))} tokens)"
        return [Said(said, (first_way("tell_taken_back"), act), self.toggle)]

    def toggle(self) -> bool:
        """Include it, or leave it out; whether there is anything that the agent does not know."""
        return toggle_carrying(self._view.session)

    def _size(self) -> int:
        session = self._view.session
        count = len(session.entries)
        if self._measured is None or self._measured[0] != count:
            self._measured = count, size_carried(session)
        return self._measured[1]
