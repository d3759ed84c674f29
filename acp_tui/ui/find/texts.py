"""All that an entry has to read, as one text, without drawing it.

It is what a user sees when the entry is unfolded, near enough to count by: the marks of emphasis and code are
left out, since they are not seen. Where an entry is shown, its rows tell exactly (transcript/marks.py).
"""

import json
from collections.abc import Iterable, Iterator
from typing import assert_never

from acp_tui.protocol.vocabulary.content import (
    ContentBlock,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResource,
    for_agent_only,
)
from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff, TerminalReference
from acp_tui.session.entries import (
    CompactionEntry,
    ElicitationEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    Part,
    TextPart,
    ToolCallEntry,
    UnknownEntry,
)
from acp_tui.session.state import Session
from acp_tui.session.tools.diffs import diffs_of
from acp_tui.session.tools.subject import subject_of, told_parts
from acp_tui.ui.entries.tool_calls.content import data_text
from acp_tui.ui.entries.tool_calls.repeats import told_by
from acp_tui.ui.entries.tool_calls.words import terminals_of
from acp_tui.ui.render.text import sanitise


def text_of(entry: Entry, session: Session) -> str:
    """The text of one entry, its pieces parted by newlines."""
    match entry:
        case MessageEntry(role="user"):
            return "\n".join(_parts(entry.parts))
        case MessageEntry():
            return _unmarked("\n".join(_parts(entry.parts)))
        case ToolCallEntry():
            return "\n".join(_tool_call(entry, session))
        case NoticeEntry():
            return "\n".join((entry.title, entry.message, entry.hint))
        case CompactionEntry():
            return _unmarked("\n".join((entry.error or "", *_parts(entry.summary))))
        case ElicitationEntry():
            return "\n".join(_elicitation(entry))
        case UnknownEntry():
            return "\n".join((entry.kind, *map(_json, (entry.raw, *entry.repeats))))
        case _:
            assert_never(entry)


def version_of(entry: Entry, session: Session) -> tuple[int, int]:
    """Another one whenever the text may be another: an entry's own, and those of the terminals that it shows."""
    if not isinstance(entry, ToolCallEntry):
        return entry.version, 0
    return entry.version, sum(terminal.version for terminal in terminals_of(entry, session.terminals))


def _unmarked(text: str) -> str:
    return text.replace("**", "").replace("`", "")


def _parts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, TextPart):
            yield part.text
        else:
            yield from _block(part)


def _block(block: ContentBlock) -> Iterator[str]:
    if isinstance(block, TextContent):
        yield "" if for_agent_only(block) else block.text
    elif isinstance(block, ResourceLink):
        yield block.title or block.name
        yield block.uri
    elif isinstance(block, EmbeddedResource):
        yield block.resource.uri
        if isinstance(block.resource, TextResource):
            yield block.resource.text


def _tool_call(entry: ToolCallEntry, session: Session) -> Iterator[str]:
    subject = subject_of(entry, session)
    yield from (text for _, texts in told_parts(subject, session.cwd) for text in texts)
    yield subject.description
    for diff in diffs_of(entry):
        yield from _diff(diff)
    for item in entry.content:
        if isinstance(item, ContentItem):
            yield from _block(item.content)
        elif isinstance(item, TerminalReference):
            if terminal := session.terminals.get(item.terminal_id):
                yield sanitise(b"".join(terminal.chunks).decode(errors="replace"))
        elif not isinstance(item, Diff):
            yield _json(item.raw)
    told = told_by(entry, session, subject)
    yield from map(data_text, told.inputs)
    if (rest := told.rest(entry.raw_output, output=True)) is not None:
        yield data_text(rest)


def _diff(diff: Diff) -> Iterator[str]:
    """What changed: the lines that only one side has."""
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


def _elicitation(entry: ElicitationEntry) -> Iterator[str]:
    yield entry.request.message
    if isinstance(entry.request, UrlElicitation):
        yield entry.request.url
    elif entry.content:
        yield data_text(entry.content)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
