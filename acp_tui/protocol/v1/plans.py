"""Plans of protocol 1: one plan per session, and (unstable) plans with ids."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.plans import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.protocol.reading import read
from acp_tui.protocol.tolerance import LenientItems
from acp_tui.protocol.updates import Update
from acp_tui.protocol.v1.memory import SessionMemory


class WholePlan(Model):
    """The `plan` update."""

    entries: LenientItems[list[PlanEntry]]


def read_plan(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """`plan` replaces the session's one plan. Like every update of a plan it ends the message before it."""
    plan = Plan(entries=read(WholePlan, update).entries)
    memory.close_message()
    return [PlanUpdate(plan=plan)]


def read_plan_update(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """`plan_update` (unstable) replaces the plan of its id, which some call `id` instead of `planId`."""
    plan = update.get("plan")
    if isinstance(plan, dict) and "planId" not in plan and "id" in plan:
        plan = {**plan, "planId": plan["id"]}
    replaced = read(PlanUpdate, {**update, "plan": plan})
    memory.close_message()
    return [replaced]


def read_plan_removed(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """`plan_removed` (unstable)."""
    if "planId" not in update and "id" in update:
        update = {**update, "planId": update["id"]}
    removed = read(PlanRemoved, update)
    memory.close_message()
    return [removed]
