"""Commands that the user runs beside the agent, which hears nothing of them.

They stand in the transcript like a tool call that executes. They are no part of a turn: its end does not end them,
and they do not end the message that is growing.
"""

from acp_tui.protocol.vocabulary.tool_calls import TerminalReference
from acp_tui.session.changes import OwnCommandsChanged
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import OwnCommandEnded, OwnCommandRun
from acp_tui.session.folds import timeline
from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal

NAME = "own command"


def is_own(session: Session, entry: Entry) -> bool:
    """Whether the user has run this, not the agent."""
    return session.index.own_commands.get(entry.id) is entry


def fold_run(session: Session, fact: OwnCommandRun) -> None:
    """Show the command and, by the same id, its terminal."""
    if fact.id in session.index.own_commands:
        return
    reference = TerminalReference(terminal_id=fact.id)
    entry = ToolCallEntry(fact.id, fact.command, NAME, "execute", "in_progress", [reference])
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
