"""What a person left open on the screen, kept across runs; must not know what the names stand for."""

import json
from contextlib import suppress

from acp_tui.host.folders import state_folder, write_private

_FILE = "view.json"


def remembered(name: str) -> bool:
    """Whether something was left on; off where nothing (or nothing readable) was kept."""
    return _read().get(name) is True


def remember(name: str, on: bool) -> None:
    """Keep whether something is on; trouble with the file is passed over, the screen is as it is."""
    with suppress(OSError):
        write_private(state_folder() / _FILE, json.dumps({**_read(), name: on}).encode())


def _read() -> dict[str, object]:
    try:
        kept = json.loads((state_folder() / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
