"""Options that an agent takes when a session is opened: the drafts of RFD #393 read as forms.

No schema ever had them, so that every place and shape that a draft named is read: a JSON Schema per method, or
a list of typed items. What cannot be read becomes an unknown field, never a reason to refuse the agent.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, PropertySchema, ScalarChoice, StringProperty

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
