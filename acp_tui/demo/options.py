"""What a user can choose: options in every shape that the protocol has, some of which depend on others."""

from typing import Any

from acp_tui.demo.connection import INVALID_PARAMS, RpcError

Value = str | bool

MODES = (
    ("ask", "Ask", "Asks before every edit"),
    ("code", "Accept edits", "Edits files without asking"),
    ("plan", "Plan", "Reads and plans, never edits"),
)
_MODELS = {
    "Swift": ("Swift Nano", "Swift Mini", "Swift 2", "Swift 2 Turbo"),
    "Sage": ("Sage 3", "Sage 4", "Sage 4 Long", "Sage 5"),
    "Workshop": ("Lathe 7B", "Lathe 70B", "Chisel Code", "Unreleased"),
}
_DESCRIPTIONS = {
    "Swift Nano": "Smallest, does not think",
    "Sage 4": "The default",
    "Sage 4 Long": "Takes a million tokens",
    "Unreleased": "Refused when chosen",
}
_THINKING = (
    ("off", "Off", ""),
    ("low", "Low", "A moment"),
    ("medium", "Medium", "As long as it takes"),
    ("high", "High", "Longer than that"),
)
_SPEEDS = (("standard", "Standard", ""), ("fast", "Fast", "Costs more"), ("batch", "Batch", "Costs less, waits"))
_VOICES = (("plain", "Plain", ""), ("brief", "Brief", "Says less"), ("cheerful", "Cheerful", "Says more"))

_REGIONS = (("eu", "Europe", ""), ("us", "America", ""), ("ap", "Asia", ""))
_RIGHTS = "https://demo.example.com/rights"


class Options:
    """The current values, and which options there are with them; `odd` adds those that clients stumble over."""

    def __init__(self, *, booleans: bool) -> None:
        self._booleans = booleans
        self.odd = False
        self._values: dict[str, Value] = {
            "mode": "ask",
            "model": "sage-4",
            "thinking": "medium",
            "context_1m": False,
            "speed": "standard",
            "voice": "plain",
            "rights": f"{_RIGHTS}#some",
            "region": "moon",
            "catalogue": "7-7",
        }

    def __getitem__(self, option_id: str) -> Value:
        return self._values[option_id]

    @property
    def context_size(self) -> int:
        """Tokens that fit into the context window."""
        return 1_000_000 if self["context_1m"] and self["model"] in ("sage-4-long", "sage-5") else 200_000

    def choose(self, option_id: str, value: Value) -> None:
        """Set an option; raises what a real agent answers to a choice that it does not take."""
        option = next((each for each in self.told() if each["id"] == option_id), None)
        if option is None:
            raise RpcError(INVALID_PARAMS, f"Invalid params: there is no option {option_id!r} now")
        if value == "unreleased":
            raise RpcError(INVALID_PARAMS, "This model is not released yet")
        if option["type"] == "boolean" and not isinstance(value, bool):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} is true or false")
        if option["type"] not in ("select", "boolean"):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} cannot be set so")
        if option["type"] == "select" and value not in _values(option["options"]):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {option_id} has no value {value!r}")
        self._values[option_id] = value

    def told(self) -> list[dict[str, Any]]:
        """All options that there are with the current values, as the protocol writes them."""
        model = self["model"]
        options = [
            self._option("mode", "Mode", "mode", options=_flat(MODES)),
            self._option("model", "Model", "model", "Which model answers", options=grouped_models()),
        ]
        if not str(model).startswith("swift"):
            options.append(self._option("thinking", "Thinking", "thought_level", options=_flat(_THINKING)))
        if self._booleans and model in ("sage-4-long", "sage-5"):
            options.append(self._option("context_1m", "1M context", "model_config", "Five times the room"))
        options.append(self._option("speed", "Speed", "model_config", options=_flat(_SPEEDS)))
        options.append(self._option("voice", "Voice", "_demo_theme", "How the demo talks", options=_flat(_VOICES)))
        return [*options, *self._odd_options()] if self.odd else options

    def _odd_options(self) -> list[dict[str, Any]]:
        """An unprefixed category with addresses as values, a value beside the list, an unknown type, 400 values."""
        rights = [{"value": f"{_RIGHTS}#{name}", "name": name.title(), "description": None} for name in ("some", "all")]
        vendors = [
            {
                "group": f"vendor-{vendor}",
                "name": f"Vendor {vendor}",
                "options": [
                    _value(f"{vendor}-{item}", f"Item {vendor}.{item}", f"Number {item} of its kind")
                    for item in range(20)
                ],
            }
            for vendor in range(20)
        ]
        return [
            self._option("rights", "Rights", "permissions", options=rights) | {"description": None},
            self._option("region", "Region", options=_flat(_REGIONS)) | {"description": ""},
            {"id": "volume", "name": "Volume", "type": "dial", "currentValue": 7, "maximum": 11},
            self._option("catalogue", "Catalogue", options=vendors),
        ]

    def _option(
        self,
        option_id: str,
        name: str,
        category: str = "",
        description: str = "",
        options: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """A list to select from, or a switch where there are no options."""
        told: dict[str, Any] = {"id": option_id, "name": name}
        told |= {"category": category} if category else {}
        told |= {"description": description} if description else {}
        told |= {"type": "boolean"} if options is None else {"type": "select", "options": options}
        return told | {"currentValue": self[option_id]}


def _flat(values: tuple[tuple[str, str, str], ...]) -> list[dict[str, Any]]:
    return [_value(*value) for value in values]


def grouped_models() -> list[dict[str, Any]]:
    """All models by their makers."""
    return [
        {
            "group": group.lower(),
            "name": group,
            "options": [_value(name.lower().replace(" ", "-"), name, _DESCRIPTIONS.get(name, "")) for name in names],
        }
        for group, names in _MODELS.items()
    ]


def _value(value: str, name: str, description: str) -> dict[str, Any]:
    return {"value": value, "name": name} | ({"description": description} if description else {})


def _values(options: list[dict[str, Any]]) -> set[str]:
    return {value["value"] for option in options for value in option.get("options", [option])}
