"""Config options of protocol 2: updates, answers and calls."""

from typing import Any

from acp_tui.protocol.base import Model, SkipInvalid
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.reading import read, renamed
from acp_tui.protocol.shared.config_options import SessionOptions
from acp_tui.protocol.vocabulary.config_options import ConfigOption, ConfigOptionUpdate


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: SkipInvalid[list[dict[str, Any]]]


def read_config_options(options: SessionOptions, update: dict[str, Any]) -> ConfigOptionUpdate:
    """All config options anew."""
    return replace_options(options, read(ConfigOptions, update).config_options)


def replace_options(options: SessionOptions, items: list[dict[str, Any]]) -> ConfigOptionUpdate:
    """All config options anew, as protocol 2 and its drafts name their members."""
    return options.replace([_named(item) for item in items])


def _named(option: dict[str, Any]) -> dict[str, Any]:
    """A config option and the groups of its values; one of an unknown type stays as it came."""
    if option.get("type") not in ("select", "boolean"):
        return option
    option = renamed(option, "id", "configId", "id")
    if isinstance(option.get("options"), list):
        option = {**option, "options": [renamed(each, "group", "groupId", "group") for each in option["options"]]}
    return option


def set_option_call(session_id: str, option: ConfigOption, value: str | bool) -> Call:
    """Choose a value."""
    kind = "boolean" if isinstance(value, bool) else "id"
    params = {"sessionId": session_id, "configId": option.id, "type": kind, "value": value}
    return Call("session/set_config_option", params)


def read_option_set(options: SessionOptions, call: Call, result: Any) -> ConfigOptionUpdate:
    """The agent agreed: with all options anew, or with an empty answer that means the choice itself."""
    if isinstance(result, dict) and "configOptions" in result:
        return read_config_options(options, result)
    return options.set_value(call.params["configId"], call.params["value"])
