"""The fields of a form: what each asks for, in words; must not know widgets or what a form is for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from acp_tui.protocol.elicitation import (
    BooleanProperty,
    ElicitationSchema,
    EnumOption,
    IntegerProperty,
    MultiSelectProperty,
    NumberProperty,
    PropertySchema,
    StringItems,
    StringProperty,
    TitledItems,
    UnknownProperty,
)

Kind = Literal["text", "number", "integer", "boolean", "choice", "choices", "unknown"]

Entered = str | bool | tuple[str, ...] | None
"""What a person has given: text as typed, yes or no, a choice, choices; `None` is nothing."""

_SECRET = re.compile(
    r"(?:^|[^a-z])(?:pass(?:word|phrase|wd|code)?|secret|token|pin|credentials?|api[^a-z]*key|private[^a-z]*key|key)"
    r"(?:[^a-z]|$)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_secret(name: str) -> bool:
    """Whether a name says that nobody else should see or keep what it stands for: `apiKey`, `GITHUB_TOKEN`."""
    return _SECRET.search(_CAMEL.sub("_", name).lower()) is not None


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """One value that can be chosen, with its title."""

    value: str
    title: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field; `name` is the agent's, `rules` is the schema that its values are held to."""

    name: str
    title: str
    description: str
    kind: Kind
    required: bool
    default: Entered
    choices: tuple[FieldChoice, ...]
    rules: PropertySchema
    hint: str = ""

    @property
    def secret(self) -> bool:
        """Whether its name says that nobody else should see or keep what is entered (keys, tokens, passwords)."""
        return self.kind == "text" and any(map(is_secret, (self.name, self.title)))

    def title_of(self, value: str) -> str:
        """How a choice is called."""
        return next((choice.title for choice in self.choices if choice.value == value), value)


def fields_of(schema: ElicitationSchema) -> tuple[Field, ...]:
    """The fields in the agent's order; names that are required but have no field are unknown ones."""
    required = list(dict.fromkeys(schema.required or []))
    found = [_field(name, rules, name in required) for name, rules in schema.properties.items()]
    missing = [name for name in required if name not in schema.properties]
    return (*found, *(_field(name, UnknownProperty(type="missing", raw={}), True) for name in missing))


def _field(name: str, rules: PropertySchema, required: bool) -> Field:
    if isinstance(rules, UnknownProperty):
        told = [rules.raw.get(member) for member in ("title", "description", "hint")]
        title, description, hint = (text if isinstance(text, str) else "" for text in told)
    else:
        title, description, hint = rules.title or "", rules.description or "", rules.hint or ""
    kind, choices = _kind(rules)
    default = _default(rules, kind, choices)
    return Field(name, title or name, description, kind, required, default, choices, rules, hint)


def _kind(rules: PropertySchema) -> tuple[Kind, tuple[FieldChoice, ...]]:
    match rules:
        case StringProperty(one_of=list() as titled):
            return "choice", _titled(titled)
        case StringProperty(enum=list() as plain):
            return "choice", _plain(plain)
        case StringProperty():
            return "text", ()
        case NumberProperty():
            return "number", ()
        case IntegerProperty():
            return "integer", ()
        case BooleanProperty():
            return "boolean", ()
        case MultiSelectProperty(items=StringItems() as items):
            return "choices", _plain(items.enum)
        case MultiSelectProperty(items=TitledItems() as items):
            return "choices", _titled(items.any_of)
        case _:
            return "unknown", ()


def _plain(values: Sequence[str]) -> tuple[FieldChoice, ...]:
    return tuple(FieldChoice(value, value) for value in dict.fromkeys(values))


def _titled(options: Sequence[EnumOption]) -> tuple[FieldChoice, ...]:
    unique = {option.const: option for option in reversed(options)}
    kept = [option for option in options if unique[option.const] is option]
    return tuple(FieldChoice(option.const, option.title or option.const, option.description or "") for option in kept)


def _default(rules: PropertySchema, kind: Kind, choices: Sequence[FieldChoice]) -> Entered:
    """What the agent suggests; what cannot be chosen is no suggestion."""
    given = None if isinstance(rules, UnknownProperty) else rules.default
    offered = [choice.value for choice in choices]
    match kind, given:
        case "unknown", _:
            return None
        case "choice", str():
            return given if given in offered else None
        case "choices", list() as several:
            return tuple(value for value in offered if value in several)
        case _, bool() | str():
            return given
        case _, int() | float():
            return number_text(given)
    return None


def number_text(number: float) -> str:
    """A number as it would be typed."""
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(number)
