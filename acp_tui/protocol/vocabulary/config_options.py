"""Session config options: what the agent lets the user choose; legacy modes and models are such options too.

A type of option is one class, which knows all about itself: how it is read and set, its values and their names, how a
user names one, and which comes next. A new one is named in `ConfigOption`, and offered in `protocol.introduction`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self, get_args

from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model
from acp_tui.protocol.reading import read, renamed
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
