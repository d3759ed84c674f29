"""A form on the screen: its fields one below the other, each with title, rules, purpose and what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.session.form import Form
from acp_tui.session.form_fields import Entered, Field
from acp_tui.session.form_rules import rules_in_words
from acp_tui.session.text.phrases import counted
from acp_tui.ui.kit.theme import MUTED, spell
from acp_tui.ui.questions.elicitation_controls import (
    Changed,
    ChoiceControl,
    LeadChoice,
    NoControl,
    SwitchControl,
    TextControl,
)
from acp_tui.ui.questions.question import Act, Button, ElicitationQuestion
from acp_tui.ui.render.text import safe, sanitise_line

Control: TypeAlias = TextControl | SwitchControl | ChoiceControl | NoControl
CHOICES = 5  # rows of a list in a form; of more the others are counted
DESCRIPTION_AT_MOST = 2_000  # characters


class FieldBox(Vertical):
    """A field; what was entered is told by `Entering`, with the field's name."""

    DEFAULT_CSS = """
    FieldBox { height: auto; padding: 0 0 0 1; border-left: blank; }
    FieldBox:focus-within { border-left: outer $primary; }
    FieldBox.-wrong { border-left: outer $error; }
    FieldBox > Static { height: auto; }
    FieldBox > .field-problem { display: none; color: $error; }
    FieldBox.-wrong > .field-problem { display: block; }
    FieldBox > TextControl { height: auto; max-height: 6; padding: 0 1; border: none; background: $panel; }
    FieldBox > ChoiceControl { height: auto; max-height: 8; padding: 0; border: none; background: $surface; }
    FieldBox > .field-more { padding: 0 0 0 1; }
    FieldBox > SwitchControl { height: 1; padding: 0 1; }
    FieldBox > SwitchControl:focus { background: $primary 16%; }
    FieldBox > SwitchControl:ansi:focus { background: ansi_default; text-style: bold underline; }
    """

    @dataclass
    class Entering(Message):
        """What is entered into the field has changed, or (`left`) the user went on."""

        name: str
        entered: Entered
        left: bool = False

    def __init__(self, field: Field, control: Control, *, said: str, unchecked: bool) -> None:
        """`said` stands above the field already; `unchecked`: its pattern is the agent's to check."""
        super().__init__()
        self.field, self.control, self._said, self._unchecked = field, control, said, unchecked
        self._title = Static()
        self._problem = Static(classes="field-problem")
        self._more = Static(classes="field-more")
        in_form = isinstance(control, ChoiceControl) and not isinstance(control, LeadChoice)
        self._is_long = in_form and len(field.choices) > CHOICES
        if self._is_long:
            control.styles.max_height, control.styles.scrollbar_size_vertical = CHOICES, 0

    @property
    def can_be_filled(self) -> bool:
        return not isinstance(self.control, NoControl)

    def entered(self) -> Entered:
        return self.control.entered()

    def compose(self) -> ComposeResult:
        heading = self._heading()
        self._title.update(heading)
        if heading.plain:
            yield self._title
        for text in filter(None, (self.field.description, self.field.hint)):
            if text not in (self._said, self.field.title):
                yield Static(safe(text[:DESCRIPTION_AT_MOST], MUTED))
        yield self.control
        if self._is_long:
            yield self._more
        yield self._problem

    def on_mount(self) -> None:
        """In a long list what is out of sight is counted: a scrollbar beside that of the form says nothing."""
        if self._is_long:
            self._count()
            self.watch(self.control, "scroll_y", self._count, init=False)

    def _count(self) -> None:
        above = int(self.control.scroll_y)
        below = len(self.field.choices) - above - CHOICES
        words = f"… {below:,} more" if below > 0 else f"… {above:,} above"
        self._more.update(Content.styled(words, MUTED))

    def leave_to_the_agent(self, unchecked: bool) -> None:
        if unchecked is not self._unchecked:
            self._unchecked = unchecked
            self._title.update(self._heading())

    def show_problem(self, problem: str) -> None:
        self.set_class(bool(problem), "-wrong")
        if problem:
            self._problem.update(Content.styled(f"! {sanitise_line(problem, 300)}"))

    def _heading(self) -> Content:
        lead = isinstance(self.control, LeadChoice)  # that it wants an answer need not be said
        title = "" if self.field.title == self._said else sanitise_line(self.field.title, 120)
        words = ["required"] if self.field.required and not lead else []
        rules = rules_in_words(self.field)
        words += [sanitise_line(rules, 160)] if rules else []
        words += ["checked by the agent"] if self._unchecked else []
        return Content.assemble(
            (title, "bold"),
            (" *" if title and self.field.required and not lead else "", "bold $warning"),
            (f"{'  ' if title else ''}{' · '.join(words)}" if words else "", MUTED),
        )

    @on(Changed)
    def _changed(self, message: Changed) -> None:
        message.stop()
        self.post_message(self.Entering(self.field.name, message.entered))

    @on(events.DescendantBlur)
    def _left(self) -> None:
        if self.can_be_filled:
            self.post_message(self.Entering(self.field.name, self.entered(), left=True))


def control_of(field: Field, entered: Entered) -> Control:
    text = entered if isinstance(entered, str) else ""
    match field.kind:
        case "text" | "number" | "integer":
            return TextControl(text, masked=field.masked, one_line=field.kind != "text")
        case "boolean":
            return SwitchControl(entered if isinstance(entered, bool) else None, required=field.required)
        case "choice" | "choices":
            return ChoiceControl(field, entered)
        case "unknown":
            left_out = "" if field.required else ", left empty"
            return NoControl(Content.styled(f"not supported here{left_out}", f"{MUTED} italic"))


SHOWN_AT_MOST = 200  # fields; of more the last are counted, and keep their defaults


class FormView(Vertical):
    """Fills in `form`; says what is wrong with a field once the user has left it, and live from then on."""

    DEFAULT_CSS = """
    FormView { height: auto; }
    FormView > Static { height: auto; padding: 0 0 0 2; }
    """

    def __init__(self, question: ElicitationQuestion, form: Form) -> None:
        super().__init__()
        self.form = form
        self.lead: LeadChoice | None = None
        lead = question.lead
        self._boxes: dict[str, FieldBox] = {}
        for field in form.fields[:SHOWN_AT_MOST]:
            control = control_of(field, form.entered(field.name))
            if lead is not None and field.name == lead.name:
                control = self.lead = LeadChoice(field, form.entered(field.name))
            unchecked = form.left_to_the_agent(field.name)
            self._boxes[field.name] = FieldBox(field, control, said=question.message, unchecked=unchecked)
        self._touched: set[str] = set()

    def compose(self) -> ComposeResult:
        about = [Content.styled(sanitise_line(self.form.title, 200), "bold")] if self.form.title else []
        about += [safe(self.form.description[:2_000], MUTED)] if self.form.description else []
        if about:
            yield Static(Content("\n").join(about))
        hidden = len(self.form.fields) - len(self._boxes)
        if hidden:
            keep = "it keeps its default" if hidden == 1 else "they keep their defaults"
            yield Static(Content.styled(f"… {counted(hidden, 'more field')} not shown; {keep}", MUTED))
        if not self.form.fields:
            yield Static(Content.styled("No fields to fill in.", MUTED))
        yield from self._boxes.values()

    @property
    def place(self) -> int | None:
        """Which field has the focus."""
        return next((at for at, box in enumerate(self._boxes.values()) if box.has_focus_within), None)

    @property
    def controls(self) -> list[Widget]:
        return [box.control for box in self._boxes.values() if box.can_be_filled]

    def check(self) -> bool:
        """Show all problems; whether there are none. The first gets the focus."""
        for name, box in self._boxes.items():
            if box.can_be_filled:  # what was typed just now has not been told yet
                self.form.enter(name, box.entered())
        problems = self.form.problems()
        self._touched.update(self._boxes)
        for name, box in self._boxes.items():
            box.show_problem(problems.get(name, ""))
        for name, problem in problems.items():
            wrong = self._boxes.get(name)
            if wrong is not None and wrong.can_be_filled:
                wrong.control.focus()
            else:
                self.app.notify(f"{sanitise_line(name, 60)}: {problem}", severity="warning", markup=False)
            return False
        return True

    @on(FieldBox.Entering)
    def _entering(self, message: FieldBox.Entering) -> None:
        self.form.enter(message.name, message.entered)
        self._boxes[message.name].leave_to_the_agent(self.form.left_to_the_agent(message.name))
        if message.left:
            self._touched.add(message.name)
        if message.name in self._touched:
            self._boxes[message.name].show_problem(self.form.problem(message.name))


class ActButton(Static, can_focus=True):
    """One act; Enter, Space or a click does it."""

    DEFAULT_CSS = """
    ActButton { width: auto; height: 1; padding: 0 1; margin: 0 1 0 0; background: $panel; }
    ActButton:focus { background: $primary 16%; text-style: bold; }
    ActButton:ansi:focus { background: ansi_default; text-style: bold underline; }
    """

    @dataclass
    class Pressed(Message):
        """The user wants it done."""

        act: Act
        by_key: bool = True

    def __init__(self, button: Button) -> None:
        super().__init__()
        self.button = button
        self.show_key(True)

    def show_key(self, letters: bool) -> None:
        """Show the label with its key, if that does something now; `letters` do so without a text field. The place
        of the key stays, so that no button moves.
        """
        key = (f" {spell(self.button.key)}", MUTED) if letters or len(self.button.key) > 1 else "  "
        self.update(Content.assemble(self.button.label, key))

    def on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "space"):
            event.stop().prevent_default()
            self.post_message(self.Pressed(self.button.act))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Pressed(self.button.act, by_key=False))


class ButtonRow(Horizontal):
    """All acts that there are now."""

    DEFAULT_CSS = "ButtonRow { height: 1; padding: 0 1 0 2; }"

    def __init__(self, buttons: Sequence[Button]) -> None:
        self.buttons = [ActButton(button) for button in buttons]
        super().__init__(*self.buttons)

    def act_for(self, key: str) -> Act | None:
        return next((each.button.act for each in self.buttons if each.button.key == key), None)
