"""Updates, answers and calls about what a session lets a person choose."""

from typing import Any

from acp_tui.protocol.base import Model
from acp_tui.protocol.config_options import ConfigOption
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.tolerance import LenientItems
from acp_tui.protocol.updates import Update
from acp_tui.protocol.v1.memory import SessionMemory


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: LenientItems[list[dict[str, Any]]]


def read_config_options(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """All config options anew."""
    memory.choices.replace_options(list(read(ConfigOptions, update).config_options))
    return [memory.choices.told()]


def read_current_mode(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """The mode is another one; `modeId` is how the spec's own example has it."""
    return [memory.choices.mode_chosen(_first_id(update, "currentModeId", "modeId"))]


def read_current_model(memory: SessionMemory, update: dict[str, Any]) -> list[Update]:
    """The model is another one, in any of the forms that drafts and agents gave it."""
    model = update.get("model")
    nested = model if isinstance(model, dict) else {"modelId": model}
    forms = {"nested": nested.get("modelId"), **update}
    return [
        memory.choices.model_chosen(_first_id(forms, "currentModelId", "modelId", "modeId", "currentModel", "nested"))
    ]


def _first_id(update: dict[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(update.get(name), str):
            return str(update[name])
    raise ProtocolFault("The agent sent a bad update", names[0], "a string is required")


def choice_call(memory: SessionMemory, session_id: str, option: ConfigOption, value: str | bool) -> Call:
    """Choose a value, by the method that fits what the option was folded from."""
    legacy = memory.choices.legacy.get(option.id)
    if legacy is not None:
        return Call(f"session/set_{legacy}", {"sessionId": session_id, f"{legacy}Id": value})
    params = {"sessionId": session_id, "configId": option.id, "value": value}
    if isinstance(value, bool):
        params["type"] = "boolean"
    return Call("session/set_config_option", params)


def choice_made(memory: SessionMemory, call: Call, result: Any) -> list[Update]:
    """The agent agreed: with all options anew, or with an empty answer that means the choice itself."""
    choices, params = memory.choices, call.params
    if isinstance(result, dict) and isinstance(result.get("configOptions"), list):
        choices.replace_options(result["configOptions"])
        return [choices.told()]
    if call.method == "session/set_mode":
        return [choices.mode_chosen(params["modeId"])]
    if call.method == "session/set_model":
        return [choices.model_chosen(params["modelId"])]
    return [choices.option_chosen(params["configId"], params["value"])]
