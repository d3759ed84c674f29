"""All recorded sessions: begin one, find them, read them, drop them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.host.config.state_files import cache_folder, state_folder
from acp_tui.host.records.event_codec import GrowingText, TextCoalescer, Timed, encode, holds, line_of, said_in
from acp_tui.host.records.record_info import (
    RecordedSetup,
    RecordInfo,
    Runs,
    about_session,
    append,
    last_session,
    name,
    read_info,
    read_infos,
    read_setup,
    runs_among,
)
from acp_tui.host.records.replay import RecordedSession, load, place_of_prompt
from acp_tui.host.records.search import RecordsCache, SearchResult
from acp_tui.host.records.session_recording import TOTAL, EarlierRecord, SessionRecording, make_room
from acp_tui.host.records.usage import Ledger
from acp_tui.host.system.threads import FULL, WriteBehind
from acp_tui.protocol.vocabulary.session_updates import StateUpdate, Update
from acp_tui.safe_text import named, one_line
from acp_tui.session.facts import AgentGone, Fact, HandedOver, Noticed, TakenOver
from acp_tui.session.state import CopiedHistory, Event, Session

Item = tuple[SessionRecording, float, Update | Fact | GrowingText | EarlierRecord]
"""On its way to a record, with its seconds."""

_LIST = "List recorded sessions with: acp-tui --resume, or search them: acp-tui search WORD"
_NAMED, _ROW = 5, 100  # sessions that are named where several may be meant; characters of each
_UNREADABLE = "The record cannot be read"

READ_AHEAD = 4 * 1024 * 1024  # bytes of a record that is read although the agent will most likely replay the session


class Records:
    """The folder of records, by default that of the user's state. Nothing is created before something is recorded.

    With every new record the oldest ones go that are more than `total` bytes together. Where there is a `cache`, by
    default the user's for the user's records, many of them are listed and searched by an index there.
    """

    def __init__(self, folder: Path | None = None, total: int = TOTAL, cache: Path | None = None) -> None:
        self.folder, self._total = folder or state_folder() / "records", total
        self._cached = RecordsCache(self.folder, cache_folder() / "records" if folder is None else cache)
        self._behind: WriteBehind[Item] = WriteBehind(self._write, "records")
        self._recordings: dict[Session, SessionRecording] = {}

    def record(
        self, session: Session, agent: str = "", start: Callable[[], Mapping[str, Any]] = dict, *, run: bool = False
    ) -> None:
        """Record all that happens in the session from now on; `agent` is its name until the session has one.

        `start` tells how the agent is started, as plain data. A session that is recorded already goes on in its record.
        `run`: that is done by `acp-tui run`.
        """
        if session.observed:
            return
        self._cached.keep_texts(self.list)
        recording = SessionRecording(self.folder, partial(about_session, session, agent), start=start(), run=run)
        self._recordings[session] = recording
        self._observe(session, recording)

    def _observe(self, session: Session, recording: SessionRecording) -> None:
        began, telling = session.clock(), False
        joining = TextCoalescer()

        def take(event: Event) -> None:
            nonlocal telling
            told: Update | Fact | GrowingText | EarlierRecord | None
            if isinstance(event, CopiedHistory):
                joining.stop()
                told = self._earlier(event)
            else:
                told = None if telling else joining.take(event)
            if told is None:
                return
            size = told.room if isinstance(told, GrowingText) else 0
            if not self._behind.put((recording, session.clock() - began, told), size):
                recording.give_up(FULL)
            if isinstance(event, StateUpdate) and event.state == "idle":
                self._behind.soon()  # a long turn ends with many lines, which kept its last frame waiting (10 ms)
            elif isinstance(event, StateUpdate | AgentGone):
                self._behind.hurry()
            telling = True  # what the user must know of the record, which has it already
            while recording.notices:
                session.apply(recording.notices.pop(0))
            telling = False

        session.observe(take)

    def flush(self) -> None:
        self._behind.hurry()

    def close(self) -> Sequence[Noticed]:
        """Write what is left and end; takes moments, seconds only where the disk hangs.

        Returns what went wrong with a record and was not reported, since nothing happened in its session afterwards.
        """
        self._cached.close()
        recordings = self._recordings.values()
        for recording in recordings if self._behind.close() else ():
            recording.close()
        return [notice for recording in recordings for notice in recording.notices]

    def list(self, cwd: str | None = None) -> list[RecordInfo]:
        """The records of a folder (`None`: all), the one that was written last first; what is no record is left out.

        Of how their agents were started only a name may be told: `last_of_all` has the rest.
        """
        listed = self._cached.infos(cwd)
        return read_infos(self.folder, cwd) if listed is None else listed

    def runs(self, cwd: str) -> Runs:
        """Which sessions of a folder are runs. It looks through records: call it in a thread."""
        return runs_among(self.list(cwd))

    def last_of_all(self, cwd: str, *, runs: bool) -> RecordInfo | None:
        """The session in a folder that was recorded last, whichever agent it was with; `runs` as `last` has it."""
        last = last_session(self.list(cwd), runs=runs)
        with suppress(OSError):
            return read_info(last.path) if last is not None else None
        return last

    def meant(self, start: str, cwd: str | None) -> RecordInfo:
        """The session whose id is this or begins so, its last record; `latest` is the last session of a folder.

        Raises UserFault where there is none, or several begin so.
        """
        if cwd is not None:
            last = self.last_of_all(cwd, runs=True)
            if last is None:
                raise UserFault("No recorded session in this folder", named(cwd), _LIST)
            return last
        begun: dict[tuple[str, str], RecordInfo] = {}
        for info in self.list():
            if info.session_id == start:
                return info
            if info.session_id.startswith(start):
                begun.setdefault((info.agent, info.session_id), info)
        found = list(begun.values())
        if not found:
            raise UserFault(f"No recorded session has an ID that starts with {named(start)}", hint=_LIST)
        if found[1:]:
            rows = [f"{info.session_id}  {info.agent}, {info.title}" for info in found[:_NAMED]]
            rows += [f"and {len(found) - _NAMED} more"] if len(found) > _NAMED else []
            raise UserFault(
                f"Several recorded sessions have an ID that starts with {named(start)}",
                "\n".join(one_line(row, _ROW) for row in rows),
                "Type more of the ID.",
            )
        return found[0]

    def last(self, agent: str, cwd: str, *, runs: bool = False) -> RecordInfo | None:
        """An agent's session in a folder that was recorded last; one that it never opened does not count.

        Runs count with `runs`, else only where it has no other session there.
        """
        return last_session([info for info in self.list(cwd) if info.agent == agent], runs=runs)

    def linked(self, agent: str, session_id: str, mark: str) -> RecordInfo | None:
        """The record of the other side of a hand-over with this `mark`; else the last of an agent's session.

        It reads records: call it in a thread.
        """
        same = [info for info in self.list() if info.session_id == session_id != "" and info.agent in (agent, "")]
        said = line_of({"mark": mark})[1:-2]
        for info in same:
            with suppress(OSError):
                if holds(info.path, said):
                    return info
        return next(iter(same), None)

    def links(self, agent: str, session_id: str) -> Sequence[HandedOver | TakenOver]:
        """What all records of an agent's session say of hand-overs, the earliest first. Call it in a thread."""
        found: list[HandedOver | TakenOver] = []
        for info in reversed(self.list()):
            if info.session_id == session_id and info.agent == agent:
                with suppress(OSError):
                    found += said_in(info.path, HandedOver, TakenOver)
        return found

    def look_up(self, agent: str, cwd: str, *, retold: bool) -> tuple[RecordInfo, Session | None] | None:
        """The same with its transcript, but not with a long one that the agent tells again itself (`retold`).

        It takes seconds for a long one: call it in a thread. Raises UserFault if it cannot be read.
        """
        info = self.last(agent, cwd)
        if info is None:
            return None
        return info, None if retold and info.size >= READ_AHEAD else self.load(info.path)

    def setup(self, agent: str, session_id: str) -> RecordedSetup:
        """With what an agent's session was opened and left last. It looks through records: call it in a thread."""
        self._behind.wait()  # it may have been put away a moment ago
        return read_setup(info for info in self.list() if info.agent == agent and info.session_id == session_id)

    def load(self, path: Path) -> RecordedSession:
        """The recorded session as history, to be looked at or gone on with; raises UserFault if it cannot be read.

        It takes seconds for a long one: call it in a thread.
        """
        info = _info_of(path)
        with _told(_UNREADABLE, path):
            return load(info)

    def rename(self, path: Path, title: str) -> None:
        """Give what was recorded another title; raises UserFault if that cannot be done or it is none of these."""
        self._check(path)
        info = _info_of(path)
        with _told("The record cannot be renamed", path):
            name(info, title)

    def tell(self, path: Path, fact: Fact) -> None:
        """Have a record say what has become of it since it ended; raises UserFault as `rename` does."""
        self._check(path)
        kind, data = encode(fact)
        with _told("The record cannot be changed", path):
            append(path, line_of({"kind": kind, "data": data}))

    def delete(self, path: Path) -> None:
        """Drop a record for good; raises UserFault if that cannot be done or it is none of these."""
        self._check(path)
        with _told("The record cannot be deleted", path):
            path.unlink(missing_ok=True)
            self._cached.forget([path])

    def search(
        self,
        words: Iterable[str],
        stop: Callable[[], bool] = bool,
        on_found: Callable[[SearchResult], object] = bool,
        among: Sequence[RecordInfo] | None = None,
    ) -> SearchResult:
        """Search all of them, or `among` some; `on_found` gets what there is with each hit. Call it in a thread."""
        infos = self.list() if among is None else among
        return self._cached.searcher().search(infos, words, stop=stop, on_found=on_found)

    def ledger(self, stop: Callable[[], bool] = bool) -> Ledger:
        """The usage of all of them, as far as it is read before `stop`. Call it in a thread."""
        return self._cached.ledger(self.list(), stop)

    def path_of(self, session: Session) -> Path | None:
        """The file in which a session is recorded; None before anything was said in it."""
        recording = self._recordings.get(session)
        return None if recording is None else recording.path

    def _earlier(self, event: CopiedHistory) -> EarlierRecord:
        place = self._place(event.told)
        if event.prompts is None:
            return EarlierRecord(place, event.message)
        return EarlierRecord(place, event.message, partial(place_of_prompt, number=event.prompts))

    def _place(self, session: Session) -> Callable[[], Path | None]:
        recording = self._recordings.get(session)
        path = session.path if isinstance(session, RecordedSession) else None
        return lambda: recording.path if recording is not None else path

    def _write(self, batch: Sequence[Item]) -> None:
        """Runs in a thread of its own. What another record holds is taken when all before it has been written."""
        told: dict[SessionRecording, list[Timed]] = {}
        for recording, seconds, event in batch:
            if isinstance(event, EarlierRecord):
                self._write_events(told)
                told = {}
                recording.follow(event)
            else:
                told.setdefault(recording, []).append(
                    (seconds, event.take() if isinstance(event, GrowingText) else event)
                )
        self._write_events(told)

    def _write_events(self, told: Mapping[SessionRecording, Sequence[Timed]]) -> None:
        for recording, events in told.items():
            fresh = recording.path is None
            recording.write(events)
            if fresh and recording.path is not None and (gone := make_room(self.folder, self._total)):
                with suppress(OSError):  # the next look notices what stays
                    self._cached.forget(gone)

    def _check(self, path: Path) -> None:
        if path.parent != self.folder or path.suffix != ".jsonl":
            raise UserFault("Not a record", str(path))


@contextmanager
def _told(title: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserFault(title, f"{path}: {error.strerror}") from error


def _info_of(path: Path) -> RecordInfo:
    with _told(_UNREADABLE, path):
        info = read_info(path)
    if info is None:
        raise UserFault(_UNREADABLE, f"{path}: not a record")
    return info
