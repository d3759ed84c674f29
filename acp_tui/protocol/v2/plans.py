"""Plans of protocol 2: each has an id and a type, and what its type asks for."""

from typing import Any

from acp_tui.protocol.base import Model, SkipInvalid
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read, renamed
from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.protocol.vocabulary.updates import Update


class PlanOfAnyType(Model):
    """A plan, of which only the id is known where its type is a newer one."""

    plan_id: str


class PlanItems(PlanOfAnyType):
    """A plan of steps."""

    entries: SkipInvalid[list[PlanEntry]]


class PlanFile(PlanOfAnyType):
    """A plan that is a file (unstable)."""

    uri: str


class PlanMarkdown(PlanOfAnyType):
    """A plan that is a text (unstable)."""

    content: str


PLAN_TYPES: dict[str, type[PlanOfAnyType]] = {"items": PlanItems, "file": PlanFile, "markdown": PlanMarkdown}


def read_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `plan_update`, which replaces the plan of its id."""
    plan = renamed(update.get("plan"), "planId", "planId", "id")
    kind = plan.get("type") if isinstance(plan, dict) else None
    if not isinstance(kind, str):
        raise ProtocolFault("The agent sent a bad plan", "plan.type", "a string is required")
    checked = read(PLAN_TYPES.get(kind, PlanOfAnyType), plan)
    members = checked.model_dump(by_alias=True, exclude_unset=True)
    return [PlanUpdate(plan=read(Plan, members))]


def read_plan_removed(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `plan_removed` (unstable)."""
    return [read(PlanRemoved, renamed(update, "planId", "planId", "id"))]
