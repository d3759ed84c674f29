"""What a user can choose: options in every shape that the protocol has, some of which depend on others."""

from copy import deepcopy
from typing import Any

from acp_tui.demo.connection import INVALID_PARAMS, RpcError
from acp_tui.demo.project import texts

Value = str | bool

_LONG_MODELS = ("sage-4-long", "sage-5")
_ODD = ("rights", "region", "volume", "catalogue")


class Options:
    """The current values, and which options there are with them; `odd` adds those that clients stumble over."""

    def __init__(self, *, booleans: bool) -> None:
        self._booleans = booleans
        self.odd = False
        self._options = {option["id"]: option for option in deepcopy([*texts()["options"], _catalogue()])}
        rights = self._options["rights"]
        for each in (rights, *rights["options"]):
            each["description"] = None

    def __getitem__(self, option_id: str) -> Value:
        value: Value = self._options[option_id]["currentValue"]
        return value

    @property
    def context_size(self) -> int:
        return 1_000_000 if self["context_1m"] and self["model"] in _LONG_MODELS else 200_000

    def choose(self, option_id: str, value: Value) -> None:
        """Set an option; raises what a real agent answers to a choice that it does not take."""
        option = self._options.get(option_id)
        if option is None or not self._is_there(option_id):
            raise RpcError(INVALID_PARAMS, f"Invalid params: there is no option {option_id!r} now")
        if value == "unreleased":
            raise RpcError(INVALID_PARAMS, "This model is not released yet")
        if option["type"] == "boolean" and not isinstance(value, bool):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} is true or false")
        if option["type"] not in ("select", "boolean"):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} cannot be set so")
        if option["type"] == "select" and value not in _values(option["options"]):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} has no value {value!r}")
        option["currentValue"] = value

    def told(self) -> list[dict[str, Any]]:
        return deepcopy([option for option_id, option in self._options.items() if self._is_there(option_id)])

    def _is_there(self, option_id: str) -> bool:
        match option_id:
            case "thinking":
                return not str(self["model"]).startswith("swift")
            case "context_1m":
                return self._booleans and self["model"] in _LONG_MODELS
        return self.odd or option_id not in _ODD


def _catalogue() -> dict[str, Any]:
    vendors: list[dict[str, Any]] = [
        {"group": f"vendor-{vendor}", "name": f"Vendor {vendor}", "options": []} for vendor in range(20)
    ]
    for vendor, item in ((number // 20, number % 20) for number in range(400)):
        value = {"value": f"{vendor}-{item}", "name": f"Item {vendor}.{item}"}
        vendors[vendor]["options"].append(value | {"description": f"Number {item} of its kind"})
    return {"id": "catalogue", "name": "Catalogue", "type": "select", "options": vendors, "currentValue": "7-7"}


def _values(options: list[dict[str, Any]]) -> set[str]:
    return {value["value"] for option in options for value in option.get("options", [option])}
