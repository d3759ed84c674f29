"""A form that an agent asks to be filled in: its fields, what was entered, and what would be sent.

The one form engine for elicitations and for the options of a new session.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.protocol.vocabulary.config_options import SWITCH_WORDS
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, ScalarChoice
from acp_tui.session.form_fields import Entered, Field, fields_of, number_text
from acp_tui.session.form_rules import InvalidInput, Value, is_left_to_the_agent, value_of

__all__ = ["Entered", "Field", "Form", "Settings", "Value", "form_of_settings", "keys_named"]

Settings = Sequence[tuple[str, str]]
"""What was given beforehand, as names and values."""


class Form:
    """Begins with the agent's defaults, and on top of them with `remembered` values where they still fit."""

    def __init__(self, schema: ElicitationSchema, remembered: Mapping[str, Any] | None = None) -> None:
        self.title, self.description = schema.title or "", schema.description or ""
        self.fields = fields_of(schema)
        self._by_name = {field.name: field for field in self.fields}
        self._entered: dict[str, Entered] = {field.name: field.default for field in self.fields}
        for name, value in (remembered or {}).items():
            self._remember(name, value)

    @property
    def acceptable(self) -> bool:
        """Whether the form can be accepted at all: no field of an unknown kind is required."""
        return not any(field.required and field.kind == "unknown" for field in self.fields)

    def entered(self, name: str) -> Entered:
        return self._entered[name]

    def enter(self, name: str, entered: Entered) -> None:
        """Enter text, a choice, choices, yes or no; `None` empties the field. Anything is taken; see `problem`."""
        self._entered[name] = entered

    def problem(self, name: str) -> str:
        """What is wrong with a field, and what would be right; empty if nothing is."""
        try:
            value_of(self._by_name[name], self._entered[name])
        except InvalidInput as refused:
            return str(refused)
        return ""

    def problems(self) -> dict[str, str]:
        """All problems by field, in the agent's order."""
        found = ((field.name, self.problem(field.name)) for field in self.fields)
        return {name: problem for name, problem in found if problem}

    def left_to_the_agent(self, name: str) -> bool:
        """Whether a field has a pattern that only the agent checks."""
        return is_left_to_the_agent(self._by_name[name], self._entered[name])

    def content(self) -> dict[str, Value]:
        """All values that are set, the defaults too; call it when there are no problems."""
        values: dict[str, Value] = {}
        for field in self.fields:
            with suppress(InvalidInput):
                value = value_of(field, self._entered[field.name])
                if value is not None:
                    values[field.name] = value
        return values

    def changes(self) -> dict[str, Value]:
        """The values that differ from the agent's defaults, and with them what it requires; empty if none differ."""
        values = self.content()
        changed = {name for name in values if self._entered[name] != self._by_name[name].default}
        if not changed:
            return {}
        return {name: value for name, value in values.items() if name in changed or self._by_name[name].required}

    def _remember(self, name: str, value: Any) -> None:
        field = self._by_name.get(name)
        entered = _as_entered(field, value) if field is not None else None
        if field is None or entered is None:
            return
        before = self._entered[name]
        self._entered[name] = entered
        if self.problem(name):
            self._entered[name] = before


def _as_entered(field: Field, value: Any) -> Entered:
    if isinstance(field.rules, ScalarChoice) and isinstance(value, int | float):
        chosen = ((text, scalar) for text, scalar in field.rules.scalars.items() if type(scalar) is type(value))
        return next((text for text, scalar in chosen if scalar == value), None)
    match field.kind, value:
        case ("text" | "choice", str()) | ("boolean", bool()):
            return value if isinstance(value, str | bool) else None
        case "number" | "integer", int() | float() if not isinstance(value, bool):
            return number_text(value)
        case "choices", list():
            return tuple(item for item in value if isinstance(item, str))
    return None


def form_of_settings(schema: ElicitationSchema, settings: Settings) -> tuple[Form, Settings]:
    """A form filled in from `name=value` pairs, a name of several choices as often as needed; and the other pairs.

    Fields and choices go by their names in the schema, else by their titles. A form that no pair is for stays as the
    agent offers it. Raises UserFault.
    """
    form = Form(schema)
    fields = {field.name: field for field in form.fields}
    titles = {field.name: field.title for field in form.fields}
    others: list[tuple[str, str]] = []
    several: dict[str, tuple[str, ...]] = {}
    for name, text in settings:
        found = keys_named(name, titles)
        if len(found) != 1:
            others.append((name, text))
            continue
        field = fields[found[0]]
        if field.kind == "choices":
            several[field.name] = (*several.get(field.name, ()), *([_choice(field, text)] if text else []))
            form.enter(field.name, several[field.name])
        else:
            form.enter(field.name, _setting(field, text))
    if len(others) < len(settings):
        _check(form)
    return form, others


def keys_named(wanted: str, names: Mapping[str, str]) -> list[str]:
    """The key that is wanted, else those whose name is."""
    return [wanted] if wanted in names else [key for key in names if names[key].casefold() == wanted.casefold()]


def _check(form: Form) -> None:
    for name, problem in form.problems().items():
        field = next(field for field in form.fields if field.name == name)
        offered = ", ".join(choice.value for choice in field.choices)
        raise UserFault(f"Option {name!r}: {problem}.", hint=f"Choices: {offered}" if offered else "")


def _setting(field: Field, text: str) -> Entered:
    if field.kind == "choice":
        return _choice(field, text)
    if field.kind == "boolean" and text.lower() not in SWITCH_WORDS:
        raise UserFault(f"Option {field.name!r} must be true or false, not {text!r}.")
    return SWITCH_WORDS[text.lower()] if field.kind == "boolean" else text


def _choice(field: Field, text: str) -> str:
    found = keys_named(text, {choice.value: choice.title for choice in field.choices})
    return found[0] if len(found) == 1 else text
