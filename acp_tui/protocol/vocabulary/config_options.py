"""Session config options: what the agent lets the user choose; legacy modes and models are such options too.

A type of option is one class, which knows all about itself: how it is read and set, its values and their names, how a
user names one, and which comes next. A new one is named in `ConfigOption`, and offered in `protocol.capabilities`.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model, read, renamed
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, PropertySchema, ScalarChoice, StringProperty
from acp_tui.safe_text import visible

CONFIG_CATEGORIES = ("mode", "model", "model_config", "thought_level")
OptionValue = str | bool
"""What an option can be set to, whatever its type."""


class ConfigValue(Model):
    """One value of a select option; `group` is the name of its group, if values are grouped."""

    value: str
    name: str
    description: Lenient[str | None] = None
    group: str | None = None


class SwitchValue(NamedTuple):
    """One of the two values of a switch, with all that a `ConfigValue` has."""

    value: bool
    name: str
    description: None = None
    group: None = None


SWITCH_VALUES = SwitchValue(True, "On"), SwitchValue(False, "Off")
SWITCH_WORDS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)
"""How a user writes one of them."""


class Option(Model):
    """What every option has, and what it can by the values that it lists."""

    sent_as: ClassVar[str] = "id"
    """The type of its values where they are sent."""
    is_switch: ClassVar[bool] = False
    """Whether it is changed by stepping, however it is chosen, and never from a list of its own."""
    must_be: ClassVar[str] = ""
    """What its values must be, in words, where it does not list them for the user to name one."""

    type: str = ""
    id: str
    name: str
    description: Lenient[str | None] = None
    category: Lenient[str | None] = None
    current_value: OptionValue

    @classmethod
    def from_wire(cls, item: Any) -> Self:
        """Read an option of this type, whose id is called `id` already."""
        return read(cls, item)

    @property
    def choices(self) -> Sequence[ConfigValue | SwitchValue]:
        """The values that it lists, in the agent's order."""
        return ()

    @property
    def shown_name(self) -> str:
        return visible(self.name, self.id)

    @property
    def is_named(self) -> bool:
        """Whether there is a name for the current value, which the agent may not list."""
        return self.offers(self.current_value)

    def offers(self, value: object) -> bool:
        """Whether it can be set to that."""
        return any(each.value == value for each in self.choices)

    def value_name(self, value: OptionValue | None = None) -> str:
        """How the agent calls a value, by default the current one; one that it does not list, as it is."""
        shown = self.current_value if value is None else value
        return next((visible(each.name, str(each.value)) for each in self.choices if each.value == shown), str(shown))

    @property
    def names(self) -> dict[OptionValue, str]:
        """The names of the values that it lists."""
        return {each.value: visible(each.name, str(each.value)) for each in self.choices}

    def values_named(self, text: str) -> list[OptionValue]:
        """The value that a user means who writes this, else all that have this name."""
        names = self.names
        return [text] if text in names else [value for value in names if names[value].casefold() == text.casefold()]

    def next_value(self, wanted: OptionValue | None = None) -> OptionValue | None:
        """The value after the wanted one, else the current; the first if that is unknown, None if there is no other."""
        current = self.current_value if wanted is None else wanted
        values: list[OptionValue] = [each.value for each in self.choices]
        if current not in values:
            return values[0] if values else None
        following = values[(values.index(current) + 1) % len(values)]
        return None if following == current else following

    def with_value(self, value: OptionValue) -> Self:
        return self.model_copy(update={"current_value": value})


class SelectGroup(Model):
    """Values under a heading."""

    group: str
    name: str
    options: LenientItems[list[ConfigValue]]


class ConfigSelect(Option):
    """A select option as it comes; its values are flat or grouped."""

    current_value: str
    options: list[SelectGroup] | list[ConfigValue]

    def values(self) -> Iterator[ConfigValue]:
        for each in self.options:
            if isinstance(each, SelectGroup):
                yield from (value.model_copy(update={"group": each.name}) for value in each.options)
            else:
                yield each


class SelectOption(Option):
    """A choice of one value; `current_value` may be missing from `values`."""

    type: Literal["select"] = "select"
    current_value: str
    values: list[ConfigValue] = []

    @classmethod
    def from_wire(cls, item: Any) -> Self:
        """Ids of groups are called `group` in protocol 1, `groupId` in protocol 2."""
        if isinstance(item.get("options"), list):
            item = {**item, "options": [renamed(each, "group", "groupId", "group") for each in item["options"]]}
        came = read(ConfigSelect, item)
        shared = {name: getattr(came, name) for name in Option.model_fields if name != "type"}
        return cls(**shared, values=list(came.values()))

    @property
    def choices(self) -> Sequence[ConfigValue]:
        return self.values


class BooleanOption(Option):
    """A switch."""

    sent_as: ClassVar[str] = "boolean"
    is_switch: ClassVar[bool] = True
    must_be: ClassVar[str] = "true or false"

    type: Literal["boolean"] = "boolean"
    current_value: Boolean

    @property
    def choices(self) -> Sequence[SwitchValue]:
        return SWITCH_VALUES

    def values_named(self, text: str) -> list[OptionValue]:
        return [SWITCH_WORDS[text.lower()]] if text.lower() in SWITCH_WORDS else []


ConfigOption = SelectOption | BooleanOption  # which one, its `type` says; dialects read them one by one
OPTION_TYPES = {kind.model_fields["type"].default: kind for kind in get_args(ConfigOption)}


class ConfigOptionUpdate(Model):
    """Replaces all config options, in the agent's order. Options of unknown type are in `unknown`."""

    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: list[ConfigOption]
    unknown: list[dict[str, Any]] = []


Scalar = int | float | bool

METHODS = {
    "session/new": "session/new",
    "newSession": "session/new",
    "session/load": "session/load",
    "loadSession": "session/load",
    "session/resume": "session/resume",
    "resumeSession": "session/resume",
}
"""The method that each name of a draft means."""


def read_input_options(result: Any) -> dict[str, ElicitationSchema]:
    """The forms in an answer to `initialize`, by method; those without any field are left out."""
    forms: dict[str, ElicitationSchema] = {}
    for place in _places(result):
        for name, given in place.items():
            method = METHODS.get(name)
            if method is not None and method not in forms:
                schema = _schema(given)
                if schema is not None and schema.properties:
                    forms[method] = schema
    return forms


def with_input_options(params: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The same parameters with the options that were chosen; without any nothing is added."""
    return {**params, "configOptions": dict(options)} if options else params


def _places(result: Any) -> Iterator[dict[str, Any]]:
    """Wherever a draft has put them, the latest first."""
    root = _object(result)
    capabilities = [_object(root.get(name)) for name in ("agentCapabilities", "capabilities")]
    for holder in (root, *capabilities):
        yield _object(holder.get("configSchema"))
        yield _object(_object(holder.get("_meta")).get("configSchema"))
    for holder in capabilities:
        yield _object(holder.get("sessions"))
    for name in ("configOptions", "inputOptions"):
        yield _object(root.get(name))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _schema(given: Any) -> ElicitationSchema | None:
    if isinstance(given, list):
        given = _from_items(given)
    if not isinstance(given, dict) or not isinstance(given.get("properties"), dict):
        return None
    required = given.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    told = {str(name): _choices_as_texts(rules) for name, rules in given["properties"].items()}
    fields = {name: _readable(rules) for name, (rules, _) in told.items()}
    about = {key: given[key] for key in ("title", "description") if key in given}
    form = read(ElicitationSchema, {**about, "type": "object", "properties": fields, "required": names})
    properties: dict[str, PropertySchema] = {}
    for name, rules in form.properties.items():
        scalars = told[name][1] if isinstance(rules, StringProperty) else {}
        properties[name] = ScalarChoice(**{**dict(rules), "scalars": scalars}) if scalars else rules
    return form.model_copy(update={"properties": properties})


def _choices_as_texts(rules: Any) -> tuple[Any, dict[str, Scalar]]:
    """A field whose choices are no texts with texts in their place, and the values that these stand for."""
    given = _object(rules)
    plain, titled = given.get("enum"), given.get("oneOf")
    listed = [{"const": value} for value in plain] if isinstance(plain, list) else titled
    if given.get("type") not in (None, "number", "integer") or not isinstance(listed, list):
        return rules, {}
    values = [_object(each).get("const") for each in listed]
    choices = [{**_object(each), "const": _as_text(value)} for each, value in zip(listed, values, strict=True)]
    scalars = {_as_text(value): value for value in values if isinstance(value, int | float)}
    if not scalars or not all(each["const"] for each in choices):
        return rules, {}
    texts = [{**each, "title": each.get("title") or each["const"]} for each in choices]
    others = {name: rule for name, rule in given.items() if name not in ("enum", "default")}
    default = {"default": _as_text(given["default"])} if "default" in given else {}
    return {**others, **default, "type": "string", "oneOf": texts}, scalars


def _as_text(value: Any) -> str:
    """The text that stands for a value among choices; empty for what is no value."""
    if isinstance(value, str):
        return value
    known = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return json.dumps(value) if known else ""


def _readable(rules: Any) -> dict[str, Any]:
    """A field's rules if they can be read, else the same as a field of an unknown kind."""
    if not isinstance(rules, dict):
        return {"type": "unknown", "given": rules}
    told = {"type": "string", **rules} if "type" not in rules and ("enum" in rules or "oneOf" in rules) else rules
    try:
        read(ElicitationSchema, {"properties": {"field": told}})
    except ProtocolFault:
        return {**rules, "type": f"unreadable {rules.get('type')}"}
    return told


# The list form of the first drafts: [{id, type, name or hint, description, options, defaultValue or value, required}]

_TYPES = {"select": "string", "text": "string", "multiselect": "array", "toggle": "boolean", "checkbox": "boolean"}


def _from_items(items: list[Any]) -> dict[str, Any]:
    named = {item["id"]: item for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)}
    required = [name for name, item in named.items() if item.get("required") is True]
    return {"properties": {name: _from_item(item) for name, item in named.items()}, "required": required}


def _from_item(item: dict[str, Any]) -> dict[str, Any]:
    given = item.get("type", "select" if "options" in item else "string")
    kind = _TYPES.get(given, given) if isinstance(given, str) else "unknown"
    rules: dict[str, Any] = {key: item[key] for key in item.keys() - {"id", "name", "hint", "options", "required"}}
    rules |= {"type": kind, "title": item.get("name") or item.get("hint")}
    if item.get("name"):
        rules["hint"] = item.get("hint")
    default = item.get("defaultValue", item.get("value"))
    offered = item.get("options")
    choices = [_choice(option) for option in (offered if isinstance(offered, list) else ()) if _choice(option)]
    if kind == "array":
        rules["items"] = {"anyOf": [choice for choice in choices if isinstance(choice["const"], str)]}
        default = default if isinstance(default, list) else None if default is None else [default]
    elif choices:
        del rules["type"]  # the choices say it
        rules["oneOf"] = choices
    return rules if default is None else {**rules, "default": default}


def _choice(option: Any) -> dict[str, Any]:
    told = option if isinstance(option, dict) else {"value": option}
    value = told.get("value")
    title = told.get("name") or told.get("hint") or told.get("title") or _as_text(value)
    choice = {"const": value, "title": str(title), "description": told.get("description")}
    return choice if _as_text(value) else {}
