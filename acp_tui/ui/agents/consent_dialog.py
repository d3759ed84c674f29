"""A question to which a careless yes would run something: all that would run is read first, then yes or no.

What somebody agrees to here runs with their rights. So the answer that runs nothing is highlighted, keys answer by the
rule of answers, and what is not yet read cannot be agreed to: `y` turns the page as long as there is one.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.launch_plan import Consent, LaunchPlan
from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.host.prompts.own_prompts import OwnPrompts
from acp_tui.host.system.threads import in_thread
from acp_tui.session.text.mentions import Mention, mentions_in
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_masking import masked_words
from acp_tui.ui.entries.base_units import BlankUnit, FixedUnit
from acp_tui.ui.kit.list_panel import PanelKey, UnitsView
from acp_tui.ui.kit.picker import AnswerOptions, AskingOverlay
from acp_tui.ui.kit.session_view import SessionView, announce_fault, announce_problems
from acp_tui.ui.kit.theme import Hint, fitting
from acp_tui.ui.prompt.draft import Draft, Stop
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import ExactPiece, exact_lines, sanitise_line
from acp_tui.ui.render.wrap import Line, Row, Unit, rows_of
from acp_tui.views.formatting import home_path

NO, YES = 0, 1
WIDEST, SHARE = 100, 0.92  # cells of the panel, and its part of the screen
TALLEST = 0.9  # of the screen
AROUND, AROUND_SHORT = 12, 7  # rows of the panel beside what is read; a short one has no gaps
BESIDE = 7  # cells beside what is read: border, padding, margin, scrollbar
LEAST = 3  # rows of what is read
AGAIN: Hint = ("pgup", "scroll up")


class ConsentQuestion(Frozen):
    """What is asked: a title, all that is to be read, the two answers, and what to think of before a yes."""

    title: str
    units: Sequence[Unit]
    no: str
    yes: str
    warning: str


class ConsentDialog(AskingOverlay[bool]):
    """Says what would run; nothing but `y`, or choosing that answer, agrees."""

    ANSWERS, TOGGLES = "ny", " "
    PANEL = "consent-panel"
    KEYS = (
        PanelKey("up,down", lambda dialog: "scroll down" if dialog.rows_below else "", label="↑↓ pgdn"),
        PanelKey("up,down", lambda dialog: "" if dialog.rows_below else "select", label="↑↓"),
        PanelKey(
            "enter",
            lambda dialog: "" if dialog.rows_below else "confirm",
            lambda dialog: dialog.answer(dialog.answers.highlighted),
        ),
        PanelKey("escape,ctrl+c,ctrl+q", "cancel", "dismiss(False)"),
        PanelKey(
            "pageup",
            lambda dialog: AGAIN[1] if dialog.facts.scroll_offset.y and not dialog.rows_below else "",
            lambda dialog: dialog.facts.scroll_page_up(animate=False),
            label=AGAIN[0],
        ),
        PanelKey("pagedown,space", act=lambda dialog: dialog.facts.scroll_page_down(animate=False)),
        PanelKey("home", act=lambda dialog: dialog.facts.scroll_home(animate=False)),
        PanelKey("end", act=lambda dialog: dialog.facts.scroll_end(animate=False)),
        PanelKey("y", act=lambda dialog: dialog.answer(YES)),
        PanelKey("n", act=lambda dialog: dialog.answer(NO)),
    )

    def __init__(self, question: ConsentQuestion) -> None:
        super().__init__(question.title)
        self._question = question
        self.facts = UnitsView("consent-facts")
        self._below = Static(id="consent-below")
        answers = (Option(Content(f"n  {question.no}")), Option(Content(f"y  {question.yes}")))
        self.answers = AnswerOptions(*answers, markup=False, compact=True, id="consent-answers")

    @property
    def rows_below(self) -> int:
        facts = self.facts
        return max(0, facts.virtual_size.height - facts.scroll_offset.y - facts.size.height)

    def content(self) -> Iterable[Widget]:
        warning = Static(self._question.warning, markup=False, id="consent-warning")
        return self.facts, self._below, warning, self.answers

    def heading(self) -> Content:
        return Content.assemble(("△ ", "$warning"), super().heading())

    def start(self) -> None:
        """Stand on the answer that runs nothing."""
        self.answers.can_focus = False
        self.answers.highlighted = NO
        self.watch(self.facts, "scroll_y", self.say, init=False)
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        size = self.app.size
        width = size.width if self.is_short else min(WIDEST, int(size.width * SHARE))
        room = size.height - AROUND_SHORT if self.is_short else int(size.height * TALLEST) - AROUND
        room -= len(self._question.warning) // max(1, width - BESIDE)  # rows that the question wraps to
        self.query_one(".consent-panel").styles.width = width
        self.facts.show(self._question.units, width - BESIDE)
        self.facts.styles.height = self.facts.rows_at_most(max(LEAST, room))
        self.call_after_refresh(self.say)

    def hints(self) -> list[Hint]:
        return fitting(super().hints(), self._hints.size.width, [AGAIN])

    def say(self) -> None:
        below = f"↓ {counted(self.rows_below, 'more line')}" if self.rows_below else ""
        self._below.update(Content.styled(below, "$warning"))
        super().say()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.answer(event.option_index)

    def highlight(self, row: int | None) -> int | None:
        before = self.answers.highlighted
        self.answers.highlighted = row
        return before

    def leave(self) -> bool:
        self.dismiss(False)
        return True

    def move(self, step: int) -> bool | None:
        """The answers stand below what is read: the highlight moves at its end."""
        before = self.answers.highlighted
        if step > 0 and self.rows_below:
            self.facts.scroll_down(animate=False)
        elif step > 0 or before == YES:
            self.answers.highlighted = YES if step > 0 else NO
        else:
            self.facts.scroll_up(animate=False)
        return None if self.answers.highlighted == before else False

    def answer(self, answer: int | None) -> None:
        if answer == YES and self.rows_below:
            self.facts.scroll_page_down(animate=False)
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
        name = sanitise_line((consent.file and plan.title) or consent.name, 40)
        super().__init__(
            ConsentQuestion(
                f'This project wants to start "{name}"' if consent.file else f'Start "{name}" as in the last session?',
                in_groups((_start(plan, consent), _bounds(consent))),
                no="Don't start",
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
    yield from facts("works in", home_path(str(plan.cwd)))


def _bounds(consent: Consent) -> Iterator[Unit]:
    if consent.file is not None:
        yield from facts("asks again", "if the project names another agent", muted=True)
        return
    if not consent.lasts:
        yield from _listed("Asks again every time:", "its files are too large to compare")
    elif consent.watched:
        yield from _listed("Asks again if these change:", *(_path(path, consent) for path in consent.watched))
    else:
        yield from _listed("Asks again if this changes:", "the command")
    loaded = "anything these files load" if consent.watched else "anything it loads"
    others = [f"{_path(path, consent)} and its contents" for path in consent.unwatched]
    yield from _listed("Not checked:", loaded, *others)


def _listed(title: str, *texts: str) -> Iterator[Unit]:
    """A sentence's beginning in a row of its own, and below it the texts that it is about."""
    yield Fact(title, [[]])
    yield from facts("", *texts, muted=True)


def _path(path: str, consent: Consent) -> str:
    shown = Path(path)
    return str(shown.relative_to(consent.folder)) if shown.is_relative_to(consent.folder) else home_path(path)


def command_facts(label: str, words: Sequence[str]) -> Iterator[Unit]:
    """A command in one row where no word can be mistaken, else a word a row, each in quotes if it needs them."""
    joined = " ".join(words)
    if len(joined) <= _ONE_ROW and all(map(_PLAIN.fullmatch, words)):
        return facts(label, joined)
    return facts(label, *(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words))


WITHIN = 5.0  # seconds for files that are read
TITLE = "Prompts"


class OwnPromptActions:
    """The prompts that can be used in one session; files are read beside the loop."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        changed: Callable[[], object],
    ) -> None:
        """`changed` is called when others are listed."""
        self._view, self._editor, self._changed = view, editor, changed
        self._prompts = OwnPrompts(Path(view.session.cwd))
        self._reading = self.are_read = False
        self._told: set[str] = set()  # problems

    @property
    def listed(self) -> Sequence[OwnPrompt]:
        """Those that are known; `look` is what reads them."""
        return self._prompts.listed

    def look(self) -> None:
        """Read what there is, beside the loop: for when the list of commands opens."""
        if not self._reading:
            self._view.run(self._look())

    async def _look(self) -> None:
        self._reading = True
        try:
            with suppress(TimeoutError):  # a file system that does not answer: what is known stays listed
                if await in_thread(self._prompts.look, within=WITHIN):
                    self._tell_problems()
                    self._changed()
        finally:
            self._reading, self.are_read = False, True

    async def use(self, prompt: OwnPrompt, arguments: str, draft: Draft) -> Draft | Stop:
        """The prompt as its file is now, with the words and attachments of a draft; or it is put into the editor.

        A project's prompt is shown first, and used if the user agrees to it; if not, the draft comes back.
        """
        await self._look()
        now = self._prompts.find(prompt.name)
        if now is None:
            self._view.say(f"/{prompt.name} no longer exists. Nothing was sent.", 5, "warning")
        if now is None or not await self._is_agreed(now):
            return Stop.BACK
        try:
            text = now.expand(arguments)
        except UserFault as fault:
            announce_fault(self._view.app, fault)
            return Stop.BACK
        if now.send:
            return replace(draft, text=text, mentions=tuple(_mentions(text, arguments, draft)))
        self._editor.give_back(text, draft.attachments)
        return Stop.DONE

    async def _is_agreed(self, prompt: OwnPrompt) -> bool:
        if await in_thread(self._prompts.may_be_used, prompt):
            return True
        if not await self._view.ask(PromptConsent(prompt)):
            return False
        try:
            await in_thread(self._prompts.agree, prompt)
        except OSError as error:
            self._view.say(f"Your answer could not be saved ({error.strerror or error}). You will be asked again.", 5)
        return True

    def _tell_problems(self) -> None:
        new = [problem for problem in self._prompts.problems if problem not in self._told]
        if new:
            self._told.update(new)
            announce_problems(self._view.app, new, TITLE)


def _mentions(text: str, arguments: str, draft: Draft) -> Iterator[Mention]:
    """The files that a prompt names; of its arguments only what the user typed: a paste may name anything."""
    pasted = {mention.name for mention in mentions_in(arguments)} - {mention.name for mention in draft.mentions}
    return (mention for mention in mentions_in(text) if mention.name not in pasted)


class PromptConsent(ConsentDialog):
    """Whether a prompt of the project may be used: shows all its text, which speaks to the agent in the user's name."""

    def __init__(self, prompt: OwnPrompt) -> None:
        super().__init__(
            ConsentQuestion(
                f"Use the project's /{sanitise_line(prompt.name, 40)}?",
                in_groups((_origin(prompt), facts("prompt", *(line or " " for line in prompt.text.split("\n"))))),
                no="Don't use it",
                yes="Send" if prompt.send else "Insert",
                warning="The agent reads it as your own words. Do you trust its author?",
            )
        )


def _origin(prompt: OwnPrompt) -> Iterator[Unit]:
    path = prompt.path
    if prompt.project is not None and path.is_relative_to(prompt.project):
        path = path.relative_to(prompt.project)
    yield from facts("file", home_path(str(path)))
    yield from _listed("Asks again if this changes:", "the text of the prompt")
