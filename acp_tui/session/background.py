"""Work that goes on beside the turn: what the agent lists, and what can be cancelled by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.protocol.background import BackgroundWork
    from acp_tui.session.state import Session


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work; `type` is tool_call, terminal, or something newer without an id."""

    type: str
    id: str
    title: str
    cancellable: bool
    background: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """The ids in what the agent listed last as background work."""

    work: "list[BackgroundWork]"
    calls: frozenset[str | None]
    terminals: frozenset[str | None]


def background_calls(session: "Session") -> set[str]:
    """The ids of tool calls in the background: listed themselves, or through a terminal that they show."""
    listed = listed_work(session)
    shown = (session.index.terminal_references.get(each or "", {}) for each in listed.terminals)
    return {each for each in listed.calls if each is not None}.union(*shown)


def listed_work(session: "Session") -> Listed:
    """What the agent lists now; made once for each list, since every tool call is looked up in it."""
    listed, work = session.index.listed, session.turn.background
    if listed is None or listed.work is not work:
        calls = frozenset(item.tool_call_id for item in work if item.type == "tool_call")
        terminals = frozenset(item.terminal_id for item in work if item.type == "terminal")
        listed = session.index.listed = Listed(work, calls, terminals)
    return listed


def background_work(session: "Session") -> list[Work]:
    """What the agent lists as background work, in its order."""
    return [
        _work(session, item.type, item.tool_call_id or item.terminal_id or "", background=True)
        for item in session.turn.background
    ]


def separate_work(session: "Session") -> list[Work]:
    """Background work, and what else runs and can be cancelled by itself."""
    listed = background_work(session)
    known = {(work.type, work.id) for work in listed}
    return [*listed, *(work for work in _cancellable(session) if (work.type, work.id) not in known)]


def can_be_cancelled(session: "Session", work: Work) -> bool:
    """Whether work that was listed once still goes on and says now that it can be cancelled."""
    return any(now.cancellable and (now.type, now.id) == (work.type, work.id) for now in separate_work(session))


def _cancellable(session: "Session") -> Iterator[Work]:
    for call in session.index.open_tool_calls.values():
        if call.cancellable:
            yield _work(session, "tool_call", call.id, background=False)
    for terminal in session.terminals.values():
        if terminal.cancellable and terminal.exit_status is None:
            yield _work(session, "terminal", terminal.id, background=False)


def _work(session: "Session", kind: str, identity: str, *, background: bool) -> Work:
    from acp_tui.session.tool_subject import subject_of, terminal_line, told_line  # noqa: PLC0415 (needs words of the protocol)

    if kind == "tool_call" and (call := session.index.tool_calls.get(identity)):
        title = told_line(subject_of(call, session), session.cwd)
        return Work(kind, identity, title, call.cancellable, background)
    if kind == "terminal" and (terminal := session.terminals.get(identity)):
        return Work(kind, identity, terminal_line(terminal, session), terminal.cancellable, background)
    return Work(kind, identity, identity or kind, cancellable=False, background=background)
