"""What the user set by a key on the screen, kept across runs."""

from typing import Any

from acp_tui.host.store.atomic_file import JsonFile, read_object
from acp_tui.host.store.folders import state_folder


def recall() -> dict[str, Any]:
    """What was kept, by name; nothing where nothing (or nothing readable) was."""
    return _file().load(read_object) or {}


def remembered(name: str) -> bool:
    """Whether something was left on; off where nothing (or nothing readable) was kept."""
    return recall().get(name) is True


def remember(name: str, value: object) -> None:
    """Keep it; trouble with the file is passed over, the screen is as it is."""
    _file().store({**recall(), name: value})


def forget(name: str) -> None:
    """Keep it no more."""
    kept = recall()
    if kept.pop(name, None) is not None:
        _file().store(kept)


def _file() -> JsonFile:
    return JsonFile(state_folder() / "view.json")
