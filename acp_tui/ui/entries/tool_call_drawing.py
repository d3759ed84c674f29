"""The drawing of a tool call: one heading row, and below it as much as its state or the user asks for.

What is done folds, what runs or failed is open, what waits for the user is shown where the user is asked. Nothing is
compared, split or coloured before it is seen.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from acp_tui.protocol.vocabulary.content import AudioContent, ContentBlock, ImageContent, TextContent
from acp_tui.protocol.vocabulary.session_updates import PlanEntry
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    SessionReference,
    TerminalReference,
    UnknownToolCallContent,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds.tool_calls import is_own, rule_words
from acp_tui.session.state import Session, Terminal
from acp_tui.session.tools.patches import diffs_of
from acp_tui.session.tools.running_work import shown_in
from acp_tui.session.tools.subject import terminals_of
from acp_tui.session.tools.title import NOT_FINISHED, SUBAGENT
from acp_tui.ui.entries.base_units import STOPPED, BlankUnit, FixedUnit, in_a_group, status_of
from acp_tui.ui.entries.diff_units import DiffPreview, LazyDiffs, diff_units, more_row
from acp_tui.ui.entries.repeated_data import ShownCallData, is_input, patch_texts, spoken, told_by
from acp_tui.ui.entries.tool_call_heading import QuietLines, ToolHeading, text_lines
from acp_tui.ui.entries.tool_output import (
    TerminalScreen,
    TerminalTail,
    block_units,
    data_output,
    last_lines,
    output_units,
    raw_text,
    terminal_units,
    terminal_words,
)
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import LEFT, Line, Row, Unit, edge, rows_of
from acp_tui.views.formatting import exit_words
from acp_tui.views.plans import FINISHED, is_on_panel, step_sign

PREVIEW_LINES = 6
SHORT_OUTPUT = 3  # lines of a command's output, or the last ones of a subagent's, that do not fold
STEPS_SHOWN = 10  # of a todo list
LONGEST_STEP = 400  # cells
FAILED_LINES = 20
Referred = Callable[[ToolCallEntry], Sequence[Unit]]
STARTING = (SUBAGENT, "think", "other")  # kinds of calls that may start a subagent
LONGEST_NAME = 40  # characters of a title that every screen has room for


class ToolCallDrawing:
    """The drawing of one tool call; `referred` draws the sessions that it refers to."""

    def __init__(self, entry: ToolCallEntry, session: Session, referred: Referred = lambda _entry: ()) -> None:
        self._entry, self._session, self._referred = entry, session, referred
        self._expanded = self._whole = self._cut = False
        self._shown: tuple[object, ...] = ()
        self._diffs = LazyDiffs(())
        self._terminals: dict[str, tuple[TerminalScreen, QuietLines]] = {}
        self._blank = BlankUnit()
        self._heading = ToolHeading(entry, session)
        self._about = QuietLines(self._heading.untold, lambda: self._heading.version)
        self._rule = QuietLines(lambda _width, _palette: [rule_words(entry)], lambda: entry.version)
        self._open: list[Unit] = []
        self.units: Sequence[Unit] = ()
        self.update()

    @property
    def folded(self) -> bool | None:
        """Whether there is more to see than is shown now; None where a heading is all there is."""
        entry = self._entry
        bare = entry.raw_input is None and entry.raw_output is None and len(entry.title) <= LONGEST_NAME
        content = any(not isinstance(item, SessionReference) for item in entry.content)
        if bare and not (content or entry.written or len(entry.locations) > 1):
            return None
        return not self._expanded

    def toggle(self) -> int | None:
        """Show everything, or as little as the state asks for; where raw data was cut, show the rest of it first."""
        if self.folded is None:
            return None
        if self._expanded and self._cut and not self._whole:
            self._whole = True
        else:
            self._expanded, self._whole = not self._expanded, False
        return self.update()

    def update(self) -> int:
        """Look at the entry and its terminals again; only the heading changes while a terminal runs."""
        entry = self._entry
        diffs = diffs_of(entry)
        if not self._diffs.are(diffs, entry.locations):
            self._diffs, self._shown = LazyDiffs(diffs, self._session.cwd, entry.locations), ()
        self._heading.look(self._diffs)
        terminals = terminals_of(entry, self._session.terminals)
        running = [terminal.exit_status is None for terminal in terminals]
        status = status_of(entry, self._session)
        shown = (entry.version, status, running, self._asks, self._expanded, self._whole)
        if shown != self._shown or (self._expanded and terminals):
            self._shown = shown
            self._open = list(self._everything() if self._expanded else () if self._asks else self._summary(status))
        apart = self._open or not in_a_group(entry, self._session)
        referred = self._referred(entry)
        # What only started a subagent is told by the subagent's rows.
        merged = not self._expanded and self._only_starts(status) and len(referred) == 1
        heading = [] if merged else [self._heading]
        by_rule = [self._rule] if rule_words(entry) else []
        self.units = [*heading, *by_rule, *referred, *self._open, *[self._blank] * bool(apart)]
        return 0

    def _only_starts(self, status: str) -> bool:
        starts = self._heading.subject.kind in STARTING and status in ("in_progress", "completed")
        return starts and len(shown_in(self._entry, self._session)) == 1

    def _summary(self, status: str) -> Iterator[Unit]:
        entry = self._entry
        running = status in ("pending", "in_progress", "paused")
        yield from self._todos()
        ends = [terminal.exit_status for terminal in terminals_of(entry, self._session.terminals)]
        exited_badly = any(end is not None and exit_words(end)[0] is False for end in ends)
        failed = status == "failed" or (exited_badly and not running and status not in STOPPED)
        if running or failed or is_own(self._session, entry):
            if self._diffs and (running or (failed and not entry.earlier_diffs)):
                yield DiffPreview(self._diffs)
            yield from self._content(FAILED_LINES if failed else PREVIEW_LINES)
            if running:
                yield from self._input()
            elif failed and not entry.content and entry.raw_output is not None:
                yield from output_units(data_output(entry.raw_output), LEFT, FAILED_LINES)
        elif self._diffs and (status == "completed" or (status == NOT_FINISHED and entry.applied)):
            yield DiffPreview(self._diffs)
        elif status == "completed" and (brief := self._brief_output()):
            yield from brief
        elif status == "completed" and self._heading.subject.kind == SUBAGENT:
            yield from last_lines(entry, SHORT_OUTPUT)
        elif status == "completed":  # what is looked at or listened to and not read has its line even when folded
            for item in entry.content:
                if isinstance(item, ContentItem) and isinstance(item.content, ImageContent | AudioContent):
                    yield from block_units(item.content, entry.kind, LEFT, PREVIEW_LINES)

    @property
    def _asks(self) -> bool:
        question = self._session.index.questions.get(self._entry.id)
        return question is not None and question.action is None

    def _everything(self) -> Iterator[Unit]:
        yield self._about
        yield from self._todos()
        if self._diffs:
            yield from diff_units(self._diffs, LEFT, heads=False)
        yield from self._content(None)
        yield from self._rest()

    def _todos(self) -> Iterator[Unit]:
        """The list of the last such call, where no panel shows it; else the heading is all until it is unfolded."""
        todos, last = self._heading.subject.todos, self._session.index.todos_call is self._entry
        if todos is not None and (self._expanded or (last and not is_on_panel(todos.steps, self._session))):
            yield TodoUnit(todos.steps, None if self._expanded else STEPS_SHOWN)

    def _brief_output(self) -> list[Unit]:
        entry = self._entry
        if self._heading.subject.lead != "command":
            return []
        if not entry.content:
            text = raw_text(entry.raw_output).strip("\n")
            few = text != "" and text.count("\n") < SHORT_OUTPUT
            return output_units(data_output(text), LEFT, SHORT_OUTPUT) if few else []
        terminals = terminals_of(entry, self._session.terminals)
        lines = text_lines(entry) + sum(self._screen(each)[0].look().total for each in terminals)
        return list(self._content(SHORT_OUTPUT)) if 0 < lines <= SHORT_OUTPUT else []

    def _content(self, limit: int | None) -> Iterator[Unit]:
        for item in self._entry.content:
            if isinstance(item, TerminalReference):
                if terminal := self._session.terminals.get(item.terminal_id):
                    yield from self._terminal(terminal, whole=limit is None)
            elif isinstance(item, ContentItem):
                yield from self._block(item.content, limit)
            elif isinstance(item, UnknownToolCallContent):
                yield from output_units(data_output(item.raw), LEFT, limit)

    def _rest(self) -> Iterator[Unit]:
        entry = self._entry
        told = told_by(entry, self._session, self._heading.subject)
        outputs = [data_output(rest, "Input") for rest in told.inputs]
        if (rest := told.rest(entry.raw_output, output=True)) is not None:
            outputs.append(data_output(rest, "Output"))
        self._cut = False
        alone = not (entry.content or diffs_of(entry)) and len(outputs) == 1
        for output in outputs:
            cut = not alone and len(output.lines) > PREVIEW_LINES
            self._cut = self._cut or cut
            yield from output_units(output, LEFT, PREVIEW_LINES if cut and not self._whole else None)

    def _block(self, block: ContentBlock, limit: int | None = None) -> Iterator[Unit]:
        text = block.text if isinstance(block, TextContent) else ""
        todos = self._heading.subject.todos
        if text and (is_input(text, self._entry) or (todos is not None and todos.is_in(text))):
            return
        said = spoken(text, self._entry.kind)
        if said is text:
            yield from block_units(block, self._entry.kind, LEFT, limit)
        elif said.strip():
            yield from output_units(data_output(said), LEFT, limit)

    def _input(self) -> Iterator[Unit]:
        for item in self._entry.content:
            if not isinstance(item, ContentItem) or any(True for _ in self._block(item.content, 1)):
                return
        subject = self._heading.subject
        for rest in ShownCallData(subject, [self._entry.title], patch_texts(self._entry, subject), ()).inputs:
            yield from output_units(data_output(rest), LEFT, PREVIEW_LINES)

    def _terminal(self, terminal: Terminal, *, whole: bool) -> Iterator[Unit]:
        screen, head = self._screen(terminal)
        yield from [head, *terminal_units(screen, LEFT)] if whole else [TerminalTail(screen, LEFT)]

    def _screen(self, terminal: Terminal) -> tuple[TerminalScreen, QuietLines]:
        held = self._terminals.get(terminal.id)
        if held is None or held[0].terminal is not terminal:
            words = partial(terminal_words, terminal, self._entry, self._session)
            head = QuietLines(words, lambda: terminal.version + self._entry.version)
            held = self._terminals[terminal.id] = TerminalScreen(terminal), head
        return held


class TodoUnit(FixedUnit):
    """The steps; of more than `most` those around the one that is at hand."""

    def __init__(self, steps: Sequence[PlanEntry], most: int | None) -> None:
        self._steps, self._most = steps, most or len(steps)

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return min(self._most, len(self._steps)) + (self._most < len(self._steps))

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        at_hand = next((at for at, step in enumerate(self._steps) if step.status == "in_progress"), 0)
        first = max(0, min(at_hand - self._most // 2, len(self._steps) - self._most))
        rows = rows_of((_step_line(step, palette) for step in self._steps[first : first + self._most]), edge(width))
        hidden = len(self._steps) - self._most
        return [*rows, more_row(hidden, palette, LEFT)] if hidden > 0 else rows


def _step_line(step: PlanEntry, palette: Palette) -> Line:
    sign, ink = step_sign(step)
    words = palette.muted if step.status in FINISHED else palette.text
    lead = [(" " * LEFT, palette.text), (f"{sign} ", getattr(palette, ink))]
    return Line([(sanitise_line(step.content, LONGEST_STEP), words)], lead, [(" " * (LEFT + 2), palette.text)])
