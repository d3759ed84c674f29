"""Session config options: what the agent lets the user choose; legacy modes and models are such options too."""

from typing import Any, Literal

from acp_tui.protocol.base import Boolean, Lenient, Model

CONFIG_CATEGORIES = ("mode", "model", "model_config", "thought_level")


class ConfigValue(Model):
    """One value of a select option; `group` is the name of its group, if values are grouped."""

    value: str
    name: str
    description: Lenient[str | None] = None
    group: str | None = None


class Option(Model):
    """What every option has."""

    type: str = ""
    id: str
    name: str
    description: Lenient[str | None] = None
    category: Lenient[str | None] = None


class SelectOption(Option):
    """A choice of one value; `current_value` may be missing from `values`."""

    type: Literal["select"] = "select"
    current_value: str
    values: list[ConfigValue] = []


class BooleanOption(Option):
    """A switch."""

    type: Literal["boolean"] = "boolean"
    current_value: Boolean


ConfigOption = SelectOption | BooleanOption  # which one, its `type` says; dialects read them one by one


class ConfigOptionUpdate(Model):
    """Replaces all config options, in the agent's order. Options of unknown type are in `unknown`."""

    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: list[ConfigOption]
    unknown: list[dict[str, Any]] = []
