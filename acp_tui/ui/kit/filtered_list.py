"""The list that every scene with a filter shows: a line to type into, and below it the rows that answer it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic

from textual import events
from textual.binding import Binding, BindingsMap
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.row_list import ListRow, RowList, Value
from acp_tui.ui.kit.theme import ACCENT, MUTED


def grouped(rows: Iterable[tuple[str, ListRow[Value]]], *, apart: bool = False) -> list[ListRow[Value]]:
    """Rows below the headings that they come with; `apart` with a blank row before each but the first."""
    groups: dict[str, list[ListRow[Value]]] = {}
    for heading, row in rows:
        groups.setdefault(heading, []).append(row)
    found: list[ListRow[Value]] = []
    for heading, members in groups.items():
        if apart and found:
            found.append(words_row("", MUTED))
        if heading:
            found.append(words_row(heading, f"{ACCENT} bold"))
        found += members
    return found


def words_row(text: str, style: str) -> ListRow[Any]:
    """A row that cannot be chosen."""
    return ListRow(lambda _width: Content.styled(text, style))


class FilterLine(SafeInput):
    """A line to filter by; keys that its screen binds are left to the screen. With `helped` the screen has help."""

    class HelpAsked(Message):
        """The user asks what the keys do."""

    def __init__(self, placeholder: str, query: str = "", *, helped: bool = False) -> None:
        super().__init__(query, placeholder=placeholder, compact=True, select_on_focus=False)
        self._helped = helped

    def on_mount(self) -> None:
        for key in BindingsMap(self.screen.BINDINGS).key_to_bindings:
            self._bindings.key_to_bindings.pop(key, None)

    def on_key(self, event: events.Key) -> None:
        """On an empty line `?` asks for help; what was typed before it is in the line by now."""
        if self._helped and event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.HelpAsked())


class FilteredList(Vertical, Generic[Value]):
    """Arrows highlight a row, Enter or a click chooses it, which `RowList.Chosen` says.

    The screen hears by `Input.Changed` what is typed, and shows the rows that answer it. Tab moves, too, where the
    screen does nothing else with it.
    """

    DEFAULT_CSS = "FilteredList { height: auto; }"
    BINDINGS = [
        Binding("up,ctrl+p,shift+tab", "move(-1)", show=False),
        Binding("down,ctrl+n,tab", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(self, placeholder: str = "Type to filter", *, query: str = "", helped: bool = False) -> None:
        self.line = FilterLine(placeholder, query, helped=helped)
        self.list = RowList[Value]()
        self.moved = False  # by the user, since the screen has set it so
        super().__init__(self.line, self.list)

    def on_mount(self) -> None:
        for key in BindingsMap(self.screen.BINDINGS).key_to_bindings:
            self._bindings.key_to_bindings.pop(key, None)
        self.line.focus()

    def show(
        self, rows: Sequence[ListRow[Value]], keep: Callable[[Value], bool] | None = None, nothing: str = "No matches"
    ) -> None:
        """Show these rows, with the highlight on the one to `keep`, else on the first; without any say `nothing`."""
        kept = None
        if keep is not None:
            kept = next((at for at, row in enumerate(rows) if row.value is not None and keep(row.value)), None)
        self.list.display = bool(rows or nothing)
        self.list.fill(rows or [words_row(nothing, f"{MUTED} italic")], kept)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose([node for node in self.ancestors if isinstance(node, Widget)])

    def _choose(self, above: Sequence[Widget]) -> None:
        """Choose once all that is `above` has had its turn: what was typed before goes there hop by hop, too."""
        if above:
            above[0].call_later(self._choose, above[1:])
        elif self.list.value is not None:
            self.post_message(RowList.Chosen(self.list.value))
        else:
            say(self.app, "Nothing to select", 2)

    def action_move(self, step: int) -> None:
        self.moved = True
        self.list.move(step)

    def action_page(self, step: int) -> None:
        self.moved = True
        self.list.page(step)
