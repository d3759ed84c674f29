"""Everything that a permission is about, as units: nothing that a user agrees to is cut or left out.

Raw input is shown where neither a command nor a diff tells what will happen.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.style import Style

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    TerminalReference,
    ToolCallContent,
    ToolCallLocation,
    UnknownToolCallContent,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.pending import PendingPermission
from acp_tui.session.state import Session
from acp_tui.session.text.words import counted
from acp_tui.session.tools.input import decoded
from acp_tui.session.tools.subject import Place, ToolSubject, asked_entry, asked_subject, told_line, verb_before
from acp_tui.session.tools.title import is_identifier, unmarked, without_input
from acp_tui.session.tools.words import VERBS, verb_of
from acp_tui.ui.diff_view.spots import PLAN, plan_units
from acp_tui.ui.entries.shared_units import BlankUnit, FixedUnit
from acp_tui.ui.entries.tool_calls.content import (
    MOST_CHARACTERS,
    block_units,
    data_output,
    document_units,
    output_units,
)
from acp_tui.ui.entries.tool_calls.diff import FileHead, HunkUnit, Layout, LazyDiffs, diff_units
from acp_tui.ui.entries.tool_calls.repeats import Told
from acp_tui.ui.entries.tool_calls.terminal import Screen, TerminalTail
from acp_tui.ui.entries.tool_calls.words import place
from acp_tui.ui.render.code import Highlighter, lexer_for, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut_path, sanitise, sanitise_line
from acp_tui.ui.render.unit import Row, Unit
from acp_tui.ui.render.wrap import Line, edge, expand_tabs, rows_of

INDENT = 1


class Subject(Frozen):
    """What is asked, whichever way the agent said it. `about` is all that it names, `plans` are Markdown texts.

    `raws` are the raw inputs, or a subject of a type that is not known, each with a label.
    """

    title: str
    about: ToolSubject
    description: str = ""
    content: Sequence[ToolCallContent] = ()
    earlier_diffs: Sequence[Diff] = ()
    raws: Sequence[tuple[Any, str]] = ()
    plans: Sequence[str] = ()
    locations: Sequence[ToolCallLocation] = ()
    cwd: str = ""

    @property
    def diffs(self) -> list[Diff]:
        """All diffs: those that the content held before, where they tell what is lost; else its own, or the input's."""
        own = list(self.earlier_diffs) or [item for item in self.content if isinstance(item, Diff)]
        return own or [patch.diff for patch in self.about.patches]

    @property
    def line(self) -> str:
        return f"{verb_before(self.about)}{told_line(self.about, self.cwd)}"


def subject_of(pending: PendingPermission, session: Session) -> Subject:
    """Read the request together with what the session knows of its tool call."""
    request, asked = pending.request, pending.request.subject
    call = asked.tool_call if asked is not None else None
    asking = session.whose(request.session_id)
    entry = asked_entry(pending, session)
    about = asked_subject(pending, session)
    raws = [(found.value, "Input") for found in about.inputs if found.value is not None]
    if asked is not None and call is None and asked.type not in ("tool_call", "command"):
        raws.append((asked.raw, f"Unknown subject: {sanitise_line(asked.type, 60)}"))
    content = entry.content or ((call.content or ()) if call is not None else ())
    return Subject(
        title=without_input(request.title.strip() or entry.title, [found.value for found in about.inputs]),
        about=about,
        description=request.description or "",
        content=tuple(content),
        earlier_diffs=tuple(entry.earlier_diffs),
        raws=tuple(raws),
        plans=tuple(_plans(entry, asking, about)),
        locations=tuple(entry.locations),
        cwd=asking.cwd,
    )


def _plans(entry: ToolCallEntry, session: Session, about: ToolSubject) -> Iterator[str]:
    """The plans that the user is asked to agree to, whole: those of this turn, and the input's; steps only alone."""
    given = [found.value.get("plan") for found in about.inputs if isinstance(found.value, dict)]
    texts = [plan for plan in given if isinstance(plan, str) and plan.strip()]
    if entry.kind == "switch_mode":
        plans = list(reversed(session.index.turn_plans.values()))
        texts = [*(text for plan in plans for text in (plan.content, plan.uri) if text), *texts]
        content = any(isinstance(item, ContentItem) for item in entry.content)
        if not texts and not content:
            texts = ["\n".join(f"- {step.content}" for step in plan.entries) for plan in plans if plan.entries]
    yield from dict.fromkeys(text.strip() for text in texts)


def subject_units(found: Subject, session: Session, layout: Layout, *, roomy: bool = True) -> list[Unit]:
    """The whole subject, top to bottom; where it is not `roomy`, without blank rows."""
    return [unit for unit in _units(found, session, layout) if roomy or not isinstance(unit, BlankUnit)]


def in_one_line(found: Subject, units: Sequence[Unit], cwd: str, room: int) -> str:
    """What is asked about in at most so many cells, or nothing: the files of its diffs, else its title."""
    files = [unit.file for unit in units if isinstance(unit, FileHead)]
    if not files:
        title = sanitise_line(_title(found, found.about.places, cwd), MOST_CHARACTERS)
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


def _units(found: Subject, session: Session, layout: Layout) -> Iterator[Unit]:
    diffs = LazyDiffs(found.diffs, locations=found.locations)
    yield from _named(found, session, diffs)
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
                yield TerminalTail(Screen(terminal), INDENT)
        elif isinstance(item, UnknownToolCallContent):
            yield from output_units(data_output(item.raw, ""), INDENT)
    told = _told(found, session, content=True)
    for raw, label in found.raws:
        rest = told.rest(raw)
        if rest is not None:
            yield from output_units(data_output(rest, label), INDENT)


def _named(found: Subject, session: Session, diffs: LazyDiffs) -> Iterator[Unit]:
    """All that is named: the title where it says more, then every command, file and address, each once."""
    about, cwd = found.about, session.cwd
    shown = {file.path for file in diffs.files}
    places = [at for at in about.places if at.path not in shown and not (about.commands and at.path == cwd)]
    title = _title(found, places, cwd)
    if title:
        yield Words(title, "title")
    if found.description:
        yield Words(found.description, "muted")
    if about.commands and title:
        yield BlankUnit()
    for command in about.commands:
        yield Words(command, "command")
    if about.commands:
        yield Words(f"in {place(about.folder or cwd, None, '')}", "muted")
    for text in (*about.addresses, *(place(at.path, at.line, cwd) for at in places)):
        if text != title and not title.endswith(f" {text}"):
            yield Words(text, "named")
    for pattern in about.patterns:
        if pattern not in title:
            yield Words(f"for {pattern}", "named")


def _title(found: Subject, places: Sequence[Place], cwd: str) -> str:
    """The first line: the title, but where it only names the tool or repeats what follows; then the verb and a file."""
    about, title = found.about, unmarked(found.title)
    if about.lead == "text":
        return title or "The agent needs permission"
    if about.lead == "command":
        return about.description if about.description != found.description else ""
    if title in {diff.path for diff in found.diffs}:  # which stands above the diff
        return ""
    if not is_identifier(title, about.kind) and title:
        return title
    named = [place(at.path, at.line, cwd) for at in places[:1]] or list(about.addresses[:1])
    if not named:
        return "" if found.diffs else title
    return f"{verb_of(about.kind)} {' '.join(named)}"


def _told(found: Subject, session: Session, *, content: bool = False) -> Told:
    """What is shown above the content, or above the raw input with it; the description where it is the title."""
    about = found.about
    blocks = [item.content for item in found.content if isinstance(item, ContentItem)] if content else []
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    words = [found.description, about.folder or session.cwd if about.commands else ""]
    if not found.earlier_diffs and not any(isinstance(item, Diff) for item in found.content):
        texts += [patch.text for patch in about.patches]
    words += [_title(found, about.places, session.cwd), found.title]
    return Told(about, words, [*texts, *found.plans], found.diffs, strict=True)


def _repeats(block: ContentBlock, told: Told, found: Subject) -> bool:
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
