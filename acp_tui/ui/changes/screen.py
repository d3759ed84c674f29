"""The changes screen."""

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.overlay import Closable
from acp_tui.ui.kit.session_view import SessionView


class ChangesScreen(Closable[None]):
    """What changed since the session began, or in a `turn`."""

    def __init__(self, view: SessionView, source: SessionChanges, extras: Extras, turn: int | None = None) -> None:
        super().__init__()
        self.opened_by = BY_ID["show_changes"].ways
        self._view, self._source, self._extras, self._turn = view, source, extras, turn
