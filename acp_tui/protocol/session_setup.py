"""Calls, and the answer to opening a session: what it says of the session and its config options, in either version."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from acp_tui.frozen import Frozen
from acp_tui.protocol.base import Lenient, LenientItems, Model, SkipInvalid, read, renamed
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.config_options import (
    OPTION_TYPES,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    OptionValue,
    SelectOption,
)
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, Update
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest


class Call(Frozen):
    """A request or notification to send; `params` is plain JSON data."""

    method: str
    params: dict[str, Any]


class SessionSetup(Frozen):
    """The answer to `session/new` and its kin; `updates` are what it says about the session, in order."""

    session_id: str
    updates: list[Update]


class PermissionMessage(Frozen):
    """A permission request and what it says about its tool call (apply the updates first)."""

    request: PermissionRequest
    updates: list[Update]


def legacy_option(category: str, current: str, values: list[ConfigValue]) -> SelectOption:
    return SelectOption(id=category, name=category.title(), category=category, current_value=current, values=values)


class SessionMode(Model):
    """A mode that the agent can work in."""

    id: str
    name: str
    description: Lenient[str | None] = None


class SessionModeState(Model):
    """All modes, and the one that the agent is in."""

    current_mode_id: str
    available_modes: LenientItems[list[SessionMode]]

    def folded(self) -> SelectOption:
        values = [
            ConfigValue(value=each.id, name=each.name, description=each.description) for each in self.available_modes
        ]
        return legacy_option("mode", self.current_mode_id, values)


class SessionModel(Model):
    """A model that the agent can use (withdrawn before it was stable, and still spoken)."""

    model_id: str
    name: Lenient[str] = ""
    description: Lenient[str | None] = None


class SessionModelState(Model):
    """All models, and the one in use."""

    current_model_id: str
    available_models: LenientItems[list[SessionModel]] = []

    def folded(self) -> SelectOption:
        values = [
            ConfigValue(value=each.model_id, name=each.name or each.model_id, description=each.description)
            for each in self.available_models
        ]
        return legacy_option("model", self.current_model_id, values)


class SessionSetupResponse(Model):
    """The answer to `session/load` and `session/resume`, and what the answers about new sessions share with it.

    Modes and models are of protocol 1, commands of protocol 2.
    """

    modes: Lenient[SessionModeState | None] = None
    config_options: LenientItems[list[dict[str, Any]] | None] = None
    models: Lenient[SessionModelState | None] = None
    available_commands: LenientItems[list[AvailableCommand] | None] = None


class NewSessionResponse(SessionSetupResponse):
    """The answer to `session/new` and (unstable) `session/fork`."""

    session_id: str


_PATH = ("jetbrains", "air", "fork")


def forked_after(call: Call, message_id: str) -> Call:
    """The fork is to know what was said up to that answer and no more."""
    place: dict[str, Any] = {"version": 1, "messageId": message_id}
    for name in reversed(_PATH):
        place = {name: place}
    return Call(call.method, {**call.params, "_meta": place})


def fork_point(params: Any) -> str:
    """The id of the answer that a request to fork names; empty for a fork of all."""
    for name in ("_meta", *_PATH, "messageId"):
        params = params.get(name) if isinstance(params, dict) else None
    return params if isinstance(params, str) else ""


STEERING = "_session/steering"
Outcome = Literal["joined", "apart", "left"]


def offers_steering(initialized: dict[str, Any]) -> bool:
    meta = initialized.get("_meta")
    steering = meta.get("steering") if isinstance(meta, dict) else None
    return isinstance(steering, dict) and steering.get("supported") is True


def read_outcome(result: Any) -> Outcome:
    """What became of it: it joined the turn, it is `left` to us, or taken `apart`, which odd answers count as."""
    outcomes: dict[str, Outcome] = {"injected": "joined", "promptRequired": "left"}
    return outcomes.get(str(result.get("outcome")), "apart") if isinstance(result, dict) else "apart"


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
