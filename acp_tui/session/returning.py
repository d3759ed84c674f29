"""What was cut off goes on: a session that is told again, an agent that comes back, a prompt that is sent later."""

from typing import TYPE_CHECKING

from acp_tui.session import terminals, timeline
from acp_tui.session.changes import QueueChanged, TurnChanged
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.facts import AgentReturned, PromptPutBack, SessionLoaded
from acp_tui.session.turn import QueuedPrompt
from acp_tui.session.turn_folds import end

if TYPE_CHECKING:
    from acp_tui.session.state import Session


def fold_returned(session: "Session", fact: AgentReturned) -> None:
    """Open the session again; another process counts its messages anew, so that old ids are no longer meant.

    The turn that was cut off ended when the agent went; what the new process has told of its state stays.
    """
    index = session.index
    session.closed = False
    session.config_in_flight.clear()
    session.config_fixed.clear()
    index.config_requests.clear()
    index.messages.clear()
    if fact.forgotten:
        index.tool_calls.clear()
        index.compactions.clear()
        terminals.set_aside(session)
    session.publish(TurnChanged())


def fold_loaded(session: "Session", _: SessionLoaded) -> None:
    """Finish the last message, unless the agent says that it is at work in this session."""
    if not session.turn.active:
        timeline.seal_growing(session)


def fold_put_back(session: "Session", fact: PromptPutBack) -> None:
    """End the turn that never was: its prompt waits in the queue, before all others."""
    prompt = session.index.prompt
    if session.turn.active:
        end(session, "error", {"message": fact.reason})
    if prompt is not None and _is_last(session, prompt):
        session.index.messages.pop((prompt.role, prompt.id), None)
        timeline.remove(session, prompt)
    session.index.queued += 1
    session.queue.insert(0, QueuedPrompt(session.index.queued, list(fact.blocks)))
    session.publish(QueueChanged())
    session.publish(TurnChanged())


def _is_last(session: "Session", prompt: MessageEntry) -> bool:
    for entry in reversed(session.entries):
        if not isinstance(entry, NoticeEntry):
            return entry is prompt
    return False
