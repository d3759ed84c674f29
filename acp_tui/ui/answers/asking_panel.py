"""The base of the docked panels that ask: one question in the composer's place, a single line without the focus."""

from typing import Any

from textual import events
from textual.containers import Vertical
from textual.message import Message

from acp_tui.ui.answers.answer_rule import AnswerRule
from acp_tui.ui.answers.key_routing import answer_keys_of


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
        """The answers are on the screen."""
        if self.opened:
            self.rule.paint(answer_keys_of(self.app).clock.now())

    def click_counts(self) -> bool:
        """Whether the click that is handled now answers."""
        return answer_keys_of(self.app).click_counts(self.rule)

    def mark(self, event: events.Key | None) -> None:
        """Show which answer stands unless something follows, or none."""

    def draw(self) -> None:
        """Draw all anew."""
        raise NotImplementedError

    def end(self) -> None:
        """Forget what was asked."""
        raise NotImplementedError
