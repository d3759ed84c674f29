"""What the stores of snapshots hold, by folder and by session."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.changes.journal import FOLDER, NEW, History, read
from acp_tui.host.snapshots import places
from acp_tui.host.store.json_file import json_object
from acp_tui.host.system.regular_files import open_regular

IDENTIFIED = b'"kind":"session"'
LINE_CAP = 64 * 1024  # bytes of a line that says which session it is


class KeptSession(Frozen):
    """A session with snapshots; `id` is empty where its agent never opened it. `used`: Unix seconds of its last run.

    `files` are those of its runs. `needed` names the manifests on which its points stand, by root; `looks`
    those that are there besides.
    """

    agent: str
    id: str
    used: float
    turns: int
    files: Sequence[Path]
    needed: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    looks: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)


class KeptFolder(Frozen):
    """The store of a folder: `size` in bytes on the disk, the session that was used last first."""

    root: str
    store: Path
    size: int
    sessions: Sequence[KeptSession] = ()


def kept_folders() -> list[KeptFolder]:
    """All that is kept, the folder that was used last first. It blocks."""
    found = [KeptFolder(root, folder, places.size_of(folder), _sessions(folder)) for root, folder in places.stores()]
    return sorted(found, key=lambda each: max((one.used for one in each.sessions), default=0.0), reverse=True)


def _sessions(store: Path) -> list[KeptSession]:
    runs: dict[str, list[Path]] = {}
    for path in sorted((store / FOLDER).glob("*.jsonl")):
        key = path.name.partition(".")[0]
        runs.setdefault(path.name if key == NEW else key, []).append(path)
    found = [session for files in runs.values() for session in _session(files)]
    return sorted(found, key=lambda session: session.used, reverse=True)


def _session(files: Sequence[Path]) -> Iterator[KeptSession]:
    """The session of these runs; none where they are gone."""
    history, who, used, there = History(), ("", ""), 0.0, list[Path]()
    needed: dict[str, set[str]] = {}
    looks: dict[str, set[str]] = {}
    for path in files:
        with suppress(OSError):
            used = max(used, path.stat().st_mtime)
            run = read(path)
            for root, names in run.needed().items():
                needed.setdefault(root, set()).update(names)
            for root, looked in run.looks.items():
                looks.setdefault(root, set()).update(looked)
            history.follow(run)
            who = _identity(path) or who
            there.append(path)
    if there:
        named, besides = ({root: frozenset(ids) for root, ids in each.items()} for each in (needed, looks))
        yield KeptSession(*who, used, history.turns, there, named, besides)


def _identity(path: Path) -> tuple[str, str] | None:
    """The agent and the id of a run's session, as it wrote them down last; raises OSError."""
    found = None
    with open_regular(path) as file:
        while line := file.readline(LINE_CAP):
            if IDENTIFIED in line.replace(b" ", b"") and (value := json_object(line)) and value["kind"] == "session":
                found = str(value.get("agent")), str(value.get("id"))
    return found
