"""Forms: what may be entered, what is said of the rest, and that what is sent satisfies what was asked."""

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from acp_tui.session.form import Entered, Form, form_of_settings
from acp_tui.session.form_rules import rules_in_words
from tests.examples import THOROUGH
from tests.rows import each_of
from tests.unit.protocol.official import validator

Draft202012Validator: Any = import_module("jsonschema").Draft202012Validator  # it has no types of its own

TITLED = [{"const": "a", "title": "Alpha", "description": "the first"}, {"const": "b", "title": "Beta"}]


def schema_of(*required: str, **properties: Any) -> ElicitationSchema:
    return read(ElicitationSchema, {"type": "object", "properties": properties, "required": list(required)})


def form_of(*required: str, **properties: Any) -> Form:
    return Form(schema_of(*required, **properties))


def problem(rules: dict[str, Any], entered: Entered, *, required: bool = False) -> str:
    form = form_of(*(["x"] if required else []), x=rules)
    form.enter("x", entered)
    return form.problem("x")


@each_of(
    ("rules", "entered", "told"),
    [
        ({"type": "string", "minLength": 2}, "a", "At least 2 characters (1 now)"),
        ({"type": "string", "maxLength": 1}, "ab", "At most 1 character (2 now)"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "A", "Format: abc (pattern ^[a-z]+$)"),
        ({"type": "string", "pattern": "^(a|b)$"}, "A", "Does not match the pattern ^(a|b)$"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "a", ""),
        ({"type": "string", "pattern": "^[a-z]+$", "default": "ab"}, "A", "Format: ab (pattern ^[a-z]+$)"),
        ({"type": "string", "pattern": "^[a-z]+$", "default": "B"}, "A", "Format: abc (pattern ^[a-z]+$)"),
        ({"type": "string", "format": "email"}, "someone", "Enter an email address"),
        ({"type": "string", "format": "email"}, "someone@example.com", ""),
        ({"type": "string", "format": "uri"}, "example.com", "Enter a full URL, like https://example.com"),
        ({"type": "string", "format": "uri"}, "urn:a:b", ""),
        ({"type": "string", "format": "uri"}, "http://[", "Enter a full URL, like https://example.com"),
        ({"type": "string", "format": "date"}, "2026-02-30", "Enter a date, like 2026-08-31"),
        ({"type": "string", "format": "date"}, "20260228", "Enter a date, like 2026-08-31"),
        ({"type": "string", "format": "date"}, "2026-02-28", ""),
        ({"type": "string", "format": "date-time"}, "2026-02-28T23:59:59.123456789Z", ""),
        ({"type": "string", "format": "date-time"}, "2026-02-28t23:59:59-05:30", ""),
        (
            {"type": "string", "format": "date-time"},
            "2026-02-28T23:59:59",
            "Enter a date and time with time zone, like 2026-08-31T12:00:00Z",
        ),
        ({"type": "string", "format": "hostname"}, "anything at all", ""),
        ({"type": "integer"}, "1.5", "Enter a whole number"),
        ({"type": "integer"}, "1_000", "Enter a whole number"),
        ({"type": "integer"}, "١", "Enter a whole number"),
        ({"type": "integer"}, " -7 ", ""),
        ({"type": "integer"}, "9223372036854775808", "Too large"),
        ({"type": "integer"}, "9" * 5000, "Enter a whole number"),
        ({"type": "number"}, "ten", "Enter a number"),
        ({"type": "number"}, "nan", "Enter a number"),
        ({"type": "number"}, "1e999", "Too large"),
        ({"type": "number"}, "-1.5e3", ""),
        ({"type": "number", "minimum": 0, "maximum": 1}, "-0.1", "At least 0"),
        ({"type": "number", "minimum": 0, "maximum": 1}, "1.5", "At most 1"),
        ({"type": "number", "minimum": 0, "maximum": 1}, "1", ""),
        ({"type": "string", "enum": ["a"]}, "z", "Not one of the choices"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, ("z",), "Not among the choices"),
        (
            {"type": "array", "items": {"anyOf": TITLED}, "minItems": 2},
            ("a",),
            "At least 2 choices (1 now)",
        ),
        (
            {"type": "array", "items": {"anyOf": TITLED}, "maxItems": 1},
            ("a", "b"),
            "At most 1 choice (2 now)",
        ),
    ],
)
def test_one_message_per_field(rules: dict[str, Any], entered: Entered, told: str) -> None:
    assert problem(rules, entered) == told


@pytest.mark.parametrize(
    ("rules", "nothing", "told"),
    [
        ({"type": "string", "minLength": 2}, "  ", "Required"),
        ({"type": "integer"}, "", "Required"),
        ({"type": "number"}, None, "Required"),
        ({"type": "boolean"}, None, "Choose yes or no"),
        ({"type": "string", "oneOf": TITLED}, None, "Choose one"),
        ({"type": "array", "items": {"anyOf": TITLED}}, (), "Choose at least one"),
    ],
)
def test_nothing_is_left_out_unless_it_is_required(rules: dict[str, Any], nothing: Entered, told: str) -> None:
    form = form_of(x=rules)
    form.enter("x", nothing)
    assert (form.problem("x"), form.content()) == ("", {})
    assert problem(rules, nothing, required=True) == told


def test_what_the_agent_suggests_itself_is_no_nothing() -> None:
    no_choice = {"type": "array", "items": {"type": "string", "enum": ["a"]}}
    form = form_of("text", "none", "any", text={"type": "string", "default": ""}, none={**no_choice, "default": []})
    assert form.problems() == {"any": "Not supported by acp-tui"}
    assert form_of("any", any={**no_choice, "minItems": 0}).problems() == {}
    assert form.content() == {"text": "", "none": []}


def test_an_empty_choice_can_be_chosen() -> None:
    form = form_of("x", x={"type": "string", "oneOf": [{"const": "", "title": "None"}]})
    assert form.problem("x") == "Choose one"
    form.enter("x", "")
    assert form.content() == {"x": ""}


def test_a_form_begins_with_the_defaults() -> None:
    form = form_of(
        s={"type": "string", "default": "hello"},
        i={"type": "integer", "default": 5.0},
        n={"type": "number", "default": 0.5},
        b={"type": "boolean", "default": False},
        c={"type": "string", "oneOf": TITLED, "default": "b"},
        m={"type": "array", "items": {"anyOf": TITLED}, "default": ["b", "a", "zzz"]},
        bad={"type": "string", "enum": ["a"], "default": "gone"},
        none={"type": "boolean"},
    )
    assert form.content() == {"s": "hello", "i": 5, "n": 0.5, "b": False, "c": "b", "m": ["a", "b"]}
    assert form.changes() == {}


def test_titles_and_descriptions() -> None:
    named, titled, odd = form_of(
        name={"type": "string"},
        other={"type": "string", "title": "Other", "description": "d", "oneOf": TITLED},
        odd={"type": "colour", "title": "Colour", "description": 5},
    ).fields
    assert (named.title, titled.title, titled.description) == ("name", "Other", "d")
    assert [(choice.value, choice.title, choice.description) for choice in titled.choices] == [
        ("a", "Alpha", "the first"),
        ("b", "Beta", ""),
    ]
    assert titled.title_of("a") == "Alpha"
    assert (odd.kind, odd.title, odd.description) == ("unknown", "Colour", "")


def test_unknown_fields_are_left_out_and_keep_a_form_that_requires_them_from_being_accepted() -> None:
    properties = {"x": {"type": "colour"}, "y": {"type": "array", "items": {"type": "date"}}, "z": {"type": "string"}}
    assert form_of("z", **properties).acceptable
    assert not form_of("x", **properties).acceptable
    assert not form_of("y", **properties).acceptable
    assert not form_of("nowhere", **properties).acceptable
    form = form_of(**properties)
    form.enter("z", "1")
    assert form.content() == {"z": "1"}


def test_only_changes_are_sent_with_what_is_required() -> None:
    form = form_of("r", a={"type": "string", "default": "1"}, b={"type": "string"}, r={"type": "integer", "default": 3})
    assert form.changes() == {}
    form.enter("b", "2")
    assert form.changes() == {"b": "2", "r": 3}
    form.enter("b", "")
    assert form.changes() == {}


def test_what_was_used_last_stands_where_it_still_fits() -> None:
    last = {"a": "x", "i": 7, "big": 99, "c": "gone", "m": ["a", 5], "b": True, "n": 1.5, "other": 1, "t": 5}
    form = Form(
        schema_of(
            a={"type": "string"},
            i={"type": "integer"},
            big={"type": "integer", "maximum": 10, "default": 1},
            c={"type": "string", "oneOf": TITLED, "default": "a"},
            m={"type": "array", "items": {"anyOf": TITLED}},
            b={"type": "boolean"},
            n={"type": "number"},
            t={"type": "string"},
        ),
        last,
    )
    assert form.content() == {"a": "x", "i": 7, "big": 1, "c": "a", "m": ["a"], "b": True, "n": 1.5}


def test_patterns_that_are_not_tried_are_left_to_the_agent() -> None:
    form = form_of(
        a={"type": "string", "pattern": "^(?=a)"}, b={"type": "string", "pattern": "^a+$"}, c={"type": "string"}
    )
    for name in "abc":
        form.enter(name, "a" * 50 + "!")
    assert [form.left_to_the_agent(name) for name in "abc"] == [True, False, False]
    assert form.problems() == {"b": "Format: a (pattern ^a+$)"}


@each_of(
    ("rules", "words"),
    [
        ({"type": "string"}, ""),
        ({"type": "string", "format": "email", "minLength": 3, "maxLength": 8}, "email address · 3 to 8 characters"),
        ({"type": "string", "minLength": 4, "maxLength": 4}, "4 characters"),
        ({"type": "string", "maxLength": 1}, "at most 1 character"),
        ({"type": "string", "format": "date-time"}, "like 2026-08-31T12:00:00Z"),
        ({"type": "string", "format": "host-name"}, "host name"),
        ({"type": "string", "pattern": "^a"}, "must match a pattern"),
        ({"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}, "Format: 1.2.3"),
        ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}, "Format: AB-1234"),
        ({"type": "string", "pattern": r"^v?\d+$", "examples": [7, "x", "v12"]}, "Format: v12"),
        ({"type": "string", "pattern": "^[a-f0-9]{40}$"}, "must match a pattern"),
        ({"type": "string", "pattern": "^a+$", "minLength": 3}, "at least 3 characters · must match a pattern"),
        ({"type": "string", "examples": ["main"]}, "for example main"),
        ({"type": "string", "pattern": "^(?=a)b$"}, "must match a pattern"),
        ({"type": "string", "enum": ["a"], "minLength": 1}, ""),
        ({"type": "integer", "minimum": 1}, "whole number, at least 1"),
        ({"type": "number", "minimum": 0, "maximum": 0.5}, "number, 0 to 0.5"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1, "maxItems": 2}, "1 to 2 choices"),
        ({"type": "boolean"}, ""),
    ],
)
def test_rules_in_words(rules: dict[str, Any], words: str) -> None:
    (field,) = form_of(x=rules).fields
    assert rules_in_words(field) == words


SETTINGS = schema_of(
    "model",
    model={"type": "string", "enum": ["small", "large"]},
    fast={"type": "boolean"},
    turns={"type": "integer"},
    tools={"type": "array", "items": {"type": "string", "enum": ["read", "write"]}},
)


def test_settings_fill_in_a_form() -> None:
    given_ = [("model", "large"), ("fast", "Yes"), ("turns", "3"), ("tools", "write"), ("tools", "read")]
    form, others = form_of_settings(SETTINGS, given_)
    assert form.changes() == {"model": "large", "fast": True, "turns": 3, "tools": ["read", "write"]}
    assert others == []


def test_settings_go_by_titles_too() -> None:
    titled = {"type": "string", "title": "Brain", "oneOf": [{"const": "l", "title": "Large"}]}
    form, others = form_of_settings(schema_of(m=titled), [("brain", "LARGE")])
    assert (form.changes(), others) == ({"m": "l"}, [])


def test_settings_that_name_no_field_are_left_for_others() -> None:
    twins = {"type": "boolean", "title": "Twin"}
    form, others = form_of_settings(schema_of("a", a=twins, b=twins), [("twin", "on"), ("modle", "large")])
    assert (form.changes(), others) == ({}, [("twin", "on"), ("modle", "large")])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ([("model", "huge")], "'model': Not one of the choices.*Choices: small, large"),
        ([("fast", "true")], "'model': Choose one.*Choices: small, large"),
        ([("model", "small"), ("fast", "maybe")], "'fast' must be true or false, not 'maybe'"),
        ([("model", "small"), ("turns", "x")], "'turns': Enter a whole number"),
    ],
)
def test_settings_that_cannot_be_used_say_why(settings: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(UserFault, match=f"(?s){said}"):
        form_of_settings(SETTINGS, settings)


limits = st.none() | st.integers(0, 4)
texts = st.text("ab@.:-1 ", max_size=5)
words_ = st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)


def without_none(**members: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(members).map(
        lambda rules: {key: value for key, value in rules.items() if value is not None}
    )


string = st.just("string")
properties_ = st.one_of(
    without_none(type=string, minLength=limits, maxLength=limits, default=st.none() | texts),
    without_none(type=string, pattern=st.sampled_from(["^a+$", "[ab]", "^a|b*$"])),
    without_none(type=st.sampled_from(["number", "integer"]), minimum=limits, maximum=limits, default=limits),
    without_none(type=st.just("boolean"), default=st.none() | st.booleans()),
    without_none(type=string, enum=words_, default=st.none() | st.sampled_from("abcd")),
    without_none(
        type=st.just("array"),
        items=st.builds(lambda enum: {"type": "string", "enum": enum}, words_),
        minItems=limits,
        maxItems=limits,
        default=st.none() | words_,
    ),
)
entered_ = st.one_of(
    st.none(), texts, st.integers(-5, 5).map(str), st.booleans(), words_.map(tuple), st.sampled_from("abc")
)


@THOROUGH
@given(
    st.dictionaries(st.sampled_from("xyz"), properties_),
    st.lists(st.sampled_from("xyz"), unique=True),
    st.dictionaries(st.sampled_from("xyz"), entered_),
)
def test_what_has_no_problems_satisfies_the_schema(
    properties: dict[str, Any], required: list[str], entered: dict[str, Entered]
) -> None:
    required = [name for name in required if name in properties]
    asked = {"type": "object", "properties": properties, "required": required}
    form = Form(read(ElicitationSchema, asked))
    for name, value in entered.items():
        if name in properties:
            form.enter(name, value)
    content = form.content()
    validator("CreateElicitationResponse").validate({"action": "accept", "content": content})
    if not form.problems():
        Draft202012Validator(asked).validate(content)
        if form.changes():
            Draft202012Validator(asked).validate(form.changes())


@THOROUGH
@given(properties_, st.data())
def test_what_satisfies_the_schema_can_be_entered_again(rules: dict[str, Any], data: st.DataObject) -> None:
    form = Form(read(ElicitationSchema, {"properties": {"x": rules}}))
    form.enter("x", data.draw(entered_))
    if not form.problems() and form.content():
        again = Form(read(ElicitationSchema, {"properties": {"x": rules}}), form.content())
        assert again.content() == form.content()


@each_of(
    ("rules", "title"),
    [
        ({"title": "Colour", "description": "Which one?"}, "Colour"),
        ({"title": " ", "description": "Which one?\nTake your time."}, "Which one?"),
        ({"title": None, "description": " "}, "x"),
        ({}, "x"),
        ({"type": "_new", "description": "Which one?"}, "Which one?"),
    ],
)
def test_a_field_is_called_by_the_first_of_title_description_and_name(rules: dict[str, Any], title: str) -> None:
    (field,) = form_of(x={"type": "string", **rules}).fields
    assert field.title == title


def test_words_that_a_field_is_called_by_make_it_no_secret() -> None:
    (plain,) = form_of(x={"type": "string", "description": "Which token style do you want?"}).fields
    (titled,) = form_of(x={"type": "string", "title": "API token", "description": "The one of the site."}).fields
    assert (plain.secret, titled.secret) == (False, True)
