"""The subagents of a session as a tree: rows for the sidebar, and a list to choose one from."""

from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.app import App
from textual.content import Content

from acp_tui.session.state import Session, Subagent
from acp_tui.session.tools.family import asking, works
from acp_tui.ui.entries.subagent import elapsed_of, standing_of
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.theme import AGENT, MUTED
from acp_tui.ui.render.text import cut
from acp_tui.views.subagents import last_of, title_of

LISTED = 1_000  # rows of the list
DEEPEST = 6  # levels that are told by an indent
_TONES = {"accent": AGENT, "muted": MUTED}


class Node(NamedTuple):
    """A subagent, and how many there are above it, up to the session whose tree this is."""

    depth: int
    child: Subagent


def tree_of(session: Session) -> Iterator[Node]:
    """All subagents of a session, each before its own."""
    family = session.root.family
    waiting = [(0, name) for name in reversed(session.subagents)]
    while waiting:
        depth, name = waiting.pop()
        child = family[name]
        yield Node(depth, child)
        waiting += [(depth + 1, each) for each in reversed(child.session.subagents)]


def most_active(session: Session, most: int) -> tuple[list[Node], int]:
    """The nodes to show where there is room for so many, in the order of the tree, and how many are left out."""
    nodes = list(tree_of(session))
    if len(nodes) <= most:
        return nodes, 0
    waiting = asking(session.root)  # once: of 10,000 with 64 questions, looked up for each, it took 250 ms

    def activity(node: Node) -> tuple[bool, bool, float]:
        entry = node.child.entry
        return entry.id in waiting, works(entry), entry.finished_at or entry.started_at

    chosen = {node.child.entry.id for node in nlargest(most, nodes, key=activity)}
    return [node for node in nodes if node.child.entry.id in chosen], len(nodes) - most


class TreeRow(NamedTuple):
    """A row of the sidebar, and the id of the subagent that it stands for."""

    words: Content
    session_id: str


def tree_rows(nodes: Sequence[Node], width: int) -> Iterator[TreeRow]:
    """Indent, sign, title; at the right how long it works, or how it stands where it does not."""
    for depth, child in nodes:
        standing, elapsed = standing_of(child), elapsed_of(child)
        told = elapsed if works(child.entry) and standing.sign == "◐" else standing.words
        indent = "  " * min(depth, DEEPEST)
        ink = tone(standing.tone)
        title = cut(title_of(child.entry), max(4, width - len(indent) - 3 - cell_len(told)))
        gap = " " * max(1, width - len(indent) - 2 - cell_len(title) - cell_len(told))
        words = Content.assemble(indent, (f"{standing.sign} ", ink), title, gap, (told, MUTED))
        yield TreeRow(words, child.entry.id)


def tone(name: str) -> str:
    """The style of a standing's tone."""
    return _TONES.get(name, f"${name}")


def choose(app: App[Any], nodes: Sequence[Node], chosen: Callable[[Subagent], object]) -> None:
    """Have one of these chosen from a list; a single one needs no list."""
    if len(nodes) == 1:
        chosen(nodes[0].child)
        return

    def take(child: Subagent | None) -> None:
        if child is not None:
            chosen(child)

    more = f" (the first {LISTED:,} of {len(nodes):,})" if len(nodes) > LISTED else ""
    app.push_screen(Picker(f"Subagents{more}", [_picker_row(node) for node in nodes[:LISTED]]), take)


def _picker_row(node: Node) -> PickerRow[Subagent]:
    depth, child = node
    standing = standing_of(child)
    parts = (standing.words, elapsed_of(child), last_of(child))
    name = f"{'  ' * min(depth, DEEPEST)}{standing.sign} {title_of(child.entry, 60)}"
    return PickerRow(child, name, " · ".join(filter(None, parts)))
