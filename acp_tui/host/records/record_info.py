"""The header data of a record, read from its beginning and its end only; which sessions were made by `acp-tui run`;
and with what an agent's session was opened and left, so that it can be continued so.

A new column of the list of sessions is a field of `RecordInfo`, written by `about_session`, read by `read_info`, and
kept in the index's table (`INDEX_COLUMNS`, `row_of`, `info_of`).
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.event_codec import HEAD, line_of, said_in
from acp_tui.host.records.session_recording import ABOUT_EVERY
from acp_tui.host.system.paths import open_regular
from acp_tui.protocol.base import Model
from acp_tui.protocol.vocabulary.config_options import ConfigOption, ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import TextContent, for_agent_only
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate
from acp_tui.session.facts import Branched, Fact, OptionsAwaited, OptionsSettled, SystemPromptSent
from acp_tui.session.state import Session
from acp_tui.session.text.mentions import beginning_of
from acp_tui.session.text.phrases import without_note

MOST_DIGITS = 10  # of a number that is read
TABLE_VERSION = 3  # of the index; one more with every change of its columns, so that it is made anew
_ABOUT_FIELDS = ("session_id", "agent", "cwd", "title", "own_prompt", "last_prompt")
INDEX_COLUMNS = (
    *("session_id", "agent", "cwd", "title", "started", "named", "run", "own_prompt", "last_prompt"),
    *("parent", "before", "prompt", "words", "started_by"),
)
MOST_PROMPTS = 10_000  # that are known again
_KINDS = (SystemPromptSent, ConfigOptionUpdate, OptionsAwaited, OptionsSettled, MessageUpdate, MessageChunk)
_HEAD = 16 * 1024
_TAIL = 3 * ABOUT_EVERY  # the last line that says what the record is about is within this


class RecordInfo(Frozen):
    """One recorded session. Times are aware (UTC), `size` is in bytes, `title` at least how its first prompt began.

    `branched` says of which session it is a branch, and where that begins; `own_prompt` how the first one of its own
    does, which tells it from its siblings. `last_prompt` is how the last one begins, if it is not the first.
    `named`: the user gave that title. `start` is what the record says of how its agent was started, unchecked.
    `run`: `acp-tui run` made the record, not the screen; `Runs` has what that says of its session.
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
    last_prompt: str = ""

    @property
    def path(self) -> Path:
        """The file as a path, which takes its time to be made: a list of thousands needs few of them."""
        return Path(self.file)

    @property
    def file_name(self) -> str:
        return os.path.basename(self.file)  # noqa: PTH119 (the same)


def read_info(path: Path) -> RecordInfo | None:
    """What the record at `path` is about; None for a file that is no record. Raises OSError."""
    with open_regular(path) as file:
        state = os.fstat(file.fileno())
        header = json_object(file.readline(_HEAD))
        if header is None or header.get("kind") != "record":
            return None
        file.seek(max(0, state.st_size - _TAIL))
        about = _last_about(file.read(_TAIL)) or header
    updated = _time_of(state.st_mtime_ns)
    words: dict[str, Any] = {name: _text(about.get(name)) for name in _ABOUT_FIELDS}
    words |= {"branched": _branched(about), "named": bool(about.get("named"))}
    start, run = header.get("start"), header.get("run") is True
    told = start if isinstance(start, dict) else {}
    started = time_in(_text(header.get("started"))) or updated
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


def row_of(info: RecordInfo) -> tuple[Any, ...]:
    said = info.session_id, info.agent, info.cwd, info.title, info.started.isoformat(), info.named, info.run
    branched = info.branched or Branched("", "", 0, "")
    place = branched.parent, branched.before, branched.prompt, branched.words
    return *said, info.own_prompt, info.last_prompt, *place, str(info.start.get("agent", ""))


def info_of(file: str, size: int, time: int, row: Sequence[Any]) -> RecordInfo:
    """What a record of so many bytes, last written at that `time`, is about by its `INDEX_COLUMNS`."""
    session_id, agent, cwd, title, started, named, run, own_prompt, last, *branched, by = row
    return RecordInfo(
        file,
        *(session_id, agent, cwd, title),
        datetime.fromisoformat(started),
        _time_of(time),
        size,
        bool(named),
        Branched(*branched) if branched[0] else None,
        own_prompt,
        {"agent": by} if by else {},
        bool(run),
        last,
    )


def _time_of(stamp: int) -> datetime:
    """The time of so many nanoseconds since 1970, aware (UTC)."""
    return datetime.fromtimestamp(stamp / 1e9, UTC)


def about_session(session: Session, agent: str) -> dict[str, str]:
    """What the lines of a record say that it is about; `agent` is the name of one that has not told its own."""
    about = {"session_id": session.id, "agent": session.agent_name or agent, "cwd": session.cwd}
    about |= {"title": session.title or "", "named": "yes" if session.named else ""}
    return about | _about_branch(session.branched)


def name(info: RecordInfo, title: str) -> None:
    """Have the record say that the user calls it `title`; it is not newer for that. Raises OSError."""
    about = {word: text for word in _ABOUT_FIELDS if (text := getattr(info, word))} | _about_branch(info.branched)
    append(info.path, line_of({"kind": "about", **about, "title": title, "named": "yes"}))


def append(path: Path, line: bytes) -> None:
    """Add a line at the end of a record, which is not newer for that. Raises OSError; nothing is created."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND), "rb+") as file:
        times = os.fstat(file.fileno())
        file.seek(-1, os.SEEK_END)
        torn = file.read(1) != b"\n"
        file.write(b"\n" * torn + line)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _about_branch(branched: Branched | None) -> dict[str, str]:
    """What they say of a branch; nothing of a session that is none."""
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


def time_in(text: str) -> datetime | None:
    """The time that a text has in ISO 8601, aware; None where it has none."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


Key = tuple[str, str]  # an agent, and a session's id there


class Runs(Frozen):
    """Which of a folder's recorded sessions are runs: no record of theirs was made on the screen.

    `sessions`: all of them by agent and id, the one that was used last first. `alone`: the runs among them.
    """

    sessions: tuple[Key, ...] = ()
    alone: frozenset[Key] = frozenset()

    def ids(self, agent: str) -> frozenset[str]:
        return frozenset(id_ for of, id_ in self.alone if of == agent)

    def pass_by(self, agent: str, session_id: str) -> bool:
        """Whether a run is newer than this session, which is recorded and none."""
        key = agent, session_id
        if key in self.alone or key not in self.sessions:
            return False
        return not self.alone.isdisjoint(self.sessions[: self.sessions.index(key)])


def runs_among(infos: Iterable[RecordInfo]) -> Runs:
    """The runs among records, the newest of which comes first. A session that the screen has gone on with is none."""
    of = [((info.agent, info.session_id), info.run) for info in infos if info.session_id]
    on_screen = {key for key, run in of if not run}
    sessions = tuple(dict.fromkeys(key for key, _ in of))
    return Runs(sessions, frozenset(sessions) - on_screen)


def last_session(infos: Sequence[RecordInfo], *, runs: bool) -> RecordInfo | None:
    """The first of these records whose session was opened; without `runs` one of those only if there are no others."""
    opened = [info for info in infos if info.session_id]
    alone = frozenset() if runs else runs_among(opened).alone
    others = (info for info in opened if (info.agent, info.session_id) not in alone)
    return next(others, next(iter(opened), None))


def run_check(infos: Sequence[RecordInfo]) -> Callable[[RecordInfo], bool]:
    """Says of one of these records whether its session is a run.

    `Runs` goes by ids. A run that failed before it had a session has none, and nobody can have gone on with it.
    """
    alone = runs_among(infos).alone

    def is_run(info: RecordInfo) -> bool:
        return (info.agent, info.session_id) in alone or (info.run and not info.session_id)

    return is_run


class RecordedSetup(Frozen):
    """What is known of a session from its records.

    `system_prompt` is the last one, empty if without any; None where no record says so. `options` have the values with
    which it was left, in the agent's order. `prompts` are the beginnings of what the user sent; empty where no record
    says so. `begun_here`: it has no messages that are older than its records.
    """

    system_prompt: SystemPromptSent | None = None
    options: tuple[ConfigOption, ...] = ()
    prompts: frozenset[str] = frozenset()
    begun_here: bool = False


NO_SETUP = RecordedSetup()


def read_setup(infos: Iterable[RecordInfo]) -> RecordedSetup:
    """The setup of the session of which these are the records, the newest first. What cannot be read says nothing."""
    system_prompt: SystemPromptSent | None = None
    options: tuple[ConfigOption, ...] = ()
    prompts: set[str] = set()
    begun_here = False
    for info in infos:
        seen = _Seen()
        with suppress(OSError):
            for event in said_in(info.path, *_KINDS, counts=_counts):
                seen.take(event)
        system_prompt = system_prompt or seen.system_prompt
        options = options or seen.left
        prompts |= seen.prompts
        begun_here = seen.begun_here
    return RecordedSetup(system_prompt, options, frozenset(prompts), begun_here)


class _Seen:
    """What one record says. Options count once they are settled: before that they are the agent's own."""

    def __init__(self) -> None:
        self.system_prompt: SystemPromptSent | None = None
        self.prompts: set[str] = set()
        self.begun_here = True
        self.left: tuple[ConfigOption, ...] = ()
        self._now: tuple[ConfigOption, ...] = ()
        self._settled = True

    def take(self, event: Fact | Model) -> None:
        match event:
            case SystemPromptSent():
                self.system_prompt = event
            case ConfigOptionUpdate():
                self._now = tuple(each for each in event.config_options if each.is_named)
                self.left = self._now if self._settled else self.left
            case OptionsAwaited():
                self._settled = False
            case OptionsSettled():
                self._settled, self.left = True, self._now
            case MessageUpdate() if event.from_here:
                self.prompts.update(_beginnings(event) if len(self.prompts) < MOST_PROMPTS else ())
            case MessageUpdate() | MessageChunk() if not self.prompts:
                self.begun_here = False


def _counts(line: bytes) -> bool:
    """Of messages only those of the user, which are few."""
    return b'"kind":"Message' not in line[:HEAD] or b'"sessionUpdate":"user_message' in line[: 2 * HEAD]


def _beginnings(message: MessageUpdate) -> Iterator[str]:
    for block in message.content or ():
        if isinstance(block, TextContent) and not for_agent_only(block):
            yield beginning_of(without_note(block.text))
