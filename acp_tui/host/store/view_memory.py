"""What the user left open on the screen, kept across runs."""

from acp_tui.host.store.folders import state_folder
from acp_tui.host.store.json_file import JsonFile, read_object


def remembered(name: str) -> bool:
    """Whether something was left on; off where nothing (or nothing readable) was kept."""
    return (_file().load(read_object) or {}).get(name) is True


def remember(name: str, on: bool) -> None:
    """Keep whether something is on; trouble with the file is passed over, the screen is as it is."""
    file = _file()
    file.store({**(file.load(read_object) or {}), name: on})


def _file() -> JsonFile:
    return JsonFile(state_folder() / "view.json")
