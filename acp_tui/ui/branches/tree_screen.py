"""The tree of branches over the screen: which conversation goes on from which message, and how to get there."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from textual.content import Content

from acp_tui.frozen import Frozen
from acp_tui.host.records.records import Records
from acp_tui.session.facts import Branched
from acp_tui.session.state import Session
from acp_tui.ui.branches.rewind import in_one_line, messages_of
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import ACCENT, CLOSE, FAINT, MOVE, MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.sessions.past_session_actions import PastSessionActions
from acp_tui.ui.sessions.session_actions import SessionActions
from acp_tui.views.formatting import age, brief
from acp_tui.views.past_sessions import PastSession
from acp_tui.views.status import name_of

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


class TreePlace(Frozen):
    """A node's place in the tree: how deep it stands, and whether it is the `last` of its siblings, level by level."""

    node: Node
    last: tuple[bool, ...] = ()

    @property
    def guide(self) -> str:
        """The lines from its parent: `│ └ `."""
        deep = self.last[-DEEP:]
        return "".join("  " if each else "│ " for each in deep[:-1]) + ("└ " if deep[-1] else "├ ") if deep else ""


def tree_of(nodes: Iterable[Node], current: str, *, lasting: bool = True) -> list[TreePlace]:
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


def _placed(root: Node, children: dict[str, list[Node]]) -> Iterator[TreePlace]:
    """Without recursion: branches of branches may be thousands deep."""
    waiting, seen = [TreePlace(root)], {root.id}
    for _ in range(MOST):
        if not waiting:
            return
        place = waiting.pop()
        yield place
        below = sorted(children.get(place.node.id, ()), key=lambda node: (node.prompt, node.began, node.id))
        below = [node for node in below if node.id not in seen]
        seen.update(node.id for node in below)
        ends = len(below) - 1
        waiting += [TreePlace(node, (*place.last, at == ends)) for at, node in enumerate(below)][::-1]


def above(places: Sequence[TreePlace], index: int) -> int:
    """The place of the parent, or the same for the root."""
    deep = len(places[index].last)
    return next((at for at in range(index - 1, -1, -1) if len(places[at].last) < deep), index)


def below(places: Sequence[TreePlace], index: int) -> int:
    """The place of the first branch, or the same where there is none."""
    deeper = index + 1 < len(places) and len(places[index + 1].last) > len(places[index].last)
    return index + 1 if deeper else index


def beside(places: Sequence[TreePlace], index: int, step: int) -> int:
    """The place of the next (1) or previous (-1) branch of the same parent, or the same where there is none."""
    deep = len(places[index].last)
    end = len(places) if step > 0 else -1
    for at in range(index + step, end, step):
        if len(places[at].last) < deep:
            break
        if len(places[at].last) == deep:
            return at
    return index


NAMED, ORIGIN = 200, 24  # cells of a message; characters of the one that it replaces
UNKNOWN = "(not recorded)"
NONE = "No branches yet. Rewind to a message to start one"


class TreeScreen(ListPanel[str, str]):
    """Enter gives back the id of a session. Arrows step from row to row, and to parent and branches."""

    TITLE, PANEL = "Branches", "branches-panel"
    KEYS = (
        MOVE,
        PanelKey("enter,space", "open", "choose"),
        ("←→", "parent or branch"),
        ("shift+↑↓", "siblings"),
        PanelKey("left,h", "", lambda panel: panel.go(above)),
        PanelKey("right,l", "", lambda panel: panel.go(below)),
        PanelKey("shift+up,K", "", lambda panel: panel.go(partial(beside, step=-1))),
        PanelKey("shift+down,J", "", lambda panel: panel.go(partial(beside, step=1))),
        CLOSE,
    )

    def __init__(self, places: Sequence[TreePlace], rows: Sequence[ListRow[str]], current: str) -> None:
        super().__init__()
        self._places, self._rows, self._current = places, rows, current

    def heading(self) -> Content:
        more = f"  the first {MOST}" if len(self._places) == MOST else ""
        return Content.assemble(super().heading(), (more, MUTED))

    def listed(self) -> Sequence[ListRow[str]]:
        return self._rows

    def start(self) -> None:
        self.fit()
        self.fill(lambda session: session == self._current)

    def go(self, step: Callable[[Sequence[TreePlace], int], int]) -> None:
        self.list.highlight(step(self._places, self.list.highlighted or 0))


class Branch:
    """One session of the tree, as far as it is known: open, recorded, listed by its agent."""

    def __init__(self, known: PastSession, session: Session | None) -> None:
        self.known, self.session = known, session
        self._records = [*filter(None, (known.record,)), *known.older]

    @property
    def id(self) -> str:
        info, record = self.known.info, self.known.record
        return self.session.id if self.session else info.session_id if info else record.session_id if record else ""

    @property
    def branched(self) -> Branched | None:
        """An agent that brings a session back does not tell what it is a branch of, but an older record of it does."""
        told = (record.branched for record in self._records)
        return (self.session and self.session.branched) or next(filter(None, told), None)

    @property
    def node(self) -> Node:
        began = min((each.started.timestamp() for each in self._records), default=time.time())
        branched = self.branched
        return Node(self.id, branched.parent, branched.prompt, began) if branched else Node(self.id, began=began)

    @property
    def before(self) -> str:
        """The message of its parent that it goes on after; empty where that is not known, or there is none."""
        branched = self.branched
        if branched is None or self.session is None:
            return ""
        earlier = messages_of(self.session)[: branched.prompt]
        return in_one_line(earlier[-1], NAMED) if earlier else ""

    @property
    def name(self) -> str:
        """Of a branch its own first message: that is what makes it another one."""
        branched, session = self.branched, self.session
        if branched is not None and session is not None:
            said = messages_of(session)
            if branched.prompt < len(said):
                return in_one_line(said[branched.prompt], NAMED)
        recorded = next((each.own_prompt for each in self._records if each.own_prompt), "")
        if branched is not None and recorded:
            return sanitise_line(recorded, NAMED)
        return name_of(session) if session is not None else self.known.title


def origin_of(branched: Branched | None, name: str = "", before: str = "") -> str:
    """`instead of "fix it"`: the message that a branch replaces, or where its name begins so, `after "hello"`."""
    if branched is not None and not (branched.before or branched.words):
        return "after the last message"
    words = brief(branched.words, ORIGIN) if branched is not None else ""
    if words and words == brief(name, ORIGIN):
        return f'after "{brief(before, ORIGIN)}"' if before else ""
    return f'instead of "{words}"' if words else "instead of a message"


class TreeActions:
    """The tree as seen from one session."""

    def __init__(self, view: SessionView, sessions: SessionActions, records: Records | None) -> None:
        self._view, self._sessions, self._records = view, sessions, records
        self._past = PastSessionActions(view, sessions, records)

    def open(self) -> None:
        self._view.run(self._open())

    async def _open(self) -> None:
        branches = await self._branches()
        can, own = self._view.client.connection.capabilities, self._view.session
        lasting = can.load_session or can.resume_session
        places = tree_of((each.node for each in branches.values()), own.id, lasting=lasting)
        if len(places) < 2:
            self._view.say(NONE, 4)
            return
        now = datetime.now(UTC)
        rows = [ListRow(partial(self._row, place, branches.get(place.node.id), now), place.node.id) for place in places]
        chosen = await self._view.ask(TreeScreen(places, rows, own.id))
        if chosen is not None and chosen != own.id:
            self._go_to(branches.get(chosen))

    async def _branches(self) -> dict[str, Branch]:
        """By their ids; an open session before what was recorded under the same id."""
        if self._records is not None:
            self._records.flush()
        known = self._past.known(await self._past.recorded(self._view.session.cwd))
        found = {branch.id: branch for branch in (Branch(each, each.session) for each in reversed(known))}
        for session in self._view.client.sessions:
            told = found.get(session.id)
            found[session.id] = Branch(told.known if told else PastSession(session=session), session)
        return found

    def _row(self, place: TreePlace, branch: Branch | None, now: datetime, width: int) -> Content:
        here = branch is not None and branch.session is self._view.session
        branched = branch.branched if branch is not None else None
        name = branch.name if branch is not None else UNKNOWN
        about = [origin_of(branched, name, branch.before if branch is not None else "")] if place.node.parent else []
        if branch is not None:
            place_of = "this tab" if here else "open in a tab" if branch.session else ""
            about += [place_of, age(branch.known.updated, now)]
        right = " · ".join(filter(None, about))
        room = max(8, width - len(place.guide) - len(right) - 4)
        left = Content.assemble((place.guide, FAINT), ("● " if here else "", ACCENT), (cut(name, room), "bold" * here))
        return Content.assemble(left, " " * max(2, width - left.cell_length - len(right) - 1), (right, MUTED))

    def _go_to(self, branch: Branch | None) -> None:
        """Show it where it is open; else open it as the list of sessions does, which first asks the agent for it."""
        if branch is None:
            self._view.say("This session has no record, and the agent does not list it", 4)
        elif branch.session is not None:
            self._sessions.show(branch.session)
        elif self._past.undecided(branch.known, asked=False):
            self._view.open(SessionBrowser(self._view, self._sessions, self._records, wanted=branch.known))
        elif (opening := self._past.opening(branch.known)) is not None:
            opening()
