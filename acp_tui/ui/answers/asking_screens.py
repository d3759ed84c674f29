"""Screens over another one that ask for one of a few answers, under the rule of answers."""

from typing import Generic

from textual import events
from textual.screen import Screen, ScreenResultType
from textual.widgets import OptionList

from acp_tui.ui.answers.answer_rule import AnswerRule, Meaning
from acp_tui.ui.answers.key_routing import Typed, answer_keys_of, meaning_of
from acp_tui.ui.kit.base_screens import LEAVING
from acp_tui.ui.kit.list_panel import ListPanel, Panel, PanelKey
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.kit.row_list import RowList, Value
from acp_tui.views.row_search import PickerRow


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
