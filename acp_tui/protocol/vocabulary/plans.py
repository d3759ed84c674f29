"""Plans: what the agent means to do."""

from typing import ClassVar, Literal

from acp_tui.protocol.base import LenientItems, Model, Open

DEFAULT_PLAN_ID = "plan"
PLAN_PRIORITIES = ("high", "medium", "low")
PLAN_STATUSES = ("pending", "in_progress", "completed", "cancelled")


class PlanEntry(Model):
    """One step; `priority` high, medium or low, `status` pending, in_progress, completed or cancelled."""

    content: str
    priority: str = "medium"
    status: str = "pending"


class Plan(Open):
    """A whole plan: `items` with entries, or (unstable) a `file` with `uri` or `markdown` with `content`."""

    known: ClassVar = ("items", "file", "markdown")

    type: str = "items"
    plan_id: str = DEFAULT_PLAN_ID
    entries: LenientItems[list[PlanEntry]] = []
    uri: str | None = None
    content: str | None = None


class PlanUpdate(Model):
    """Replaces the plan of the same id."""

    session_update: Literal["plan_update"] = "plan_update"
    plan: Plan


class PlanRemoved(Model):
    """Drops a plan."""

    session_update: Literal["plan_removed"] = "plan_removed"
    plan_id: str
