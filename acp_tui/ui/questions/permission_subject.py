"""Everything that a permission is about, as units: nothing that a user agrees to is cut or left out.

Raw input is shown where neither a command nor a diff tells what will happen.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from rich.cells import cell_len
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content

from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    PermissionOption,
    TerminalReference,
    UnknownToolCallContent,
)
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.input import decoded
from acp_tui.session.tools.patches import diffs_of
from acp_tui.session.tools.title import VERBS, verb_of
from acp_tui.ui.changes.comments import Comment, Comments
from acp_tui.ui.changes.line_rows import PLAN, plan_units
from acp_tui.ui.changes.review_pane import ReadMarks, ReviewPane
from acp_tui.ui.changes.review_session import ReviewActions, prompt_of
from acp_tui.ui.entries.base_units import BlankUnit, FixedUnit, place
from acp_tui.ui.entries.diff_units import FileHead, HunkUnit, Layout, LazyDiffs, diff_units
from acp_tui.ui.entries.repeated_data import ShownCallData
from acp_tui.ui.entries.tool_output import (
    MOST_CHARACTERS,
    TerminalScreen,
    TerminalTail,
    block_units,
    data_output,
    document_units,
    output_units,
)
from acp_tui.ui.kit.base_screens import Overlay
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import MUTED, HintLine, turning
from acp_tui.ui.render.blocks import Highlighter, lexer_for, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut_path, sanitise, sanitise_line
from acp_tui.ui.render.wrap import Line, Row, Unit, edge, expand_tabs, rows_of
from acp_tui.views.permissions import BLANK, RequestSubject, facts_of, title_of

INDENT = 1


def subject_units(found: RequestSubject, session: Session, layout: Layout, *, roomy: bool = True) -> list[Unit]:
    """The whole subject, top to bottom; where it is not `roomy`, without blank rows."""
    return [unit for unit in _units(found, session, layout) if roomy or not isinstance(unit, BlankUnit)]


def in_one_line(found: RequestSubject, units: Sequence[Unit], cwd: str, room: int) -> str:
    """What is asked about in at most so many cells, or nothing: the files of its diffs, else its title."""
    files = [unit.file for unit in units if isinstance(unit, FileHead)]
    if not files:
        title = sanitise_line(title_of(found, found.about.places, cwd), MOST_CHARACTERS)
        return title if cell_len(title) <= room else ""
    more = f" and {len(files) - 1} more" if files[1:] else ""
    changed = f"  +{sum(file.added for file in files):,} −{sum(file.removed for file in files):,}"
    verb = "Edit" if found.about.kind not in VERBS else verb_of(found.about.kind)
    left = room - len(verb) - 1 - len(more) - len(changed)
    return f"{verb} {cut_path(place(files[0].path, None, cwd), max(1, left))}{more}{changed}"


def main_rows(units: Sequence[Unit], width: int, palette: Palette) -> range:
    """Which rows are agreed to before all: a command, or the first changed lines of a diff; none where neither is."""
    main = next((at for at, unit in enumerate(units) if main_lines(unit) is not None), None)
    lines = None if main is None else main_lines(units[main])
    if main is None or lines is None:
        return range(0)
    before = sum(len(unit.rows(width, palette)) for unit in units[:main])
    found = [at for at, row in enumerate(units[main].rows(width, palette), before) if row.line in lines] or [before]
    return range(found[0], found[-1] + 1)


def main_lines(unit: Unit) -> range | None:
    """Which logical lines of a unit these are, if any."""
    if isinstance(unit, Words):
        return range(1) if unit.tone == "command" else None
    return unit.first_change if isinstance(unit, HunkUnit) else None


def _units(found: RequestSubject, session: Session, layout: Layout) -> Iterator[Unit]:
    diffs = LazyDiffs(found.diffs, locations=found.locations)
    for fact in facts_of(found, session.cwd, {file.path for file in diffs.files}):
        yield BlankUnit() if fact is BLANK else Words(*fact)
    for number, plan in enumerate(found.plans, 1):
        yield BlankUnit()
        name = PLAN if len(found.plans) == 1 else f"{PLAN} {number}"
        yield from plan_units(document_units(plan, INDENT, loud=True), plan, name)
    if diffs:
        yield BlankUnit()
        yield from diff_units(diffs, INDENT, layout)
    kind, shown = found.about.kind, _told(found, session)
    for item in found.content:
        if isinstance(item, ContentItem):
            if not _repeats(item.content, shown, found):
                units = block_units(item.content, kind, INDENT, loud=True)
                plan = item.content.text if kind == "switch_mode" and isinstance(item.content, TextContent) else ""
                yield from plan_units(units, plan) if plan else units
        elif isinstance(item, TerminalReference):
            terminal = session.terminals.get(item.terminal_id)
            if terminal is not None and terminal.chunks:
                yield TerminalTail(TerminalScreen(terminal), INDENT)
        elif isinstance(item, UnknownToolCallContent):
            yield from output_units(data_output(item.raw, ""), INDENT)
    told = _told(found, session, content=True)
    for raw, label in found.raws:
        rest = told.rest(raw)
        if rest is not None:
            yield from output_units(data_output(rest, label), INDENT)


def _told(found: RequestSubject, session: Session, *, content: bool = False) -> ShownCallData:
    """What is shown above the content, or above the raw input with it; the description where it is the title."""
    about = found.about
    blocks = [item.content for item in found.content if isinstance(item, ContentItem)] if content else []
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    words = [found.description, about.folder or session.cwd if about.commands else ""]
    if not found.earlier_diffs and not any(isinstance(item, Diff) for item in found.content):
        texts += [patch.text for patch in about.patches]
    words += [title_of(found, about.places, session.cwd), found.title]
    return ShownCallData(about, words, [*texts, *found.plans], found.diffs, strict=True)


def _repeats(block: ContentBlock, told: ShownCallData, found: RequestSubject) -> bool:
    """Whether a block says no more than what stands above it, or is the input again, which stands below."""
    if not isinstance(block, TextContent):
        return False
    return told.tells(block.text) or any(decoded(block.text) == raw for raw, _ in found.raws)


class Words(FixedUnit):
    """Text in full: a `title`, what is `named` (a file, an address), a `command` with its `$`, or what is `muted`."""

    def __init__(self, text: str, tone: str) -> None:
        if (cut := len(text) - MOST_CHARACTERS) > 0:
            text = f"{text[:MOST_CHARACTERS]}\n… {counted(cut, 'more character')}"
        self._lines = [expand_tabs(line) for line in sanitise(text).strip("\n").split("\n")]
        self.tone = tone

    def estimate(self, width: int) -> int:
        return sum(1 + len(line) // max(1, width - INDENT) for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        command = self.tone == "command"
        highlighter = Highlighter(self._lines, lexer_for("bash") if command else None)
        title = palette.text + Style(bold=True)
        ink = {"command": palette.accent, "muted": palette.muted, "title": title}.get(self.tone, palette.text)
        lines: list[Line] = []
        for index, text in enumerate(self._lines):
            runs = styled(highlighter.line(index), palette, Style.null()) if command else [(text, ink)]
            sign = " " * INDENT + (("  " if index else "$ ") if command else "")
            lines.append(Line(runs, [(sign, ink)], [(" " * len(sign), ink)]))
        return rows_of(lines, edge(width))


Units = Callable[[Layout], Sequence[Unit]]
REJECTS = ("reject_once", "reject_always")


class SubjectScreen(Overlay[Layout]):
    """Shows units in either layout; leaves with the layout that was shown last.

    Without a `pane` lines are not commented. `leaving` says what Esc does. `open_list` shows all comments; it calls
    its arguments when they are put into the prompt, and when they are not. Where there is none the comments go with
    an answer.
    """

    DEFAULT_CSS = """
    SubjectScreen { background: $background; }
    SubjectScreen > Vertical { padding: 1 2; }
    SubjectScreen #full-hints { height: 1; margin: 1 0 0 1; }
    """
    BINDINGS = [
        Binding("escape", "step_back", show=False),
        Binding("ctrl+c,ctrl+q,q,v", "leave", show=False),
        Binding("s", "turn", show=False),
        Binding("space", "page_down", show=False),
        Binding("C", "open_list", show=False),
    ]

    def __init__(
        self,
        units: Units,
        layout: Layout,
        pane: ReviewPane | None = None,
        leaving: str = "back",
        open_list: Callable[..., object] | None = None,
    ) -> None:
        super().__init__()
        self._units, self._shown, self._pane = units, layout, pane or ReviewPane(None, ReadMarks(), "")
        self._leaving, self._open_list = leaving, open_list
        self._hints = HintLine(id="full-hints")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._pane
            yield self._hints

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        self._pane.show(self._units(self._shown))
        self._look()

    @on(ReviewPane.Changed)
    def _look(self) -> None:
        """Say what the keys do now; what one finds alone goes first where there is little room."""
        if self._pane.commenting.writing:
            self._hints.show([])
            return
        count = self._pane.count
        listed = [("C", counted(count, "comment"))] if count and self._open_list else []
        own = self._pane.hints()
        self._hints.show([*own[:1], *listed, turning(self._shown), *own[1:], ("esc", self._leaving)])

    def action_step_back(self) -> None:
        if not self._pane.lines.stop_selecting():
            self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(self._shown)

    def action_turn(self) -> None:
        self._shown = "split" if self._shown == "unified" else "unified"
        self._show()

    def action_page_down(self) -> None:
        self._pane.lines.action_page(1)

    def action_open_list(self) -> None:
        if self._open_list is not None:
            self._open_list(self.action_leave, self._pane.draw_again)


class DiffActions:
    """Shows the diffs of a tool call as large as the screen."""

    def __init__(self, view: SessionView, review: ReviewActions) -> None:
        self._view, self._review = view, review

    def show(self, entry: Entry | None) -> None:
        found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
        if not isinstance(entry, ToolCallEntry) or not found:
            self._view.say("No diff here")
            return
        units = partial(diff_units, LazyDiffs(found, self._view.session.cwd, entry.locations), INDENT)
        self._view.open(SubjectScreen(units, "unified", self._review.pane(), "close", self._review.open))


class RequestReview:
    """The comments on the request that the panel shows: they go with its rejection, or stay with the session.

    `kept` gets those that went with no rejection.
    """

    def __init__(self, kept: Callable[[Sequence[Comment]], object]) -> None:
        self.comments, self.marks, self._kept = Comments(), ReadMarks(), kept

    @property
    def count(self) -> int:
        return len(self.comments.all)

    def full_screen(self, units: Units, layout: Layout, cwd: str) -> SubjectScreen:
        return SubjectScreen(units, layout, ReviewPane(self.comments, self.marks, cwd), "back to answer")

    def told(self, line: Content, room: int) -> Content:
        """The line with how many comments there are, and in so many cells when they go."""
        if not self.count:
            return line
        short = Content.assemble(line, (f"  {counted(self.count, 'comment')}", "$user"))
        long = Content.assemble(short, (" · sent if rejected", MUTED))
        return long if long.cell_length <= room else short

    def end(self) -> None:
        """The request is answered otherwise, or gone: what was said of it is kept."""
        left, self.comments = self.comments.all, Comments()
        if left:
            self._kept(left)

    def reason(self, option: PermissionOption | None, typed: str, cwd: str) -> str:
        """What is said to the agent with an answer: the comments and what was typed, where it rejects."""
        rejects = option is None or option.kind in REJECTS
        finished = self.comments.finished if rejects else []
        self.comments.sent([each.number for each in finished])
        self.end()
        return "\n\n".join(filter(None, (prompt_of(finished, cwd), sanitise(typed).strip())))
