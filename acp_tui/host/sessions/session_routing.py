"""The sessions of one client: how each is talked to, and which of them an update or a question belongs to.

Some agents tell about a session before they have answered the request that opens it: what they say waits.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache, partial

from acp_tui.host.changes.turn_tracker import TurnWatch
from acp_tui.host.rules.rule import NO_RULES, RuleSetup
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.open_session import OpenSession, OpenSessions
from acp_tui.host.sessions.questions import InputOptionsChoice, LastOptions
from acp_tui.host.system.workspace import Workspace
from acp_tui.protocol.vocabulary.session_updates import RejectedUpdate, SubagentUpdate, Update
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session, Subagent

LEFT = 20_000
"""Sessions that were left last, subagents too, and are passed over; what comes for an earlier one is noise."""
EARLY_CAP = 10_000
"""Updates that wait for their sessions."""
SESSIONS = 100
"""Ids that updates are held for at once; the agent chooses them."""
CHILDREN = 10_000
"""Child sessions of one session, of all depths; the agent makes them."""
DEPTH = 50
"""How deep children may have children: each level costs stack where a transcript is written as nested data."""
OTHERS = ""
"""Names, in what `clear` gives, the updates for more ids than that."""


class EarlyUpdates:
    """Updates by session id, in order, as many as the cap allows in all; `take` and `clear` say what is missing."""

    def __init__(self, cap: int = EARLY_CAP) -> None:
        self._cap = cap
        self._held: dict[str, list[Update]] = {}
        self._dropped: Counter[str] = Counter()
        self._size = 0

    def add(self, session_id: str, updates: list[Update]) -> None:
        if session_id not in self._held and len(self._held) >= SESSIONS:
            self._dropped[OTHERS] += len(updates)
            return
        kept = updates[: self._cap - self._size]
        self._size += len(kept)
        self._held.setdefault(session_id, []).extend(kept)
        if len(kept) < len(updates):
            self._dropped[session_id] += len(updates) - len(kept)

    def take(self, session_id: str) -> tuple[list[Update], int]:
        held = self._held.pop(session_id, [])
        self._size -= len(held)
        return held, self._dropped.pop(session_id, 0)

    def clear(self) -> dict[str, int]:
        counts = self._dropped + Counter({session_id: len(held) for session_id, held in self._held.items()})
        self._held, self._dropped, self._size = {}, Counter(), 0
        return counts


class Sessions:
    """A conversation for each open session, in their order; those that the agent knows are found by their ids, too.

    `argv` is the agent's, by which options chosen before are found. `asks`: somebody is there who chooses the options
    of a new session. `watched`: the changes of each session look at its turns.
    """

    def __init__(
        self,
        opened: OpenSessions,
        argv: tuple[str, ...],
        rules: RuleSetup = NO_RULES,
        *,
        asks: bool,
        watched: bool = False,
    ) -> None:
        self._all, self._rules, self._asks, self._watched = opened, rules, asks, watched
        self._last = cache(partial(LastOptions, argv))
        self._logging_in: Session | None = None
        self.connected()
        for each in opened:
            self._converse(each)
        opened.begun.subscribe(self._converse)

    def connected(self) -> None:
        """Another process of the agent runs, which knows no session yet."""
        self._open: dict[str, OpenSession] = {}
        self._early = EarlyUpdates()
        self._expected = 0
        self._left: dict[str, None] = {}  # in the order in which they were left
        self._children: dict[str, OpenSession] = {}  # by their ids: the session that the user talks to
        self._numbers: Counter[str] = Counter()  # of children, by the id of that session

    def __iter__(self) -> Iterator[Conversation]:
        return (each.conversation for each in self._all)

    def asking(self, request_id: object) -> Conversation | None:
        """Where the user is asked what belongs to no session but to a request of ours.

        The one that the request opens; for a log-in where the user began it; else the one that began last, which the
        user most likely waits for.
        """
        newest_first = list(self)[::-1]
        opening = (each for each in newest_first if each.asking is not None and str(each.asking) == str(request_id))
        begun = (each for each in newest_first if each.session is self._logging_in)
        return next(opening, None) or next(begun, None) or next(iter(newest_first), None)

    def log_in_from(self, session: Session | None) -> None:
        """The user logs in while they look at this session; without one that is over."""
        self._logging_in = session

    def request_over(self, request_id: int) -> None:
        self._logging_in = None
        for conversation in self:
            conversation.questions.request_over(request_id)

    def hear(self, kind: str, message: str) -> None:
        for conversation in self:
            conversation.noise.hear(kind, message)

    @property
    def any_open(self) -> bool:
        return bool(self._open) or self._expected > 0

    @property
    def opened(self) -> list[OpenSession]:
        return list(self._open.values())

    def find(self, session_id: str) -> OpenSession | None:
        """The session, or of a child that was announced the one that the user talks to."""
        root = self._children.get(session_id)
        if root is not None and _child(root.conversation.session, session_id) is not None:
            return root
        return self._open.get(session_id)

    def deliver(self, session_id: str, updates: list[Update]) -> None:
        known = self._open.get(session_id)
        if known is not None:
            self._fold(known.conversation, updates)
        elif session_id in self._children:
            self._fold(self._children[session_id].conversation, updates, session_id)
        elif session_id in self._left:
            return
        elif session_id and self._expected:
            self._early.add(session_id, updates)
        else:
            self._hear_homeless(session_id, updates)

    def expect(self) -> None:
        self._expected += 1

    def settle(self) -> None:
        """One session is being opened no longer; updates that nobody can claim any more are told."""
        self._expected -= 1
        if not self._expected:
            for session_id, count in self._early.clear().items():
                whose = f"more than {SESSIONS} others" if session_id == OTHERS else f"{session_id!r:.80}"
                self.hear("unknown session", f"{count:,} for {whose}")

    def add(self, conversation: Conversation, workspace: Workspace) -> None:
        """A session has its id: what came early is folded now, before anything that comes later."""
        session = conversation.session
        opened = self._all.get(session) or OpenSession(conversation.source)  # which the user may have left meanwhile
        opened.conversation, opened.workspace = conversation, workspace
        self._open[session.id] = opened
        self._left.pop(session.id, None)
        if (root := self._children.pop(session.id, None)) is not None:
            root.conversation.children.lost(session.id)
        self._fold(conversation, self._early_of(session.id, session))

    def _early_of(self, session_id: str, session: Session) -> list[Update]:
        early, dropped = self._early.take(session_id)
        if dropped:
            message = f"{dropped:,} dropped"
            session.apply(Noticed("warning", "Early updates for this session were dropped", message))
        return early

    def leave(self, session_id: str) -> bool:
        """What the agent still says about this session is nobody's concern; whether it was open."""
        self._leave(session_id)
        known = self._open.pop(session_id, None)
        if known is not None:
            del self._numbers[session_id]
            for name in [name for name, root in self._children.items() if root is known]:
                del self._children[name]
                self._leave(name)
        return known is not None

    def _leave(self, session_id: str) -> None:
        self._left.pop(session_id, None)
        self._left[session_id] = None
        if len(self._left) > LEFT:
            del self._left[next(iter(self._left))]

    def _fold(self, conversation: Conversation, updates: list[Update], child_id: str = "") -> None:
        conversation.fold(updates, child_id)
        for update in updates:
            if isinstance(update, SubagentUpdate) and update.session_id in self._children:
                early = self._early_of(update.session_id, conversation.session)
                if early:
                    self.deliver(update.session_id, early)

    def announced(self, session: Session, parent_id: str, update: SubagentUpdate) -> str:
        """Register a child at its first announcement; why it is refused, empty if it is not."""
        session_id, root = update.session_id, self._open.get(session.id)
        if root is None:
            return ""
        known = self._children.get(session_id)
        before = _child(session, session_id)
        problem = ""
        if not session_id:
            problem = "It has no ID."
        elif session_id in self._open:
            problem = f"{session_id!r:.80} is a session of its own."
        elif known not in (None, root) or (before is not None and before.parent.id != parent_id):
            problem = f"{session_id!r:.80} belongs to another session."
        elif parent_id != session.id and _child(session, parent_id) is None and root.conversation.replay is None:
            problem = f"{session_id!r:.80} belongs to {parent_id!r:.80}, which was not announced."
        elif before is None and _depth(session, parent_id) >= DEPTH:
            problem = f"{session_id!r:.80} is more than {DEPTH} levels deep."
        elif known is None and max(self._numbers[session.id], len(session.family)) >= CHILDREN and before is None:
            problem = f"More than {CHILDREN:,} of one session."
        elif known is None:
            self._children[session_id] = root
            self._numbers[session.id] += 1
            self._left.pop(session_id, None)
        return problem

    def _hear_homeless(self, session_id: str, updates: list[Update]) -> None:
        for update in updates:
            if isinstance(update, RejectedUpdate):
                self.hear("rejected", f"{update.path}: {update.reason}")
            else:
                self.hear("unknown session", f"{session_id!r:.80}")

    def _converse(self, opened: OpenSession) -> None:
        source = opened.source
        options = InputOptionsChoice(source.session, self._last, source.settings, asks=self._asks and not source.aside)
        watch = opened.changes.turns if self._watched and not source.aside else TurnWatch()
        opened.conversation = Conversation(source, options, partial(self.announced, source.session), watch, self._rules)


def _child(session: Session, session_id: str) -> Subagent | None:
    """The child that its agent means by that id now."""
    child = session.family.get(session_id)
    return None if child is None or child.told else child


def _depth(session: Session, parent_id: str) -> int:
    """How many children stand above a child of that parent."""
    depth, child = 0, session.family.get(parent_id)
    while child is not None:
        depth, child = depth + 1, session.family.get(child.parent.id)
    return depth
