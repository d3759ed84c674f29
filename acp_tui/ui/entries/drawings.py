"""The drawing of each kind of entry, and the text that is found in it: the tables of all files of this room, subagents
and tool calls.

A subagent is two rows: what it is called and how it stands, and what it did last or said at its end. They stand below
the tool call that refers to it, else where it was announced.
"""

import json
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.protocol.vocabulary.content import ResourceLink
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    SessionReference,
    TerminalReference,
    UnknownToolCallContent,
)
from acp_tui.session.entries import Entry, MessageEntry, SubagentEntry, TextPart, ToolCallEntry
from acp_tui.session.folds.messages import text_of as typed
from acp_tui.session.folds.subagents import SessionMessageEntry
from acp_tui.session.state import Session, Subagent
from acp_tui.session.text.phrases import counted, data_text
from acp_tui.session.tools.patches import diffs_of
from acp_tui.session.tools.running_work import children_of, name_of, shown_in, speaker, spent, works
from acp_tui.session.tools.subject import subject_of, terminals_of, told_parts
from acp_tui.startup import modules_beside
from acp_tui.ui.entries.base_units import VERB_WIDTH, Appearance, BlankUnit, Draws, FixedUnit, NeverFolds, in_a_group
from acp_tui.ui.entries.collapsible_drawing import FoldingDrawing
from acp_tui.ui.entries.message import Body
from acp_tui.ui.entries.repeated_data import told_by
from acp_tui.ui.entries.tool_call_drawing import ToolCallDrawing
from acp_tui.ui.entries.tool_call_heading import heading_verb
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise, sanitise_line
from acp_tui.ui.render.wrap import FOLDS, LEFT, SUBAGENT, Drawing, Row, Run, Unit, block_edge, edge, one_line
from acp_tui.views.plans import NAME_AT_MOST, elapsed_of, last_of, standing_of, title_of

LONG_TEXT, LONG_LINES = 800, 8  # characters and lines of a message between sessions, beyond which it is folded
INDENT = LEFT + VERB_WIDTH + 1


def subagent_of(entry: SubagentEntry, session: Session) -> Subagent:
    return session.root.family.get(entry.id) or Subagent(entry, Session(entry.id, session.cwd), session)


def rows_text(child: Subagent) -> str:
    """What its two rows say of it."""
    return f"{title_of(child.entry)}\n{last_of(child)}"


class SubagentUnit:
    """The two rows; one where there is nothing to tell in the second. A click on either opens it."""

    def __init__(self, child: Subagent) -> None:
        self._child = child

    @property
    def version(self) -> int:
        """Another one with each second that it works."""
        second = int(spent(self._child)) if works(self._child.entry) else 0
        return (self._child.entry.version << 24) + second

    @property
    def ticks(self) -> bool:
        return works(self._child.entry)

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 2

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        child, end = self._child, edge(width)
        standing = standing_of(child)
        opens = Style.from_meta({SUBAGENT: child.entry.id})
        ink: Style = palette.accent if standing.tone == "agent" else getattr(palette, standing.tone)
        elapsed = elapsed_of(child)
        ending: list[Run] = [(standing.words, ink)]
        if elapsed:
            ending += [(" · ", palette.faint), (elapsed, palette.muted)]
        taken = sum(cell_len(text) for text, _ in ending)
        title = cut(title_of(child.entry), max(8, end - INDENT - taken - 2))
        gap = " " * max(2, end - INDENT - cell_len(title) - taken)
        verb = f"{'Subagent':<{VERB_WIDTH}} "
        runs = [(f" {standing.sign} ", ink), (verb, palette.muted), (title, palette.text), (gap, palette.text), *ending]
        rows = [one_line([(text, style + opens) for text, style in runs])]
        if last := cut(last_of(child), end - INDENT):
            segments = [Segment(" " * INDENT, opens), Segment(last, palette.muted + opens)]
            rows.append(Row(segments, 1, gutter=INDENT))
        return rows


class SubagentDrawing(NeverFolds):
    """A subagent where it was announced; nothing there where a tool call shows it."""

    def __init__(self, entry: SubagentEntry, session: Session) -> None:
        self._entry, self._session = entry, session
        self._unit, self._blank = SubagentUnit(subagent_of(entry, session)), BlankUnit()
        self.units: Sequence[Unit] = ()
        self.update()

    def update(self) -> int:
        if self._entry.id in self._session.index.anchors:
            self.units = ()
        elif in_a_group(self._entry, self._session):
            self.units = [self._unit]
        else:
            self.units = [self._unit, self._blank]
        return 0


class ReferenceUnit(FixedUnit):
    """That a tool call refers to a session which is not shown there."""

    def __init__(self, session_id: str, session: Session) -> None:
        child = session.root.family.get(session_id)
        title = (
            name_of(child.entry) if child is not None else session.root.title if session_id == session.root.id else ""
        )
        self._title = sanitise_line(title or session_id, NAME_AT_MOST)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        said = cut(f'→ Session "{self._title}"', edge(width) - LEFT)
        return [one_line([(" " * LEFT, Style.null()), (said, palette.muted)])]


def references_of(entry: ToolCallEntry) -> list[str]:
    """The sessions that the content of a tool call refers to, each once."""
    return list(dict.fromkeys(item.session_id for item in entry.content if isinstance(item, SessionReference)))


class ReferredSessions:
    """The rows below a tool call for the sessions that it refers to: of each the same as long as it is the same."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._units: dict[tuple[str, bool], Unit] = {}

    def units(self, entry: ToolCallEntry) -> Sequence[Unit]:
        shown, root = shown_in(entry, self._session), self._session.root
        names = list(dict.fromkeys((*shown, *references_of(entry))))
        for name in names:
            if (name, name in shown) not in self._units:
                unit = SubagentUnit(root.family[name]) if name in shown else ReferenceUnit(name, self._session)
                self._units[name, name in shown] = unit
        return [self._units[name, name in shown] for name in names]


class SessionMessageDrawing(FoldingDrawing[SessionMessageEntry]):
    """Who says something to whom, and what; a long text is one row until somebody unfolds it."""

    def __init__(self, entry: SessionMessageEntry, session: Session) -> None:
        super().__init__(entry)
        self._session = session
        self._text = MessageEntry(entry.id, "agent", entry.parts)
        self._body = Body(self._text)
        self.update()

    @property
    def folded(self) -> bool | None:
        return self._folded if self._is_long else None

    @property
    def _is_long(self) -> bool:
        texts = [part for part in self._entry.parts if isinstance(part, TextPart)]
        length = sum(part.length for part in texts)
        return length > LONG_TEXT or (length > 0 and sum(part.text.count("\n") for part in texts) >= LONG_LINES)

    def inside(self) -> Sequence[Unit]:
        self._text.parts, self._text.sealed = self._entry.parts, self._entry.sealed
        self._body.update()
        return self._body.units

    def update(self) -> int:
        self._inside = () if self.folded else self.inside()
        return 0

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        room = block_edge(width) - LEFT
        said, fold = cut(self._heading, room), palette.muted + (FOLDS if self._is_long else Style.null())
        runs = [(self._sign if self._is_long else " » ", fold), (said, fold)]
        tail = f"  {self._beginning}" if self.folded else ""
        if tail and room - cell_len(said) > 12:
            runs.append((cut(tail, room - cell_len(said)), palette.faint + FOLDS))
        return [one_line(runs)]

    @property
    def _heading(self) -> str:
        entry, here = self._entry, self._session.id
        sender, recipient = (self._named(each) for each in (entry.sender, entry.recipient))
        if entry.sender == here or (entry.recipient not in (None, here) and entry.sender is None):
            return f"To {recipient}"
        if entry.recipient in (None, here):
            return f"From {sender}"
        return f"From {sender} to {recipient}"

    def _named(self, session_id: str | None) -> str:
        root = self._session.root
        if session_id == root.id:
            return f'session "{sanitise_line(root.title, 80)}"' if root.title else "the session"
        return sanitise_line(speaker(session_id, self._session), 80) or "another session"

    @property
    def _beginning(self) -> str:
        text = next((part.text for part in self._entry.parts if isinstance(part, TextPart)), "").strip()
        lines = counted(text.count("\n") + 1, "line")
        return f"{sanitise_line(text.split(chr(10), 1)[0], 200)} ({lines})"


def draw(entry: Entry, session: Session) -> Drawing:
    return ALL_DRAWS[type(entry)].draw(entry, session)


def text_of(entry: Entry, session: Session) -> str:
    """The text of one entry without drawing it, its pieces parted by newlines.

    It is what a user sees when the entry is unfolded, near enough to count by: the marks of emphasis and code are
    left out, since they are not seen. Where an entry is shown, its rows tell exactly (transcript/row_painter.py).
    """
    return ALL_DRAWS[type(entry)].text(entry, session)


def version_of(entry: Entry, session: Session) -> tuple[int, ...]:
    """Another one whenever the text may be another."""
    return ALL_DRAWS[type(entry)].version(entry, session)


def written(entry: Entry) -> str | None:
    """A message as it was written, for the clipboard: a drawn table cannot be pasted. None: copied as drawn."""
    if not isinstance(entry, MessageEntry) or entry.role in ("thought", "injected"):
        return None
    whole = all(isinstance(part, TextPart | ResourceLink) for part in entry.parts)
    return sanitise(typed(entry.parts)).strip("\n") if whole else None


def _read(entry: ToolCallEntry, session: Session) -> Iterator[str]:
    subject = subject_of(entry, session)
    yield heading_verb(entry, session, subject)
    yield from (rows_text(child) for child in children_of(entry, session))
    yield from (text for _, texts in told_parts(subject, session.cwd) for text in texts)
    yield subject.description
    for diff in diffs_of(entry):
        yield from _diff(diff)
    for item in entry.content:
        if isinstance(item, ContentItem):
            yield from item.content.texts
        elif isinstance(item, TerminalReference):
            if terminal := session.terminals.get(item.terminal_id):
                yield sanitise(b"".join(terminal.chunks).decode(errors="replace"))
        elif isinstance(item, UnknownToolCallContent):
            yield json.dumps(item.raw, indent=2, ensure_ascii=False, default=str)
    told = told_by(entry, session, subject)
    given = [told.rest(found.value) for found in subject.inputs]
    rests = [*given, told.rest(entry.raw_output, output=True)]
    yield from (data_text(rest) for rest in rests if rest is not None)


def _diff(diff: Diff) -> Iterator[str]:
    yield from (path for path in (diff.path, *(change.path for change in diff.changes or ())) if path)
    if diff.patch is not None:
        yield diff.patch.text
    elif not diff.old_text:
        yield diff.new_text or ""
    else:
        old, new = diff.old_text.split("\n"), (diff.new_text or "").split("\n")
        before, after = set(old), set(new)
        yield from (line for line in old if line not in after)
        yield from (line for line in new if line not in before)


def _version(entry: ToolCallEntry, session: Session) -> tuple[int, ...]:
    shown = sum(terminal.version for terminal in terminals_of(entry, session.terminals))
    return entry.version, shown + sum(child.entry.version for child in children_of(entry, session))


DRAWS: Draws = {
    SubagentEntry: Appearance(
        SubagentDrawing,
        lambda entry, session: "" if entry.id in session.index.anchors else rows_text(subagent_of(entry, session)),
    ),
    SessionMessageEntry: Appearance(SessionMessageDrawing),
    ToolCallEntry: Appearance(
        lambda entry, session: ToolCallDrawing(entry, session, ReferredSessions(session).units),
        lambda entry, session: "\n".join(_read(entry, session)),
        _version,
    ),
}
ALL_DRAWS: Draws = {
    kind: appearance
    for module in modules_beside(__name__)
    for kind, appearance in vars(module).get("DRAWS", {}).items()
}
