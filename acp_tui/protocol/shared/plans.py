"""Plans: the one of a session of protocol 1, and those that have an id and a type, and what their type asks for."""

from typing import Any

from acp_tui.protocol.base import LenientItems, Model
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read, renamed
from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.protocol.vocabulary.updates import Update

PLAN_TYPES: dict[str, tuple[str, type]] = {
    "items": ("entries", list),
    "file": ("uri", str),
    "markdown": ("content", str),
}
"""What a plan of each type must have; the last two are unstable."""


class WholePlan(Model):
    """The `plan` update."""

    entries: LenientItems[list[PlanEntry]]


def read_whole_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan` replaces the session's one plan."""
    return [PlanUpdate(plan=Plan(entries=read(WholePlan, update).entries))]


def read_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan_update` (unstable in protocol 1) replaces the plan of its id, which some call `id` instead of `planId`."""
    plan = renamed(update.get("plan"), "planId", "planId", "id")
    if isinstance(plan, dict):
        more = PLAN_TYPES.get(str(plan.get("type")))
        for name, kind in (("type", str), ("planId", str), *([more] if more else [])):
            if not isinstance(plan.get(name), kind):
                reason = f"{'a string' if kind is str else 'an array'} is required"
                raise ProtocolFault("The agent sent a bad plan", f"plan.{name}", reason)
    return [read(PlanUpdate, {**update, "plan": plan})]


def read_plan_removed(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan_removed` (unstable)."""
    return [read(PlanRemoved, renamed(update, "planId", "planId", "id"))]
