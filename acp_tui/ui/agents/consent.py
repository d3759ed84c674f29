"""The question before a project's agent starts: everything that would be started, and yes or no.

What somebody agrees to here runs with their rights. So the answer that starts nothing is highlighted, keys do nothing
until the question has stood on the screen for a moment (the guard of permissions), and what is not yet read cannot be
agreed to: `y` turns the page as long as there is one.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.host.catalog.launch import Consent, Launch
from acp_tui.host.config.masked import MASK, is_secret, masked_words
from acp_tui.protocol.capabilities import McpServer
from acp_tui.ui.entries.shared_units import BlankUnit, FixedUnit
from acp_tui.ui.kit.figures import counted, home_path
from acp_tui.ui.kit.hints import Hint, key_hints
from acp_tui.ui.kit.key_guards import Guard
from acp_tui.ui.kit.overlay import Overlay
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import ExactPiece, exact_lines, sanitise_line
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import Line, rows_of
from acp_tui.ui.transcript.units_view import UnitsView

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

    def __init__(self, launch: Launch, consent: Consent) -> None:
        super().__init__(classes="picker")
        self._launch, self._consent = launch, consent
        self._guard = Guard()
        self._guard.wait()
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
        facts = self._facts
        return max(0, facts.virtual_size.height - facts.scroll_offset.y - facts.size.height)

    def compose(self) -> ComposeResult:
        name = sanitise_line(self._consent.name, 40)
        recorded = f"Start “{name}” as in the last session?"
        title = recorded if self._consent.recorded else f"This project wants to start “{name}”"
        with Vertical(classes="picker-panel consent-panel"):
            yield Static(
                Content.assemble(("△ ", "$warning"), (title, "bold")),
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
        self.watch(self._facts, "scroll_y", self._tell_below, init=False)
        self._fit()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self._guard.begin()
        self._tell_below()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        width = min(WIDEST, int(self.app.size.width * SHARE))
        room = max(LEAST, int(self.app.size.height * TALLEST) - AROUND)
        self.query_one(".consent-panel").styles.width = width
        self._facts.show(consent_units(self._launch, self._consent), width - BESIDE)
        self._facts.styles.height = self._facts.rows_at_most(room)
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
        elif not self._guard.swallows():
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
        event.stop()
        self._answers.highlighted = NO  # a click that does not count must not leave the highlight for Enter
        if not self._guard.swallows():
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


LABEL = 13  # cells of the column of labels, with the gap after it
_HANG = 2  # cells by which a row that goes on is further to the right
_PIECE = 4000  # characters that are set at a time, when they come into view
_ONE_ROW = 60  # characters of a command that is told in one row
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


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


def consent_units(launch: Launch, consent: Consent) -> list[Unit]:
    """Everything that would be started, by whom that is said, and what the consent is bound to."""
    units: list[Unit] = []
    for group in (_start(launch, consent), _servers(launch.mcp_servers, consent), _bounds(consent)):
        facts = list(group)
        if facts and units:
            units.append(BlankUnit())
        units += facts
    return units


def _start(launch: Launch, consent: Consent) -> Iterator[Unit]:
    if not consent.recorded:
        yield from _facts("named by", home_path(str(consent.file)))
    if consent.proposed:
        yield from _facts("", f'default_agent = "{consent.name}"')
    command = launch.command
    # What the user configured may hold a secret; what the project says must be seen.
    yield from _command("runs", masked_words(command.argv) if consent.proposed else command.argv)
    if command.program != command.argv[0]:
        yield from _facts("program", home_path(command.program), muted=True)
    yield from _facts("in", home_path(str(launch.cwd)))
    yield from _facts("variables", *_variables(command.env, consent))
    for folder in launch.roots:
        yield from _facts("more folders", home_path(folder))


def _servers(servers: Sequence[McpServer], consent: Consent) -> Iterator[Unit]:
    for server in servers:
        yield from _facts("tool server", server.name)
        if server.command:
            yield from _command("  runs", (server.command, *server.args))
        if server.url:
            yield from _facts("  address", server.url)
        yield from _facts("  variables", *_variables(server.env, consent))
        for name in server.headers:
            yield from _facts("  header", f"{name}: {MASK}")


def _bounds(consent: Consent) -> Iterator[Unit]:
    if consent.lasts:
        files = consent.watched if consent.recorded else (str(consent.file), *consent.watched)
        bound = [_path(path, consent) for path in files]
        yield from _facts(
            "asks again", "when this or one of these changes:" if bound else "when this changes", *bound, muted=True
        )
    else:
        yield from _facts("asks again", "each time: the files that it names are too large to be compared")
    if not consent.proposed:
        loaded = "what these files load" if consent.watched else "what it loads"
        others = [f"{_path(path, consent)} and what is in it" for path in consent.unwatched]
        yield from _facts("not watched", loaded, *others, muted=True)


def _path(path: str, consent: Consent) -> str:
    shown = Path(path)
    return str(shown.relative_to(consent.folder)) if shown.is_relative_to(consent.folder) else home_path(path)


def _command(label: str, words: Sequence[str]) -> Iterator[Unit]:
    """A command in one row where no word can be mistaken, else a word a row, each in quotes if it needs them."""
    joined = " ".join(words)
    if len(joined) <= _ONE_ROW and all(map(_PLAIN.fullmatch, words)):
        return _facts(label, joined)
    return _facts(label, *(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words))


def _variables(variables: Mapping[str, str], consent: Consent) -> Iterator[str]:
    """Names with their values, unless a value is the user's or sounds secret."""
    for name, value in sorted(variables.items()):
        if name in consent.hidden:
            source = f" from {home_path(consent.env_file)}" if consent.env_file else ""
            yield f"{name}={MASK}{source}"
        else:
            yield f"{name}={MASK} ({len(value):,} characters)" if is_secret(name) else f"{name}={value}"


def _facts(label: str, *texts: str, muted: bool = False) -> Iterator[Unit]:
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
