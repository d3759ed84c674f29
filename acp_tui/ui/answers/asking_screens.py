"""Screens over another one that ask for one of a few answers, under the rule of answers."""

from typing import Any, Generic

from textual import events
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen, ScreenResultType
from textual.widgets import OptionList

from acp_tui.ui.answers.answer_rule import AnswerRule, Meaning
from acp_tui.ui.answers.key_routing import Typed, answer_keys_of, meaning_of
from acp_tui.ui.kit.base_screens import LEAVING, Overlay
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.kit.row_list import RowList, Value
from acp_tui.views.palette_rows import PickerRow


class AnswerOptions(OptionList):
    """An option list in which a click answers only if the question could be read when the button went down."""

    def on_click(self, event: events.Click) -> None:
        keys = answer_keys_of(self.app)
        asker = keys.asker()
        if asker is not None and not keys.click_counts(asker.rule):
            event.stop()
            event.prevent_default()


class AskingPanel(Vertical, can_focus=True):
    """Asks under the rule of answers while it is `opened`; else it is a single line."""

    DEFAULT_CSS = "AskingPanel.-vacant > * { visibility: hidden; }"

    class Dismissed(Message):
        """The user wants the focus elsewhere, without answering."""

    def __init__(self, *children: Any, id: str) -> None:  # noqa: A002 (Textual's name)
        self.rule = AnswerRule()
        self.opened = False
        super().__init__(*children, id=id)

    def fold(self) -> None:
        """Be a single line: the focus is elsewhere. What was entered is kept."""
        if not self.has_class("-banner"):
            self.opened = False
            self.rule.forget()
            self.draw()

    def put_away(self) -> None:
        """Nothing is asked any more."""
        self.opened = self.display = False
        self.rule.forget()
        self.end()

    def vacate(self) -> None:
        """Nothing is asked any more, but the place stays."""
        self.add_class("-vacant")
        self.rule.forget()
        self.end()

    def await_paint(self) -> None:
        """What is asked, or where the answers stand, has changed: they count from when that is painted."""
        self.rule.await_paint()
        self.call_after_refresh(self.painted)

    def painted(self) -> None:
        if self.opened:
            self.rule.paint(answer_keys_of(self.app).clock.now())

    def click_counts(self) -> bool:
        """Whether the click that is handled now answers."""
        return answer_keys_of(self.app).click_counts(self.rule)

    def mark(self, event: events.Key | None) -> None:
        """Show which answer stands unless something follows, or none."""

    def draw(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError


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


class AskingOverlay(Asking[ScreenResultType], Overlay[ScreenResultType]):
    """A panel that asks."""


class AskingList(Asking[ScreenResultType], ListPanel[Value, ScreenResultType], Generic[Value, ScreenResultType]):
    """A list that asks: its keys and clicks count under the rule of answers."""

    def on_key(self, event: events.Key) -> None:
        if event.key not in LEAVING and not self.counts(event):
            event.stop()
            event.prevent_default()

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
