"""What an agent asks by a form or an address is read; unknown parts are kept, bad limits are not guessed."""

from typing import Any

import pytest

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.elicitation import (
    ElicitationComplete,
    FormElicitation,
    MultiSelectProperty,
    StringItems,
    StringProperty,
    TitledItems,
    UnknownItems,
    UnknownProperty,
    UrlElicitation,
    elicitation_answer,
    read_elicitation,
)
from tests.unit.protocol.methods import BOTH_PARAMETERS
from tests.unit.protocol.official import validator


def form(**properties: Any) -> FormElicitation:
    asked = {"mode": "form", "message": "m", "sessionId": "s", "requestedSchema": {"properties": properties}}
    read = read_elicitation(asked)
    assert isinstance(read, FormElicitation)
    return read


def test_a_form_keeps_its_fields_in_order() -> None:
    read = form(z={"type": "string"}, a={"type": "boolean", "default": "bad"}, n={"type": "number", "minimum": 1})
    assert list(read.requested_schema.properties) == ["z", "a", "n"]
    assert read.requested_schema.type == "object"  # some agents leave it out


def test_unknown_fields_and_choices_are_kept() -> None:
    properties = form(
        new={"type": "colour", "palette": ["red"]},
        plain={"type": "array", "items": {"type": "string", "enum": ["a"]}},
        titled={"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
        odd={"type": "array", "items": {"type": "date"}},
    ).requested_schema.properties
    assert properties["new"] == UnknownProperty(type="colour", raw={"type": "colour", "palette": ["red"]})
    kinds = [each.items for each in properties.values() if isinstance(each, MultiSelectProperty)]
    assert [type(each) for each in kinds] == [StringItems, TitledItems, UnknownItems]


def test_formats_are_open() -> None:
    field = form(a={"type": "string", "format": "hostname", "oneOf": [{"const": "x", "title": "X"}]})
    told = field.requested_schema.properties["a"]
    assert isinstance(told, StringProperty)
    assert told.format == "hostname"
    assert told.one_of is not None


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ({"type": "string", "minLength": -1}, "minLength"),
        ({"type": "string", "enum": "x"}, "enum"),
        ({"type": "string", "pattern": 5}, "pattern"),
        ({"type": "array"}, "items"),
        ({"type": "array", "items": {"enum": ["a"]}}, "items.anyOf"),
        ({"type": 5}, "type"),
    ],
)
def test_bad_limits_reject_the_request(field: dict[str, Any], path: str) -> None:
    with pytest.raises(ProtocolFault) as caught:
        form(a=field)
    assert caught.value.path == f"requestedSchema.properties.a.{path}"


def test_an_address() -> None:
    asked = {
        "mode": "url",
        "message": "m",
        "elicitationId": "e",
        "url": "https://x/",
        "requestId": None,
        "toolCallId": 5,
    }
    read = read_elicitation(asked)
    assert isinstance(read, UrlElicitation)
    assert (read.url, read.tool_call_id) == ("https://x/", None)
    complete = BOTH_PARAMETERS["elicitation/complete"]({"elicitationId": "e"})
    assert isinstance(complete, ElicitationComplete)
    assert complete.elicitation_id == read.elicitation_id


def test_an_unknown_mode_is_told_and_a_missing_one_refused() -> None:
    read = read_elicitation({"mode": "telepathy", "message": "m", "sessionId": "s", "x": 1})
    assert not isinstance(read, FormElicitation | UrlElicitation)
    assert read.mode == "telepathy"
    for bad in (None, {}, {"message": "m", "sessionId": "s"}, {"mode": 5}):
        with pytest.raises(ProtocolFault):
            read_elicitation(bad)


def test_a_request_belongs_to_a_session_or_a_request() -> None:
    with pytest.raises(ProtocolFault, match="sessionId or requestId"):
        read_elicitation({"mode": "telepathy", "message": "m"})


@pytest.mark.parametrize(
    ("answer", "members"),
    [
        (elicitation_answer("accept", {"a": "x", "b": 1, "c": 0.5, "d": True, "e": ["x"]}), {"action", "content"}),
        (elicitation_answer("accept", {}), {"action", "content"}),
        (elicitation_answer("accept"), {"action"}),
        (elicitation_answer("decline"), {"action"}),
        (elicitation_answer("cancel"), {"action"}),
    ],
)
def test_answers(answer: dict[str, Any], members: set[str]) -> None:
    validator("CreateElicitationResponse").validate(answer)
    assert set(answer) == members
