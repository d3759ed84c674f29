"""A session that goes on from an earlier message of another one: which way there is, and what the user is told of it.

The user's message is replaced: what was said before it is kept, its own turn and all after that is left out. Nothing
here asks the agent: which way it goes is known before anything is sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.protocol.capabilities import is_agents
from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.facts import Branched
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import without_note

BranchWay = Literal["at_message", "whole", "retold", "new"]
WORDS = 120
"""Characters of the message that is replaced by which it is known again."""
UNSEEN = "Messages that are not shown are left out"
FILES_STAY = "Files stay as they are"
SAID: dict[BranchWay, tuple[str, ...]] = {
    "at_message": ("Fork at this message", "The agent remembers everything before it", FILES_STAY),
    "whole": ("Fork of the whole conversation", "The agent remembers all of it", FILES_STAY),
    "retold": ("New session with the transcript attached", "The agent reads it but does not remember it", FILES_STAY),
    "new": ("New session", "Nothing was said before this message", FILES_STAY),
}


class BranchPlan(Frozen):
    """Which way a branch goes: `at_message` and `whole` are forks, `retold` and `new` are new sessions.

    `at_message`: the agent forks after the answer `after`, an id of its own. `whole`: it forks all that it knows, which
    is what is kept. `retold`: the first prompt of a new session carries what was said. `new`: there is nothing to
    carry. `said` is what the user must know before anything is sent, one idea a line: which way it is, what the agent
    will know, that files stay as they are.
    """

    way: BranchWay
    said: tuple[str, ...]
    after: str = ""


@dataclass(slots=True, eq=False)
class Branch:
    """A branch on its way to the agent: before the prompt number `prompts`, from 0 (`None`: from the end).

    `unseen`: the agent remembers messages of its parent that are not known here. `problem` says why it could not fork.
    """

    plan: BranchPlan
    fact: Branched
    prompts: int | None
    unseen: bool = False
    problem: str = ""


class Forks(Frozen):
    """What the agent can fork: a session, and that at a message. `unseen`: it remembers more than is shown."""

    session: bool
    at_message: bool
    unseen: bool = False


def plan_branch(session: Session, message: MessageEntry | None, can: Forks) -> BranchPlan:
    """How the conversation can go on from before `message`, one of the user's; from its end without one."""
    place = _place(session, message)
    before = session.entries[:place]
    after = _answer_before(before) if can.at_message and place is not None else ""
    if not any(_is_of(entry, "user") for entry in before) and not (can.unseen and place is None):
        way: BranchWay = "new"
    elif not can.session or not session.id or session.index.forgotten:
        way = "retold"
    elif after:
        way = "at_message"
    else:
        way = "whole" if place is None or _is_removed(session, place) else "retold"
    said = SAID[way]
    if can.unseen and way in ("new", "retold"):
        said = (*said[:-1], UNSEEN, FILES_STAY)
    return BranchPlan(way, said, after if way == "at_message" else "")


def branched_fact(session: Session, message: MessageEntry | None) -> Branched:
    place = _place(session, message)
    prompts = sum(_is_of(entry, "user") for entry in session.entries[:place])
    words = " ".join(without_note(text_of(message.parts)).split()) if message is not None else ""
    cut = words if len(words) <= WORDS else words[: WORDS - 1] + "…"
    return Branched(session.id, message.id if message is not None else "", prompts, cut)


def _place(session: Session, message: MessageEntry | None) -> int | None:
    """Where the message stands; None for the end, where one that is not in the transcript would stand, too."""
    return next((at for at, entry in enumerate(session.entries) if entry is message), None)


def _answer_before(entries: Sequence[Entry]) -> str:
    """The id of the answer after which the branch goes on; empty where the agent gave the last one none.

    An answer that is not the last would cut off what was said after it.
    """
    for entry in reversed(entries):
        if _is_of(entry, "user"):
            return ""
        if isinstance(entry, MessageEntry) and entry.role == "agent" and is_agents(entry.id) and _says(entry):
            return entry.id
    return ""


def _is_removed(session: Session, place: int) -> bool:
    """Whether the agent has taken the last prompt, which stands there, and all after it out of its context."""
    last = not any(_is_of(entry, "user") for entry in session.entries[place + 1 :])
    return last and not session.turn.active and session.turn.stop_reason == "refusal"


def _is_of(entry: Entry, role: str) -> bool:
    return isinstance(entry, MessageEntry) and entry.role == role


def _says(message: MessageEntry) -> bool:
    return any(not isinstance(part, TextPart) or part.text.strip() for part in message.parts)
