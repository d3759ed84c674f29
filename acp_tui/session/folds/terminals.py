"""Terminals on display: those that run on this machine and those that an agent tells about.

Tool calls that show a terminal do not change with it: who draws them finds them in `index.terminal_references`.
"""

from itertools import count

from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalReference, TerminalUpdate
from acp_tui.session.changes import TerminalChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds import timeline
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.markdown import fence, one_line
from acp_tui.session.text.phrases import counted, exit_number

_MEMBERS = {name: name for name in ("command", "cwd", "exit_status", "released")} | {"size": "dimensions"}


def fold_update(session: Session, update: TerminalUpdate) -> None:
    """Create or patch a terminal; given output replaces what it shows."""
    terminal = _terminal(session, update.terminal_id)
    for member, name in _MEMBERS.items():
        if update.has(member):
            setattr(terminal, name, getattr(update, member))
    if update.has("output"):
        terminal.replace(update.output or b"")
    if update.has("exit_status"):
        terminal.finished_at = session.clock() if update.exit_status else None
    if update.has("capabilities"):
        terminal.cancellable = update.capabilities is not None and update.capabilities.cancel
    terminal.meta = timeline.patched(terminal.meta, update)
    _changed(session, terminal)


def fold_chunk(session: Session, update: TerminalOutputChunk) -> None:
    """Append output; it may come before anything else was said of the terminal."""
    terminal = _terminal(session, update.terminal_id)
    terminal.append(update.data)
    _changed(session, terminal)


def set_aside(session: Session) -> None:
    """Call the terminals of before by names of their own: from now on the agent's ids mean others.

    Those of own commands keep theirs, since these may still run.
    """
    references = session.index.terminal_references
    ids = [id_ for id_ in {**session.terminals, **references} if id_ not in session.index.own_commands]
    names = {
        id_: next(name for number in count(1) if (name := f"{id_} (before {number})") not in session.terminals)
        for id_ in ids
    }
    session.terminals = {names.get(id_, id_): terminal for id_, terminal in session.terminals.items()}
    for name, terminal in session.terminals.items():
        terminal.id = name
    for id_ in ids:
        references.pop(id_, None)
    for entry in session.entries:
        if isinstance(entry, ToolCallEntry) and _rename(entry, names):
            for item in entry.content:
                if isinstance(item, TerminalReference):
                    references.setdefault(item.terminal_id, {})[entry.id] = entry
            timeline.changed(session, entry)


def _rename(entry: ToolCallEntry, names: dict[str, str]) -> bool:
    content = [
        item.model_copy(update={"terminal_id": names.get(item.terminal_id, item.terminal_id)})
        if isinstance(item, TerminalReference)
        else item
        for item in entry.content
    ]
    renamed = content != entry.content
    entry.content = content
    return renamed


def _terminal(session: Session, terminal_id: str) -> Terminal:
    terminal = session.terminals.get(terminal_id)
    if terminal is None:
        terminal = session.terminals[terminal_id] = Terminal(terminal_id, started_at=session.clock())
    return terminal


def _changed(session: Session, terminal: Terminal) -> None:
    terminal.version += 1
    session.publish(TerminalChanged(terminal.id))


def terminal_markdown(terminal: Terminal) -> str:
    lines = [] if terminal.command is None else [f"$ {one_line(terminal.command)}\n"]
    if terminal.dropped:
        lines.append(f"[{counted(terminal.dropped, 'byte')} of earlier output omitted]\n")
    lines.append(b"".join(terminal.chunks).decode(errors="replace"))
    return f"{fence(''.join(lines), 'console')}\n\n{_ending(terminal)}"


def _ending(terminal: Terminal) -> str:
    status = terminal.exit_status
    if status is None:
        return "Not finished."
    if status.signal is not None:
        return f"Terminated by {one_line(status.signal)}."
    code = status.exit_code
    return f"Exit code {exit_number(code) if code is not None else '?'}."
