"""Config options as they come, one by one, and those of one session, as protocol 2 has them."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from acp_tui.protocol.base import LenientItems, Model, SkipInvalid
from acp_tui.protocol.calls import Call
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read, renamed
from acp_tui.protocol.shared.sessions import SessionSetupResponse
from acp_tui.protocol.vocabulary.config_options import (
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    Option,
    SelectOption,
)

OPTION_TYPES = ("select", "boolean")
AnOption = TypeVar("AnOption", SelectOption, BooleanOption, ConfigOption)


class SelectGroup(Model):
    """Values under a heading."""

    group: str
    name: str
    options: LenientItems[list[ConfigValue]]


class ConfigSelect(Option):
    """A select option as it comes; its values are flat or grouped."""

    current_value: str
    options: list[SelectGroup] | list[ConfigValue]

    def folded(self) -> SelectOption:
        values: list[ConfigValue] = []
        for each in self.options:
            if isinstance(each, SelectGroup):
                values += [value.model_copy(update={"group": each.name}) for value in each.options]
            else:
                values.append(each)
        shared = {name: getattr(self, name) for name in Option.model_fields if name != "type"}
        return SelectOption(**shared, current_value=self.current_value, values=values)


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: SkipInvalid[list[dict[str, Any]]]


def read_options(items: list[Any]) -> tuple[list[ConfigOption], list[dict[str, Any]]]:
    """The options among `items` that can be read, and those of unknown type as they came; bad ones are left out.

    Their ids are called `id` in protocol 1, `configId` in protocol 2 (`groupId` those of groups).
    """
    options: list[ConfigOption] = []
    unknown: list[dict[str, Any]] = []
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        named = renamed(item, "id", "configId", "id")
        try:
            if kind == "select":
                options.append(read(ConfigSelect, _with_named_groups(named)).folded())
            elif kind == "boolean":
                options.append(read(BooleanOption, named))
            elif isinstance(kind, str):
                unknown.append(item)
        except ProtocolFault:
            continue  # the schema marks the items of this array as skipped when invalid
    return options, unknown


def _with_named_groups(select: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(select.get("options"), list):
        return select
    return {**select, "options": [renamed(each, "group", "groupId", "group") for each in select["options"]]}


def with_current(option: AnOption, value: str | bool) -> AnOption:
    return option.model_copy(update={"current_value": value})


@dataclass(slots=True)
class SessionOptions:
    """The config options of one session, as far as the agent said them; `unknown` are those of unknown types."""

    options: list[ConfigOption] = field(default_factory=list)
    unknown: list[dict[str, Any]] = field(default_factory=list)

    def begin(self, response: SessionSetupResponse) -> list[ConfigOptionUpdate]:
        """What the answer to opening the session says of them, if it does."""
        return [] if response.config_options is None else [self.replace(response.config_options)]

    def replace(self, items: list[Any]) -> ConfigOptionUpdate:
        self.options, self.unknown = read_options(items)
        return self.update()

    def read(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        return self.replace(read(ConfigOptions, update).config_options)

    def set_value(self, option_id: str, value: str | bool) -> ConfigOptionUpdate:
        self.options = [with_current(each, value) if each.id == option_id else each for each in self.options]
        return self.update()

    def update(self) -> ConfigOptionUpdate:
        return ConfigOptionUpdate(config_options=list(self.options), unknown=self.unknown)

    def set_call(self, session_id: str, option: ConfigOption, value: str | bool) -> Call:
        kind = "boolean" if isinstance(value, bool) else "id"
        params = {"sessionId": session_id, "configId": option.id, "type": kind, "value": value}
        return Call("session/set_config_option", params)

    def initial_value(self, option: ConfigOption, value: str | bool) -> dict[str, Any] | None:
        """A choice as it goes with the request that opens a session; None for modes and models of older agents."""
        params = self.set_call("", option, value).params
        return {name: params[name] for name in params if name != "sessionId"} if "configId" in params else None

    def was_set(self, call: Call, result: Any) -> ConfigOptionUpdate:
        """The agent agreed: with all options anew, or with an empty answer that means the choice itself."""
        if isinstance(result, dict) and "configOptions" in result:
            return self.read(result)
        return self.set_value(call.params["configId"], call.params["value"])
