"""Plans of protocol 2: each has an id and a type, and what its type asks for."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.plans import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.protocol.reading import read, renamed
from acp_tui.protocol.tolerance import SkipInvalid
from acp_tui.protocol.updates import Update


class PlanItems(Model):
    """A plan of steps."""

    plan_id: str
    entries: SkipInvalid[list[PlanEntry]]


class PlanFile(Model):
    """A plan that is a file (unstable)."""

    plan_id: str
    uri: str


class PlanMarkdown(Model):
    """A plan that is a text (unstable)."""

    plan_id: str
    content: str


class PlanOfOtherType(Model):
    """A plan of which only the id is known."""

    plan_id: str


PLAN_TYPES: dict[str, type[Model]] = {"items": PlanItems, "file": PlanFile, "markdown": PlanMarkdown}


def read_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `plan_update`, which replaces the plan of its id."""
    plan = renamed(update.get("plan"), "planId", "planId", "id")
    kind = plan.get("type") if isinstance(plan, dict) else None
    if not isinstance(kind, str):
        raise ProtocolFault("The agent sent a bad plan", "plan.type", "a string is required")
    checked = read(PLAN_TYPES.get(kind, PlanOfOtherType), plan)
    members = checked.model_dump(by_alias=True, exclude_unset=True)
    return [PlanUpdate(plan=read(Plan, members))]


def read_plan_removed(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `plan_removed` (unstable)."""
    return [read(PlanRemoved, renamed(update, "planId", "planId", "id"))]
