"""A form on the screen: its fields one below the other; must not know what becomes of it."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.session.forms import Form
from acp_tui.ui.elicitation.choice_control import LeadChoice
from acp_tui.ui.elicitation.field_box import FieldBox, control_of
from acp_tui.ui.elicitation.question import Question
from acp_tui.ui.render.text import safe, sanitise_line
from acp_tui.ui.tones import MUTED

SHOWN_AT_MOST = 200  # fields; of more the last are counted, and keep their defaults


class FormView(Vertical):
    """Fills in `form`; says what is wrong with a field once the person has left it, and live from then on."""

    DEFAULT_CSS = """
    FormView { height: auto; }
    FormView > Static { height: auto; margin: 0 0 1 0; padding: 0 0 0 2; }
    """

    def __init__(self, question: Question, form: Form, swallows: Callable[[], bool]) -> None:
        """`swallows` tells of each key that would answer whether it comes too early to count."""
        super().__init__()
        self.form = form
        self.lead: LeadChoice | None = None
        lead = question.lead
        self._boxes: dict[str, FieldBox] = {}
        for field in form.fields[:SHOWN_AT_MOST]:
            control = control_of(field, form.entered(field.name))
            if lead is not None and field.name == lead.name:
                control = self.lead = LeadChoice(field, form.entered(field.name), swallows)
            unchecked = form.left_to_the_agent(field.name)
            self._boxes[field.name] = FieldBox(field, control, said=question.message, unchecked=unchecked)
        self._touched: set[str] = set()

    def compose(self) -> ComposeResult:
        """What the form is about, then its fields."""
        about = [Content.styled(sanitise_line(self.form.title, 200), "bold")] if self.form.title else []
        about += [safe(self.form.description[:2_000], MUTED)] if self.form.description else []
        if about:
            yield Static(Content("\n").join(about))
        hidden = len(self.form.fields) - len(self._boxes)
        if hidden:
            yield Static(Content.styled(f"… {hidden:,} more fields are not shown and keep their defaults", MUTED))
        if not self.form.fields:
            yield Static(Content.styled("There is nothing to fill in.", MUTED))
        yield from self._boxes.values()

    @property
    def controls(self) -> list[Widget]:
        """What can have the focus, in order."""
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
                self.app.notify(f"{sanitise_line(name, 60)} {problem}", severity="warning", markup=False)
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
