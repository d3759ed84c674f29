"""Tool calls: upserts, content chunks, and when one is over.

A tool call is over when its status is finished, or when the user rejected it. Nothing spins without an agent at work:
when a turn ends, what is unfinished is stopped (sealed, with a finishing time); its status becomes `cancelled` if the
turn was cancelled and stays the agent's last word otherwise. Calls that the agent names as background work stay open.
A later update is folded like any other; it opens the call again only while a turn is active.

Content is replaced as a whole, and with it agents replace what a user was asked about by a word of success. What
must not be lost then is kept: the diffs, and the input where an agent streamed it as text of the content.

Commands that the user runs beside the agent, which hears nothing of them, stand in the transcript like calls that
execute. They are no part of a turn: its end does not end them, and they do not end the message that is growing.
"""

from collections.abc import Iterator, Mapping, Sequence

from acp_tui.protocol.base import M, slim
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import Plan
from acp_tui.protocol.vocabulary.tool_calls import (
    FINISHED_STATUSES,
    ContentItem,
    Diff,
    FileChange,
    SessionReference,
    TerminalReference,
    ToolCallContent,
    ToolCallContentChunk,
    ToolCallUpdate,
    UnknownToolCallContent,
    shared_word,
)
from acp_tui.session.changes import OwnCommandsChanged
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import OwnCommandEnded, OwnCommandRun
from acp_tui.session.folds import file_changes, terminals, timeline
from acp_tui.session.state import ListedWork, Session, Terminal
from acp_tui.session.text.markdown import block_markdown, fence, fenced_json, link_to, one_line, unified_diff
from acp_tui.session.tools.input import decoded, only_member, streamed_input, todo_list
from acp_tui.session.tools.patches import (
    grew_little,
    is_written_here,
    patches_in,
    resolve_item,
    resolve_paths,
    told_diffs,
)
from acp_tui.session.tools.subject import subject_of, told_line
from acp_tui.session.tools.title import READING

OWN = "own command"


def fold_update(session: Session, update: ToolCallUpdate) -> None:
    resolve_paths(update, session.cwd)
    entry = session.index.tool_calls.get(update.tool_call_id)
    if entry is None:
        entry = ToolCallEntry(update.tool_call_id, started_at=session.clock())
        session.index.tool_calls[entry.id] = entry
        _patch(session, entry, update)
        _open_or_close(session, entry, told=True)
        timeline.begin(session, entry)
    else:
        _patch(session, entry, update)
        _open_or_close(session, entry, told=update.has("status"))
        timeline.changed(session, entry)
    if session.index.lone_writes:
        file_changes.take_over(session, entry)


def fold_chunk(session: Session, update: ToolCallContentChunk) -> None:
    """Append one item to a tool call's content, beginning the call if it is new."""
    if update.tool_call_id not in session.index.tool_calls:
        fold_update(session, ToolCallUpdate(tool_call_id=update.tool_call_id))
    entry = session.index.tool_calls[update.tool_call_id]
    resolve_item(update.content, session.cwd)
    entry.content.append(slim(update.content))
    _refer(session, entry, [update.content])
    timeline.changed(session, entry)


def decide(session: Session, entry: ToolCallEntry, kind: str) -> None:
    """The user allowed or rejected a call by an option of that kind: it runs, or it is over.

    Most agents send no `in_progress` after an answer, and report a rejected call as failed, completed or not at all.
    """
    if entry.status in FINISHED_STATUSES:
        return
    if kind.startswith("allow"):
        entry.stopped, entry.allowed = "", True
        if entry.status == "pending":
            entry.status, entry.started_at = "in_progress", session.clock()
        _read_patches(session, entry)
    elif kind.startswith("reject"):
        entry.status, entry.stopped = "cancelled", "rejected"
        _close(session, entry)
    else:
        return
    timeline.changed(session, entry)


def stop_open(session: Session, *, cancelled: bool) -> None:
    """Stop every tool call that is still open, but for those in the background, which go on."""
    background = background_calls(session)
    for entry in map(session.index.tool_calls.get, background):
        if entry is not None and entry.sealed and entry.status not in FINISHED_STATUSES:
            _open(session, entry)
            timeline.changed(session, entry)
    for entry in list(session.index.open_tool_calls.values()):
        if entry.id not in background:
            if cancelled:
                entry.status, entry.stopped = "cancelled", entry.stopped or "cancelled"
            _close(session, entry)
            timeline.changed(session, entry)


def _patch(session: Session, entry: ToolCallEntry, update: ToolCallUpdate) -> None:
    kind, raw, status = entry.kind, entry.raw_input, entry.status
    if update.has("title"):
        entry.title = update.title or ""
    if update.has("name"):
        entry.name = update.name
    if update.has("kind"):
        entry.kind = shared_word(update.kind or "other")
    if update.has("status"):
        _set_status(session, entry, update.status or "pending")
    if update.has("content"):
        _keep(entry, update.content)
        _set_content(session, entry, update.content or [])
    if update.has("locations"):
        entry.locations = _slimmed(update.locations or [])
    if update.has("raw_input"):
        entry.raw_input = update.raw_input
    if update.has("raw_output"):
        entry.raw_output = update.raw_output
    if update.has("capabilities"):
        entry.cancellable = update.capabilities is not None and update.capabilities.cancel
    if (entry.kind, entry.raw_input) != (kind, raw):  # some stream their input as content
        entry.patches, entry.patches_read = (), False
    if entry.raw_input is not raw:
        _read_todos(session, entry)
    told = (entry.kind, entry.status) != (kind, status)
    if not entry.patches_read and (told or not grew_little(raw, entry.raw_input)):
        _read_patches(session, entry)
    entry.meta = timeline.patched(entry.meta, update)


def _read_todos(session: Session, entry: ToolCallEntry) -> None:
    """Hold the list of an agent that writes its plan by a tool call."""
    found = todo_list(decoded(entry.raw_input))
    if found is not None:
        index = session.index
        index.todos, index.todos_at = Plan(entries=list(found.steps)), session.clock()
        before, index.todos_call = index.todos_call, entry
        if before is not None and before is not entry:  # its list is not the last one any more
            timeline.changed(session, before)


def _read_patches(session: Session, entry: ToolCallEntry) -> None:
    """Read the patches of the input if that is not done yet; an input that is long and grows waits for its end."""
    if not entry.patches_read and entry.kind not in (*READING, "think", "switch_mode"):
        entry.patches = tuple(each.diff for each in patches_in(entry.raw_input, session.cwd))
    entry.patches_read = True


def _set_status(session: Session, entry: ToolCallEntry, status: str) -> None:
    """Take the agent's word, but for a call that the user ended: how it ended is known better here.

    Some agents report a rejected call as running once more before they report it as failed; only one that completes
    after that did go on. Others announce a call as pending once more that was allowed.
    """
    if status == "pending" and entry.allowed and entry.status == "in_progress":
        return
    goes_on = entry.status not in FINISHED_STATUSES
    if status not in FINISHED_STATUSES:
        if session.turn.cancel_requested_at is None and entry.stopped == "cancelled":
            entry.stopped = ""  # it goes on after all
    elif entry.stopped and (status != "completed" or (entry.stopped == "rejected" and not goes_on)):
        status = "cancelled"
    else:
        entry.stopped = ""
    entry.status = shared_word(status)


def _keep(entry: ToolCallEntry, content: list[ToolCallContent] | None) -> None:
    """Keep what would be lost when `content` replaces the entry's; None, which clears it, clears this too."""
    before = [item for item in entry.content if isinstance(item, Diff)]
    told = [item for item in content or () if isinstance(item, Diff)]
    if content is None or (told and not all(_holds(before or entry.earlier_diffs, diff) for diff in told)):
        entry.earlier_diffs = ()
    elif before:
        entry.earlier_diffs = before
    if not entry.raw_input and entry.status not in FINISHED_STATUSES:
        entry.raw_input = streamed_input(entry.content) or entry.raw_input


def _holds(diffs: Sequence[Diff], part: Diff) -> bool:
    """Whether one of the diffs is of the same file and has the same change within more of its text."""
    old, new = part.old_text or "", part.new_text or ""
    same = [diff for diff in diffs if diff.path is not None and diff.path == part.path and old and new]
    texts = ((diff.old_text or "", diff.new_text or "") for diff in same)
    return any(len(old) < len(before) and before.count(old) == 1 and new in after for before, after in texts)


def _set_content(session: Session, entry: ToolCallEntry, content: list[ToolCallContent]) -> None:
    references = session.index.terminal_references
    for terminal_id in _terminal_ids(entry.content):
        references[terminal_id].pop(entry.id, None)
    entry.content = _slimmed(content)
    _refer(session, entry, entry.content)


def _refer(session: Session, entry: ToolCallEntry, content: list[ToolCallContent]) -> None:
    for terminal_id in _terminal_ids(content):
        session.index.terminal_references.setdefault(terminal_id, {})[entry.id] = entry
    anchors = session.index.anchors
    for item in content:
        if isinstance(item, SessionReference) and item.session_id not in anchors:
            anchors[item.session_id] = entry
            session.index.anchored.setdefault(entry.id, []).append(item.session_id)


def _slimmed(models: list[M]) -> list[M]:
    for model in models:
        slim(model)
    return list(models)  # of just this size


def _terminal_ids(content: list[ToolCallContent]) -> list[str]:
    return [item.terminal_id for item in content if isinstance(item, TerminalReference)]


def _open_or_close(session: Session, entry: ToolCallEntry, *, told: bool) -> None:
    if entry.status in FINISHED_STATUSES:
        _close(session, entry)
    elif told and (session.turn.active or _in_background(session, entry)):
        _open(session, entry)
    elif entry.id not in session.index.open_tool_calls:
        entry.sealed = True


def _in_background(session: Session, entry: ToolCallEntry) -> bool:
    listed = listed_work(session)
    if entry.id in listed.calls or not listed.terminals:
        return entry.id in listed.calls
    return not listed.terminals.isdisjoint(_terminal_ids(entry.content))


def _open(session: Session, entry: ToolCallEntry) -> None:
    session.index.open_tool_calls[entry.id] = entry
    entry.sealed, entry.finished_at = False, None


def _close(session: Session, entry: ToolCallEntry) -> None:
    session.index.open_tool_calls.pop(entry.id, None)
    entry.sealed = True
    _read_patches(session, entry)
    if entry.finished_at is None:
        entry.finished_at = session.clock()


def background_calls(session: Session) -> set[str]:
    """The ids of tool calls in the background: listed themselves, or through a terminal that they show."""
    listed = listed_work(session)
    shown = (session.index.terminal_references.get(each or "", {}) for each in listed.terminals)
    return {each for each in listed.calls if each is not None}.union(*shown)


def listed_work(session: Session) -> ListedWork:
    """What the agent lists now; made once for each list, since every tool call is looked up in it."""
    listed, work = session.index.listed, session.turn.background
    if listed is None or listed.work is not work:
        calls = frozenset(item.tool_call_id for item in work if item.type == "tool_call")
        terminals = frozenset(item.terminal_id for item in work if item.type == "terminal")
        listed = session.index.listed = ListedWork(work, calls, terminals)
    return listed


def is_own(session: Session, entry: Entry) -> bool:
    """Whether the user has run this, not the agent."""
    return session.index.own_commands.get(entry.id) is entry


def fold_run(session: Session, fact: OwnCommandRun) -> None:
    """Show the command and, by the same id, its terminal."""
    if fact.id in session.index.own_commands:
        return
    reference = TerminalReference(terminal_id=fact.id)
    entry = ToolCallEntry(fact.id, fact.command, OWN, "execute", "in_progress", [reference])
    entry.started_at = session.clock()
    session.index.own_commands[fact.id] = entry
    session.index.terminal_references.setdefault(fact.id, {})[fact.id] = entry
    session.terminals[fact.id] = Terminal(fact.id, fact.command, fact.cwd, started_at=session.clock())
    timeline.add(session, entry)
    session.publish(OwnCommandsChanged())


def fold_ended(session: Session, fact: OwnCommandEnded) -> None:
    """The command has ended by itself, or was ended, or did not begin."""
    entry = session.index.own_commands.get(fact.id)
    if entry is None or entry.sealed:
        return
    status = session.terminals[fact.id].exit_status if fact.id in session.terminals else None
    entry.status = (
        "cancelled" if fact.stopped else "completed" if status is not None and status.exit_code == 0 else "failed"
    )
    entry.sealed, entry.finished_at = True, session.clock()
    timeline.changed(session, entry)
    session.publish(OwnCommandsChanged())


# What answers without a rule of its own, by the ids of host/rules/rule.py.
DENIED_BY_AGENT = "Denied by the agent itself. Your rules cannot change this, but its mode can"
_SWITCHES: dict[tuple[str, ...], str] = {("read-only",): "rule: read-only", ("everything",): "--yolo"}


def rule_words(entry: ToolCallEntry) -> str:
    """Which rules of the user answered the request for a call, and how, or that its agent denied it; else empty."""
    if entry.denied_by_agent:
        return DENIED_BY_AGENT
    if not entry.rule_reason:
        return ""
    by = _SWITCHES.get(entry.rules) or f"rule {one_line(entry.rule_reason)}"
    return f"✗ rejected by {by}" if entry.stopped == "rejected" else f"✓ allowed by {by}"


def markdown_tool_call(entry: ToolCallEntry, session: Session, links: Mapping[str, str]) -> Iterator[str]:
    shown = session.terminals
    seconds = "" if entry.finished_at is None else f", {entry.finished_at - entry.started_at:.1f} s"
    subject = subject_of(entry, session)
    told = one_line(told_line(subject, session.cwd, described=False))
    yield f"### {one_line(entry.kind)}: {told} ({one_line(entry.status)}{seconds})"
    if words := rule_words(entry):
        yield words
    if subject.description:
        yield one_line(subject.description)
    if subject.places:
        places = ((one_line(place.path), place.line) for place in subject.places)
        yield "\n".join(f"- {path}" if line is None else f"- {path}:{line}" for path, line in places)
    if is_written_here(entry):
        yield from ("Written to disk:", *(_content(item, shown, links) for item in entry.written))
    again = [item for item in entry.content if not (entry.earlier_diffs and isinstance(item, Diff))]
    for item in (*entry.earlier_diffs, *again):
        yield _content(item, shown, links)
    patches = [patch.text for patch in subject.patches] if told_diffs(entry) is entry.patches else []
    yield from (fence(patch, "diff") for patch in patches)
    output = None if entry.content else entry.raw_output  # the content tells the same for people
    for name, value in (("Input", entry.raw_input), ("Output", output)):
        if value is not None and value != {} and only_member(value) not in patches:
            yield f"{name}:\n\n{fenced_json(value)}"


def _content(item: ToolCallContent, shown: dict[str, Terminal], links: Mapping[str, str]) -> str:
    match item:
        case ContentItem(content=TextContent() as content):
            return fence(content.text)
        case ContentItem():
            return block_markdown(item.content)
        case Diff():
            return fence(_diff(item), "diff")
        case TerminalReference():
            terminal = shown.get(item.terminal_id)
            return (
                terminals.terminal_markdown(terminal)
                if terminal
                else f"(terminal {one_line(item.terminal_id)}: no output)"
            )
        case SessionReference():
            return f"Subagent: {link_to(item.session_id, links)}"
        case UnknownToolCallContent():
            return fenced_json(item.raw)
    return fenced_json(item)


def _diff(diff: Diff) -> str:
    """A patch, and whatever the agent changed that the patch does not tell; the older form is compared here."""
    if diff.path is not None:
        return unified_diff(one_line(diff.path), diff.old_text or "", diff.new_text or "")
    patch = diff.patch.text if diff.patch is not None else ""
    untold = "".join(_change(change) for change in diff.changes or [] if change.path.lstrip("/") not in patch)
    return f"{untold}{patch}"


def _change(change: FileChange) -> str:
    """`move a → b (binary)`."""
    source = f"{one_line(change.old_path)} → " if change.old_path else ""
    kind = f" ({one_line(change.file_type)})" if change.file_type not in (None, "text") else ""
    return f"{one_line(change.operation)} {source}{one_line(change.path)}{kind}\n"
