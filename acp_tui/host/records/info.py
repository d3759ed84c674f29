"""What a record is about, read from its beginning and its end only."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.records.lines import line_of
from acp_tui.host.records.recording import ABOUT_EVERY
from acp_tui.host.store.json_file import json_object
from acp_tui.host.system.regular_files import open_regular
from acp_tui.session.facts import Branched

MOST_DIGITS = 10  # of a number that is read
_WORDS = ("session_id", "agent", "cwd", "title", "own_prompt")
_HEAD = 16 * 1024
_TAIL = 3 * ABOUT_EVERY  # the last line that says what the record is about is within this


class RecordInfo(Frozen):
    """One recorded session. Times are aware (UTC), `size` is in bytes, `title` at least how its first prompt began.

    `branched` says of which session it is a branch, and where that begins; `own_prompt` how the first one of its own
    does, which tells it from its siblings.
    `named`: the user gave that title. `start` is what the record says of how its agent was started, unchecked.
    `run`: `acp-tui run` made the record, not the screen; see `Runs` for what that says of its session.
    """

    file: str | Path
    session_id: str
    agent: str
    cwd: str
    title: str
    started: datetime
    updated: datetime
    size: int
    named: bool = False
    branched: Branched | None = None
    own_prompt: str = ""
    start: Mapping[str, Any] = field(default_factory=dict, compare=False)
    run: bool = False

    @property
    def path(self) -> Path:
        """The file as a path, which takes its time to be made: a list of thousands needs few of them."""
        return Path(self.file)


def read_info(path: Path) -> RecordInfo | None:
    """What the record at `path` is about; None for a file that is no record. Raises OSError."""
    with open_regular(path) as file:
        state = os.fstat(file.fileno())
        header = json_object(file.readline(_HEAD))
        if header is None or header.get("kind") != "record":
            return None
        file.seek(max(0, state.st_size - _TAIL))
        about = _last_about(file.read(_TAIL)) or header
    updated = time_of(state.st_mtime_ns)
    words: dict[str, Any] = {name: _text(about.get(name)) for name in _WORDS}
    words |= {"branched": _branched(about), "named": bool(about.get("named"))}
    start, run = header.get("start"), header.get("run") is True
    told = start if isinstance(start, dict) else {}
    started = _time(header.get("started"), updated)
    return RecordInfo(str(path), **words, started=started, updated=updated, size=state.st_size, start=told, run=run)


def read_infos(folder: Path, cwd: str | None = None) -> list[RecordInfo]:
    """What the records of a folder (`None`: all) are about, the one that was written last first."""
    found = []
    for path in folder.glob("*.jsonl"):
        with suppress(OSError):
            info = read_info(path)
            if info is not None and cwd in (None, info.cwd):
                found.append(info)
    return sorted(found, key=lambda info: (info.updated, info.path.name), reverse=True)


def time_of(stamp: int) -> datetime:
    """The time of so many nanoseconds since 1970, aware (UTC)."""
    return datetime.fromtimestamp(stamp / 1e9, UTC)


def name(info: RecordInfo, title: str) -> None:
    """Have the record say that the user calls it `title`; it is not newer for that. Raises OSError."""
    about = {"session_id": info.session_id, "agent": info.agent, "cwd": info.cwd, "title": title, "named": "yes"}
    about |= about_branch(info.branched) | ({"own_prompt": info.own_prompt} if info.own_prompt else {})
    append(info.path, line_of({"kind": "about", **about}))


def append(path: Path, line: bytes) -> None:
    """Add a line at the end of a record, which is not newer for that. Raises OSError; nothing is created."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND), "rb+") as file:
        times = os.fstat(file.fileno())
        file.seek(-1, os.SEEK_END)
        torn = file.read(1) != b"\n"
        file.write(b"\n" * torn + line)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def about_branch(branched: Branched | None) -> dict[str, str]:
    """What the lines that say what a record is about say of a branch; nothing of a session that is none."""
    if branched is None:
        return {}
    place = {"before": branched.before, "prompt": str(branched.prompt), "words": branched.words}
    return {"parent": branched.parent, **place}


def _branched(about: Mapping[str, Any]) -> Branched | None:
    parent, before, number, words = (_text(about.get(name)) for name in ("parent", "before", "prompt", "words"))
    if not parent:
        return None
    prompt = int(number) if number.isdecimal() and len(number) < MOST_DIGITS else 0
    return Branched(parent, before, prompt, words)


def _last_about(data: bytes) -> dict[str, Any] | None:
    for line in reversed(data.split(b"\n")):
        if line.startswith(b'{"kind":"about"'):
            value = json_object(line)
            if value is not None:
                return value
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _time(value: Any, otherwise: datetime) -> datetime:
    try:
        time = datetime.fromisoformat(_text(value))
    except ValueError:
        return otherwise
    return time if time.tzinfo else time.replace(tzinfo=UTC)
