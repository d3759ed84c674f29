"""The branches of one conversation as a tree: who goes on from whom, and in which order they are listed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from acp_tui.frozen import Frozen

MOST = 500  # branches that are listed
DEEP = 12  # levels that are indented; what lies deeper stands below the last of them


class Node(Frozen):
    """One session: its id, and that of the session whose prompt number `prompt` (from 0) it goes on before.

    `began` is a time in seconds; of those that go on from the same place the earliest is first.
    """

    id: str
    parent: str = ""
    prompt: int = 0
    began: float = 0.0


class Place(Frozen):
    """A node's place in the tree: how deep it stands, and whether it is the `last` of its siblings, level by level."""

    node: Node
    last: tuple[bool, ...] = ()

    @property
    def guide(self) -> str:
        """The lines from its parent: `│ └ `."""
        deep = self.last[-DEEP:]
        return "".join("  " if each else "│ " for each in deep[:-1]) + ("└ " if deep[-1] else "├ ") if deep else ""


def tree_of(nodes: Iterable[Node], current: str, *, lasting: bool = True) -> list[Place]:
    """The tree that the session `current` is in, from its root on, each branch below the one it goes on from.

    A parent that is not among the nodes is the root all the same, as a node of which nothing else is known. Sessions
    that name each other in a circle, as only a file that was tampered with has them, are listed once. Where ids are not
    `lasting`, an agent counts its sessions anew in each run: a branch that is older than its parent is of another run.
    """
    by_id = {node.id: node for node in nodes if node.id}
    if not lasting:
        by_id = {id_: replace(each, parent="") if _is_older(each, by_id) else each for id_, each in by_id.items()}
    children: dict[str, list[Node]] = {}
    for node in by_id.values():
        if node.parent:
            children.setdefault(node.parent, []).append(node)
    root = _root(by_id, current)
    return list(_placed(by_id.get(root, Node(root)), children))


def _is_older(node: Node, by_id: dict[str, Node]) -> bool:
    parent = by_id.get(node.parent)
    return parent is not None and node.began < parent.began


def _root(by_id: dict[str, Node], current: str) -> str:
    seen = {current}
    while (node := by_id.get(current)) is not None and node.parent and node.parent not in seen:
        current = node.parent
        seen.add(current)
    return current


def _placed(root: Node, children: dict[str, list[Node]]) -> Iterator[Place]:
    """Without recursion: branches of branches may be thousands deep."""
    waiting, seen = [Place(root)], {root.id}
    for _ in range(MOST):
        if not waiting:
            return
        place = waiting.pop()
        yield place
        below = sorted(children.get(place.node.id, ()), key=lambda node: (node.prompt, node.began, node.id))
        below = [node for node in below if node.id not in seen]
        seen.update(node.id for node in below)
        ends = len(below) - 1
        waiting += [Place(node, (*place.last, at == ends)) for at, node in enumerate(below)][::-1]


def above(places: Sequence[Place], index: int) -> int:
    """The place of the parent, or the same for the root."""
    deep = len(places[index].last)
    return next((at for at in range(index - 1, -1, -1) if len(places[at].last) < deep), index)


def below(places: Sequence[Place], index: int) -> int:
    """The place of the first branch, or the same where there is none."""
    deeper = index + 1 < len(places) and len(places[index + 1].last) > len(places[index].last)
    return index + 1 if deeper else index


def beside(places: Sequence[Place], index: int, step: int) -> int:
    """The place of the next (1) or previous (-1) branch of the same parent, or the same where there is none."""
    deep = len(places[index].last)
    end = len(places) if step > 0 else -1
    for at in range(index + step, end, step):
        if len(places[at].last) < deep:
            break
        if len(places[at].last) == deep:
            return at
    return index
