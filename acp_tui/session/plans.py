"""Plans: each is replaced as a whole; and how far they are, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.protocol.plans import Plan, PlanRemoved, PlanUpdate
from acp_tui.session.changes import PlanChanged

if TYPE_CHECKING:
    from acp_tui.session.state import Session


def fold_update(session: "Session", update: PlanUpdate) -> None:
    """Replace the plan of the same id."""
    session.plans[update.plan.plan_id] = update.plan
    session.publish(PlanChanged(update.plan.plan_id))


def fold_removed(session: "Session", update: PlanRemoved) -> None:
    """Drop a plan."""
    if session.plans.pop(update.plan_id, None) is not None:
        session.publish(PlanChanged(update.plan_id))


def done_words(plans: Sequence[Plan]) -> str:
    """How much is done of what is to be done: `✓ 3 / 3 · 1 cancelled`; empty where there are no steps."""
    statuses = [entry.status for plan in plans for entry in plan.entries]
    done, cancelled = statuses.count("completed"), statuses.count("cancelled")
    wanted = len(statuses) - cancelled
    parts = [f"{'✓ ' if done == wanted else ''}{done} / {wanted}"] if wanted else []
    return " · ".join([*parts, f"{cancelled} cancelled"] if cancelled else parts)
