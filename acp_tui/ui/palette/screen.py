"""The palette on the screen: a short order of commands while nothing is typed, and all that is found by what is."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from acp_tui.ui.kit.filtered_list import grouped, words_row
from acp_tui.ui.kit.fuzzy import Index
from acp_tui.ui.kit.picker import Picker, texts_of
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.palette.entries import Entry, Row

RECENT, SUGGESTED = "Recently used", "Suggested"
LINES_AT_REST = 5  # of the agent's commands, while nothing is typed
OF_A_KIND = 30  # rows that one kind may take of what is found


class Found(NamedTuple):
    """What there is: commands, the agent's slash `lines`, and what is shown once something is typed."""

    commands: Sequence[Row]
    lines: Sequence[Row]
    others: Sequence[Row]

    def first(self, ids: Iterable[str], heading: str) -> list[Row]:
        """The rows of these ids, as shortcuts below another heading."""
        by_id = {row.value.id: row for row in (*self.lines, *self.commands)}
        return [replace(by_id[each], heading=heading, shortcut=True, description="") for each in ids if each in by_id]


class Palette(Picker[Entry]):
    """While nothing is typed: what was used `recently`, what is `suggested`, and the commands in their groups.

    What is typed is looked for in all of it, best first, whatever kind it is of. `more` brings what is not at hand.
    """

    PLACEHOLDER = "Find commands, sessions, models…"

    def __init__(
        self,
        found: Found,
        recently: Sequence[str] = (),
        suggested: Sequence[str] = (),
        more: Callable[[], Awaitable[Sequence[Row]]] | None = None,
    ) -> None:
        others = [each for each in suggested if each not in recently]
        lines = [row for row in found.lines if row.value.act is not None]
        first = [*found.first(recently, RECENT), *found.first(others, SUGGESTED), *lines[:LINES_AT_REST]]
        super().__init__("Commands", [*first, *found.commands])
        self._found, self._more = found, more
        self._left = Counter(row.heading for row in lines[LINES_AT_REST:])
        self._drawn: dict[int, ListRow[Row]] = {}  # by the identity of their rows, which the palette keeps

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(lambda: self._everything)  # before the first letter, where there is time
        if self._more is not None:
            self.run_worker(self._bring(), exit_on_error=False)

    def listed(self, query: str) -> list[ListRow[Row]]:
        query = query.removeprefix("/")
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
        told = " · ".join(filter(None, (row.heading, row.description)))
        shown = replace(row, description=told, hint=row.hint or " ")  # else the kinds would stand in two columns
        return ListRow(self.drawn(shown).draw, row if row.value.act else None)

    @cached_property
    def _everything(self) -> Index[Row]:
        return Index((*self._found.commands, *self._found.lines, *self._found.others), texts_of)

    async def _bring(self) -> None:
        """What comes later is found, too; the highlight stays where the user moved it."""
        more = await self._more() if self._more is not None else ()
        self._found = self._found._replace(others=(*self._found.others, *more))
        self.__dict__.pop("_everything", None)
        if self.query_typed:
            highlighted = self.rows.list.value if self.rows.moved else None
            self.show(lambda row: row is highlighted)


def _more_words(text: str) -> ListRow[Row]:
    return words_row(f"  {text}", f"{MUTED} italic")
