"""Plans of protocol 1: one plan per session, and (unstable) plans with ids."""

from typing import Any

from acp_tui.protocol.base import LenientItems, Model
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.protocol.vocabulary.updates import Update


class WholePlan(Model):
    """The `plan` update."""

    entries: LenientItems[list[PlanEntry]]


def read_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan` replaces the session's one plan."""
    return [PlanUpdate(plan=Plan(entries=read(WholePlan, update).entries))]


def read_plan_update(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan_update` (unstable) replaces the plan of its id, which some call `id` instead of `planId`."""
    plan = update.get("plan")
    if isinstance(plan, dict) and "planId" not in plan and "id" in plan:
        plan = {**plan, "planId": plan["id"]}
    return [read(PlanUpdate, {**update, "plan": plan})]


def read_plan_removed(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan_removed` (unstable)."""
    if "planId" not in update and "id" in update:
        update = {**update, "planId": update["id"]}
    return [read(PlanRemoved, update)]
