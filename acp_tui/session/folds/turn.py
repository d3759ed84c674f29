"""The turn: its beginning, its states and its end, and the prompts that wait for that."""

from typing import Any

from acp_tui.protocol.faults import error_words
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.session_updates import PromptDropped, StateUpdate
from acp_tui.session import changes, facts
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.folds import (
    file_changes,
    messages,
    questions,
    session_info,
    subagents,
    terminals,
    timeline,
    tool_calls,
)
from acp_tui.session.folds.timeline import SEND_AGAIN, add_failure, add_notice
from acp_tui.session.state import Carrying, QueuedPrompt, Session, Turn

_EARLY_ENDS = {
    "max_tokens": (
        "Answer cut off",
        "The agent reached its token limit for one answer.",
        "Ask it to continue, or choose a model with a higher limit.",
    ),
    "max_turn_requests": (
        "The agent stopped early",
        "It reached its request limit for one turn.",
        "Ask it to continue.",
    ),
    "refusal": (
        "The agent refused",
        "Your last prompt and everything after it were removed from its context.",
        SEND_AGAIN,
    ),
}


def fold_state(session: Session, update: StateUpdate) -> None:
    """Begin, continue or end the turn; the state said again is no news."""
    before = session.turn.background
    if update.background is not None:
        session.turn.background = update.background
    if update.state == "idle":
        if session.turn.active:
            session.turn.usage = update.usage
            prompted = end(session, update.stop_reason, update.error)
            subagents.outlive(session)
            _explain(session)
            file_changes.add_end(session, prompted=prompted)
            session.publish(changes.TurnChanged())
        elif session.turn.background != before:
            tool_calls.stop_open(session, cancelled=False)
            session.publish(changes.TurnChanged())
    elif not session.turn.active:
        now = session.clock()
        session.turn = Turn(update.state, started_at=now, last_heard_at=now, background=session.turn.background)
        session.index.repeatable.clear()
        session.index.lone_writes.clear()
        session.index.turn_plans.clear()
        session.index.turn_began = len(session.entries)
        session_info.forget_suggestions(session)
        session.publish(changes.TurnChanged())
    elif update.state != session.turn.state:
        session.turn.state = update.state
        session.publish(changes.TurnChanged())


def fold_cancel(session: Session, _: facts.CancelRequested) -> None:
    """Mark what is unfinished as cancelled at once; the agent's updates are still taken."""
    if session.turn.active and session.turn.cancel_requested_at is None:
        session.turn.cancel_requested_at = session.clock()
        tool_calls.stop_open(session, cancelled=True)
        session.publish(changes.TurnChanged())


def fold_gone(session: Session, fact: facts.AgentGone) -> None:
    """End everything that waits for the agent, and say why."""
    session.closed = True
    while session.permissions:
        session.publish(changes.PermissionSettled(session.permissions.pop(0).key, None))
    questions.stop_all(session)
    subagents.disconnect(session)
    session.input_options = None
    if session.steering:  # never answered: they wait with the others
        session.queue, session.steering = [*session.steering, *session.queue], []
        session.publish(changes.QueueChanged())
    session.turn.background = []
    session.config_in_flight.clear()
    session.index.config_requests.clear()
    active = session.turn.active
    prompted = active and end(session, "error", {"message": fact.title})
    if not active:
        _seal(session, cancelled=False)
    session.index.ending = add_notice(session, "error", fact.title, fact.message, fact.hint)
    if active:
        file_changes.add_end(session, prompted=prompted)
    session.publish(changes.TurnChanged())


def fold_dropped(session: Session, update: PromptDropped) -> None:
    """Give back a prompt that the agent never took, wherever it stands."""
    prompt = session.index.messages.get(("user", update.message_id))
    if prompt is not None:
        _return(session, prompt, carrying="wanted")
    if update.reason:
        add_notice(session, "warning", "The agent rejected the prompt", update.reason)


def fold_returned(session: Session, fact: facts.AgentReturned) -> None:
    """Open the session again; another process counts its messages anew, so that old ids are no longer meant.

    The turn that was cut off ended when the agent went, which the transcript tells; what the new process has told of
    its state stays.
    """
    index = session.index
    session.closed = False
    session.config_in_flight.clear()
    session.config_fixed.clear()
    index.config_requests.clear()
    index.messages.clear()
    index.blank.clear()
    if fact.forgotten:
        messages.stop_compactions(session)
        index.forgotten = bool(session.entries)
        index.tool_calls.clear()
        index.named.clear()
        terminals.set_aside(session)
    if not session.turn.active:
        session.turn.stop_reason = session.turn.error = None
    if index.ending is not None and index.ending.hint:  # which asks for what was done
        index.ending.hint = ""
        timeline.changed(session, index.ending)
        index.repeatable.clear()
    index.ending = None
    subagents.come_back(session, fact)
    session.publish(changes.TurnChanged())


def fold_loaded(session: Session, _: facts.SessionLoaded) -> None:
    """Finish the last message, unless the agent says that it is at work in this session."""
    if not session.turn.active:
        timeline.seal_growing(session)
    subagents.unconfirm(session)


def fold_put_back(session: Session, fact: facts.PromptPutBack) -> None:
    """End the turn that never was: its prompt waits in the queue, before all others."""
    prompt = session.index.prompt
    if session.turn.active:
        end(session, "error", {"message": fact.reason})
    if prompt is not None and _is_last(session, prompt):
        session.index.messages.pop(("user", prompt.id), None)
        timeline.remove(session, prompt)
    session.queue.insert(0, _prompt(session, fact.blocks))
    session.publish(changes.QueueChanged())
    session.publish(changes.TurnChanged())


def fold_queued(session: Session, fact: facts.PromptQueued) -> None:
    session.queue.append(_prompt(session, fact.blocks))
    session.publish(changes.QueueChanged())


def fold_taken(session: Session, fact: facts.QueuedPromptTaken) -> None:
    session.queue = [prompt for prompt in session.queue if prompt.id != fact.id]
    session.publish(changes.QueueChanged())


def fold_moved(session: Session, fact: facts.QueuedPromptMoved) -> None:
    moved = [prompt for prompt in session.queue if prompt.id == fact.id]
    if moved:
        rest = [prompt for prompt in session.queue if prompt.id != fact.id]
        place = max(0, fact.place)
        session.queue = [*rest[:place], *moved, *rest[place:]]
        session.publish(changes.QueueChanged())


def fold_steered(session: Session, fact: facts.PromptSteered) -> None:
    session.steering.append(_prompt(session, fact.blocks))
    session.publish(changes.QueueChanged())


def fold_steering_answered(session: Session, fact: facts.SteeringAnswered) -> None:
    """What becomes of it is seen elsewhere."""
    session.steering = [prompt for prompt in session.steering if prompt.id != fact.id]
    session.publish(changes.QueueChanged())


def _prompt(session: Session, blocks: list[ContentBlock]) -> QueuedPrompt:
    session.index.queued += 1
    return QueuedPrompt(session.index.queued, list(blocks))


def end(session: Session, stop_reason: str | None, error: dict[str, Any] | None) -> bool:
    """End the turn; a prompt that was cancelled before anything came goes back to the user.

    Whether the user's prompt for it stands.
    """
    turn, prompt = session.turn, session.index.prompt
    turn.state, turn.stop_reason, turn.error = "idle", stop_reason, error
    turn.ended_at = session.clock()
    _seal(session, cancelled=stop_reason == "cancelled")
    session.index.prompt = None
    if stop_reason == "cancelled" and prompt is not None and _is_last(session, prompt):
        _return(session, prompt, carrying="offered")
        return False
    return prompt is not None


def fold_numbered(session: Session, fact: facts.TurnNumbered) -> None:
    session.index.turn_number = fact.turn


def _seal(session: Session, *, cancelled: bool) -> None:
    timeline.seal_growing(session)
    tool_calls.stop_open(session, cancelled=cancelled)
    messages.stop_compactions(session)
    session.index.blank.clear()


def _return(session: Session, prompt: MessageEntry, carrying: Carrying) -> None:
    """Give a prompt back to the user; what it carried is theirs again too (`carrying`), whether or not it came."""
    if len(list(messages.own_parts(prompt.parts))) < len(prompt.parts):
        session.carrying = carrying
        session.publish(changes.InfoChanged())
    if session.index.prompt is prompt:
        session.index.prompt = None
    if session.index.growing is prompt:
        timeline.seal_growing(session)
    del session.index.messages["user", prompt.id]
    timeline.remove(session, prompt)
    session.publish(changes.PromptReturned(messages.text_of(prompt.parts), messages.attachments_of(prompt.parts)))


def _explain(session: Session) -> None:
    turn, error = session.turn, session.turn.error
    details = error_words(error.get("code"), str(error.get("message") or ""), error.get("data")) if error else ""
    match turn.stop_reason:
        case None | "cancelled":
            pass
        case "end_turn":  # some agents swallow an error of their model and end the turn as if all were well
            if not turn.background and not _is_answered(session):
                title = "The agent ended its turn without an answer"
                add_notice(session, "warning", title, "", "Check its stderr", "stderr")
        case "error":
            add_failure(session, details)
        case reason if reason in _EARLY_ENDS:
            again = reason == "refusal"
            add_notice(session, "warning", *_EARLY_ENDS[reason], see="prompt" if again else "")
        case reason:
            add_notice(session, "warning", f"Turn ended: {reason}", details)


def _is_answered(session: Session) -> bool:
    """Whether anything but thoughts and the user's own words came to the screen since the turn began."""
    began = session.turn.started_at
    if session.index.turn_plans or session.index.options_at >= began:
        return True
    if any(notice.started_at >= began for notice in session.notices):
        return True
    for entry in reversed(session.entries):
        if entry.started_at < began:
            return False
        if isinstance(entry, file_changes.TurnEntry | file_changes.TakenBackEntry):
            continue  # of the turn before, or the user's own doing
        if not isinstance(entry, MessageEntry):
            return True
        if entry.role == "agent" and any(
            not isinstance(part, TextPart) or not part.text.isspace() for part in entry.parts
        ):
            return True
    return False


def _is_last(session: Session, prompt: MessageEntry) -> bool:
    for entry in reversed(session.entries):
        if not entry.aside:
            return entry is prompt
    return False
