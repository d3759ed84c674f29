"""The way from the session's changes to at most one refresh of the screen per frame.

How often is decided here and nowhere else; `base_screens` only has Textual paint at once what was refreshed. The
first change after a rest is taken at once, what follows within a frame together, and at once again what the user waits
for: `_AWAITED`. Nothing runs while nothing changes.
Changes to entries are told to the transcript view, all others to one callback, in the order in which they came. A
tool call that waits for the user's permission looks different meanwhile, and the callback hears of its changes too.
"""

import asyncio
from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter, thread_time

from acp_tui.session.changes import (
    ASKED,
    SETTLED,
    Change,
    CommandsChanged,
    EntryAdded,
    EntryChanged,
    EntryRemoved,
    InfoChanged,
    PermissionAsked,
    PermissionSettled,
    PlanChanged,
    PromptReturned,
    QueueChanged,
    SubagentChanged,
    TerminalChanged,
    TurnChanged,
    UsageChanged,
)
from acp_tui.session.entries import Entry, MessageEntry, SubagentEntry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import shown_in
from acp_tui.ui.transcript.transcript_view import TranscriptView

PAUSE = 0.1  # seconds between two calls at least
READING_SHARE = 10  # a call may take one part in so many of the time


class EntryWatch:
    """Collects entries that came or changed, and calls back with them; in between it costs a dict entry a change.

    Changes of the kinds `also` call back too.
    """

    def __init__(
        self, session: Session, tell: Callable[[list[Entry]], None], also: tuple[type[Change], ...] = ()
    ) -> None:
        self._session, self._tell, self._also = session, tell, also
        self._changed: dict[int, Entry] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._pause = PAUSE

    def start(self) -> None:
        if self._unsubscribe is None:
            self._unsubscribe = self._session.subscribe(self._collect)

    def stop(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._changed.clear()

    def _collect(self, change: Change) -> None:
        if isinstance(change, EntryChanged | EntryAdded):
            self._changed[id(change.entry)] = change.entry
        elif isinstance(change, TerminalChanged):  # what shows a terminal looks different with it
            showing = self._session.index.terminal_references.get(change.terminal_id, {})
            self._changed.update({id(entry): entry for entry in showing.values()})
        elif not isinstance(change, self._also):
            return
        self.wake()

    def wake(self) -> None:
        if self._timer is None and self._unsubscribe is not None:
            self._timer = asyncio.get_running_loop().call_later(self._pause, self._flush)

    def _flush(self) -> None:
        self._timer = None
        changed, self._changed = self._changed, {}
        start = perf_counter()
        self._tell(list(changed.values()))
        self._pause = max(PAUSE, READING_SHARE * (perf_counter() - start))


FRAME = 0.050
"""Seconds between refreshes while an agent writes; keys are no part of this, Textual paints them by itself.

An answer at 40 chunks a second costs 27 % less CPU than with 20 ms (187 refreshes in 10 s instead of 389). More
chunks share a frame then, each is seen 24 ms later on average, and a key meets fewer frames. Text that grows 20 times
a second still flows.
"""
SLOWEST = 0.200  # seconds between refreshes that cost much
TERMINAL_FRAME = 1 / 15  # seconds between refreshes for terminal output alone; any other refresh takes it along
SHARE = 4  # a refresh may take one part in so many of the time
GROWTH = 2  # of the time between refreshes, at most: one that was slow by accident is not the rule
BETWEEN = 0.002  # seconds for keys between two steps of reading ahead
PAINT = 2  # what Textual adds to the painting of rows, roughly

_REPEATED = (
    CommandsChanged,
    InfoChanged,
    PlanChanged,
    QueueChanged,
    SubagentChanged,
    UsageChanged,
)  # "look again": once is enough
# What the user did, a question to them, a turn's beginning and end. A prompt that is sent begins a turn; the user's
# messages are not among these, for a history that is replayed has thousands of them. See also `_begins_answer`.
_AWAITED = (*ASKED, *SETTLED, PromptReturned, QueueChanged, TurnChanged)


class Bridge:
    """Collects the changes of one session for one view. `refreshed` is called with each refresh, in the same frame."""

    def __init__(self, session: Session, view: TranscriptView, refreshed: Callable[[], object] | None = None) -> None:
        self._session, self._view, self._refreshed = session, view, refreshed
        self._on_changes: Callable[[list[Change]], None] = lambda _changes: None
        self._added: list[Entry] = []
        self._changed: dict[int, Entry] = {}
        self._removed: list[Entry] = []
        self._terminals: set[str] = set()
        self._others: dict[object, Change] = {}  # in the order in which they came
        self._asking: dict[int, str] = {}  # permission → its tool call, while it waits
        self._unsubscribe: Callable[[], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._queued = self._started = self._awaited = self.paused = False
        self._last = self._early = -inf  # loop time: of the last refresh; from which on one need not wait
        self._interval = FRAME
        self._cost = self._ahead = 0.0  # seconds that the last refresh took, and what was read ahead for the next
        self._since: float | None = None  # loop time from which on something is read ahead

    def listen(self) -> None:
        """Collect what changes from now on; nothing is refreshed before `start`."""
        if self._unsubscribe is None:
            self._unsubscribe = self._session.subscribe(self.collect)

    def start(self, on_changes: Callable[[list[Change]], None]) -> None:
        """Show what is there and what changes, once the view is mounted. `on_changes` gets all but what entries do."""
        self._on_changes = on_changes
        self.listen()
        self._view.show(self._session)
        self._added, self._changed, self._removed = [], {}, []  # shown as they are now
        self._terminals.clear()
        self._note_questions()
        self._started = True
        if self._others:
            self._schedule(FRAME)

    def stop(self) -> None:
        self._cancel_timer()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    def pause(self) -> None:
        self.paused = True
        self._ahead, self._since = 0.0, None
        self._cancel_timer()

    def resume(self) -> None:
        if self.paused:
            self.paused = False
            self._schedule(FRAME)

    def collect(self, change: Change) -> None:
        """Take one change; cheap, since it runs for every chunk."""
        early = isinstance(change, _AWAITED)
        match change:
            case EntryChanged(entry):
                self._changed[id(entry)] = entry
            case EntryAdded(entry):
                self._added.append(entry)
                self._part_from_calls(entry)
                early = self._begins_answer()
            case EntryRemoved(entry):
                self._removed.append(entry)
            case TerminalChanged(terminal_id):
                self._terminals.add(terminal_id)
                self._schedule(TERMINAL_FRAME)
                return
            case _:
                if isinstance(change, PermissionAsked | PermissionSettled):
                    self._note_questions()
                self._others.setdefault(change if isinstance(change, _REPEATED) else object(), change)
        self._awaited |= early
        self._schedule(FRAME, early=early)

    @property
    def wait(self) -> float | None:
        """Seconds until the next refresh, None while nothing is to be refreshed."""
        if self._queued:
            return 0.0
        return None if self._timer is None else max(0.0, self._timer.when() - asyncio.get_running_loop().time())

    def _schedule(self, frame: float, *, early: bool = False) -> None:
        """Have the next refresh `frame` after the last one, later if they cost much, and now if that has passed.

        An `early` one only leaves as much time as the last one took. There is one of these a frame, and two to spare,
        for a prompt, the beginning of its answer and the end may come within a frame. What changes state all the time,
        or has its questions answered by rules, is refreshed twice as often at most.
        """
        if self._queued or self.paused or not self._started or self._since is not None:
            return
        loop = asyncio.get_running_loop()
        now, frame = loop.time(), max(frame, self._interval)
        due = self._last + frame
        if early and due > now >= self._early and self._cost < frame:
            due, self._early = self._last + self._cost, max(self._early, now - 2 * frame) + frame
        if due <= now:
            self._queue()
        elif self._timer is None or self._timer.when() > due:
            self._cancel_timer()
            self._timer = loop.call_at(due, self._queue)

    def _queue(self) -> None:
        """Refresh in the view's own turn, where a fault is Textual's to report."""
        self._cancel_timer()
        self._queued = self._view.call_later(self._flush)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _flush(self) -> None:
        self._queued = False
        if self.paused or self._unsubscribe is None or not self._view.is_attached:  # nobody looks, or it is being left
            return
        start, clock = thread_time(), asyncio.get_running_loop().time
        messages = {key: entry for key, entry in self._changed.items() if isinstance(entry, MessageEntry)}
        behind = self._view.read_ahead(messages.values())
        if behind and self._since is None:
            self._since = clock()
        if behind and self._since is not None and clock() - self._since < (FRAME if self._awaited else SLOWEST):
            self._ahead += thread_time() - start
            self._read_on()
            return
        painted, self._view.paint_seconds = self._view.paint_seconds, 0.0
        others, self._others = [*self._others.values(), *self._changed_questions()], {}
        self._refresh_entries()
        if others:
            self._on_changes(others)
        if self._refreshed is not None:
            self._refreshed()
        self._cost, self._ahead = self._ahead + thread_time() - start + PAINT * painted, 0.0
        self._interval = min(SLOWEST, SHARE * self._cost, GROWTH * max(FRAME, self._interval))
        self._last, self._since, self._awaited = clock(), None, False
        if behind:  # what was read is shown, and the rest of it is not forgotten
            self._changed = messages | self._changed
            self._since = self._last
            self._read_on()
        elif self._view.behind:
            self._schedule(FRAME)

    def _read_on(self) -> None:
        loop = asyncio.get_running_loop()
        self._cancel_timer()
        self._timer = loop.call_at(loop.time() + BETWEEN, self._queue)

    def _refresh_entries(self) -> None:
        added, changed, removed = self._added, self._changed, self._removed
        self._added, self._changed, self._removed = [], {}, []
        for terminal_id in self._terminals:  # their changes are not told of the entries that show them
            showing = self._session.index.terminal_references.get(terminal_id, {})
            changed.update({id(entry): entry for entry in showing.values()})
        self._terminals.clear()
        changed.update({id(entry): entry for each in [*changed.values()] for entry in self._beside(each)})
        if added or changed or removed or self._view.behind:
            self._view.refresh_entries(added, changed.values(), removed)

    def _beside(self, entry: Entry) -> Iterator[Entry]:
        """What is drawn otherwise with this entry: a tool call below which a subagent stands, and the other way."""
        if isinstance(entry, SubagentEntry):
            call = self._session.index.anchors.get(entry.id)
            if call is not None:
                yield call
        elif isinstance(entry, ToolCallEntry):
            family = self._session.root.family
            yield from (family[name].entry for name in shown_in(entry, self._session))

    def _note_questions(self) -> None:
        asking = {
            each.key: each.tool_call_id for each in self._session.own_permissions if each.tool_call_id is not None
        }
        for key in asking.keys() ^ self._asking.keys():
            entry = self._session.index.tool_calls.get(asking.get(key) or self._asking[key])
            if entry is not None:
                self._changed[id(entry)] = entry
        self._asking = asking

    def _changed_questions(self) -> list[EntryChanged]:
        calls = map(self._session.index.tool_calls.get, self._asking.values())
        return [EntryChanged(entry) for entry in calls if entry is not None and id(entry) in self._changed]

    def _begins_answer(self) -> bool:
        """Whether the last entry is the first that the agent gives to a prompt. A history is no turn."""
        before = self._session.entries[-2:-1]
        return self._session.turn.active and bool(before) and getattr(before[0], "role", None) == "user"

    def _part_from_calls(self, entry: Entry) -> None:
        """Tool calls and subagents stand together and apart from anything else, which the last learns only now."""
        before, grouped = self._session.entries[-2:-1], ToolCallEntry | SubagentEntry
        if before and isinstance(before[0], grouped) and not isinstance(entry, grouped):
            self._changed[id(before[0])] = before[0]
