"""The points of a session as they come: it hears of its turns, has its folders looked at, and writes that down."""

import os
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from acp_tui.errors import Fault
from acp_tui.host.changes import history_tables
from acp_tui.host.changes.attribution import CHANGING, NAMED_AT_MOST, Key, TurnCalls, paths_of
from acp_tui.host.changes.history_tables import Before, RunWriter, earlier_runs, write_beginning
from acp_tui.host.changes.session_folders import Captures, Moment, Moments, SessionFolders, Start
from acp_tui.host.changes.snapshot_history import History, Point, Progress
from acp_tui.host.revert.apply import clear_up, is_done
from acp_tui.host.snapshots.path_state import PathState
from acp_tui.host.snapshots.proof import stamp_now
from acp_tui.host.system.paths import mount_table
from acp_tui.host.system.sandbox_paths import SandboxRoots
from acp_tui.host.system.threads import WriteQueue, in_thread
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent, for_agent_only
from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES
from acp_tui.session.changes import Publisher
from acp_tui.session.entries import MessageEntry, ToolCallEntry
from acp_tui.session.facts import Noticed, TurnNumbered
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import without_note

WORDS = 120  # characters of a prompt by which it is known again
PROGRESS_EACH = 0.1  # seconds


class TurnWatch:
    """Hears of each turn of a session, in the loop; this one looks at nothing."""

    def opened(self, agent: str, session_id: str) -> None:
        """The agent has opened the session, which has these names from now on."""

    def prompted(self, blocks: Sequence[ContentBlock]) -> None:
        """A prompt is in the transcript."""

    def went_out(self) -> None:
        """Its bytes are written next: what is looked at from now on may be the agent's work."""

    def called(self, folder: str, call: ToolCallEntry) -> None:
        """A tool call came, or there is more of it; relative paths in it are relative to the folder."""

    async def before_write(self, path: str) -> None:
        """A file, by its absolute path, is about to be written for the agent, which waits."""

    def ended(self, *, void: bool = False) -> None:
        """The turn has ended, however that came. `void`: it was none, for the agent never took the prompt."""


class TurnPoints(TurnWatch):
    """Watches the turns of one session. `changed` publishes that there is news, `turn_ended` each turn whose end is
    known, by its points. `own_folders`: where its agent keeps its own state.

    The reason for its size: it alone numbers the turns, and all that is written down is of one.
    """

    def __init__(
        self, session: Session, folders: SessionFolders, disk: WriteQueue, own_folders: Collection[str] = ()
    ) -> None:
        self.session, self.folders, self.disk, self.own_folders = session, folders, disk, own_folders
        self.changed: Publisher[[]] = Publisher()
        self.turn_ended: Publisher[[Point, Point]] = Publisher()
        self.run = folders.run = history_tables.new_name()
        self.history = History(runs=[self.run])
        self.moments = Moments(folders, self)
        self.progress: Progress | None = None
        self.calls: dict[int, TurnCalls] = {}  # of turns of which it is not known yet what they changed
        self.not_compared: set[int] = set()  # turns of which that will never be known
        self._turn = 0
        self._prompt: Moment | None = None
        self._typed: Moment | None = None  # a look since the last turn's end
        self._served: Start | None = None
        self._writer: RunWriter | None = None
        self._identity = "", ""  # what its agent is called, and its id there, once that has opened it
        self._before = Before()  # this run
        self.parent_id = ""  # of the session that it goes on from, whose points are not known yet
        self.beginning: History | None = None  # what it has of that
        self._waiting: list[Callable[[], history_tables.Statements]] = []
        self._told_at = 0.0
        self._complained = False
        self._captures = Captures(folders, self._captured)
        self._written_down: set[Key] = set()  # of what the calls of this turn name

    @property
    def turn(self) -> int:
        """The number of the last prompt, from 1; 0 before the first."""
        return self._turn

    @property
    def active(self) -> bool:
        return self._prompt is not None

    def wall(self, seconds: float) -> float:
        """Unix seconds of those of the session's clock."""
        return time.time() - self.session.clock() + seconds

    def begin(self, start: Start) -> None:
        self._served = start
        self.moments.want(Moment("opened", self._turn))
        self.moments.serve(start)

    def start(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        """Have something done beside the loop's work, if anybody does that yet."""
        if self._served is not None:
            self._served(act, *given)

    def opened(self, agent: str, session_id: str) -> None:
        before, self._identity = self._identity, (agent, session_id)
        if before != self._identity:
            self.start(self._identify, not before[1])

    async def _identify(self, first: bool) -> None:
        """Find by the session's names what earlier runs wrote of it, and have later ones find what this one does."""
        with suppress(Fault, OSError):
            await self.folders.open()
        with suppress(Fault):
            await self._find_earlier(*self._identity, first=first)
        self._name_run()

    async def _find_earlier(self, agent: str, session_id: str, *, first: bool) -> None:
        if (folder := self.folders.first) is not None:
            if first and self.beginning is None:
                roots = SandboxRoots([Path(folder.root) for folder in self.folders])
                done = partial(is_done, roots=roots)
                names = agent, self.parent_id or session_id, self.run
                earlier = await in_thread(earlier_runs, folder, *names, done, partial(clear_up, roots=roots))
                if earlier.points or earlier.taken_back:
                    self.beginning = earlier if self.parent_id else None
                    self.follow(earlier)
            if self.beginning is not None:
                stores = {each.root: each for each in self.folders}
                await in_thread(write_beginning, stores, agent, session_id, self.beginning)

    def follow(self, earlier: History) -> None:
        """Earlier runs of the session come before all that is known, or what its branch began with."""
        shift, earlier = earlier.turns, earlier.until(None)
        self._before = Before(shift, len(earlier.taken_back), earlier.next_number)
        self._turn += shift
        if self._prompt is not None:
            self.session.apply(TurnNumbered(self._turn))
        for moment in self.moments.unfinished():
            moment.turn += shift
            moment.takings += len(earlier.taken_back)
        self.calls = {turn + shift: calls for turn, calls in self.calls.items()}
        earlier.follow(self.history)
        self.history = earlier
        self.changed.publish()

    def write(self, rows: Callable[..., history_tables.Statements], *given: object) -> None:
        """Have something written down, by a function of `history_tables`, once there is a store."""
        self._waiting.append(partial(rows, *given, before=self._before))
        self._write_down()

    def _write_down(self) -> None:
        first = self.folders.first
        if self._writer is None and first is not None:
            self._writer = RunWriter(first, self.run)
            self._name_run()
        if self._writer is not None:
            for each in self._waiting:
                self.disk.do(partial(self._writer.add, each))
            self._waiting.clear()

    async def written(self) -> None:
        """Wait until all that is to be written down so far is on the disk; from then on `write_now` can."""
        self._write_down()
        await self.disk.settled()

    def write_now(self, rows: Callable[..., history_tables.Statements], *given: object) -> None:
        """Have it on the disk when this returns; it blocks, and raises `StoreFault`."""
        if self._writer is not None:
            self._writer.add(partial(rows, *given, before=self._before))

    def _name_run(self) -> None:
        if self._writer is not None and self._identity[1]:
            self.disk.do(partial(self._writer.identify, *self._identity))

    def typed(self) -> None:
        """The user begins to write a prompt: look at the folders, unless that was just done."""
        if not (self.active or self.folders.off or self.moments.are_recent):
            self.moments.want(Moment("typed", self._turn))

    def prompted(self, blocks: Sequence[ContentBlock]) -> None:
        if self.folders.off:
            return
        self._turn += 1
        self.session.apply(TurnNumbered(self._turn))
        self.calls[self._turn] = TurnCalls(began=self.session.clock())
        self._written_down.clear()
        users = sum(isinstance(entry, MessageEntry) and entry.role == "user" for entry in self.session.entries)
        self._prompt = self.moments.want(Moment("prompt", self._turn, words_of(blocks), users - 1))

    def went_out(self) -> None:
        if self._prompt is not None:
            self.moments.went_out(stamp_now(mount_table()))

    def _put_back(self) -> None:
        if self._prompt is None:
            return
        self._prompt.void = True
        self.history.void(self._turn)
        self.history.early.pop(self._turn, None)
        self.calls.pop(self._turn, None)
        self.history.named.pop(self._turn, None)
        self.write(history_tables.void_rows, self._turn)
        self._turn -= 1
        self._prompt = None
        self.changed.publish()

    def ended(self, *, void: bool = False) -> None:
        if void:
            self._put_back()
        elif self._prompt is not None:
            written = self.calls[self._turn].written
            for path, row in self.session.index.lone_writes.items():
                written[path] = row.id
            self.moments.want(Moment("ended", self._turn, self._prompt.words))
            self._prompt = None

    def called(self, folder: str, call: ToolCallEntry) -> None:
        """Note a call; of an edit that is about to happen keep what it names."""
        if self._prompt is None:
            return
        calls = self.calls[self._turn]
        calls.add(folder, call, self.wall, self.session.index.heard_before_at, self.session.clock())
        if call.status in FINISHED_STATUSES:
            self._write_down_named(folder, call)
        elif call.kind in CHANGING and self._prompt.stamp is not None:
            paths = (os.path.join(folder, path) for path in paths_of(call))  # noqa: PTH118 (a text)
            if keys := self._captures.wanted(paths, self.history.early.get(self._turn, {})):
                self.start(self._captures.take, keys, self._turn, self._prompt.stamp)

    def _write_down_named(self, folder: str, call: ToolCallEntry) -> None:
        """Have what a call named written down before its turn ends: a crash leaves that known."""
        paths = (os.path.join(folder, path) for path in paths_of(call))  # noqa: PTH118 (a text)
        keys = {key for path in paths if (key := self.folders.roots.key(path)) is not None} - self._written_down
        if keys and len(self._written_down) < NAMED_AT_MOST:
            self._written_down |= keys
            named = dict.fromkeys(keys, call.id)
            self.history.named.setdefault(self._turn, {}).update(named)
            self.write(history_tables.calls_rows, self._turn, dict(self.history.named[self._turn]))

    async def before_write(self, path: str) -> None:
        """A file is about to be written for the agent: keep what it holds."""
        if self._prompt is None or self._prompt.stamp is None:
            return
        calls = self.calls[self._turn]
        calls.written.setdefault(path, "")
        if keys := self._captures.wanted([path], self.history.early.get(self._turn, {})):
            await self._captures.take(keys, self._turn, self._prompt.stamp)
        await self._captures.settled(path)
        calls.wrote_at = time.time()

    def _captured(self, turn: int, captured: Mapping[Key, PathState]) -> None:
        if turn == self._turn:
            self.history.early[turn] = {**captured, **self.history.early.get(turn, {})}
            self.write(history_tables.early_rows, turn, dict(self.history.early[turn]))

    def also(self) -> Mapping[str, Sequence[str]]:
        """What was kept early in any turn is kept from then on."""
        also: dict[str, list[str]] = {}
        for root, path in {key for rows in self.history.early.values() for key in rows}:
            also.setdefault(root, []).append(path)
        return also

    @property
    def takings(self) -> int:
        return len(self.history.taken_back)

    def followed(self, moment: Moment) -> Mapping[str, str]:
        """At a turn's end what was kept at its beginning is looked at, whatever became of the ignore rules."""
        prompts = (each for each in reversed(self.history.points) if each.kind == "prompt" and each.trees)
        return {} if moment.kind in ("opened", "prompt") else next((each.trees for each in prompts), {})

    def earlier(self, moment: Moment) -> Mapping[str, str]:
        """For a prompt, how all was at the newest look since the turn before, which began before it went out."""
        if moment.kind != "prompt" or moment.stamp is None:
            return {}
        if self._typed is not None and self._typed.began < moment.stamp.monotonic:
            return self._typed.taken.trees
        last = self.history.points[-1:]
        return last[0].trees if last and last[0].kind in ("opened", "ended", "taken_back") else {}

    def _looked(self, typed: Moment) -> None:
        if typed.taken.trees:
            self._let_go_of_typed()
            self._typed = typed

    def _let_go_of_typed(self) -> None:
        if self._typed is not None:
            self.start(self.folders.drop, [self._typed.taken.trees])
            self._typed = None

    def arrived(self, moment: Moment) -> None:
        self.progress = None
        if moment.void or self.folders.off or moment.kind == "typed":
            if moment.kind == "typed":
                self._looked(moment)
            self.changed.publish()
            return
        gaps = moment.taken.gaps
        if moment.fault is not None or not moment.taken.trees:
            gaps = (*gaps, "No snapshot was taken")
            self._complain(moment.fault, gaps, moment.taken.hint)
        elif self.disk.problem and not self._complained:
            self._complained = True
            hint = "Undo works only until you quit acp-tui."
            self.session.apply(Noticed("warning", "Snapshots are not being saved to disk", self.disk.problem, hint))
        taken = moment.taken
        point = Point(
            self.history.next_number,
            moment.kind,
            moment.turn,
            moment.time,
            moment.words,
            taken.trees,
            tuple(dict.fromkeys(gaps)),
            taken.head,
            moment.message,
            moment.takings,
        )
        self.history.points.append(point)
        for folder in self.folders:
            if tree := point.trees.get(folder.root):
                self.disk.do(partial(folder.need, self.run, [tree]))
        self.write(history_tables.point_rows, point)
        self._let_go_of_typed()
        self.changed.publish()
        prompts = [each for each in self.history.points if each.kind == "prompt" and each.turn == point.turn]
        if point.kind == "ended" and prompts:
            self.turn_ended.publish(prompts[-1], point)

    def _complain(self, fault: Fault | None, gaps: Sequence[str], instead: str) -> None:
        """Say once that nothing can be kept; prompts go out all the same."""
        if self._complained or self.session.closed:
            return
        self._complained = True
        why = str(fault).replace("\n", ": ") if fault is not None else gaps[0]
        hint = "You can keep working, but file changes can't be undone."
        self.session.apply(Noticed("warning", "No snapshot of the files", why, instead or hint))

    def progressed(self, moment: Moment, read: int, of: int) -> None:
        now = time.monotonic()
        if moment.kind == "opened" and now - self._told_at >= PROGRESS_EACH:
            self._told_at, self.progress = now, Progress(read, of)
            self.changed.publish()


def words_of(blocks: Sequence[ContentBlock]) -> str:
    """How a prompt begins, in one line, without what this program put in front of it."""
    texts = [block.text for block in blocks if isinstance(block, TextContent) and not for_agent_only(block)]
    return shortened(" ".join(texts))


def shortened(text: str) -> str:
    """How a prompt begins, in a line, without the note that may have been put before it."""
    text = without_note(text)
    words = " ".join(text[: 8 * WORDS].split())
    return words if len(words) <= WORDS and len(text) <= 8 * WORDS else words[: WORDS - 1] + "…"
