"""Where the focus is in a form and its buttons, and what keys are there."""

from textual import events
from textual.actions import SkipAction
from textual.widget import Widget

from acp_tui.ui.answers.answer_rule import Meaning
from acp_tui.ui.answers.asking_panel import AskingPanel
from acp_tui.ui.answers.key_routing import Typed, answer_keys_of, meaning_of
from acp_tui.ui.questions.elicitation.choice_control import ChoiceControl, LeadChoice
from acp_tui.ui.questions.elicitation.controls import ActButton, ButtonRow, SwitchControl, TextControl
from acp_tui.ui.questions.elicitation.form_view import FormView
from acp_tui.ui.questions.elicitation.question import Question


class FormFocus(AskingPanel):
    """A panel with a form, if there is one, and buttons; the focus goes from one to the next."""

    _question: Question | None = None
    _form: FormView | None = None  # None while what was entered is reviewed
    _buttons: ButtonRow

    def _stops(self) -> list[Widget]:
        return [*(self._form.controls if self._form is not None else []), *self._buttons.buttons]

    def _focus_first(self) -> None:
        stops = self._stops()
        if not self.opened or self.screen.focused in stops:
            return
        odd = self._question is not None and self._question.address is not None and self._question.address.warnings
        lead = self._form.lead if self._form is not None else None
        if not stops:
            return
        first = lead or stops[min(1, len(stops) - 1) if odd else 0]  # Enter does not open what is odd
        if not _takes_letters(first) or self.rule.by_key:
            self.screen.set_focus(first)
        else:  # whoever goes on typing writes in the prompt
            answer_keys_of(self.app).when_idle(self.rule, self._focus_field)

    def _focus_field(self) -> None:
        if self.opened and self.screen.focused is self and self._form is not None:
            self.screen.set_focus(self._stops()[0])

    def meaning(self, event: Typed) -> Meaning:
        focused = self.screen.focused
        if _takes_letters(focused):
            return "field"
        if isinstance(event, events.Paste):
            return "text"
        lead = focused if isinstance(focused, LeadChoice) else None
        if event.key in ("escape", "ctrl+r") and self._buttons.act_for(event.key) is not None:
            return "enter"  # it begins the session, or sends
        if event.key == "space" and isinstance(focused, ActButton):
            return "enter"
        letters = "".join(button.button.key for button in self._buttons.buttons if len(button.button.key) == 1)
        if lead is None:
            return meaning_of(event, letters)
        return meaning_of(event, letters + lead.digits if lead.answers_at_once else letters, lead.leading)

    def move(self, step: int) -> bool | None:
        focused = self.screen.focused
        if isinstance(focused, LeadChoice):
            return False if focused.move(step) else None
        self._move(step)
        return None if self.screen.focused is focused else False

    def mark(self, event: events.Key | None) -> None:
        lead = self._form.lead if self._form is not None else None
        if lead is not None:
            digit = event.character if event is not None and event.character else ""
            lead.mark(digit if digit and digit in lead.digits else None)

    def leave(self) -> bool:
        if self._question is not None and self.opened and self._buttons.act_for("escape") is None:
            self.step_back()
            return True
        return False

    def _move(self, step: int, *, wrap: bool = True) -> None:
        stops = self._stops()
        at = stops.index(self.screen.focused) if self.screen.focused in stops else -1 if step > 0 else 0
        target = at + step
        if stops and (wrap or 0 <= target < len(stops)):
            self.screen.set_focus(stops[target % len(stops)])

    def action_go(self, step: int) -> None:
        if self._question is None or not self.opened:
            raise SkipAction
        self._move(step)

    def action_done(self) -> None:
        """Enter leads from text to the next field; elsewhere, and in the last field, it is a key like others."""
        fields = self._form.controls[:-1] if self._form is not None else []
        if self.screen.focused not in fields or not isinstance(self.screen.focused, TextControl):
            raise SkipAction
        self.action_go(1)

    def step_back(self) -> None:
        """Leave the question, unanswered."""
        self.opened = False
        self.screen.set_focus(None)  # before its buttons are hidden: Textual would hand their focus to the panel
        self.draw()
        self.post_message(self.Dismissed())


def _takes_letters(widget: Widget | None) -> bool:
    """Whether what is typed means something in this field, when it has the focus."""
    chooses = isinstance(widget, ChoiceControl) and not isinstance(widget, LeadChoice)
    return chooses or isinstance(widget, TextControl | SwitchControl)
