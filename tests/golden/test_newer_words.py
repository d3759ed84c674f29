"""Words of version 2 that are newer than this program: whatever an agent says with them is exported and recorded."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.event_codec import decode, lines_of
from acp_tui.protocol.session_setup import PermissionMessage
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.session_updates import RejectedUpdate, Update
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.facts import Fact, PermissionReceived
from acp_tui.session.state import Session
from tests.rows import each_of

NEW = {"deep": [{"value": "newer", "none": None}]}
CALL = {"sessionUpdate": "tool_call_update", "toolCallId": "c"}
OPTION = {"configId": "o", "name": "O", "type": "_dial", "currentValue": 7}
TOLD: dict[str, dict[str, Any]] = {
    "update": {"sessionUpdate": "_sparkle", **NEW},
    "block": {"sessionUpdate": "agent_message", "messageId": "m", "content": [{"type": "_hologram", **NEW}]},
    "block in a piece": {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "_x", **NEW}},
    "content of a tool call": CALL | {"content": [{"type": "_sound", **NEW}]},
    "change": CALL | {"content": [{"type": "diff", "changes": [{"operation": "_chmod", "path": "/a", **NEW}]}]},
    "plan": {"sessionUpdate": "plan_update", "plan": {"type": "_sketch", "planId": "p", **NEW}},
    "option": {"sessionUpdate": "config_option_update", "configOptions": [OPTION | NEW]},
    "command": {
        "sessionUpdate": "available_commands_update",
        "availableCommands": [{"type": "_button", "name": "n", "description": "d", **NEW}],
    },
    "background": {"sessionUpdate": "state_update", "state": "running", "background": [{"type": "_moon", **NEW}]},
    "metadata": {"sessionUpdate": "session_info_update", "_meta": NEW},
}
ODD = {"odd": [{"value": "newer"}]}
SKETCH = {"type": "_sketch", "planId": "p"}
CHANGE = {"operation": "_link"}
COLLIDING: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plan": (SKETCH | {"uri": ODD, "content": [ODD], "entries": [ODD]}, {"sessionUpdate": "plan_update"}),
    "change": (CHANGE | {"path": ODD, "oldPath": 7, "fileType": [1]}, CALL),
    "background": ({"type": "_moon", "terminalId": ODD, "toolCallId": 7}, TOLD["background"]),
    "command": (
        {"type": "_button", "name": "n", "description": "d", "input": {"type": "_knob", "hint": ODD}},
        TOLD["command"],
    ),
}
"""Newer words whose members have names that older words give other types, and the updates that they stand in."""
VALUES: dict[str, dict[str, Any]] = {
    "kind": CALL | {"kind": "newer"},
    "status": CALL | {"status": "newer"},
    "patch": CALL | {"content": [{"type": "diff", "changes": [], "patch": {"format": "newer", "text": "?"}}]},
    "state": {"sessionUpdate": "state_update", "state": "newer"},
    "severity": {"sessionUpdate": "notice", "severity": "newer", "title": "t"},
    "compaction": {"sessionUpdate": "compaction_update", "compactionId": "k", "status": "newer"},
    "priority": {
        "sessionUpdate": "plan_update",
        "plan": {
            "type": "items",
            "planId": "p",
            "entries": [{"content": "c", "priority": "newer", "status": "pending"}],
        },
    },
}


def heard(update: dict[str, Any]) -> list[Update]:
    return Version2Dialect().read_update({"sessionId": "s", "update": update})[1]


def session_of(events: Sequence[Update | Fact]) -> Session:
    session = Session("s", "/", clock=lambda: 1.0)
    for event in events:
        session.apply(event)
    return session


def recorded(events: Sequence[Update | Fact]) -> list[Update | Fact]:
    """The same, out of a record."""
    found: list[Update | Fact] = []
    for _, line in lines_of([(1.0, event) for event in events]):
        value = json_object(line)
        assert value is not None
        event = decode(value["kind"], value["data"])
        assert event is not None
        found.append(event)
    return found


@each_of("place", TOLD)
def test_what_a_newer_word_says_is_exported_and_recorded_as_it_came(place: str) -> None:
    events = heard(TOLD[place])
    session = session_of(events)
    assert not any(isinstance(event, RejectedUpdate) for event in events)
    assert json.dumps(NEW)[1:-1] in json.dumps(to_json(session))
    assert to_json(session_of(recorded(events))) == to_json(session)
    assert to_markdown(session)


def placed(place: str) -> dict[str, Any]:
    """The update of COLLIDING with the newer word in its place."""
    word, update = COLLIDING[place]
    match place:
        case "plan":
            return update | {"plan": word}
        case "change":
            return update | {"content": [{"type": "diff", "changes": [word]}]}
        case "background":
            return update | {"background": [word]}
    return update | {"availableCommands": [word]}


@pytest.mark.parametrize("place", COLLIDING)
def test_a_newer_word_may_use_the_names_of_older_ones_otherwise(place: str) -> None:
    events = heard(placed(place))
    session = session_of(events)
    assert not any(isinstance(event, RejectedUpdate) for event in events)
    assert COLLIDING[place][0] in list(objects(to_json(session)))
    assert to_json(session_of(recorded(events))) == to_json(session)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in JSON data."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


def test_of_a_known_word_the_same_is_bad() -> None:
    bad = {"type": "markdown", "planId": "p", "content": [ODD]}
    [rejected] = heard({"sessionUpdate": "plan_update", "plan": bad})
    assert isinstance(rejected, RejectedUpdate)
    call = to_json(session_of(heard(CALL | {"content": [{"type": "diff", "changes": [{"operation": "add"}]}]})))
    assert {"type": "diff", "changes": []} in list(objects(call))


def test_a_plan_of_a_newer_type_is_whole_for_people_too() -> None:
    assert '"odd"' in to_markdown(session_of(heard(placed("plan"))))


@pytest.mark.parametrize("place", VALUES)
def test_a_newer_value_is_exported_and_recorded(place: str) -> None:
    events = heard(VALUES[place])
    session = session_of(events)
    assert '"newer"' in json.dumps(to_json(session))
    assert to_json(session_of(recorded(events))) == to_json(session)


def test_a_question_about_something_newer_is_recorded() -> None:
    option = {"optionId": "y", "name": "Yes", "kind": "_glow"}
    asked = {"sessionId": "s", "title": "?", "subject": {"type": "_moon", **NEW}, "options": [option]}
    read: PermissionMessage = Version2Dialect().read_permission(asked)
    fact = PermissionReceived(1, read.request)
    assert recorded([fact]) == [fact]
    assert json.dumps(NEW)[1:-1] in json.dumps(to_json(session_of([fact])))
