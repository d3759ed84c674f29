"""Config options of protocol 1, and its modes and models, which become config options.

Config options come first. Modes are shown where there are no config options, models where no option has the
category `model` (session config options in the spec).
"""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.base import LenientItems, Model, read
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import Call, SessionOptions, SessionSetupResponse, legacy_option
from acp_tui.protocol.vocabulary.config_options import (
    ConfigOption,
    ConfigOptionUpdate,
    OptionValue,
    SelectOption,
)


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: LenientItems[list[dict[str, Any]]]


@dataclass(slots=True)
class OptionsAndModes(SessionOptions):
    """The config options, modes and models of one session.

    `legacy` says which of the options last reported are really modes or models, by their ids.
    """

    modes: SelectOption | None = None
    models: SelectOption | None = None
    legacy: dict[str, str] = field(default_factory=dict)

    def update(self) -> ConfigOptionUpdate:
        options = list(self.options)
        self.legacy = {}
        if self.modes is not None and not options:
            options.append(self.modes)
            self.legacy[self.modes.id] = "mode"
        if self.models is not None and not any(option.category == "model" for option in options):
            taken = any(option.id == self.models.id for option in options)
            models = self.models.model_copy(update={"id": "models"}) if taken else self.models
            options.append(models)
            self.legacy[models.id] = "model"
        return ConfigOptionUpdate(config_options=options, unknown=self.unknown)

    def begin(self, response: SessionSetupResponse) -> list[ConfigOptionUpdate]:
        if response.modes is None and response.models is None and response.config_options is None:
            return []
        if response.modes is not None:
            self.modes = response.modes.folded()
        if response.models is not None:
            self.models = response.models.folded()
        return [self.update() if response.config_options is None else self.replace(response.config_options)]

    def read(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        return self.replace(read(ConfigOptions, update).config_options)

    def read_mode(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        """The agent is in another mode now; `modeId` is how the spec's own example has it."""
        return self._set_mode(_first_id(update, "currentModeId", "modeId"))

    def read_model(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        """The agent uses another model now, told in any of the forms that drafts and agents gave it."""
        model = update.get("model")
        nested = model if isinstance(model, dict) else {"modelId": model}
        forms = {"nested": nested.get("modelId"), **update}
        return self._set_model(_first_id(forms, "currentModelId", "modelId", "modeId", "currentModel", "nested"))

    def set_call(self, session_id: str, option: ConfigOption, value: OptionValue) -> Call:
        """Choose a value, by the method that fits what the option was folded from."""
        legacy = self.legacy.get(option.id)
        if legacy is not None:
            return Call(f"session/set_{legacy}", {"sessionId": session_id, f"{legacy}Id": value})
        params = {"sessionId": session_id, "configId": option.id, "value": value}
        if option.sent_as != "id":
            params["type"] = option.sent_as
        return Call("session/set_config_option", params)

    def was_set(self, call: Call, result: Any) -> ConfigOptionUpdate:
        if isinstance(result, dict) and isinstance(result.get("configOptions"), list):
            return self.replace(result["configOptions"])
        if call.method == "session/set_mode":
            return self._set_mode(call.params["modeId"])
        if call.method == "session/set_model":
            return self._set_model(call.params["modelId"])
        return self.set_value(call.params["configId"], call.params["value"])

    def _set_mode(self, mode_id: str) -> ConfigOptionUpdate:
        self.modes = (self.modes or legacy_option("mode", mode_id, [])).with_value(mode_id)
        return self._set_category("mode", mode_id)

    def _set_model(self, model_id: str) -> ConfigOptionUpdate:
        self.models = (self.models or legacy_option("model", model_id, [])).with_value(model_id)
        return self._set_category("model", model_id)

    def _set_category(self, category: str, value: str) -> ConfigOptionUpdate:
        """Agents that have both speak of one thing in two ways; a value that an option does not have is not meant."""
        self.options = [
            each.with_value(value) if each.category == category and each.offers(value) else each
            for each in self.options
        ]
        return self.update()


def _first_id(update: dict[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(update.get(name), str):
            return str(update[name])
    raise ProtocolFault("The agent sent an invalid update", names[0], "a string is required")
