"""Panels that ask for one thing: a row of a list, filtered as one types, or a line of text."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Generic, TypeVar

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.errors import Fault
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.list_panel import ListPanel, Panel
from acp_tui.ui.kit.row_list import ListRow, grouped
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MUTED, Hint
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.views.row_search import PickerRow, SearchIndex, Value, texts_of

Item = TypeVar("Item")


def meant_by(words: str, items: Iterable[Item], names: Callable[[Item], Sequence[str]]) -> Item | None:
    """The only item that has these words for a name, whatever their case; else the only one that has them in a name.

    None without words, and where that is more than one item or none.
    """
    words = words.lower().strip()
    if not words:
        return None
    named = [(item, [name.lower() for name in names(item)]) for item in items]
    same = [item for item, theirs in named if words in theirs]
    found = same or [item for item, theirs in named if any(_has(name, words) for name in theirs)]
    return found[0] if len(found) == 1 else None


def _has(name: str, words: str) -> bool:
    return all(word in name for word in words.split())


NAME_AT_MOST = 34
DETAILS, DETAILS_SHORT = 15, 5  # rows of them, as the styles have it; on a screen of few rows
HINT_AT_MOST = 22
DESCRIPTION_AT_LEAST = 20  # cells; on a narrow screen names are not aligned where that would leave less
TEXT_AT_LEAST = 4  # cells; of less than that nothing can be read
MARK, GAP = 2, 2  # cells of the current row's mark, and between two columns


class Picker(ListPanel[PickerRow[Value], Value | None], Generic[Value]):
    """Type to filter, arrows to move, Enter or a click to pick, Esc to leave."""

    FILTER = "Type to filter"

    def __init__(
        self, title: str, rows: Sequence[PickerRow[Value]], details: Sequence[str] = (), query: str = ""
    ) -> None:
        """`details` is foreign text that is to be read first; what begins with `!` is loud."""
        super().__init__(title, query)
        self._details = details
        if details:
            self.above = [Static(Content("\n").join(map(_detail, details)), classes="picker-details")]
        name_width = min(NAME_AT_MOST, max((cell_len(row.name) for row in rows), default=0))
        hint_width = min(HINT_AT_MOST, max((cell_len(row.hint) for row in rows if row.hint), default=0))
        self._widths = name_width, hint_width
        # Made once, so that what was drawn of a row serves for every filter.
        self._rows = [(row, self.drawn(row)) for row in rows]
        self.steady = len(rows) + len({row.heading for row in rows if row.heading})

    def start(self) -> None:
        self.fit()
        self.fill(None if self.query_typed else lambda row: row.current)

    def fit(self) -> None:
        most = DETAILS_SHORT if self.is_short else DETAILS
        self.beside = min(len(self._details) + 1, most) if self._details else 0
        super().fit()

    def drawn(self, row: PickerRow[Value]) -> ListRow[PickerRow[Value]]:
        return ListRow(partial(_words, row, *self._widths), row)

    def listed(self) -> list[ListRow[PickerRow[Value]]]:
        """The rows that answer the filter, below their headings; without one all."""
        found = self._index.find(self.query_typed) if self.query_typed else self._rows
        return grouped((row.heading, drawn) for row, drawn in found)

    @cached_property
    def _index(self) -> SearchIndex[tuple[PickerRow[Value], ListRow[PickerRow[Value]]]]:
        return SearchIndex([each for each in self._rows if not each[0].shortcut], lambda each: texts_of(each[0]))

    def choose(self, value: PickerRow[Value]) -> None:
        self.dismiss(value.value)


def _words(row: PickerRow[Value], name_width: int, hint_width: int, width: int) -> Content:
    """One line, in columns as far as the name leaves them their place."""
    name_width = min(name_width, width - MARK - GAP - (hint_width or DESCRIPTION_AT_LEAST))
    line = Content.assemble(("● " if row.current else "  ", "bold"), (row.name, ""))
    column = MARK + name_width + GAP
    for text, style, cells in ((row.hint, ACCENT, hint_width), (row.description, MUTED, 0)):
        gap = max(GAP, column - line.cell_length)
        if text and width - line.cell_length - gap >= TEXT_AT_LEAST:
            line = Content.assemble(line, " " * gap, (text, style))
            column += cells + GAP
    return line


def _detail(text: str) -> Content:
    return Content.styled(sanitise(text), "bold $warning" if text.startswith("! ") else "")


class AskLine(Panel[None]):
    """Asks until `act` takes what was written without a `Fault`, which is shown; Esc leaves."""

    DEFAULT_CSS = "AskLine .ask-fault { height: auto; margin: 0 0 0 1; color: $warning; }"

    def __init__(self, title: str, value: str, act: Callable[[str], Awaitable[None]], does: str = "save") -> None:
        super().__init__(title)
        self._line, self._fault = SafeInput(value, compact=True, select_on_focus=False), Static(classes="ask-fault")
        self._act, self._does = act, does

    def content(self) -> Sequence[Widget]:
        return (self._line, self._fault)

    def hints(self) -> list[Hint]:
        return [("enter", self._does), CLOSE]

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            return
        try:
            await self._act(event.value.strip())
        except Fault as fault:
            self._fault.update(
                Content(sanitise_line(" · ".join(filter(None, (fault.title, fault.message, fault.hint)))))
            )
            return
        self.dismiss()
