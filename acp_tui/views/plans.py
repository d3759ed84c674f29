"""Plans and subagents as they are shown: in the sidebar, in panels and screens of their own, in lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.session.entries import MessageEntry, SubagentEntry, ToolCallEntry
from acp_tui.session.state import Session, Subagent
from acp_tui.session.text.phrases import counted, done_words, duration
from acp_tui.session.tools.running_work import asking, asks, name_of, spent, works
from acp_tui.startup import late
from acp_tui.views.formatting import SHORTEST_TOLD, SplitRow, StyledText, Tone, brief, last_line, seconds

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry
    from acp_tui.session.state import Turn

SIGNS = {"pending": "○", "in_progress": "◐", "completed": "✓", "cancelled": "⊘"}
AT_HAND = f"{SIGNS['in_progress']} "
"""How the row of a step begins that is at hand."""
FINISHED = frozenset({"completed", "cancelled"})
STEP_LIMIT = 400  # characters
MOST_STEPS = 200  # of a plan, around the step at hand; the rest is counted
_INKS: dict[str, Tone] = {"completed": "success", "in_progress": "agent"}
_TONES = {"completed": "muted", "cancelled": "muted strike", "in_progress": "bold"}


def is_done(plan: Plan) -> bool:
    """Whether it is a list of steps of which none is left; how far another kind is, nobody says."""
    return bool(plan.entries) and all(entry.status in FINISHED for entry in plan.entries)


def is_over(turn: Turn) -> bool:
    """Whether a turn has ended, and nothing of it goes on in the background."""
    return not (turn.active or turn.background) and turn.ended_at is not None


def plans_of(session: Session) -> list[Plan]:
    """The plans of the agent; of one that sent none the list of todos that a tool call of its wrote last."""
    todos = session.index.todos
    return list(session.plans.values()) or ([todos] if todos is not None else [])


def is_on_panel(steps: Sequence[PlanEntry], session: Session) -> bool:
    """Whether the panel shows a list of these steps, whatever their states; a subagent's has no panel."""
    wanted = [step.content for step in steps]
    return session.parent is None and any(
        [step.content for step in plan.entries] == wanted for plan in plans_of(session)
    )


def title_of_plans(session: Session) -> str:
    """`Todos` where they are the list that a tool call wrote, which its row calls so too; else `Plan` or `Plans`."""
    plans, todos = plans_of(session), session.index.todos
    if len(plans) == 1 and todos is not None and is_on_panel(todos.entries, session):
        return "Todos"
    return "Plan" if len(plans) == 1 else "Plans"


def is_planning(session: Session) -> bool:
    """Whether one of them was written in the turn at hand."""
    index = session.index
    return bool(index.turn_plans) or (not session.plans and index.todos_at >= session.turn.started_at)


def at_rest(plans: Iterable[Plan], turn: Turn) -> list[Plan]:
    """The plans; after the turn no step is at hand, whatever the agent last wrote of it."""
    if not is_over(turn):
        return list(plans)
    return [plan.model_copy(update={"entries": [_left(entry) for entry in plan.entries]}) for plan in plans]


def _left(entry: PlanEntry) -> PlanEntry:
    return entry.model_copy(update={"status": "pending"}) if entry.status == "in_progress" else entry


def heading(plans: Sequence[Plan], name: str, *, folded: bool, over: bool = False) -> StyledText:
    """The name, and folded the step at hand; muted once the turn is `over`."""
    parts = [("▸ " if folded else "▾ ", "faint"), (name, "muted" if over else "agent bold")]
    left = [entry for plan in plans for entry in plan.entries if entry.status not in FINISHED] if folded else []
    if left:
        current = min(left, key=lambda entry: entry.status != "in_progress")
        parts.append((f"  {step_sign(current)[0]} {brief(current.content, STEP_LIMIT)}", "muted" if over else ""))
    return parts


def plan_title(plan: Plan) -> StyledText:
    """The name and the figures of one among several plans."""
    return [(brief(plan.plan_id, 60), "bold"), (f"  {done_words([plan])}".rstrip(), "muted")]


def step_rows(entries: Sequence[PlanEntry]) -> Iterator[StyledText]:
    at_hand = next((index for index, entry in enumerate(entries) if entry.status == "in_progress"), 0)
    first = max(0, min(at_hand - MOST_STEPS // 2, len(entries) - MOST_STEPS))
    if first:
        yield [(f"… {counted(first, 'earlier step')}", "muted")]
    yield from map(_step, entries[first : first + MOST_STEPS])
    if (later := len(entries) - first - MOST_STEPS) > 0:
        yield [(f"… {counted(later, 'later step')}", "muted")]


def plan_notes(plan: Plan) -> Iterator[StyledText]:
    """Where a plan is kept, and that its kind is not known."""
    if plan.uri:
        yield [(brief(plan.uri, 200), "muted")]
    if plan.type not in plan.known:
        yield [(f"Unknown plan type: {brief(plan.type, 40)}", "muted")]


def step_sign(entry: PlanEntry) -> tuple[str, Tone]:
    """The sign of a step's state, and its ink."""
    return SIGNS.get(entry.status, SIGNS["pending"]), _INKS.get(entry.status, "muted")


def _step(entry: PlanEntry) -> StyledText:
    words = brief(entry.content, STEP_LIMIT), _TONES.get(entry.status, "")
    sign, ink = step_sign(entry)
    row = [(f"{sign} ", ink), words]
    if entry.priority == "high" and entry.status not in FINISHED:
        row.append(("  ! high", "warning"))
    if entry.status not in SIGNS:
        row.append((f"  {brief(entry.status, 30)}", "muted"))
    return row


NAME_AT_MOST, SUBJECT = 200, 400  # characters
LOOK_BACK = 40  # entries among which the last thing done is looked for
DEEPEST = 6  # levels that are told by an indent


class SubagentState(NamedTuple):
    """The state of a subagent as it is shown; `tone` says no more than the sign."""

    sign: str
    tone: Tone
    words: str


_WORKING = {
    "running": SubagentState("◐", "agent", "running"),
    "requires_action": SubagentState("◑", "warning", "waiting"),
}
_ENDS = {
    None: SubagentState("○", "muted", "idle"),
    "end_turn": SubagentState("✓", "success", "done"),
    "cancelled": SubagentState("⊘", "muted", "cancelled"),
    "refusal": SubagentState("✗", "error", "refused"),
    "error": SubagentState("✗", "error", "failed"),
    "max_tokens": SubagentState("✗", "error", "token limit reached"),
    "max_turn_requests": SubagentState("✗", "error", "request limit reached"),
}


def standing_of(child: Subagent) -> SubagentState:
    """How it stands, as far as that is known."""
    entry = child.entry
    if entry.disconnected:
        return SubagentState("◌", "muted", "disconnected")
    if asks(child):
        return SubagentState("△", "warning", "waiting for you")
    if child.session.turn.active and child.session.turn.cancel_requested_at is not None:
        return SubagentState("◐", "warning", "cancelling")
    if entry.state == "idle" or (entry.state is None and entry.stop_reason):  # which is the last that is known
        reason = entry.stop_reason
        return _ENDS.get(reason) or SubagentState("·", "muted", f"stopped: {brief(reason or '', 30)}")
    if entry.state in (None, "unknown"):
        return SubagentState("◌", "muted", "not confirmed")
    return _WORKING.get(entry.state) or SubagentState("·", "muted", brief(entry.state, 30))


def elapsed_of(child: Subagent) -> str:
    """How long it works, or has worked; empty where that was not long."""
    took = spent(child)
    if took < SHORTEST_TOLD:
        return ""
    return duration(took) if works(child.entry) else seconds(took)


def title_of(entry: SubagentEntry, most: int = NAME_AT_MOST) -> str:
    return brief(name_of(entry), most) or "untitled"


def last_of(child: Subagent) -> str:
    """The last thing that it did, while it works; then its last words; before it did anything what it is for."""
    doing = works(child.entry)
    told = ""
    for entry in reversed(child.session.entries[-LOOK_BACK:]):
        if isinstance(entry, ToolCallEntry):
            told = told or brief(late("acp_tui.session.tools.subject").called(entry, child.session), SUBJECT)
        elif isinstance(entry, MessageEntry) and entry.role == "agent":
            words = "Writing an answer" if doing else last_line(entry.parts)
            if words and not (doing and told):
                return words
        elif isinstance(entry, MessageEntry) and entry.role == "thought" and doing:
            told = told or "Thinking"
        elif isinstance(entry, SubagentEntry):
            told = told or f"Subagent {title_of(entry)}"
        if told and doing:
            return told
    described = child.entry.description if child.entry.title else ""
    return told or brief(described or "", NAME_AT_MOST)


class SubagentNode(NamedTuple):
    """A subagent, and how many there are above it, up to the session whose tree this is."""

    depth: int
    child: Subagent

    @property
    def indent(self) -> str:
        return "  " * min(self.depth, DEEPEST)


def tree_of(session: Session) -> Iterator[SubagentNode]:
    """All subagents of a session, each before its own."""
    family = session.root.family
    waiting = [(0, name) for name in reversed(session.subagents)]
    while waiting:
        depth, name = waiting.pop()
        child = family[name]
        yield SubagentNode(depth, child)
        waiting += [(depth + 1, each) for each in reversed(child.session.subagents)]


def most_active(session: Session, most: int) -> tuple[list[SubagentNode], int]:
    """The nodes to show where there is room for so many, in the order of the tree, and how many are left out."""
    nodes = list(tree_of(session))
    if len(nodes) <= most:
        return nodes, 0
    waiting = asking(session.root)  # once: of 10,000 with 64 questions, looked up for each, it took 250 ms

    def activity(node: SubagentNode) -> tuple[bool, bool, float]:
        entry = node.child.entry
        return entry.id in waiting, works(entry), entry.finished_at or entry.started_at

    chosen = {node.child.entry.id for node in nlargest(most, nodes, key=activity)}
    return [node for node in nodes if node.child.entry.id in chosen], len(nodes) - most


def tree_rows(nodes: Sequence[SubagentNode]) -> Iterator[SplitRow]:
    """Indent, sign, title; at the right how long it works, or how it stands where it does not."""
    for node in nodes:
        entry, standing = node.child.entry, standing_of(node.child)
        told = elapsed_of(node.child) if works(entry) and standing.sign == "◐" else standing.words
        lead = [(node.indent, ""), (f"{standing.sign} ", standing.tone)]
        yield SplitRow(lead, title_of(entry), [(told, "muted")], entry.id)
