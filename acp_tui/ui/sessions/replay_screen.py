"""The screen of a wire record: one of its sessions, read-only; from there the others and the inspector."""

from collections.abc import Callable, Sequence

from textual.binding import Binding
from textual.content import Content

from acp_tui.host.wire_replay import WireReplay
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.inspector_screen import InspectorScreen
from acp_tui.ui.kit.theme import ACCENT, MUTED, Hint
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.subagents_screen import READ, ReadOnlyScreen
from acp_tui.views.formatting import home_path


class ReplayScreen(ReadOnlyScreen):
    """A session of a recording as it stood at the end, the first of them at first."""

    BINDINGS = [
        Binding("q,ctrl+q", "app.quit", show=False),
        Binding("tab", "turn(1)", show=False),
        Binding("shift+tab", "turn(-1)", show=False),
        Binding(",".join(BY_ID["inspect"].keys), "inspect", show=False),
    ]

    def __init__(self, replay: WireReplay, name: str, number: int = 0) -> None:
        super().__init__(replay.sessions[number])
        self._replay, self._record, self._number = replay, name, number

    def heading(self, width: int) -> Content:
        """Whose recording it is, and which of its sessions this is."""
        session, count = self.read_session, len(self._replay.sessions)
        parts = [sanitise_line(session.agent_name, 30), sanitise_line(home_path(session.cwd), 40)]
        if count > 1:
            parts.append(f"session {self._number + 1} of {count}")
        about = " · ".join(filter(None, parts))
        title = cut(sanitise_line(session.title or self._record), max(8, width - len(about) - 16))
        return Content.assemble(("Recording", f"{ACCENT} bold"), ("   " + title, "bold"), ("   " + about, MUTED))

    @property
    def hints(self) -> Sequence[Hint]:
        others = [("tab", "next session")] if len(self._replay.sessions) > 1 else []
        return *READ, *others, ("F12", "inspector"), ("q", "quit")

    def _act_for(self, key: str) -> Callable[[], object] | None:
        return self._inspect_entry if key in BY_ID["inspect_block"].keys else super()._act_for(key)

    def action_inspect(self) -> None:
        self.app.push_screen(InspectorScreen(self._replay))

    def _inspect_entry(self) -> None:
        entry = self.transcript.current_entry
        if entry is not None:
            self.app.push_screen(InspectorScreen(self._replay, entry.origin()))

    def action_turn(self, step: int) -> None:
        """Go to another session: the first lies below, each other one above it."""
        count = len(self._replay.sessions)
        if count == 1 or not self.is_current:
            return
        if number := (self._number + step) % count:
            self.app.call_later(self.app.push_screen, ReplayScreen(self._replay, self._record, number))
        if self._number:
            self.dismiss(None)

    def action_back(self) -> None:
        """There is nothing behind it: Esc only closes the search."""
        if self._find.is_open:
            super().action_back()
