"""How each kind of entry is drawn, and what is found in it: the tables of all files of this room, and tool calls."""

import json
from collections.abc import Iterator

from acp_tui.protocol.vocabulary.content import ResourceLink
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff, TerminalReference, UnknownToolCallContent
from acp_tui.session.entries import Entry, MessageEntry, TextPart, ToolCallEntry
from acp_tui.session.folds.messages import text_of as typed
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import data_text
from acp_tui.session.tools.patches import diffs_of
from acp_tui.session.tools.running_work import children_of
from acp_tui.session.tools.subject import subject_of, terminals_of, told_parts
from acp_tui.startup import modules_beside
from acp_tui.ui.entries.shared_units import Appearance, Draws
from acp_tui.ui.entries.subagent import Referred, rows_text
from acp_tui.ui.entries.tool_calls.drawing import ToolCallDrawing
from acp_tui.ui.entries.tool_calls.repeats import told_by
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.unit import Drawing


def draw(entry: Entry, session: Session) -> Drawing:
    return ALL_DRAWS[type(entry)].draw(entry, session)


def text_of(entry: Entry, session: Session) -> str:
    """The text of one entry without drawing it, its pieces parted by newlines.

    It is what a user sees when the entry is unfolded, near enough to count by: the marks of emphasis and code are
    left out, since they are not seen. Where an entry is shown, its rows tell exactly (transcript/marks.py).
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
    """An entry's own, and those of the terminals and the subagents that it shows."""
    shown = sum(terminal.version for terminal in terminals_of(entry, session.terminals))
    return entry.version, shown + sum(child.entry.version for child in children_of(entry, session))


DRAWS: Draws = {
    ToolCallEntry: Appearance(
        lambda entry, session: ToolCallDrawing(entry, session, Referred(session).units),
        lambda entry, session: "\n".join(_read(entry, session)),
        _version,
    )
}
ALL_DRAWS: Draws = {
    kind: appearance
    for module in modules_beside(__name__)
    for kind, appearance in vars(module).get("DRAWS", {}).items()
}
