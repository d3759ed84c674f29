"""Options as some real agents have them: odd in every way that a client must put up with."""

from typing import Any

_REGIONS = {"eu": "Europe", "us": "America", "ap": "Asia"}
_VENDORS, _PER_VENDOR = 20, 20


def odd_options(values: dict[str, str | bool]) -> list[dict[str, Any]]:
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
