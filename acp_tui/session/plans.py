"""Plans: each is replaced as a whole."""

from typing import TYPE_CHECKING

from acp_tui.protocol.plans import PlanRemoved, PlanUpdate
from acp_tui.session.changes import PlanChanged

if TYPE_CHECKING:
    from acp_tui.session.state import Session


def fold_update(session: "Session", update: PlanUpdate) -> None:
    """Replace the plan of the same id."""
    session.plans[update.plan.plan_id] = update.plan
    session.index.turn_plans.pop(update.plan.plan_id, None)
    session.index.turn_plans[update.plan.plan_id] = update.plan
    session.publish(PlanChanged(update.plan.plan_id))


def fold_removed(session: "Session", update: PlanRemoved) -> None:
    """Drop a plan."""
    session.index.turn_plans.pop(update.plan_id, None)
    if session.plans.pop(update.plan_id, None) is not None:
        session.publish(PlanChanged(update.plan_id))
