"""What agents attach to things beyond the protocol: kept and patched, never understood."""

from typing import Any

from acp_tui.protocol.base import Model


def patched(meta: dict[str, Any], update: Model) -> dict[str, Any]:
    """`meta` after an update: omitted stays, `None` clears, an object patches by top-level key (`None` removes it)."""
    if not update.has("meta"):
        return meta
    merged = {**meta, **update.meta} if update.meta is not None else {}
    return {name: value for name, value in merged.items() if value is not None}
