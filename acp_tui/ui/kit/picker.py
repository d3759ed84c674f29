"""Panels that ask for one thing: a row of a list, a line of text, or an answer, which is under the rule of answers."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Generic, TypeVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

from acp_tui.errors import Fault
from acp_tui.ui.kit.answer_rule import AnswerRule, Meaning
from acp_tui.ui.kit.base_screens import LEAVING
from acp_tui.ui.kit.key_routing import Typed, answer_keys_of, meaning_of
from acp_tui.ui.kit.line_editor import SafeInput
from acp_tui.ui.kit.list_panel import ListPanel, Panel, PanelKey
from acp_tui.ui.kit.row_list import ROOMY, ListRow, RowList, grouped
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
        self._groups = len({row.heading for row in rows if row.heading})

    @property
    def is_roomy(self) -> bool:
        """Whether groups stand apart."""
        return self.is_attached and self.app.size.height >= ROOMY

    def start(self) -> None:
        self.fit()
        self.fill(None if self.query_typed else lambda row: row.current)

    def fit(self) -> None:
        most = DETAILS_SHORT if self.is_short else DETAILS
        self.beside = min(len(self._details) + 1, most) if self._details else 0
        self.steady = len(self._rows) + self._groups + max(0, self._groups - 1) * self.is_roomy
        super().fit()

    def drawn(self, row: PickerRow[Value]) -> ListRow[PickerRow[Value]]:
        return ListRow(partial(_words, row, *self._widths), row)

    def listed(self) -> list[ListRow[PickerRow[Value]]]:
        """The rows that answer the filter, below their headings; without one all."""
        found = self._index.find(self.query_typed) if self.query_typed else self._rows
        return grouped(((row.heading, drawn) for row, drawn in found), apart=self.is_roomy)

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


class AnswerOptions(OptionList):
    """An option list in which a click answers only if the question could be read when the button went down."""

    def on_click(self, event: events.Click) -> None:
        keys = answer_keys_of(self.app)
        asker = keys.asker()
        if asker is not None and not keys.click_counts(asker.rule):
            event.stop()
            event.prevent_default()


class Asking(Screen[ScreenResultType]):
    """A screen that asks; `ANSWERS` are the letters and digits that answer, in the order of their rows; `TOGGLES`
    change what is chosen.
    """

    AUTO_FOCUS = ""
    ANSWERS = TOGGLES = ""
    _rule: AnswerRule | None = None
    _before_mark: tuple[int | None] | None = None

    @property
    def rule(self) -> AnswerRule:
        if self._rule is None:
            self._rule = AnswerRule()
        return self._rule

    @property
    def asker(self) -> "Asking[ScreenResultType]":
        return self

    def on_mount(self) -> None:
        self.await_paint()

    def on_resize(self) -> None:
        self.await_paint()

    def await_paint(self) -> None:
        """What is asked, or where the answers stand, has changed: they count from when that is painted."""
        self.rule.await_paint()
        self.call_after_refresh(self._paint)

    def _paint(self) -> None:
        self.rule.paint(answer_keys_of(self.app).clock.now())

    def meaning(self, event: Typed) -> Meaning:
        return meaning_of(event, self.ANSWERS, self.TOGGLES)

    def move(self, step: int) -> bool | None:
        """Move the highlight; None if it did not move. No answer here is an "always"."""
        raise NotImplementedError

    def mark(self, event: events.Key | None) -> None:
        """Highlight the answer that stands unless something follows; else what was highlighted before."""
        row = self.ANSWERS.find(event.character or " ") if event is not None else -1
        if row >= 0 and self._before_mark is None:
            self._before_mark = (self.highlight(row),)
        elif row < 0 and self._before_mark is not None:
            [before], self._before_mark = self._before_mark, None
            self.highlight(before)

    def highlight(self, row: int | None) -> int | None:
        """Highlight the answer of a key, by its place in `ANSWERS`; the one that was highlighted."""
        return row

    def leave(self) -> bool:
        self.dismiss(None)
        return True

    def counts(self, event: events.Event) -> bool:
        """Whether a key was read when what it answers was painted."""
        return event.time >= self.rule.painted

    def click_counts(self) -> bool:
        """Whether the click that is handled now answers: it began in the same row."""
        return answer_keys_of(self.app).click_counts(self.rule)


class AskingOverlay(Asking[ScreenResultType], Panel[ScreenResultType]):
    """A panel that asks: its keys count under the rule of answers."""

    def on_key(self, event: events.Key) -> None:
        if event.key not in LEAVING and not self.counts(event):
            event.stop()
            event.prevent_default()


class AskingList(AskingOverlay[ScreenResultType], ListPanel[Value, ScreenResultType], Generic[Value, ScreenResultType]):
    """A list that asks: its clicks count under the rule of answers, too."""

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        event.prevent_default()
        if self.click_counts():
            self.choose(event.value)

    def move(self, step: int) -> bool | None:
        before = self.list.highlighted
        self.list.move(step)
        return None if self.list.highlighted == before else False

    def highlight(self, row: int | None) -> int | None:
        before = self.list.highlighted
        self.list.highlight(row)
        return before


class AnswerChoice(AskingList[PickerRow[Value], Value | None], Picker[Value]):
    """A few answers below each other, nothing to filter. The first one changes nothing."""

    KEYS = (("↑↓", "select"), PanelKey("enter", "confirm", "choose"), ("esc", "cancel"))

    def on_mount(self) -> None:
        self.rows.line.display = False

    def on_key(self, event: events.Key) -> None:
        event.prevent_default()  # of the list that is filtered
