"""Opening the changes screen, from any place of a conversation."""

from acp_tui.startup import late
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.kit.session_view import SessionView


class ChangesActions:
    """`extras` is what other rooms add to the screen; it is there before the screen is."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self.extras = Extras()

    def open(self) -> None:
        """What changed since the session began."""
        self._open(None)

    def open_turn(self, turn: int) -> None:
        """What changed in a turn, by its number from 1; while it goes on, until now."""
        self._open(turn)

    def _open(self, turn: int | None) -> None:
        view = self._view
        source = view.client.changes(view.session)
        view.open(late("acp_tui.ui.changes.screen").ChangesScreen(view, source, self.extras, turn))
