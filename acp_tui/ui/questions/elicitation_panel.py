"""The docked panel in which the user answers by forms and addresses.

It shows one question. Nothing is sent that the user has not seen as a whole: in the form itself where that is one
choice or one field, else in a review; an address is shown in full. Keys answer by the rule of answers. Escape always
leaves it, unanswered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.actions import SkipAction
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import AwaitMount, Widget
from textual.widgets import Static

from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import Typed, answer_keys_of, meaning_of
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.questions.docked_panel import DockedPanel, banner, cells_of, share_of
from acp_tui.ui.questions.elicitation_controls import (
    ChoiceControl,
    Done,
    LeadChoice,
    Left,
    SwitchControl,
    TextControl,
)
from acp_tui.ui.questions.form_view import ActButton, ButtonRow, FieldBox, FormView
from acp_tui.ui.questions.question import (
    REVIEW,
    Act,
    ElicitationQuestion,
    address,
    counted_fields,
    heading,
    hints,
    message,
    review,
)

TIGHT = 48  # cells of a row below which buttons stand close together
HINTS_PADDING, ROOMY_FIELDS = 4, 30  # cells of the row of hints, as in the styles below; rows of a screen
FRAME, FRAME_ROOMY, ROOMY_SHARE = 3, 7, 15  # rows of the panel that are not its body's; of one with blank rows


class FormFocus(DockedPanel):
    """A panel with a form, if there is one, and buttons; the focus goes from one to the next."""

    _question: ElicitationQuestion | None = None
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
        return self._buttons.act_for("escape") is None and super().leave()

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


def _takes_letters(widget: Widget | None) -> bool:
    chooses = isinstance(widget, ChoiceControl) and not isinstance(widget, LeadChoice)
    return chooses or isinstance(widget, TextControl | SwitchControl)


class ElicitationPanel(FormFocus):
    """One question: a form, an address or the options of a session, by the same keys."""

    DEFAULT_CSS = """
    ElicitationPanel.-roomy > ButtonRow { margin: 1 0; }
    ElicitationPanel > VerticalScroll { height: auto; padding: 0 1; scrollbar-size-vertical: 1; }
    ElicitationPanel .elicitation-message { height: auto; padding: 0 0 0 2; }
    ElicitationPanel.-roomy .elicitation-message, ElicitationPanel.-roomy FormView > Static { margin: 0 0 1 0; }
    ElicitationPanel.-roomy FieldBox { margin: 0 0 1 0; }
    ElicitationPanel .elicitation-subject { height: auto; padding: 0 0 0 2; }
    ElicitationPanel > .docked-hints { padding: 0 1 0 3; }
    ElicitationPanel.-roomy > .docked-heading { height: 2; }
    ElicitationPanel.-tight > ButtonRow { padding: 0 0 0 1; }
    ElicitationPanel.-tight ActButton { padding: 0; margin: 0 2 0 0; }
    """

    ROOMY_SCREEN = 24
    BINDINGS = [  # at once, so that a key typed right after one of these finds the focus where it belongs
        Binding("tab", "go(1)", show=False, priority=True),
        Binding("shift+tab", "go(-1)", show=False, priority=True),
        Binding("enter", "done", show=False, priority=True),
        Binding("escape", "leave", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    @dataclass
    class Answered(Message, namespace="docked_panel"):
        """The user answered: accept (a form with its content), open, decline, cancel, start (with options), skip."""

        question: ElicitationQuestion
        act: Act
        content: Mapping[str, Any]

    def __init__(self) -> None:
        self._agent, self._waiting = "", 1
        self._body = VerticalScroll(id="elicitation-body", can_focus=False)
        self._buttons = ButtonRow(())
        self._mounting: Sequence[AwaitMount] = ()
        self._fits_tight = False  # as a whole, and only without blank rows
        super().__init__(self._body, self._buttons, id="elicitation")

    @property
    def asked(self) -> object:
        return self._question.source if self._question else None

    @property
    def _reviewing(self) -> bool:
        return self._question is not None and self._question.form is not None and self._form is None

    def show(self, question: ElicitationQuestion, agent: str, *, take_focus: bool) -> None:
        """Ask a question from now on; open if it gets the focus (or has it already)."""
        self._question, self._agent = question, agent
        self._fill(reviewing=False)
        self.present(anew=True, take_focus=take_focus or self.has_focus_within)

    def end(self) -> None:
        self._question = self._form = None
        self._body.remove_children()

    def count(self, waiting: int) -> None:
        self._waiting = waiting
        self.draw()

    def await_paint(self) -> None:
        self.rule.await_paint()
        self.call_after_refresh(self._when_mounted, self._mounting)

    async def _when_mounted(self, mounting: Sequence[AwaitMount]) -> None:
        for mounted in mounting:
            await mounted
        if mounting is self._mounting and self.opened:
            self.call_after_refresh(self.painted)

    def painted(self) -> None:
        if self._question is not None:
            super().painted()
            self._focus_first()

    def _fill(self, *, reviewing: bool) -> None:
        question = self._question
        if question is None:
            return
        if self.has_focus_within:
            self.screen.set_focus(self)  # Textual would hand the focus of what is taken out around
        self._form, self._fits_tight = None, False
        if question.form is not None and not reviewing:
            self._form = FormView(question, question.form)
        self._body.remove_children()
        self._buttons.remove()
        self._buttons = ButtonRow(question.buttons(reviewing))
        parts = self._body.mount(*_parts(question, self._form))
        self._mounting = [parts, self.mount(self._buttons, after=self._body)]
        self._body.scroll_home(animate=False)

    def heading(self) -> Content:
        question, reviewing = self._question, self._reviewing
        if question is None:
            return Content("")
        line = heading(question, self._agent, self._waiting, reviewing=reviewing)
        fields = counted_fields(self._form.place, len(self._form.form.fields)) if self._form is not None else ""
        room = cells_of(self) - 2 - line.cell_length - len(fields)
        return Content.assemble(line, " " * room, (fields, MUTED)) if fields and room > 1 else line

    def banner(self) -> Content:
        return banner(self._agent, self._waiting, self._question.message if self._question else "")

    @property
    def is_roomy(self) -> bool:
        """Blank rows where the screen has some, for fields more, but for what is seen as a whole without them alone."""
        rows = self.ROOMY_SCREEN if self._form is None or len(self._form.controls) < 2 else ROOMY_FIELDS
        return self.app.size.height >= rows and self._fitted.height >= ROOMY_SHARE and not self._fits_tight

    def laid_out(self) -> None:
        """How many rows the parts need is known once they are laid out; what is tight then stays so in this place."""
        self._fits_tight = self._fits_tight and self._fitted == Size(cells_of(self), share_of(self))
        super().laid_out()
        if self.opened and self.has_class("-roomy") and fits_tight(self._body, self._fitted.height):
            self._fits_tight = True
            self.draw()
            self.await_paint()

    def fit(self, share: int) -> None:
        self._body.display = self._buttons.display = self.opened
        self.set_class(self._fitted.width < TIGHT, "-tight")
        self._body.styles.max_height = share - (FRAME_ROOMY if self.opened and self.is_roomy else FRAME)
        self.call_after_refresh(self.show_hints)  # whether the body scrolls is known then

    def hints(self) -> Content:
        room, scrolls, question = cells_of(self) - HINTS_PADDING, self._body.max_scroll_y > 0, self._question
        return hints(question, room, reviewing=self._reviewing, scrolls=scrolls) if question else Content("")

    @on(Done)
    def _done(self, message: Done) -> None:
        message.stop()
        if self._form is None or self.screen.focused is not self._form.controls[-1]:
            self._move(1)
        else:
            self._go_on()

    @on(LeadChoice.Sent)
    def _sent(self, message: LeadChoice.Sent) -> None:
        message.stop()
        self._go_on()

    def _go_on(self) -> None:
        act = self._buttons.buttons[0].button.act
        if act in ("accept", "review", "start"):
            self._do(act)

    @on(FieldBox.Entering)
    def _entering(self, message: FieldBox.Entering) -> None:
        message.stop()
        self.draw()

    @on(Left)
    def _left(self, message: Left) -> None:
        message.stop()
        self._move(message.step, wrap=False)

    @on(events.DescendantFocus)
    def _focused(self, event: events.DescendantFocus) -> None:
        if not self.opened and self.has_focus_within:  # the event may be late: Escape has moved the focus since
            self.take_focus()
        box = next((each for each in event.widget.ancestors if isinstance(each, FieldBox)), None)
        if box is not None:
            self.call_after_refresh(self._body.scroll_to_widget, box, animate=False)
        self._show_place()

    @on(events.DescendantBlur)
    def _show_place(self) -> None:
        """Show which field has the focus, and the letters of the buttons while they do something."""
        if self.opened:
            self._heading.update(self.heading())
            for button in self._buttons.buttons:
                button.show_key(not _takes_letters(self.screen.focused))

    def on_key(self, event: events.Key) -> None:
        act = self._act_for(event)
        if act is None and not (self.opened and (event.is_printable or event.key == REVIEW.key)):
            return
        event.stop().prevent_default()
        if act is not None and event.time >= self.rule.painted:
            act()

    def _act_for(self, event: events.Key) -> Callable[[], object] | None:
        if self._question is None or not self.opened:
            return None
        sides = {"right": 1, "left": -1}
        if event.key in sides and isinstance(self.screen.focused, ActButton):
            return lambda: self._move(sides[event.key])
        writing = isinstance(self.screen.focused, TextControl)
        act = self._buttons.act_for(event.key)
        if act is not None and not (writing and event.is_printable):
            return lambda: self._do(act)
        return None

    @on(ActButton.Pressed)
    def _pressed(self, message: ActButton.Pressed) -> None:
        message.stop()
        if message.by_key or self.click_counts():
            self._do(message.act)

    def _do(self, act: Act) -> None:
        question = self._question
        if question is None:
            return
        if act in ("review", "edit"):
            self._review(act == "review")
            return
        form, content = question.form, {}
        if act in ("accept", "start") and form is not None:
            if self._form is not None and not self._form.check():
                return
            content = form.changes() if act == "start" else form.content()
        self.post_message(self.Answered(question, act, content))

    def _review(self, reviewing: bool) -> None:
        if self._form is None or self._form.check():
            self._fill(reviewing=reviewing)
            self.await_paint()
            self.rule.by_key = True
            self.take_focus()

    def action_page(self, step: int) -> None:
        """Go to the field that is a page from here, or scroll where there is none, and over an address or a review."""
        focused = self.screen.focused
        if self._question is None or not self.opened or isinstance(focused, LeadChoice):
            raise SkipAction
        controls = self._form.controls if self._form is not None else []
        at = controls.index(focused) if focused in controls else len(controls)
        ahead = controls[at + 1 :] if step > 0 else controls[:at][::-1]
        here = (controls[at] if at < len(controls) else self._buttons).region.y
        near = [control for control in ahead if abs(control.region.y - here) < self._body.size.height]
        if ahead:
            self.screen.set_focus((near or ahead[:1])[-1])
        else:
            self._body.scroll_relative(y=step * self._body.size.height, animate=False)

    def action_leave(self) -> None:
        """Escape leaves, unanswered, from wherever the focus is; before a session it opens that without options."""
        if self._question is None or not self.opened:
            raise SkipAction
        act = self._buttons.act_for("escape")
        if act is None:
            self.step_back()
        else:
            self._do(act)


def fits_tight(body: VerticalScroll, share: int) -> bool:
    """Whether a body with blank rows scrolls in a panel of so many rows, and would not without them."""
    blank = len(body.query("FieldBox, FormView > Static, .elicitation-message"))
    return share - FRAME_ROOMY < body.virtual_size.height <= share - FRAME + blank


def _parts(question: ElicitationQuestion, form: FormView | None) -> list[Widget]:
    """What the body shows: the question with what it asks for, or (without the view of its form) what will be sent."""
    if form is None and question.form is not None:
        return [Static(review(question.form), classes="elicitation-subject")]
    parts: list[Widget] = [Static(message(question), classes="elicitation-message")]
    if question.address is not None:
        parts.append(Static(address(question.address), classes="elicitation-subject"))
    return parts if form is None else [*parts, form]
