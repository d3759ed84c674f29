"""Names that an undo which was killed has left beside the files that it was at: they go at the next start."""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from acp_tui.host.services.replacing import remove
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import Place, Roots
from acp_tui.host.snapshots.states import PathState
from acp_tui.host.take_back.disk import NoWay, at, look, open_folder
from acp_tui.host.take_back.plan import Key
from acp_tui.host.take_back.preview import Step

_BESIDE = re.compile(r"\.(.{1,50})\.[0-9a-f]{12}", re.DOTALL)  # as `replacing.beside` names them


def clear_up(steps: Iterable[Step], roots: Roots) -> None:
    """Remove what lies beside the paths of these steps under such a name, and is what was there or was to be there.

    Both are kept. Anything else may be what somebody has written meanwhile, and stays. It blocks.
    """
    folders: dict[Key, list[tuple[str, Step]]] = {}
    for step in steps:
        for path in filter(None, (step.change.path, step.change.old_path)):
            folders.setdefault((step.change.root, path.rpartition("/")[0]), []).append((path, step))
    for (root, _), inside in folders.items():
        with suppress(NoWay, RequestFault, OSError), at(root, inside[0][0], roots) as place:
            _clear_folder(place, inside)


def _clear_folder(place: Place, inside: Sequence[tuple[str, Step]]) -> None:
    """The same in the folder of a place; each of the paths with its step."""
    folder = os.path.dirname(place.name)  # noqa: PTH120 (a text)
    known: dict[str, list[PathState]] = {}
    for path, step in inside:
        known.setdefault(path.rpartition("/")[2][:50], []).extend((step.now, step.target))
    for name in _names(Place(os.path.dirname(place.path), folder or ".", place.folder)):  # noqa: PTH120
        found = _BESIDE.fullmatch(name)
        if found is not None and found[1] in known:
            there = os.path.join(folder, name)  # noqa: PTH118 (a text)
            full = os.path.join(os.path.dirname(place.path), name)  # noqa: PTH118, PTH120
            _remove_if_known(Place(full, there, place.folder), known[found[1]])


def _names(folder: Place) -> list[str]:
    handle = open_folder(folder)  # the one that there is may only be for paths
    try:
        return os.listdir(handle if os.listdir in os.supports_fd else folder.name)  # noqa: PTH208 (a handle)
    finally:
        os.close(handle)


def _remove_if_known(left: Place, known: Iterable[PathState]) -> None:
    with suppress(OSError, RequestFault):
        state = look(left).state
        if state.kind in ("file", "link") and any(state.digest == each.digest for each in known):
            remove(left)
