"""What a session lets a person choose, folded from config options, legacy modes and legacy models.

Config options come first. Modes are shown where there are no config options, models where no option has the
category `model` (session config options in the spec).
"""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.config_options import ConfigOption, ConfigOptionUpdate, ConfigValue, SelectOption
from acp_tui.protocol.option_reading import read_options, with_current


@dataclass(slots=True)
class Choices:
    """All that the agent said so far about what can be chosen.

    `legacy` says which of the options last told are really modes or models, by their ids.
    """

    options: list[ConfigOption] = field(default_factory=list)
    unknown: list[dict[str, Any]] = field(default_factory=list)
    modes: SelectOption | None = None
    models: SelectOption | None = None
    legacy: dict[str, str] = field(default_factory=dict)

    def replace_options(self, items: list[Any]) -> None:
        """All config options anew, in the agent's order."""
        self.options, self.unknown = read_options(items)

    def told(self) -> ConfigOptionUpdate:
        """Everything that can be chosen now."""
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

    def mode_chosen(self, mode_id: str) -> ConfigOptionUpdate:
        """The agent is in another mode now."""
        self.modes = with_current(self.modes or legacy_option("mode", mode_id, []), mode_id)
        return self._category_chosen("mode", mode_id)

    def model_chosen(self, model_id: str) -> ConfigOptionUpdate:
        """The agent uses another model now."""
        self.models = with_current(self.models or legacy_option("model", model_id, []), model_id)
        return self._category_chosen("model", model_id)

    def option_chosen(self, option_id: str, value: str | bool) -> ConfigOptionUpdate:
        """A config option has another value now."""
        self.options = [with_current(each, value) if each.id == option_id else each for each in self.options]
        return self.told()

    def _category_chosen(self, category: str, value: str) -> ConfigOptionUpdate:
        """Agents that have both speak of one thing in two ways; a value that an option does not have is not meant."""
        self.options = [
            with_current(each, value) if each.category == category and _offers(each, value) else each
            for each in self.options
        ]
        return self.told()


def legacy_option(category: str, current: str, values: list[ConfigValue]) -> SelectOption:
    """Modes or models, told as a config option."""
    return SelectOption(id=category, name=category.title(), category=category, current_value=current, values=values)


def _offers(option: ConfigOption, value: str) -> bool:
    return isinstance(option, SelectOption) and any(each.value == value for each in option.values)
