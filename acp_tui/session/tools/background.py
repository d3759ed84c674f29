"""Work that goes on beside the turn: what the agent lists, and what can be cancelled by itself."""

from acp_tui.frozen import Frozen
from acp_tui.session.state import Session, Subagent
from acp_tui.session.tools.family import name_of
from acp_tui.startup import late


class Work(Frozen):
    """One piece of work; `type` is tool_call, terminal, subagent, or something newer without an id."""

    type: str
    id: str
    title: str
    cancellable: bool
    background: bool


def background_work(session: Session) -> list[Work]:
    """What the agent lists as background work, in its order."""
    return [_work(session, item.type, item.work_id or "", background=True) for item in session.turn.background]


def separate_work(session: Session) -> list[Work]:
    """Background work, and what else runs and can be cancelled by itself."""
    listed = background_work(session)
    known = {(work.type, work.id) for work in listed}
    own = [("tool_call", call.id) for call in session.index.open_tool_calls.values() if call.cancellable]
    running = (terminal for terminal in session.terminals.values() if terminal.exit_status is None)
    own += [("terminal", terminal.id) for terminal in running if terminal.cancellable]
    children = session.family.items()
    own += [("subagent", name) for name, child in children if child.entry.cancellable and subagent_works(child)]
    return [*listed, *(_work(session, *found, background=False) for found in own if found not in known)]


def can_be_cancelled(session: Session, work: Work) -> bool:
    """Whether work that was listed once still goes on and says now that it can be cancelled."""
    return any(now.cancellable and (now.type, now.id) == (work.type, work.id) for now in separate_work(session))


def subagent_works(child: Subagent) -> bool:
    """Whether it is at work as far as is known; the agent may call that by words that are newer than this program."""
    return child.entry.state not in (None, "idle") and not (child.entry.disconnected or child.told)


def _work(session: Session, kind: str, identity: str, *, background: bool) -> Work:
    words = late("acp_tui.session.tools.subject")
    if kind == "tool_call" and (call := session.index.tool_calls.get(identity)):
        title = words.told_line(words.subject_of(call, session), session.cwd)
        return Work(kind, identity, title, call.cancellable, background)
    if kind == "terminal" and (terminal := session.terminals.get(identity)):
        return Work(kind, identity, words.terminal_line(terminal, session), terminal.cancellable, background)
    if kind == "subagent" and (child := session.family.get(identity)):
        cancellable = child.entry.cancellable and subagent_works(child)
        return Work(kind, identity, name_of(child.entry) or "Subagent", cancellable, background)
    return Work(kind, identity, identity or kind, cancellable=False, background=background)
