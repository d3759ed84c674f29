"""A record told again to a session, through the same folds as when it happened; must not know where records are.

Times are those of the recording. What was open when it ended is closed, so that nothing waits or spins.
"""

import math
from pathlib import Path
from typing import Any

from acp_tui.host.records.codec import decode
from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.lines import Timed, read_lines
from acp_tui.protocol.updates import SessionInfoUpdate, StateUpdate
from acp_tui.session.facts import AgentGone, ConfigOptionSettled, Noticed, QueuedPromptTaken, SessionNamed
from acp_tui.session.history import begin_with
from acp_tui.session.messages import parts_of, text_of
from acp_tui.session.state import Session


def load(info: RecordInfo) -> Session:
    """The recorded session as if it had just ended, to be looked at; its clock stands still. Raises OSError."""
    told, unread = _read(info.path)
    last = told[-1][0] if told else 0.0
    now = 0.0
    session = Session(id=info.session_id, cwd=info.cwd, agent_name=info.agent, clock=lambda: now)
    for seconds, event in told:
        now = seconds - last
        session.apply(event)
    now = 0.0
    _close(session)
    if unread:
        session.apply(Noticed("warning", "Parts of this record could not be read", f"{unread:,} lines"))
    if info.title and not session.title:
        session.apply(SessionInfoUpdate(title=info.title))
    return session


def continue_in(session: Session, told: Session, info: RecordInfo) -> None:
    """Begin a new session with a recorded one, marked as history."""
    if told.title and not session.title:
        session.apply(SessionNamed(told.title) if told.named else SessionInfoUpdate(title=told.title))
    until = info.updated.astimezone().strftime("%d %B %Y, %H:%M")
    begin_with(session, told, f"It was recorded until {until}. The agent itself does not know it, unless it says so.")


def _read(path: Path) -> tuple[list[Timed], int]:
    """All events of a record, and how many lines could not be read."""
    told: list[Timed] = []
    unread = 0
    for line in read_lines(path):
        kind = line.get("kind")
        if kind in ("record", "about"):
            continue
        try:
            event = decode(kind, line.get("data")) if isinstance(kind, str) else None
        except ValueError:
            event = None
        if event is None:
            unread += 1
        else:
            told.append((_seconds(line.get("t"), told), event))
    return told, unread


def _seconds(value: Any, told: list[Timed]) -> float:
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return told[-1][0] if told else 0.0


def _close(session: Session) -> None:
    """Nothing of a record is at work or waits for an answer."""
    if session.turn.active or session.permissions or session.elicitations:
        session.apply(AgentGone("The record ends here", "What was going on at that moment did not come to its end."))
    elif not all(entry.sealed for entry in session.entries):
        session.apply(StateUpdate(state="running"))  # what was told outside of a turn is finished by the end of one
        session.apply(StateUpdate(state="idle"))
    for prompt in list(session.queue):
        session.apply(QueuedPromptTaken(prompt.id))
        session.apply(Noticed("info", "This prompt was never sent", text_of(parts_of(prompt.blocks))))
    for option_id in list(session.config_in_flight):
        for _ in range(session.index.config_requests[option_id]):
            session.apply(ConfigOptionSettled(option_id))
