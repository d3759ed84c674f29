"""Opening the palette: what there is now is put together, and what was chosen is remembered."""

from collections.abc import Callable, Iterable, Sequence

from acp_tui.host.store.view_memory import recall, remember
from acp_tui.session.state import Session
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.palette.entries import Entry, Row, command_rows
from acp_tui.ui.palette.past_sessions import PastSessions
from acp_tui.ui.palette.screen import Found, Palette
from acp_tui.ui.palette.slash_lines import SlashLines
from acp_tui.views.standing import waiting

USED = "palette"  # the name under which is kept what was used
SHOWN, KEPT = 3, 10  # of them; some may be another agent's
SUGGESTED = ("new_session", "browse_sessions", "pick_model", "settings", "pick_theme", "find", "help")


class PaletteActions:
    """Opens the palette of one session. `run` does a command by its id, `others` are the rows beside commands."""

    def __init__(
        self,
        view: SessionView,
        run: Callable[[str], None],
        lines: SlashLines,
        past: Callable[[], PastSessions],
        others: Callable[[], Iterable[Row]],
    ) -> None:
        self._view, self._run, self._lines, self._past, self._others = view, run, lines, past, others

    def open(self) -> None:
        commands = command_rows(self._run, self._lines.typed())
        found = Found(commands, self._lines.rows(), list(self._others()))
        present = {row.value.id for row in (*found.commands, *found.lines)}
        recently = [each for each in _used() if each in present][:SHOWN]
        palette = Palette(found, recently, _suggested(self._view.session), self._past().rows)
        self._view.open(palette, _chosen)


def _chosen(entry: Entry | None) -> None:
    if entry is None or entry.act is None:
        return
    if entry.id:
        remember(USED, list(dict.fromkeys([entry.id, *_used()]))[:KEPT])
    entry.act()


def _used() -> list[str]:
    """What was used recently, by ids, the last first."""
    kept = recall().get(USED)
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def _suggested(session: Session) -> Sequence[str]:
    """What one wants most often, as things are."""
    asked = ["answer_permission"] if waiting(session) else []
    return [*asked, *(["cancel"] if session.turn.active else []), *SUGGESTED]
