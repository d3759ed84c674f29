"""A question to which a careless yes would run something: all that would run is read first, then yes or no.

What somebody agrees to here runs with their rights. So the answer that runs nothing is highlighted, keys answer by the
rule of answers, and what is not yet read cannot be agreed to: `y` turns the page as long as there is one.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.frozen import Frozen
from acp_tui.host.catalog.launch_plan import Consent, LaunchPlan
from acp_tui.session.text.secret_masking import masked_words
from acp_tui.session.text.words import counted
from acp_tui.ui.answers.asking_screens import AnswerOptions, AskingOverlay
from acp_tui.ui.entries.base_units import BlankUnit, FixedUnit
from acp_tui.ui.kit.base_screens import SHORT
from acp_tui.ui.kit.theme import Hint, key_hints
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import ExactPiece, exact_lines, sanitise_line
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import Line, rows_of
from acp_tui.ui.transcript.units_view import UnitsView
from acp_tui.views.formatting import home_path

NO, YES = 0, 1
WIDEST, SHARE = 100, 0.92  # cells of the panel, and its part of the screen
TALLEST = 0.9  # of the screen
AROUND, AROUND_SHORT = 11, 7  # rows of the panel beside what is read; a short one has no gaps
BESIDE = 7  # cells beside what is read: border, padding, margin, scrollbar
LEAST = 3  # rows of what is read
READING: tuple[Hint, ...] = (("↑↓ pgdn", "read on"), ("esc", "cancel"))
CHOOSING: tuple[Hint, ...] = (("↑↓", "select"), ("enter", "confirm"), ("esc", "cancel"))
AGAIN: Hint = ("pgup", "read again")


class Question(Frozen):
    """What is asked: a title, all that is to be read, the two answers, and what to think of before a yes."""

    title: str
    units: Sequence[Unit]
    no: str
    yes: str
    warning: str


class ConsentDialog(AskingOverlay[bool]):
    """Says what would run; nothing but `y`, or choosing that answer, agrees."""

    ANSWERS, TOGGLES = "ny", " "

    def __init__(self, question: Question) -> None:
        super().__init__(classes="picker")
        self._question = question
        self._facts = UnitsView("consent-facts")
        self._below = Static(id="consent-below")
        answers = (Option(Content(f"n  {question.no}")), Option(Content(f"y  {question.yes}")))
        self._answers = AnswerOptions(*answers, markup=False, compact=True, id="consent-answers")
        self._hints = Static(classes="picker-hints")

    @property
    def rows_below(self) -> int:
        facts = self._facts
        return max(0, facts.virtual_size.height - facts.scroll_offset.y - facts.size.height)

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel consent-panel"):
            title = Content.assemble(("△ ", "$warning"), (self._question.title, "bold"))
            yield Static(title, classes="picker-title")
            yield self._facts
            yield self._below
            yield self._answers
            yield Static(self._question.warning, markup=False, id="consent-warning")
            yield self._hints

    def on_mount(self) -> None:
        """Stand on the answer that runs nothing."""
        self._answers.can_focus = False
        self._answers.highlighted = NO
        self.watch(self._facts, "scroll_y", self._tell_below, init=False)
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        size = self.app.size
        short = size.height < SHORT
        width = size.width if short else min(WIDEST, int(size.width * SHARE))
        room = size.height - AROUND_SHORT if short else int(size.height * TALLEST) - AROUND
        self.query_one(".consent-panel").styles.width = width
        self._facts.show(self._question.units, width - BESIDE)
        self._facts.styles.height = self._facts.rows_at_most(max(LEAST, room))
        self.call_after_refresh(self._tell_below)

    def _tell_below(self) -> None:
        below = self.rows_below
        self._below.update(Content.styled(f"↓ {counted(below, 'more line')}" if below else "", "$warning"))
        again = (AGAIN,) if self._facts.scroll_offset.y else ()
        self._hints.update(key_hints(READING if below else (*CHOOSING, *again)))

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in ("escape", "ctrl+c", "ctrl+q"):
            self.dismiss(False)
        elif self.counts(event):
            act = self._acts().get(event.character or "", self._acts().get(event.key))
            if act is not None:
                act()

    def _acts(self) -> dict[str, Callable[[], object]]:
        facts = self._facts
        return {
            "y": lambda: self._answer(YES),
            "n": lambda: self._answer(NO),
            "enter": lambda: self._answer(self._answers.highlighted),
            "pageup": lambda: facts.scroll_page_up(animate=False),
            "pagedown": lambda: facts.scroll_page_down(animate=False),
            " ": lambda: facts.scroll_page_down(animate=False),
            "home": lambda: facts.scroll_home(animate=False),
            "end": lambda: facts.scroll_end(animate=False),
        }

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._answer(event.option_index)

    def highlight(self, row: int | None) -> int | None:
        before = self._answers.highlighted
        self._answers.highlighted = row
        return before

    def leave(self) -> bool:
        self.dismiss(False)
        return True

    def move(self, step: int) -> bool | None:
        """The answers stand below what is read: the highlight moves at its end."""
        before = self._answers.highlighted
        if step > 0 and self.rows_below:
            self._facts.scroll_down(animate=False)
        elif step > 0 or before == YES:
            self._answers.highlighted = YES if step > 0 else NO
        else:
            self._facts.scroll_up(animate=False)
        return None if self._answers.highlighted == before else False

    def _answer(self, answer: int | None) -> None:
        if answer == YES and self.rows_below:
            self._facts.scroll_page_down(animate=False)
            self.await_paint()
        else:
            self.dismiss(answer == YES)


_ONE_ROW = 60  # characters of a command that is told in one row
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
LABEL = 13  # cells of the column of labels, with the gap after it
_HANG = 2  # cells by which a row that goes on is further to the right
_PIECE = 4000  # characters that are set at a time, when they come into view


class Fact(FixedUnit):
    """A part of a value as `exact_lines` gives it; its `label` stands before its first line."""

    def __init__(self, label: str, lines: Sequence[Sequence[ExactPiece]], *, muted: bool = False) -> None:
        self._label, self._lines, self._muted = label, lines, muted

    def estimate(self, width: int) -> int:
        return sum(1 + sum(len(text) for text, _ in line) // max(1, width - LABEL) for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        inks = (palette.muted if self._muted else palette.text, palette.warning)
        lines: list[Line] = []
        for line in self._lines:
            label = "" if lines else self._label
            runs = [(text, inks[stands_in]) for text, stands_in in line]
            lines.append(Line(runs, [(label.ljust(LABEL), palette.muted)], [(" " * (LABEL + _HANG), palette.muted)]))
        return rows_of(lines, width)


def in_groups(groups: Iterable[Iterable[Unit]]) -> list[Unit]:
    """Groups of what is to be read, with a blank row between them."""
    units: list[Unit] = []
    for group in groups:
        members = list(group)
        if members and units:
            units.append(BlankUnit())
        units += members
    return units


def facts(label: str, *texts: str, muted: bool = False) -> Iterator[Unit]:
    """Values below each other, the label before the first; a long one in parts that are set one by one."""
    for text in texts:
        lines: list[list[ExactPiece]] = []
        size = 0
        for part in (part for line in exact_lines(text) for part in _parts(line)):
            if size >= _PIECE:
                yield Fact(label, lines, muted=muted)
                label, lines, size = "", [], 0
            lines.append(part)
            size += sum(len(words) for words, _ in part)
        yield Fact(label, lines, muted=muted)
        label = ""


def _parts(line: Sequence[ExactPiece]) -> Iterator[list[ExactPiece]]:
    """A line in parts that are set one by one; nothing that stands for something else is cut."""
    part: list[ExactPiece] = []
    size = 0
    for text, stands_in in line:
        for start in range(0, max(1, len(text)), _PIECE):
            if size >= _PIECE:
                yield part
                part, size = [], 0
            part.append((text[start : start + _PIECE], stands_in))
            size += len(part[-1][0])
    yield part


class ConsentScreen(ConsentDialog):
    """Whether the agent that the project names, or that of the last session, may start."""

    def __init__(self, plan: LaunchPlan, consent: Consent) -> None:
        name = sanitise_line(consent.name, 40)
        super().__init__(
            Question(
                f"This project wants to start “{name}”" if consent.file else f"Start “{name}” as in the last session?",
                in_groups((_start(plan, consent), _bounds(consent))),
                no="Do not start",
                yes="Start" if consent.lasts else "Start this time",
                warning="The agent runs with your permissions. Do you trust the author of this project?",
            )
        )


def _start(plan: LaunchPlan, consent: Consent) -> Iterator[Unit]:
    if consent.file is not None:
        yield from facts("config file", home_path(str(consent.file)))
        yield from facts("", f'default_agent = "{consent.name}"')
    command = plan.command
    # What the user configured may hold a secret; what the last session was started with holds none, and must be seen.
    yield from command_facts("command", masked_words(command.argv) if consent.file else command.argv)
    if command.program != command.argv[0]:
        yield from facts("program", home_path(command.program), muted=True)
    yield from facts("folder", home_path(str(plan.cwd)))


def _bounds(consent: Consent) -> Iterator[Unit]:
    if consent.file is not None:
        yield from facts("asks again", "when the project names another agent", muted=True)
        return
    if consent.lasts:
        when = "when one of these files changes:" if consent.watched else "when this changes"
        yield from facts("asks again", when, *(_path(path, consent) for path in consent.watched), muted=True)
    else:
        yield from facts("asks again", "every time: its files are too large to compare")
    loaded = "anything these files load" if consent.watched else "anything it loads"
    others = [f"{_path(path, consent)} and its contents" for path in consent.unwatched]
    yield from facts("not checked", loaded, *others, muted=True)


def _path(path: str, consent: Consent) -> str:
    shown = Path(path)
    return str(shown.relative_to(consent.folder)) if shown.is_relative_to(consent.folder) else home_path(path)


def command_facts(label: str, words: Sequence[str]) -> Iterator[Unit]:
    """A command in one row where no word can be mistaken, else a word a row, each in quotes if it needs them."""
    joined = " ".join(words)
    if len(joined) <= _ONE_ROW and all(map(_PLAIN.fullmatch, words)):
        return facts(label, joined)
    return facts(label, *(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words))
