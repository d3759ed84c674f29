"""Words of protocol 2 and its drafts, in the words of the vocabulary."""

from typing import Any


def taken(data: Any, name: str, *sources: str) -> Any:
    """An object whose member `name` has the value of the first of `sources` that is there; the others are left out."""
    source = next((each for each in sources if isinstance(data, dict) and each in data), name)
    if source == name:
        return data
    return {name: data[source], **{key: value for key, value in data.items() if key not in (name, *sources)}}


def named_option(option: Any) -> Any:
    """A config option and the groups of its values; one of an unknown type stays as it came."""
    if not isinstance(option, dict) or option.get("type") not in ("select", "boolean"):
        return option
    option = taken(option, "id", "configId", "id")
    if isinstance(option.get("options"), list):
        option = {**option, "options": [taken(each, "group", "groupId", "group") for each in option["options"]]}
    return option
