"""Config options as they come, one by one, and those of one session, in either version."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from acp_tui.protocol.base import Lenient, LenientItems, Model
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.config_options import (
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    SelectOption,
)

OPTION_TYPES = ("select", "boolean")
Option = TypeVar("Option", SelectOption, BooleanOption, ConfigOption)


class SelectGroup(Model):
    """Values under a heading."""

    group: str
    name: str
    options: LenientItems[list[ConfigValue]]


class ConfigSelect(Model):
    """A select option as it comes; its values are flat or grouped."""

    id: str
    name: str
    description: Lenient[str | None] = None
    category: Lenient[str | None] = None
    current_value: str
    options: list[SelectGroup] | list[ConfigValue]

    def folded(self) -> SelectOption:
        """The option with the name of its group beside each value."""
        values: list[ConfigValue] = []
        for each in self.options:
            if isinstance(each, SelectGroup):
                values += [value.model_copy(update={"group": each.name}) for value in each.options]
            else:
                values.append(each)
        return SelectOption(
            meta=self.meta,
            id=self.id,
            name=self.name,
            description=self.description,
            category=self.category,
            current_value=self.current_value,
            values=values,
        )


def read_options(items: list[Any]) -> tuple[list[ConfigOption], list[dict[str, Any]]]:
    """The options among `items` that can be read, and those of unknown type as they came; bad ones are left out."""
    options: list[ConfigOption] = []
    unknown: list[dict[str, Any]] = []
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        try:
            if kind == "select":
                options.append(read(ConfigSelect, item).folded())
            elif kind == "boolean":
                options.append(read(BooleanOption, item))
            elif isinstance(kind, str):
                unknown.append(item)
        except ProtocolFault:
            continue  # the schema marks the items of this array as skipped when invalid
    return options, unknown


def with_current(option: Option, value: str | bool) -> Option:
    """The option with another value chosen."""
    return option.model_copy(update={"current_value": value})


@dataclass(slots=True)
class SessionOptions:
    """The config options of one session, as far as the agent said them; `unknown` are those of unknown types."""

    options: list[ConfigOption] = field(default_factory=list)
    unknown: list[dict[str, Any]] = field(default_factory=list)

    def replace(self, items: list[Any]) -> ConfigOptionUpdate:
        """All config options anew, in the agent's order."""
        self.options, self.unknown = read_options(items)
        return self.update()

    def set_value(self, option_id: str, value: str | bool) -> ConfigOptionUpdate:
        """A config option has another value now."""
        self.options = [with_current(each, value) if each.id == option_id else each for each in self.options]
        return self.update()

    def update(self) -> ConfigOptionUpdate:
        """All options as an update."""
        return ConfigOptionUpdate(config_options=list(self.options), unknown=self.unknown)
