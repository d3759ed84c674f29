"""The other updates, and that nothing an agent says in an update is ever raised."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.base import Model
from acp_tui.protocol.v1.dialect import READERS, Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.session_updates import (
    PLACED,
    AvailableCommandsUpdate,
    CompactionUpdate,
    MessageChunk,
    Notice,
    PlanRemoved,
    PlanUpdate,
    RejectedUpdate,
    SessionInfoUpdate,
    UnknownUpdate,
    UsageUpdate,
)
from tests.examples import THOROUGH, times
from tests.rows import each_of
from tests.unit.protocol.official import defined, json_values
from tests.unit.protocol.told import Told, only

ENTRY = {"content": "Do it", "priority": "high", "status": "pending"}


@settings(times(6), suppress_health_check=list(HealthCheck))
@given(defined("SessionNotification"))
def test_every_valid_update_is_read(params: dict[str, Any]) -> None:
    session_id, updates = Version1Dialect().read_update(params)
    assert session_id == params["sessionId"]
    assert updates
    assert not any(isinstance(each, UnknownUpdate | RejectedUpdate) for each in updates)


@each_of("model", PLACED)
def test_what_comes_as_it_stands_here_is_read_in_both_versions_and_parts_messages(model: type[Model]) -> None:
    kind = model.model_fields["session_update"].default
    needed = model.model_json_schema()["required"]
    told = {name: {"type": "text", "text": "a"} if name == "content" else "x" for name in needed}
    told["sessionUpdate"] = kind
    assert isinstance(Version2Dialect().read_update({"sessionId": "s", "update": told})[1][0], model)
    said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}}
    dialect = Version1Dialect()
    first, placed, second = (
        dialect.read_update({"sessionId": "s", "update": update})[1][0] for update in (said, told, said)
    )
    assert isinstance(placed, model)
    assert isinstance(first, MessageChunk)
    assert isinstance(second, MessageChunk)
    assert first.message_id != second.message_id


@settings(THOROUGH, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([*READERS, "_new"]),
    st.dictionaries(
        st.sampled_from(
            [
                "content",
                "toolCallId",
                "plan",
                "title",
                "configOptions",
                "entries",
                "messageId",
                "model",
                "status",
                "_meta",
                "used",
                "compactionId",
            ]
        ),
        json_values,
    ),
)
def test_nothing_is_ever_raised(kind: str, members: dict[str, Any]) -> None:
    _, updates = Version1Dialect().read_update({"sessionId": "s", "update": {**members, "sessionUpdate": kind}})
    assert all(update.raw["sessionUpdate"] == kind for update in updates if isinstance(update, RejectedUpdate))


@given(json_values)
def test_not_even_for_what_is_no_update_at_all(junk: Any) -> None:
    for params in (junk, {"sessionId": "s"}, {"sessionId": "s", "update": junk}, {"sessionId": junk, "update": {}}):
        _, updates = Version1Dialect().read_update(params)
        assert only(RejectedUpdate, updates).reason


def test_an_unknown_update_is_kept_as_it_came() -> None:
    assert Told().say("_vendor/x", a=[1]) == [UnknownUpdate("_vendor/x", {"sessionUpdate": "_vendor/x", "a": [1]})]


def test_a_plan_replaces_the_one_plan() -> None:
    update = only(PlanUpdate, Told().say("plan", entries=[ENTRY, {"priority": "low"}, {**ENTRY, "status": "resting"}]))
    assert update.plan.plan_id == "plan"
    assert [(entry.content, entry.status) for entry in update.plan.entries] == [
        ("Do it", "pending"),
        ("Do it", "resting"),
    ]
    assert only(PlanUpdate, Told().say("plan", entries="bad")).plan.entries == []


@pytest.mark.parametrize("name", ["planId", "id"])
def test_plans_with_ids(name: str) -> None:
    told = Told()
    items = only(PlanUpdate, told.say("plan_update", plan={"type": "items", name: "p", "entries": [ENTRY]})).plan
    assert (items.plan_id, len(items.entries)) == ("p", 1)
    text = only(PlanUpdate, told.say("plan_update", plan={"type": "markdown", name: "p", "content": "# A"})).plan
    assert (text.type, text.content) == ("markdown", "# A")
    assert only(PlanRemoved, told.say("plan_removed", **{name: "p"})).plan_id == "p"
    assert only(RejectedUpdate, told.say("plan_update", plan=[])).path == "plan"


def test_commands_replace_all() -> None:
    commands = [
        {"name": "web", "description": "Search", "input": {"hint": "words"}},
        {"name": "plain", "description": "", "input": "bad"},
        {"description": "no name"},
    ]
    told = only(AvailableCommandsUpdate, Told().say("available_commands_update", availableCommands=commands))
    assert [command.name for command in told.available_commands] == ["web", "plain"]
    assert [command.input and command.input.hint for command in told.available_commands] == ["words", None]


def test_session_info_has_three_states() -> None:
    told = Told()
    assert only(SessionInfoUpdate, told.say("session_info_update", title="T")).model_fields_set >= {"title"}
    cleared = only(SessionInfoUpdate, told.say("session_info_update", title=None))
    assert (cleared.has("title"), cleared.title, cleared.has("updated_at")) == (True, None, False)
    assert not only(SessionInfoUpdate, told.say("session_info_update", title=5)).has("title")


def test_compactions_have_three_states_and_need_a_status() -> None:
    told = Told()
    update = only(CompactionUpdate, told.say("compaction_update", compactionId="c", status="resting", summary=None))
    assert (update.status, update.has("summary"), update.has("error")) == ("resting", True, False)
    assert not only(CompactionUpdate, told.say("compaction_update", compactionId="c", status="x", error=5)).has("error")
    for bad in ({}, {"status": None}, {"status": 5}):
        assert only(RejectedUpdate, told.say("compaction_update", compactionId="c", **bad)).path == "status"


@pytest.mark.parametrize("bad", ["5", True, -1, 1.5, None])
def test_usage_is_numbers(bad: Any) -> None:
    told = Told()
    assert only(UsageUpdate, told.say("usage_update", used=5.0, size=10)).used == 5
    assert only(RejectedUpdate, told.say("usage_update", used=bad, size=10)).path == "used"


def test_a_cost_that_is_no_number_is_none() -> None:
    cost = {"amount": float("nan"), "currency": "EUR"}
    assert only(UsageUpdate, Told().say("usage_update", used=1, size=2, cost=cost)).cost is None


def test_a_notice_needs_a_title() -> None:
    told = Told()
    assert only(Notice, told.say("notice", severity="odd", title="T", description=5)).description is None
    assert only(RejectedUpdate, told.say("notice", severity="info", title="")).path == "title"
