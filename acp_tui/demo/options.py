"""What a person can choose: options in every shape that the protocol has, some of which depend on others."""

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

_REGIONS = {"eu": "Europe", "us": "America", "ap": "Asia"}
_VENDORS, _PER_VENDOR = 20, 20


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
            self._select("mode", "Mode", "mode", _flat(MODES)),
            self._select("model", "Model", "model", grouped_models(), "Which model answers"),
        ]
        if not str(model).startswith("swift"):
            options.append(self._select("thinking", "Thinking", "thought_level", _flat(_THINKING)))
        if self._booleans and model in ("sage-4-long", "sage-5"):
            options.append(self._boolean("context_1m", "1M context", "model_config", "Five times the room"))
        options.append(self._select("speed", "Speed", "model_config", _flat(_SPEEDS)))
        options.append(self._select("voice", "Voice", "_demo_theme", _flat(_VOICES), "How the demo talks"))
        return [*options, *_odd_options(self._values)] if self.odd else options

    def _select(
        self, option_id: str, name: str, category: str, options: list[dict[str, Any]], description: str = ""
    ) -> dict[str, Any]:
        told = {"type": "select", "currentValue": self[option_id], "options": options}
        return self._named(option_id, name, category, description) | told

    def _boolean(self, option_id: str, name: str, category: str, description: str) -> dict[str, Any]:
        told = {"type": "boolean", "currentValue": self[option_id]}
        return self._named(option_id, name, category, description) | told

    def _named(self, option_id: str, name: str, category: str, description: str) -> dict[str, Any]:
        named = {"id": option_id, "name": name, "category": category}
        return named | ({"description": description} if description else {})


def _flat(values: tuple[tuple[str, str, str], ...]) -> list[dict[str, Any]]:
    return [_value(*value) for value in values]


def grouped_models() -> list[dict[str, Any]]:
    """All models by their makers."""
    return [
        {
            "group": group.lower(),
            "name": group,
            "options": [_value(_slug(name), name, _DESCRIPTIONS.get(name, "")) for name in names],
        }
        for group, names in _MODELS.items()
    ]


def _value(value: str, name: str, description: str) -> dict[str, Any]:
    return {"value": value, "name": name} | ({"description": description} if description else {})


def _slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def _values(options: list[dict[str, Any]]) -> set[str]:
    return {value["value"] for option in options for value in option.get("options", [option])}


def _odd_options(values: dict[str, str | bool]) -> list[dict[str, Any]]:
    """An unprefixed category with addresses as values, a value beside the list, an unknown type, 400 values in groups.

    `values` are what was chosen of them.
    """
    region = values.get("region", "moon")
    rights = values.get("rights", "https://demo.example.com/rights#some")
    return [
        {
            "id": "rights",
            "name": "Rights",
            "description": None,
            "category": "permissions",
            "type": "select",
            "currentValue": rights,
            "options": [
                {"value": f"https://demo.example.com/rights#{name}", "name": name.title(), "description": None}
                for name in ("some", "all")
            ],
        },
        {
            "id": "region",
            "name": "Region",
            "description": "",
            "type": "select",
            "currentValue": region,
            "options": [{"value": value, "name": name} for value, name in _REGIONS.items()],
        },
        {"id": "volume", "name": "Volume", "type": "dial", "currentValue": 7, "maximum": 11},
        {
            "id": "catalogue",
            "name": "Catalogue",
            "type": "select",
            "currentValue": values.get("catalogue", "7-7"),
            "options": [_group(vendor) for vendor in range(_VENDORS)],
        },
    ]


def _group(vendor: int) -> dict[str, Any]:
    values = [
        {
            "value": f"{vendor}-{number}",
            "name": f"Item {vendor}.{number}",
            "description": f"Number {number} of its kind",
        }
        for number in range(_PER_VENDOR)
    ]
    return {"group": f"vendor-{vendor}", "name": f"Vendor {vendor}", "options": values}
