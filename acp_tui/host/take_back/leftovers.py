"""Names that an undo which was killed has left beside the files that it was at: they go at the next start."""

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from acp_tui.host.services.replacing import put, remove
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import Place, Roots
from acp_tui.host.snapshots.states import ABSENT
from acp_tui.host.take_back.disk import LeftAlone, at, look, open_folder
from acp_tui.host.take_back.steps import Key, Step

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
        with suppress(LeftAlone, RequestFault, OSError), at(root, inside[0][0], roots) as place:
            _clear_folder(place, inside)


def _clear_folder(place: Place, inside: Sequence[tuple[str, Step]]) -> None:
    """The same in the folder of a place; each of the paths with its step."""
    folder = Place(os.path.dirname(place.path), os.path.dirname(place.name), place.folder)  # noqa: PTH120 (texts)
    known: dict[str, list[tuple[Place, Step]]] = {}
    for path, step in inside:
        name = path.rpartition("/")[2]
        known.setdefault(name[:50], []).append((_in(folder, name), step))
    for name in _names(folder):
        found = _BESIDE.fullmatch(name)
        if found is not None and found[1] in known:
            _settle(_in(folder, name), known[found[1]])


def _in(folder: Place, name: str) -> Place:
    return Place(os.path.join(folder.path, name), os.path.join(folder.name, name), folder.folder)  # noqa: PTH118


def _names(folder: Place) -> list[str]:
    handle = open_folder(
        Place(folder.path, folder.name or ".", folder.folder)
    )  # the one that there is may only be for paths
    try:
        return os.listdir(handle if os.listdir in os.supports_fd else folder.name)  # noqa: PTH208 (a handle)
    finally:
        os.close(handle)


def _settle(left: Place, known: Iterable[tuple[Place, Step]]) -> None:
    """Remove what is left if it is kept; a file that was to be exchanged and has no name now gets that again."""
    with suppress(OSError, RequestFault):
        state = look(left).state
        if state.kind not in ("file", "link"):
            return
        for place, step in known:
            if state.digest == step.now.digest and step.target.kind != "absent" and look(place).state == ABSENT:
                put(left, place)
                return
        if any(state.digest in (step.now.digest, step.target.digest) for _, step in known):
            remove(left)
