"""Words for counts, plans, links and changed files, for every front end; imported before the first frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.safe_text import named, one_line, visible

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.plans import Plan
    from acp_tui.session.entries import HandOverEntry, TakenBackEntry, TurnEntry

TRANSCRIPT_URI = "acp-tui:transcript/"
"""How the address of a transcript begins that is handed over with a prompt; nothing can be found there."""
NAMES = 3
"""Paths of changed files that are named in a line; the rest is counted."""
CHOSEN = 40
"""Characters of the name of a model or a mode."""
LONGEST_NAME = 60
"""Characters of such a path; of a longer one the end is shown."""
NOT_SENT = "Not sent from acp-tui"
"""What is said of a message that an agent tells as the user's, and that they did not send from here."""
_ENDS = {
    "cancelled": "Cancelled",
    "refusal": "Refused",
    "max_tokens": "Token limit reached",
    "max_turn_requests": "Request limit reached",
    "error": "Failed",
}
CARRIED = "This is our conversation so far. Go on from it with the message that follows."
"""How a conversation begins that the first prompt of another session carries, for the agent only."""


CARRIED_URI = "conversation:///so-far.md"
"""The address of such a conversation, where it goes as a resource."""


def done_words(plans: Sequence[Plan]) -> str:
    """How much is done of what is to be done: `✓ 3 / 3 · 1 cancelled`; empty where there are no steps."""
    statuses = [entry.status for plan in plans for entry in plan.entries]
    done, cancelled = statuses.count("completed"), statuses.count("cancelled")
    wanted = len(statuses) - cancelled
    parts = [f"{'✓ ' if done == wanted else ''}{done} / {wanted}"] if wanted else []
    return " · ".join([*parts, f"{cancelled} cancelled"] if cancelled else parts)


def link_words(entry: HandOverEntry) -> str:
    """Where a conversation went, or where it came from."""
    way = {"to": "Handed over to", "from": "Continued from"}[entry.way]
    return f"{way} {visible(entry.agent, 'another agent')}"


def changed_words(entry: TurnEntry) -> list[str]:
    """What a turn changed, in pieces: `4 files changed`, `+12 −3`, `1 probably yours`, `src/a.py, b.py +2 more`.

    Empty where nothing is to be said of files.
    """
    if not entry.files and not entry.gaps:
        return []
    turn = f" in turn {entry.turn:,}" if entry.apart else ""
    unknown = f"{entry.unknown:,} probably yours" if entry.unknown else ""
    said = f"{counted(entry.files, 'file') if entry.files else 'No files'} changed{turn}"
    counts = " ".join(plus_minus(entry.added, entry.removed))
    return [piece for piece in (said, counts, unknown, _names(entry.names, entry.files)) if piece]


def ended_words(entry: TurnEntry) -> str:
    """How a turn ended that did not come to its own end; empty if it did."""
    reason = entry.stop_reason
    return "" if reason in (None, "end_turn") else _ENDS.get(reason or "", f"Ended: {one_line(reason or '', CHOSEN)}")


def turn_facts(entry: TurnEntry) -> list[str]:
    """How long a turn took, and with which model and mode: `12 s`, `Opus 5.5`, `Plan`."""
    if entry.seconds is None:
        return []
    took = duration(max(1, round(entry.seconds)))
    return [took, *(one_line(name, CHOSEN) for name in (entry.model, entry.mode) if name.strip())]


def turn_words(entry: TurnEntry) -> list[str]:
    """All that is said of the end of a turn."""
    return [piece for piece in (ended_words(entry), *changed_words(entry), *turn_facts(entry)) if piece]


def duration(seconds: float) -> str:
    """A span of time, to the second: `12 s`, `2 min 05 s`, `1 h 02 min`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def taken_back_words(entry: TakenBackEntry) -> list[str]:
    """What was taken back, or undone, in pieces: `Undone: "fix the parser"`, `3 files`, `1 left alone`."""
    said = "Redone" if entry.undone else "Undone"
    about = f"{said}: {named(entry.words)}" if entry.words.strip() else said
    left = f"{entry.left:,} left alone" if entry.left else ""
    return [piece for piece in (about, counted(entry.files, "file"), left, _names(entry.names, entry.files)) if piece]


def counted(count: int, noun: str) -> str:
    """A number with its noun: `1 line`, `3,000 lines`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def plus_minus(added: int, removed: int) -> list[str]:
    """How many lines came and went: `+12`, `−3`; of none nothing."""
    return [f"+{added:,}"] * bool(added) + [f"−{removed:,}"] * bool(removed)


def _names(names: Sequence[str], count: int) -> str:
    """The first few of so many paths, each as it is safe to be shown."""
    shown = [_end_of(named(name)) for name in names[:NAMES]]
    more = f" +{count - len(shown):,} more" if shown and count > len(shown) else ""
    return ", ".join(shown) + more


def _end_of(path: str) -> str:
    return path if len(path) <= LONGEST_NAME else f"…{path[1 - LONGEST_NAME :]}"


def exit_number(code: int) -> str:
    """An exit code as it is told; `?` for one that no system has, which could be longer than its row."""
    return str(code) if abs(code) < 2**32 else "?"  # Windows has 32 bits
