"""Config options as they come, one by one, and those of one session, as protocol 2 has them."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.base import Model, SkipInvalid
from acp_tui.protocol.calls import Call
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read, renamed
from acp_tui.protocol.shared.sessions import SessionSetupResponse
from acp_tui.protocol.vocabulary.config_options import OPTION_TYPES, ConfigOption, ConfigOptionUpdate, OptionValue


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: SkipInvalid[list[dict[str, Any]]]


def read_options(items: list[Any]) -> tuple[list[ConfigOption], list[dict[str, Any]]]:
    """The options among `items` that can be read, and those of unknown type as they came; bad ones are left out.

    Their ids are called `id` in protocol 1, `configId` in protocol 2.
    """
    options: list[ConfigOption] = []
    unknown: list[dict[str, Any]] = []
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        if isinstance(kind, str) and kind not in OPTION_TYPES:
            unknown.append(item)
        elif isinstance(kind, str):
            with suppress(ProtocolFault):  # the schema marks the items of this array as skipped when invalid
                options.append(OPTION_TYPES[kind].from_wire(renamed(item, "id", "configId", "id")))
    return options, unknown


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

    def set_value(self, option_id: str, value: OptionValue) -> ConfigOptionUpdate:
        self.options = [each.with_value(value) if each.id == option_id else each for each in self.options]
        return self.update()

    def update(self) -> ConfigOptionUpdate:
        return ConfigOptionUpdate(config_options=list(self.options), unknown=self.unknown)

    def set_call(self, session_id: str, option: ConfigOption, value: OptionValue) -> Call:
        params = {"sessionId": session_id, "configId": option.id, "type": option.sent_as, "value": value}
        return Call("session/set_config_option", params)

    def initial_value(self, option: ConfigOption, value: OptionValue) -> dict[str, Any] | None:
        """A choice as it goes with the request that opens a session; None for modes and models of older agents."""
        params = self.set_call("", option, value).params
        return {name: params[name] for name in params if name != "sessionId"} if "configId" in params else None

    def was_set(self, call: Call, result: Any) -> ConfigOptionUpdate:
        """The agent agreed: with all options anew, or with an empty answer that means the choice itself."""
        if isinstance(result, dict) and "configOptions" in result:
            return self.read(result)
        return self.set_value(call.params["configId"], call.params["value"])
