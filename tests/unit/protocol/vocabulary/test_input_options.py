"""Options of new sessions, wherever and however a draft told them."""

from typing import Any

import pytest
from hypothesis import given

from acp_tui.protocol.vocabulary.config_options import read_input_options, with_input_options
from acp_tui.protocol.vocabulary.elicitation import (
    MultiSelectProperty,
    ScalarChoice,
    StringProperty,
    TitledItems,
    UnknownProperty,
)
from acp_tui.session.form import Form, form_of_settings
from tests.rows import each_of
from tests.unit.protocol.official import json_values

SCHEMA = {"type": "object", "properties": {"model": {"type": "string", "enum": ["a", "b"], "default": "a"}}}


@each_of(
    "result",
    [
        {"configSchema": {"session/new": SCHEMA}},
        {"configSchema": {"newSession": SCHEMA}},
        {"_meta": {"configSchema": {"session/new": SCHEMA}}},
        {"agentCapabilities": {"configSchema": {"session/new": SCHEMA}}},
        {"agentCapabilities": {"_meta": {"configSchema": {"newSession": SCHEMA}}}},
        {"agentCapabilities": {"sessions": {"newSession": SCHEMA}}},
        {"capabilities": {"sessions": {"newSession": SCHEMA}}},
        {"inputOptions": {"session/new": SCHEMA}},
        {"configOptions": {"session/new": SCHEMA}},
        {"configSchema": {"session/new": "later"}, "_meta": {"configSchema": {"session/new": SCHEMA}}},
    ],
)
def test_every_place_of_a_draft_is_read(result: dict[str, Any]) -> None:
    forms = read_input_options(result)
    assert list(forms) == ["session/new"]
    assert list(forms["session/new"].properties) == ["model"]


def test_each_method_has_its_own_form() -> None:
    names = {"session/new": "a", "loadSession": "b", "session/resume": "c", "session/other": "d"}
    told = {name: {"properties": {field: {"type": "string"}}} for name, field in names.items()}
    forms = read_input_options({"configSchema": told})
    fields = {method: list(form.properties) for method, form in forms.items()}
    assert fields == {"session/new": ["a"], "session/load": ["b"], "session/resume": ["c"]}


def test_a_field_that_cannot_be_read_is_unknown_and_the_others_live() -> None:
    properties = {
        "plain": {"enum": ["a"]},
        "nested": {"type": "object", "properties": {}},
        "either": {"type": ["string", "null"]},
        "numbers": {"type": "string", "enum": [1, 2]},
        "nothing": 5,
        "good": {"type": "boolean"},
    }
    told = {"properties": properties, "required": ["good", 5], "title": "T"}
    form = read_input_options({"configSchema": {"session/new": told}})["session/new"]
    unknown = [name for name, rules in form.properties.items() if isinstance(rules, UnknownProperty)]
    assert unknown == ["nested", "either", "numbers", "nothing"]
    assert (form.required, form.title) == (["good"], "T")


def test_the_list_form_of_the_first_drafts() -> None:
    items = [
        {
            "id": "model",
            "type": "select",
            "hint": "Model",
            "defaultValue": "b",
            "options": [{"value": "a", "name": "A"}, {"value": "b", "description": "the second"}, {"value": 3}, "c"],
        },
        {"id": "tools", "type": "multiselect", "name": "Tools", "options": ["x", "y"], "value": "x", "required": True},
        {"id": "fast", "type": "toggle", "value": True, "description": "Fast"},
        {"id": "turns", "type": "integer", "defaultValue": 3, "minimum": 1},
        {"name": "without an id"},
        "no item",
    ]
    form = read_input_options({"configOptions": {"session/new": items}})["session/new"]
    model, tools, fast, turns = form.properties.values()
    assert isinstance(model, StringProperty)
    assert model.one_of is not None
    assert [(each.const, each.title, each.description) for each in model.one_of] == [
        ("a", "A", None),
        ("b", "b", "the second"),
        ("3", "3", None),
        ("c", "c", None),
    ]
    assert isinstance(model, ScalarChoice)
    assert model.scalars == {"3": 3}
    assert (model.title, model.default) == ("Model", "b")
    assert isinstance(tools, MultiSelectProperty)
    assert isinstance(tools.items, TitledItems)
    assert (tools.title, tools.default, form.required) == ("Tools", ["x"], ["tools"])
    assert fast.model_dump(exclude_none=True)["default"] is True
    assert turns.model_dump(exclude_none=True)["minimum"] == 1


@pytest.mark.parametrize("result", [None, 5, [], {}, {"configSchema": []}, {"configSchema": {"session/new": {}}}])
def test_without_fields_there_is_no_form(result: Any) -> None:
    assert read_input_options(result) == {}


@given(json_values, json_values)
def test_nothing_that_an_agent_says_raises(one: Any, other: Any) -> None:
    read_input_options({"configSchema": {"session/new": {"properties": {"a": one, "b": other}, "required": one}}})
    read_input_options({"configOptions": {"session/new": [one, {"id": "a", "type": one, "options": [other]}]}})
    read_input_options({"configOptions": {"session/new": [{"id": "a", "options": one, "value": other}]}})


def test_only_what_was_chosen_is_sent() -> None:
    assert with_input_options({"cwd": "/"}, {}) == {"cwd": "/"}
    assert with_input_options({"cwd": "/"}, {"a": 1}) == {"cwd": "/", "configOptions": {"a": 1}}


LIST = [{"id": "n", "name": "N", "hint": "how many", "type": "select", "options": [{"value": 1, "name": "One"}, 2.5]}]
NUMBERS = [
    {"configOptions": {"session/new": LIST}},
    {"configSchema": {"session/new": {"properties": {"n": {"type": "integer", "hint": "how many", "enum": [1, 2.5]}}}}},
    {
        "configSchema": {
            "session/new": {"properties": {"n": {"hint": "how many", "oneOf": [{"const": 1}, {"const": 2.5}]}}}
        }
    },
]


@pytest.mark.parametrize("result", NUMBERS)
def test_choices_that_are_numbers_are_choices_and_numbers_are_sent(result: dict[str, Any]) -> None:
    form = Form(read_input_options(result)["session/new"])
    (field,) = form.fields
    assert (field.kind, field.hint, [choice.value for choice in field.choices]) == ("choice", "how many", ["1", "2.5"])
    form.enter("n", "2.5")
    assert form.changes() == {"n": 2.5}
    assert type(form.changes()["n"]) is float
    again = Form(read_input_options(result)["session/new"], {"n": 1})
    assert (again.entered("n"), again.content()) == ("1", {"n": 1})
    assert Form(read_input_options(result)["session/new"], {"n": True}).entered("n") is None
    settled, _ = form_of_settings(read_input_options(result)["session/new"], [("N", "1")])
    assert settled.content() == {"n": 1}


def test_switches_among_texts_are_sent_as_they_are_and_defaults_fit() -> None:
    item = {"id": "x", "type": "select", "options": ["auto", True, False], "value": False}
    form = Form(read_input_options({"configOptions": {"session/new": [item]}})["session/new"])
    assert form.content() == {"x": False}
    form.enter("x", "auto")
    assert form.content() == {"x": "auto"}
