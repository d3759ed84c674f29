"""A form that an agent asks to be filled in: its fields, what was entered, and what would be sent.

The one form engine for elicitations and for the options of a new session; must not know widgets or who asks.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.protocol.elicitation import ElicitationSchema
from acp_tui.session.form_fields import Entered, Field, fields_of, number_text
from acp_tui.session.form_rules import Refused, Value, is_left_to_the_agent, value_of

__all__ = ["Entered", "Field", "Form", "Value", "form_of_settings", "yes_or_no"]


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
        """What was entered into a field."""
        return self._entered[name]

    def enter(self, name: str, entered: Entered) -> None:
        """Enter text, a choice, choices, yes or no; `None` empties the field. Anything is taken; see `problem`."""
        self._entered[name] = entered

    def problem(self, name: str) -> str:
        """What is wrong with a field, in words that follow its title; empty if nothing is."""
        try:
            value_of(self._by_name[name], self._entered[name])
        except Refused as refused:
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
        return dict(self._values())

    def changes(self) -> dict[str, Value]:
        """The values that differ from the agent's defaults, and with them what it requires; empty if none differ."""
        values = self.content()
        changed = {name for name in values if self._entered[name] != self._by_name[name].default}
        if not changed:
            return {}
        return {name: value for name, value in values.items() if name in changed or self._by_name[name].required}

    def _values(self) -> Iterator[tuple[str, Value]]:
        for field in self.fields:
            try:
                value = value_of(field, self._entered[field.name])
            except Refused:
                continue
            if value is not None:
                yield field.name, value

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
    """A value that was sent once, as it would be entered again."""
    match field.kind, value:
        case ("text" | "choice", str()) | ("boolean", bool()):
            return value if isinstance(value, str | bool) else None
        case "number" | "integer", int() | float() if not isinstance(value, bool):
            return number_text(value)
        case "choices", list():
            return tuple(item for item in value if isinstance(item, str))
    return None


_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def form_of_settings(schema: ElicitationSchema, settings: list[tuple[str, str]]) -> Form:
    """A form filled in from `name=value` pairs, a name of several choices as often as needed; raises UserFault."""
    form = Form(schema)
    names = {field.name: field for field in form.fields}
    chosen: dict[str, tuple[str, ...]] = {}
    for name, text in settings:
        if name not in names:
            raise UserFault(f"There is no option {name!r}.", hint=f"The agent offers: {', '.join(names) or 'none'}.")
        if names[name].kind == "choices":
            chosen[name] = (*chosen.get(name, ()), *([text] if text else []))
            form.enter(name, chosen[name])
        else:
            form.enter(name, _setting(names[name], text))
    problems = form.problems()
    if problems:
        name, problem = next(iter(problems.items()))
        offered = ", ".join(choice.value for choice in names[name].choices)
        raise UserFault(f"The option {name!r} {problem}.", hint=f"It takes: {offered}." if offered else "")
    return form


def _setting(field: Field, text: str) -> Entered:
    return yes_or_no(field.name, text) if field.kind == "boolean" else text


def yes_or_no(name: str, text: str) -> bool:
    """What is written for an option that is a switch; raises UserFault."""
    if text.lower() not in _YES + _NO:
        raise UserFault(f"The option {name!r} is either true or false, not {text!r}.")
    return text.lower() in _YES
