"""The fields of a form: what each asks for, in words."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary import elicitation
from acp_tui.session.text.secret_names import NOT_RECORDED, asks_for_secret, speaks_of_secret

Kind = Literal["text", "number", "integer", "boolean", "choice", "choices", "unknown"]

Entered = str | bool | tuple[str, ...] | None
"""What a user has given: text as typed, yes or no, a choice, choices; `None` is nothing."""


class FieldChoice(Frozen):
    """One value that can be chosen, with its title."""

    value: str
    title: str
    description: str = ""


class Field(Frozen):
    """One field; `name` is the agent's, `rules` is the schema that its values are held to.

    `title` is what it is called: by its title, else by how its description begins, else by its name.
    """

    name: str
    title: str
    description: str
    kind: Kind
    required: bool
    default: Entered
    choices: tuple[FieldChoice, ...]
    rules: elicitation.PropertySchema
    hint: str = ""

    @property
    def secret(self) -> bool:
        """Whether name, title or format ask for a secret, or its description plainly does; of whatever kind it is."""
        given = (self.rules.model_extra or {}).get("format")
        named = self.rules.format if isinstance(self.rules, elicitation.StringProperty) else given
        title = "" if self.description.strip().startswith(self.title) else self.title  # of words not all are names
        names = (self.name, title, named if isinstance(named, str) else "")
        return any(map(asks_for_secret, names)) or speaks_of_secret(self.description)

    @property
    def masked(self) -> bool:
        """Whether what is entered is not shown: a secret that is typed. Choices are the agent's own words."""
        return self.secret and self.kind in ("text", "number", "integer")

    def may_be_recorded(self, value: Any, about: str) -> bool:
        """Whether a value may be written down: choices, yes and no, and numbers where no secret is likely.

        `about` is what is said around the field. Values are judged, not trusted: a choice is one that is offered.
        """
        if self.secret:
            return False
        offered = {choice.value for choice in self.choices}
        match self.kind, value:
            case ("choice", str()) | ("boolean", bool()):
                return isinstance(value, bool) or value in offered
            case "choices", list():
                return all(isinstance(each, str) and each in offered for each in value)
            case (("number" | "integer"), int() | float()) if not isinstance(value, bool):
                return not asks_for_secret(about) and not asks_for_secret(self.description)
        return False

    def title_of(self, value: str) -> str:
        return next((choice.title for choice in self.choices if choice.value == value), value)


def recordable(
    schema: elicitation.ElicitationSchema | None, entered: Mapping[str, Any], message: str = ""
) -> dict[str, Any]:
    """What was entered into a form as it may be written down: never what was typed as text.

    `message` is what the agent asked. Of a form that is not known nothing is kept but yes and no.
    """
    if schema is None:
        return {name: value if isinstance(value, bool) else NOT_RECORDED for name, value in entered.items()}
    fields = {field.name: field for field in fields_of(schema)}
    about = " ".join(filter(None, (message, schema.title, schema.description)))
    return {
        name: value if name in fields and fields[name].may_be_recorded(value, about) else NOT_RECORDED
        for name, value in entered.items()
    }


def fields_of(schema: elicitation.ElicitationSchema) -> tuple[Field, ...]:
    """The fields in the agent's order; names that are required but have no field are unknown ones."""
    required = list(dict.fromkeys(schema.required or []))
    found = [_field(name, rules, name in required) for name, rules in schema.properties.items()]
    missing = [name for name in required if name not in schema.properties]
    return (*found, *(_field(name, elicitation.UnknownProperty(type="missing", raw={}), True) for name in missing))


def _field(name: str, rules: elicitation.PropertySchema, required: bool) -> Field:
    if isinstance(rules, elicitation.UnknownProperty):
        told = [rules.raw.get(member) for member in ("title", "description", "hint")]
        title, description, hint = (text if isinstance(text, str) else "" for text in told)
    else:
        title, description, hint = rules.title or "", rules.description or "", rules.hint or ""
    kind, choices = _kind(rules)
    default = _default(rules, kind, choices)
    called = title.strip() or description.strip().partition("\n")[0].rstrip() or name
    return Field(name, called, description, kind, required, default, choices, rules, hint)


def _kind(rules: elicitation.PropertySchema) -> tuple[Kind, tuple[FieldChoice, ...]]:
    match rules:
        case elicitation.StringProperty(one_of=list() as titled):
            return "choice", _titled(titled)
        case elicitation.StringProperty(enum=list() as plain):
            return "choice", _plain(plain)
        case elicitation.StringProperty():
            return "text", ()
        case elicitation.NumberProperty():
            return "number", ()
        case elicitation.IntegerProperty():
            return "integer", ()
        case elicitation.BooleanProperty():
            return "boolean", ()
        case elicitation.MultiSelectProperty(items=elicitation.StringItems() as items):
            return "choices", _plain(items.enum)
        case elicitation.MultiSelectProperty(items=elicitation.TitledItems() as items):
            return "choices", _titled(items.any_of)
        case _:
            return "unknown", ()


def _plain(values: Sequence[str]) -> tuple[FieldChoice, ...]:
    return tuple(FieldChoice(value, value) for value in dict.fromkeys(values))


def _titled(options: Sequence[elicitation.EnumOption]) -> tuple[FieldChoice, ...]:
    unique = {option.const: option for option in reversed(options)}
    kept = [option for option in options if unique[option.const] is option]
    return tuple(FieldChoice(option.const, option.title or option.const, option.description or "") for option in kept)


def _default(rules: elicitation.PropertySchema, kind: Kind, choices: Sequence[FieldChoice]) -> Entered:
    given = None if isinstance(rules, elicitation.UnknownProperty) else rules.default
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
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e15 else repr(number)
