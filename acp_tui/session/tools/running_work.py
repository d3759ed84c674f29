"""The sessions of a family (a session and its subagents) by name and state, and work that goes on beside the turn.

Nothing here is sanitised. Of the work there is what the agent lists, and what can be cancelled by itself.
"""

from acp_tui.frozen import Frozen
from acp_tui.session.entries import Entry, SubagentEntry, ToolCallEntry
from acp_tui.session.state import Session, Subagent
from acp_tui.startup import late

WORKING = ("running", "requires_action")


def works(entry: SubagentEntry) -> bool:
    """Whether the agent says that it does; what is not confirmed does not."""
    return entry.state in WORKING and not entry.disconnected


def working(session: Session) -> list[Subagent]:
    """The subagents of all depths that work, of a session that the user talks to."""
    return [session.family[name] for name in session.index.working]


def any_works(session: Session) -> bool:
    return bool(session.index.working)


def is_at_work(session: Session) -> bool:
    return session.turn.active or any_works(session)


def asks(child: Subagent) -> bool:
    return child.entry.id in asking(child.parent.root)


def asking(session: Session) -> set[str | None]:
    """The sessions of a family that wait for the user, by their ids."""
    permitted = {each.request.session_id for each in session.permissions}
    return permitted.union(each.request.session_id for each in session.elicitations)


def name_of(entry: SubagentEntry) -> str:
    """What a subagent is called: its title, else how its description begins; empty where it has neither."""
    described = (entry.description or "").strip().split("\n", 1)[0]
    return (entry.title or "").strip() or described


def speaker(session_id: str | None, session: Session) -> str:
    """Whose words are told, for the user to read: `subagent "Explore"`; empty for the session that they talk to."""
    child = session.root.family.get(session_id or "")
    if child is None:
        return ""
    name = name_of(child.entry)
    return f'subagent "{name}"' if name else "a subagent"


def began_at(child: Subagent) -> float:
    """When what it is at now, or was last, began; by its session's clock."""
    return max(child.entry.started_at, child.session.turn.started_at)


def spent(child: Subagent) -> float:
    """Seconds that it has worked, or did when it worked last."""
    end = child.entry.finished_at
    return max(0.0, (child.session.clock() if works(child.entry) or end is None else end) - began_at(child))


def shown_in(entry: ToolCallEntry, session: Session) -> list[str]:
    """The subagents that stand below this call: those that it was the first to refer to, if it ever did."""
    anchors = session.index.anchors
    return [
        each
        for each in session.index.anchored.get(entry.id, ())
        if each in session.subagents and anchors.get(each) is entry  # a call of the history may have had this id, too
    ]


def children_of(entry: Entry | None, session: Session) -> list[Subagent]:
    """The subagents that an entry of this session's transcript stands for."""
    names = [entry.id] if isinstance(entry, SubagentEntry) else []
    if isinstance(entry, ToolCallEntry):
        names = shown_in(entry, session)
    family = session.root.family
    return [family[name] for name in names if name in family]


class WorkItem(Frozen):
    """One piece of work; `type` is tool_call, terminal, subagent, or something newer without an id."""

    type: str
    id: str
    title: str
    cancellable: bool
    background: bool


def background_work(session: Session) -> list[WorkItem]:
    """What the agent lists as background work, in its order."""
    return [_work(session, item.type, item.work_id or "", background=True) for item in session.turn.background]


def separate_work(session: Session) -> list[WorkItem]:
    """Background work, and what else runs and can be cancelled by itself."""
    listed = background_work(session)
    known = {(work.type, work.id) for work in listed}
    own = [("tool_call", call.id) for call in session.index.open_tool_calls.values() if call.cancellable]
    running = (terminal for terminal in session.terminals.values() if terminal.exit_status is None)
    own += [("terminal", terminal.id) for terminal in running if terminal.cancellable]
    children = session.family.items()
    own += [("subagent", name) for name, child in children if child.entry.cancellable and subagent_works(child)]
    return [*listed, *(_work(session, *found, background=False) for found in own if found not in known)]


def can_be_cancelled(session: Session, work: WorkItem) -> bool:
    """Whether work that was listed once still goes on and says now that it can be cancelled."""
    return any(now.cancellable and (now.type, now.id) == (work.type, work.id) for now in separate_work(session))


def subagent_works(child: Subagent) -> bool:
    """Whether it is at work as far as is known; the agent may call that by words that are newer than this program."""
    return child.entry.state not in (None, "idle") and not (child.entry.disconnected or child.told)


def _work(session: Session, kind: str, identity: str, *, background: bool) -> WorkItem:
    words = late("acp_tui.session.tools.subject")
    if kind == "tool_call" and (call := session.index.tool_calls.get(identity)):
        title = words.told_line(words.subject_of(call, session), session.cwd)
        return WorkItem(kind, identity, title, call.cancellable, background)
    if kind == "terminal" and (terminal := session.terminals.get(identity)):
        return WorkItem(kind, identity, words.terminal_line(terminal, session), terminal.cancellable, background)
    if kind == "subagent" and (child := session.family.get(identity)):
        cancellable = child.entry.cancellable and subagent_works(child)
        return WorkItem(kind, identity, name_of(child.entry) or "Subagent", cancellable, background)
    return WorkItem(kind, identity, identity or kind, cancellable=False, background=background)
