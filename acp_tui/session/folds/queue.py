"""The order of the prompts that wait, and those on their way into the turn."""

from acp_tui.session.changes import QueueChanged
from acp_tui.session.facts import PromptQueued, PromptSteered, QueuedPromptMoved, QueuedPromptTaken, SteeringAnswered
from acp_tui.session.state import Session
from acp_tui.session.turn import QueuedPrompt


def fold_queued(session: Session, fact: PromptQueued) -> None:
    """Put a prompt at the end of the queue."""
    session.index.queued += 1
    session.queue.append(QueuedPrompt(session.index.queued, list(fact.blocks)))
    session.publish(QueueChanged())


def fold_taken(session: Session, fact: QueuedPromptTaken) -> None:
    """Take a prompt out of the queue."""
    session.queue = [prompt for prompt in session.queue if prompt.id != fact.id]
    session.publish(QueueChanged())


def fold_moved(session: Session, fact: QueuedPromptMoved) -> None:
    """Put a queued prompt elsewhere."""
    moved = [prompt for prompt in session.queue if prompt.id == fact.id]
    if moved:
        rest = [prompt for prompt in session.queue if prompt.id != fact.id]
        place = max(0, fact.place)
        session.queue = [*rest[:place], *moved, *rest[place:]]
        session.publish(QueueChanged())


def fold_steered(session: Session, fact: PromptSteered) -> None:
    """Remember a prompt until the agent answers."""
    session.index.queued += 1
    session.steering.append(QueuedPrompt(session.index.queued, list(fact.blocks)))
    session.publish(QueueChanged())


def fold_steering_answered(session: Session, fact: SteeringAnswered) -> None:
    """What becomes of it is seen elsewhere."""
    session.steering = [prompt for prompt in session.steering if prompt.id != fact.id]
    session.publish(QueueChanged())
