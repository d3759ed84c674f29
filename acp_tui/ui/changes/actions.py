"""Opening the changes screen, from any place of a conversation."""

from collections.abc import Callable

from acp_tui.session.entries import Entry
from acp_tui.session.folds.turn_rows import TakenBackEntry, TurnEntry
from acp_tui.startup import late
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.transcript.view import TranscriptView


class ChangesActions:
    """`extras` is what other rooms add to the screen; it is there before the screen is."""

    def __init__(self, view: SessionView, transcript: TranscriptView, open_subagent: Callable[[str], object]) -> None:
        self._view, self._transcript, self._open_subagent = view, transcript, open_subagent
        self.extras = Extras()

    def open(self) -> None:
        """What changed since the session began."""
        self._open(None)

    def open_turn(self, turn: int) -> None:
        """What changed in a turn, by its number from 1; while it goes on, until now. In the session, for 0."""
        self._open(turn or None)

    def open_entry(self, entry: Entry | None) -> bool:
        """Open the changes that an entry of the transcript tells of; whether it tells of any."""
        if isinstance(entry, TurnEntry):
            self.open_turn(entry.turn)
        elif isinstance(entry, TakenBackEntry):
            self.open()
        return isinstance(entry, TurnEntry | TakenBackEntry)

    def _open(self, turn: int | None) -> None:
        view = self._view
        source = view.client.changes(view.session)
        screen = late("acp_tui.ui.changes.screen").ChangesScreen
        view.open(screen(view, source, self.extras, self._go_to_call, turn))

    def _go_to_call(self, tool_call: str) -> bool:
        """Show a tool call in the transcript, or the subagent that made it; whether it is there."""
        session = self._view.session
        entry = session.index.tool_calls.get(tool_call)
        if entry is not None:
            return self._show(entry)
        for name, child in session.root.family.items():
            if tool_call in child.session.index.tool_calls:
                self._open_subagent(name)
                return True
        return False

    def _show(self, entry: Entry) -> bool:
        view = self._transcript.viewport
        place = view.layout.place_of(entry)
        if place is None or not view.ready:
            return False
        view.current = place
        view.show(place)
        self._transcript.focus()
        self._transcript.place()
        self._transcript.refresh()
        return True
