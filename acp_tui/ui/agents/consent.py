"""The question before a project's agent starts: everything that would be started, and yes or no.

What somebody agrees to here runs with their rights. So the answer that starts nothing is highlighted, keys do nothing
until the question has stood on the screen for a moment (the guard of permissions), and what is not yet read cannot be
agreed to: `y` turns the page as long as there is one.
"""

import time
from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.host.launch import Consent, Launch
from acp_tui.ui.agents.consent_facts import consent_units
from acp_tui.ui.figures import counted
from acp_tui.ui.hints import Hint, key_hints
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.permission.guard import Guard
from acp_tui.ui.permission.units_view import UnitsView
from acp_tui.ui.render.text import sanitise_line

NO, YES = 0, 1
WIDEST, SHARE = 100, 0.92  # cells of the panel, and its part of the screen
TALLEST = 0.9  # of the screen
AROUND = 11  # rows of the panel beside what is read: padding, title, what is below, answers, warning, hints, gaps
BESIDE = 7  # cells beside what is read: border, padding, margin, scrollbar
LEAST = 3  # rows of what is read
READING: tuple[Hint, ...] = (("↑↓ pgdn", "read on"), ("n", "do not start"))
CHOOSING: tuple[Hint, ...] = (("↑↓", "choose"), ("enter", "answer"))
AGAIN: Hint = ("pgup", "read again")


class ConsentScreen(Overlay[bool]):
    """Says what would run; nothing but `y`, or choosing that answer, agrees."""

    AUTO_FOCUS = ""

    def __init__(self, launch: Launch, consent: Consent, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(classes="picker")
        self._launch, self._consent = launch, consent
        self._guard = Guard(clock)
        self._painted = False
        self._facts = UnitsView("consent-facts")
        self._below = Static(id="consent-below")
        self._answers = OptionList(
            Option(Content("n  Do not start it")),
            Option(Content("y  Start it" + ("" if consent.lasts else ", this once"))),
            markup=False,
            compact=True,
            id="consent-answers",
        )
        self._hints = Static(classes="picker-hints")

    @property
    def rows_below(self) -> int:
        """How many rows were not read yet."""
        facts = self._facts
        return max(0, facts.virtual_size.height - facts.scroll_offset.y - facts.size.height)

    def compose(self) -> ComposeResult:
        """Question, facts, answers."""
        name = sanitise_line(self._consent.name, 40)
        with Vertical(classes="picker-panel consent-panel"):
            yield Static(
                Content.assemble(("△ ", "$warning"), (f"This project wants to start “{name}”", "bold")),
                classes="picker-title",
            )
            yield self._facts
            yield self._below
            yield self._answers
            yield Static("It has your rights: do you trust its author?", id="consent-warning")
            yield self._hints

    def on_mount(self) -> None:
        """Stand on the answer that starts nothing; keys count once the question is on the screen."""
        self._answers.can_focus = False
        self._answers.highlighted = NO
        self._guard.begin()
        self.watch(self._facts, "scroll_y", self._tell_below, init=False)
        self._fit()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._painted = True
        self._guard.begin()
        self._tell_below()

    def on_resize(self) -> None:
        """Another screen has other room."""
        self._fit()

    def _fit(self) -> None:
        """As many rows as there are to read, or as have room."""
        width = min(WIDEST, int(self.app.size.width * SHARE))
        room = max(LEAST, int(self.app.size.height * TALLEST) - AROUND)
        self.query_one(".consent-panel").styles.width = width
        self._facts.show(consent_units(self._launch, self._consent), width - BESIDE)
        self._facts.styles.height = self._facts.rows_at_most(room)
        self.call_after_refresh(self._tell_below)

    def _tell_below(self) -> None:
        """How much there is to read, and the keys for what comes next."""
        below = self.rows_below
        self._below.update(Content.styled(f"↓ {counted(below, 'more line')}" if below else "", "$warning"))
        again = (AGAIN,) if self._facts.scroll_offset.y else ()
        self._hints.update(key_hints(READING if below else (*CHOOSING, *again)))

    # What the user does

    def on_key(self, event: events.Key) -> None:
        """Read, choose, answer. Keys that start nothing always count."""
        event.stop()
        event.prevent_default()
        if event.key in ("escape", "ctrl+c", "ctrl+q"):
            self.dismiss(False)
        elif self._painted and not self._guard.swallows():
            act = self._acts().get(event.character or "", self._acts().get(event.key))
            if act is not None:
                act()

    def _acts(self) -> dict[str, Callable[[], object]]:
        facts = self._facts
        return {
            "y": lambda: self._answer(YES),
            "n": lambda: self._answer(NO),
            "enter": lambda: self._answer(self._answers.highlighted),
            "up": lambda: self._move(-1),
            "down": lambda: self._move(1),
            "pageup": lambda: facts.scroll_page_up(animate=False),
            "pagedown": lambda: facts.scroll_page_down(animate=False),
            " ": lambda: facts.scroll_page_down(animate=False),
            "home": lambda: facts.scroll_home(animate=False),
            "end": lambda: facts.scroll_end(animate=False),
        }

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the line that was clicked."""
        event.stop()
        self._answers.highlighted = NO  # a click that does not count must not leave the highlight for Enter
        if self._painted and not self._guard.swallows():
            self._answer(event.option_index)

    def _move(self, step: int) -> None:
        """The answers stand below what is read: the highlight moves at its end."""
        if step > 0 and self.rows_below:
            self._facts.scroll_down(animate=False)
        elif step > 0:
            self._answers.highlighted = YES
        elif self._answers.highlighted == YES:
            self._answers.highlighted = NO
        else:
            self._facts.scroll_up(animate=False)

    def _answer(self, answer: int | None) -> None:
        if answer == YES and self.rows_below:
            self._guard.begin()  # a key that is held down reads nothing
            self._facts.scroll_page_down(animate=False)
        else:
            self.dismiss(answer == YES)
