"""Plans as they are shown: which step is at hand, and each step as a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from acp_tui.session.text.words import counted, done_words
from acp_tui.views.styled_text import StyledText, brief

if TYPE_CHECKING:  # pydantic, which the first frame does without
    from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry

SIGNS = {"pending": "○", "in_progress": "◐", "completed": "✓", "cancelled": "⊘"}
AT_HAND = f"{SIGNS['in_progress']} "
"""How the row of a step begins that is at hand."""
FINISHED = frozenset({"completed", "cancelled"})
STEP_LIMIT = 400  # characters
MOST_STEPS = 200  # of a plan, around the step at hand; the rest is counted
_INKS = {"completed": "success", "in_progress": "agent"}
_TONES = {"completed": "muted", "cancelled": "muted strike", "in_progress": "bold"}


def is_done(plan: Plan) -> bool:
    """Whether it is a list of steps of which none is left; how far another kind is, nobody says."""
    return bool(plan.entries) and all(entry.status in FINISHED for entry in plan.entries)


def heading(plans: Sequence[Plan], *, folded: bool) -> StyledText:
    """`Plan`, and folded the step at hand."""
    parts = [("▸ " if folded else "▾ ", "faint"), ("Plan" if len(plans) == 1 else "Plans", "agent bold")]
    left = [entry for plan in plans for entry in plan.entries if entry.status not in FINISHED] if folded else []
    if left:
        current = min(left, key=lambda entry: entry.status != "in_progress")
        parts.append((f"  {_sign(current)} {brief(current.content, STEP_LIMIT)}", ""))
    return parts


def plan_title(plan: Plan) -> StyledText:
    """The name and the figures of one among several plans."""
    return [(brief(plan.plan_id, 60), "bold"), (f"  {done_words([plan])}".rstrip(), "muted")]


def step_rows(entries: Sequence[PlanEntry]) -> Iterator[StyledText]:
    at_hand = next((index for index, entry in enumerate(entries) if entry.status == "in_progress"), 0)
    first = max(0, min(at_hand - MOST_STEPS // 2, len(entries) - MOST_STEPS))
    if first:
        yield [(f"… {counted(first, 'earlier step')}", "muted")]
    yield from map(_step, entries[first : first + MOST_STEPS])
    if (later := len(entries) - first - MOST_STEPS) > 0:
        yield [(f"… {counted(later, 'later step')}", "muted")]


def plan_notes(plan: Plan) -> Iterator[StyledText]:
    """Where a plan is kept, and that its kind is not known."""
    if plan.uri:
        yield [(brief(plan.uri, 200), "muted")]
    if plan.type not in plan.known:
        yield [(f"Unknown plan type: {brief(plan.type, 40)}", "muted")]


def _sign(entry: PlanEntry) -> str:
    return SIGNS.get(entry.status, SIGNS["pending"])


def _step(entry: PlanEntry) -> StyledText:
    words = brief(entry.content, STEP_LIMIT), _TONES.get(entry.status, "")
    row = [(f"{_sign(entry)} ", _INKS.get(entry.status, "muted")), words]
    if entry.priority == "high" and entry.status not in FINISHED:
        row.append(("  ! high", "warning"))
    if entry.status not in SIGNS:
        row.append((f"  {brief(entry.status, 30)}", "muted"))
    return row
