"""The folders that an agent's requests stay inside; must not know what is done there.

This keeps a mistaken agent in its place. It is no sandbox: an agent runs with all rights of the person who
started it.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from acp_tui.host.request_fault import invalid_params


def resolve(path: str, roots: Sequence[Path]) -> Path:
    """The absolute `path` with every symbolic link followed, whether or not it exists.

    Raises `RequestFault` when it is not absolute, cannot be a path, or leads out of all `roots`.
    """
    if not Path(path).is_absolute():
        raise invalid_params(f"{path!r} is not an absolute path", {"path": path})
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:
        raise invalid_params(f"{path!r} cannot be a path: {error}", {"path": path}) from error
    for root in roots:
        if target.is_relative_to(os.path.realpath(root)):
            return target
    allowed = ", ".join(str(root) for root in roots) or "none"
    leads = f" (it leads to {target})" if str(target) != path else ""
    raise invalid_params(f"{path} is outside the session's folders{leads}; allowed: {allowed}", {"path": path})
