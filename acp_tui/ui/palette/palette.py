"""The palette on the screen: a short order of commands while nothing is typed, and all that is found by what is."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

from textual.content import Content

from acp_tui.frozen import Frozen
from acp_tui.ui.kit.filtered_list import grouped, words_row
from acp_tui.ui.kit.picker import DESCRIPTION_AT_LEAST, GAP, MARK, Picker
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.views.row_search import PickerRow, SearchIndex, texts_of

RECENT, SUGGESTED = "Recently used", "Suggested"
LINES_AT_REST = 5  # slash commands of the agent, and own prompts, while nothing is typed
OF_A_KIND = 30  # rows that one kind may take of what is found
KIND_AT_LEAST = 12  # cells of what kind a row is of; where less would be left, its key is not shown


class PaletteItem(Frozen):
    """What a row does, where something can be done. With an `id` it is remembered as used recently."""

    act: Callable[[], object] | None
    id: str = ""


Row: TypeAlias = PickerRow[PaletteItem]


class PaletteRows(NamedTuple):
    """What there is: commands, the agent's slash `lines`, and what is shown once something is typed."""

    commands: Sequence[Row]
    lines: Sequence[Row]
    others: Sequence[Row]

    def first(self, ids: Iterable[str], heading: str) -> list[Row]:
        """The rows of these ids, as shortcuts below another heading."""
        by_id = {row.value.id: row for row in (*self.lines, *self.commands)}
        return [replace(by_id[each], heading=heading, shortcut=True, description="") for each in ids if each in by_id]


class Palette(Picker[PaletteItem]):
    """While nothing is typed: what was used `recently`, what is `suggested`, and the commands in their groups.

    What is typed is looked for in all of it, best first, whatever kind it is of. `more` brings what is not at hand.
    """

    FILTER = "Find commands, sessions, models…"

    def __init__(
        self,
        found: PaletteRows,
        recently: Sequence[str] = (),
        suggested: Sequence[str] = (),
        more: Callable[[], Awaitable[Sequence[Row]]] | None = None,
    ) -> None:
        others = [each for each in suggested if each not in recently]
        lines, self._left = _first_of_each([row for row in found.lines if row.value.act is not None])
        first = [*found.first(recently, RECENT), *found.first(others, SUGGESTED), *lines]
        super().__init__("Commands", [*first, *found.commands])
        self._found, self._more, self.complete = found, more, False
        self._drawn: dict[int, ListRow[Row]] = {}  # by the identity of their rows, which the palette keeps

    def on_mount(self) -> None:
        self.run_worker(self._bring(), exit_on_error=False)

    def listed(self) -> list[ListRow[Row]]:
        query = self.query_typed.removeprefix("/")
        return self._answers(query) if query else self._at_rest()

    def _at_rest(self) -> list[ListRow[Row]]:
        rows = [(row.heading, drawn) for row, drawn in self._rows]
        rows += [(whose, _more_words(f"{count:,} more: type to find")) for whose, count in self._left.items()]
        return grouped(rows)

    def _answers(self, query: str) -> list[ListRow[Row]]:
        """The best of each kind, in one order; and how many there are beside."""
        shown: list[ListRow[Row]] = []
        kinds: Counter[str] = Counter()
        for row in self._everything.find(query):
            kinds[row.heading] += 1
            if kinds[row.heading] <= OF_A_KIND:
                shown.append(self._drawn.get(id(row)) or self._drawn.setdefault(id(row), self._answer(row)))
        left = kinds.total() - len(shown)
        return [*shown, _more_words(f"{left:,} more: keep typing")] if left else shown

    def _answer(self, row: Row) -> ListRow[Row]:
        """A row that says what kind it is of; where there is nothing to be done, it cannot be chosen."""
        return ListRow(partial(answer_words, row, self._widths[0]), row if row.value.act else None)

    @cached_property
    def _everything(self) -> SearchIndex[Row]:
        return SearchIndex((*self._found.commands, *self._found.lines, *self._found.others), texts_of)

    async def _bring(self) -> None:
        if self._more is not None:
            self.add(await self._more())
        self.complete = True
        self.call_after_refresh(lambda: self._everything)  # before the first letter, where there is time

    def add(self, rows: Sequence[Row]) -> None:
        """Find these, too; the highlight stays where the user moved it."""
        self._found = self._found._replace(others=(*self._found.others, *rows))
        self.__dict__.pop("_everything", None)
        if self.query_typed:
            highlighted = self.list.value if self.rows.moved else None
            self.fill(lambda row: row is highlighted)


def _first_of_each(rows: Iterable[Row]) -> tuple[list[Row], Mapping[str, int]]:
    """The first rows below each heading, and how many are left there."""
    counts: Counter[str] = Counter()
    first = []
    for row in rows:
        counts[row.heading] += 1
        if counts[row.heading] <= LINES_AT_REST:
            first.append(row)
    left = {heading: count - LINES_AT_REST for heading, count in counts.items() if count > LINES_AT_REST}
    return first, left


def answer_words(row: Row, name_width: int, width: int) -> Content:
    """Name, kind and description, and the key at the right edge: it is the first to go where there is no room."""
    mark, column = ("● " if row.current else "  ", "bold"), min(name_width, width - MARK - GAP - DESCRIPTION_AT_LEAST)
    line = Content.assemble(mark, row.name)
    told = Content(" · ".join(filter(None, (row.heading, row.description))))
    line += Content(" " * max(GAP, MARK + column + GAP - line.cell_length))
    key = Content.styled(row.hint, ACCENT)
    beside = key.cell_length + GAP if row.hint else 0
    room = width - line.cell_length - beside
    if room < min(KIND_AT_LEAST, told.cell_length):
        room, key = room + beside, Content("")
    if told.cell_length > room:
        told = told.truncate(max(0, room), ellipsis=True)
    line += told.stylize(MUTED)
    return line + Content(" " * (width - line.cell_length - key.cell_length)) + key if key else line


def _more_words(text: str) -> ListRow[Row]:
    return words_row(f"  {text}", f"{MUTED} italic")
