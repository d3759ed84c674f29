"""A record read again as a session, through the same folds as when it happened.

Times are those of the recording. What was open when it ended is closed, so that nothing waits or spins.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.event_codec import LINE_CAP, decode, read_lines
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.session_recording import BEGINS, ENDS
from acp_tui.host.system.paths import open_regular
from acp_tui.protocol.vocabulary.session_updates import SessionInfoUpdate, StateUpdate
from acp_tui.session.changes import Change, EntryAdded
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import AgentGone, ConfigOptionSettled, Noticed, QueuedPromptTaken, SessionNamed
from acp_tui.session.folds.messages import parts_of, text_of
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.session.text.phrases import counted

_BESIDE = frozenset(
    ("TerminalOutputChunk", "TerminalUpdate", "UsageUpdate", "AvailableCommandsUpdate", "ConfigOptionUpdate")
)
"""Kinds that no message of the user depends on, which may be most of a record."""


class RecordedSession(Session):
    """A session as it was recorded in the file at `path`."""

    __slots__ = ("path",)

    def __init__(self, info: RecordInfo, clock: Callable[[], float]) -> None:
        super().__init__(id=info.session_id, cwd=info.cwd, agent_name=info.agent, clock=clock)
        self.path = info.path


def load(info: RecordInfo) -> RecordedSession:
    """The recorded session as if it had just ended, to be looked at; its clock stands still. Raises OSError."""
    told, unread = _read(info.path)
    last = told[-1][0] if told else 0.0
    clock = SimpleNamespace(now=0.0)
    # The last one is told, and each is the history of that before it.
    sessions = [RecordedSession(info, lambda: clock.now)]
    for seconds, kind, event in told:
        clock.now = seconds - last
        if kind == BEGINS:
            sessions.append(RecordedSession(info, sessions[0].clock))
        elif kind == ENDS:
            _end_history(sessions, event)
        else:
            sessions[-1].apply(event)
    clock.now = 0.0
    while sessions[1:]:
        _end_history(sessions, "The record ends here.")
    [session] = sessions
    close_recorded(session)
    if unread:
        session.apply(Noticed("warning", "Parts of this record could not be read", counted(unread, "line")))
    if info.title and not session.title:
        session.apply(SessionInfoUpdate(title=info.title))
    return session


def place_of_prompt(path: Path, size: int, number: int) -> int:
    """Where, in the first `size` bytes of a record, the user's message begins that is number `number`, from 0.

    It is `size` where there is none. Messages that were taken back do not count, so that all is read. Raises OSError.
    """
    sessions, offset = [_Placed(0)], 0
    with open_regular(path) as file:
        while offset < size and (line := file.readline(LINE_CAP)):
            value = json_object(line) or {}
            kind = value.get("kind")
            if kind == BEGINS:
                sessions.append(_Placed(offset))
            elif kind == ENDS and sessions[1:]:
                sessions[-2].follow(sessions.pop())
            elif isinstance(kind, str) and kind not in _BESIDE:
                sessions[-1].tell(offset, kind, value.get("data"))
            offset += len(line)
    while sessions[1:]:
        sessions[-2].follow(sessions.pop())
    places = sessions[0].places
    return places[number] if number < len(places) else size


class _Placed:
    """A session that is told again only to know where in its record each message of the user begins."""

    def __init__(self, offset: int) -> None:
        self.session, self._offset = Session("", ""), offset
        self._begun: dict[int, tuple[MessageEntry, int]] = {}  # by identity, which they keep while they are here
        self._copied: list[int] = []
        self.session.subscribe(self._on_change)

    @property
    def places(self) -> list[int]:
        return [self._begun[id(entry)][1] for entry in self.session.entries if id(entry) in self._begun]

    def tell(self, offset: int, kind: str, data: Any) -> None:
        self._offset = offset
        with suppress(ValueError):
            event = decode(kind, data)
            if event is not None:
                self.session.apply(event)

    def follow(self, earlier: "_Placed") -> None:
        self._copied = earlier.places
        self.session.apply(CopiedHistory(earlier.session, ""))

    def _on_change(self, change: Change) -> None:
        entry = change.entry if isinstance(change, EntryAdded) else None
        if isinstance(entry, MessageEntry) and entry.role == "user":
            self._begun[id(entry)] = entry, self._copied.pop(0) if self._copied else self._offset


def continue_in(session: Session, told: Session, info: RecordInfo) -> None:
    """Begin a new session with a recorded one, marked as history."""
    if told.title and not session.title:
        session.apply(SessionNamed(told.title) if told.named else SessionInfoUpdate(title=told.title))
    until = info.updated.astimezone().strftime("%d %B %Y, %H:%M")
    message = f"Recorded until {until}. The agent does not remember it, so your next prompt includes it."
    session.apply(CopiedHistory(told, message, remembered=False))


def _end_history(sessions: list[RecordedSession], message: str) -> None:
    if sessions[1:]:
        told = sessions.pop()
        sessions[-1].apply(CopiedHistory(told, message))


def _read(path: Path) -> tuple[list[tuple[float, str, Any]], int]:
    """All that a record tells: seconds, kind and event (for ENDS: its message); and how many lines could not be read.

    BEGINS and ENDS are around what was said in the session that this one goes on from, whose times are before what
    follows it.
    """
    told: list[tuple[float, str, Any]] = []
    base, outer, unread = 0.0, [], 0
    for line in read_lines(path):
        kind = line.get("kind")
        now = told[-1][0] if told else 0.0
        if kind == BEGINS:
            outer.append((base, now))
            base = now
            told.append((now, BEGINS, ""))
        elif kind == ENDS:
            if outer:
                base, began = outer.pop()
                base += now - began
            told.append((now, ENDS, str(line.get("message", ""))))
        elif kind not in ("record", "about"):
            event = None
            with suppress(ValueError):
                event = decode(kind, line.get("data")) if isinstance(kind, str) else None
            if event is None:
                unread += 1
            else:
                told.append((_seconds(line.get("t"), now - base) + base, str(kind), event))
    return told, unread


def _seconds(value: Any, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else otherwise


def close_recorded(session: Session) -> None:
    """Nothing of a record is at work or waits for an answer."""
    children = [child.session for child in session.family.values() if not child.told]
    left = [session, *children]
    if session.permissions or session.elicitations or any(each.turn.active for each in left):
        session.apply(AgentGone("The record ends here", "Anything still running did not finish."))
        left = children
    for each in left:
        if not all(entry.sealed for entry in each.entries):
            each.apply(StateUpdate(state="running"))  # what was told outside of a turn is finished by the end of one
            each.apply(StateUpdate(state="idle"))
    for prompt in list(session.queue):
        session.apply(QueuedPromptTaken(prompt.id))
        session.apply(Noticed("info", "This prompt was never sent", text_of(parts_of(prompt.blocks))))
    for option_id in list(session.config_in_flight):
        for _ in range(session.index.config_requests[option_id]):
            session.apply(ConfigOptionSettled(option_id))
