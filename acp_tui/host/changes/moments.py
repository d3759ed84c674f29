"""When the folders of a session are looked at: one snapshot after the other, and a prompt that waits for its own.

A prompt waits half a second at most. What is read after its bytes went out may be the agent's work already: it is
never taken for how a file was before. A snapshot that began since the prompt was wanted does as well, though:
that of the turn's end, where a queued prompt follows at once.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio

from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.changes.folders import Folders, Taken
from acp_tui.host.changes.points import PointKind
from acp_tui.host.snapshots.scan import Late

PATIENCE = 0.5  # seconds that a prompt waits for its snapshot

Start = Callable[..., object]
"""Starts a coroutine function with its arguments, as `TaskGroup.start_soon` does."""


@dataclass(slots=True, eq=False)
class Moment:
    """A snapshot that is wanted, or taken. `asked` and `began` are monotonic seconds, `time` in Unix seconds.

    `late`: when the prompt went out, which was before it was whole. `void`: its turn was none. `fault`: why there is
    nothing.
    """

    kind: PointKind
    turn: int
    words: str = ""
    message: int | None = None
    asked: float = field(default_factory=time.monotonic, kw_only=True)
    time: float = field(default_factory=time.time)
    began: float = 0.0
    late: Late | None = None
    void: bool = False
    taken: Taken = field(default_factory=Taken)
    fault: Fault | None = None
    done: anyio.Event = field(default_factory=anyio.Event)


class Moments:
    """The snapshots of one session in the order in which they are wanted. `arrived` gets each once it is there.

    `also` says which ignored paths are kept, too, by root; `progress` hears how far the one that runs is. `follow` says
    which trees a moment follows: what they keep is looked at though it is ignored by then.
    """

    def __init__(
        self,
        folders: Folders,
        also: Callable[[], Mapping[str, Sequence[str]]],
        arrived: Callable[[Moment], None],
        progress: Callable[[Moment, int, int], None],
    ) -> None:
        self._folders, self._also, self._arrived, self._progress = folders, also, arrived, progress
        self.follow: Callable[[Moment], Mapping[str, str]] = lambda _moment: {}
        self._waiting: deque[Moment] = deque()
        self._running: Moment | None = None
        self._scope: anyio.CancelScope | None = None
        self._last: Moment | None = None
        self._start: Start | None = None

    def serve(self, start: Start | None) -> None:
        """From now on there is somebody who runs what is wanted, or nobody any more."""
        self._start = start
        self._go_on()

    def want(self, moment: Moment) -> Moment:
        self._waiting.append(moment)
        self._go_on()
        return moment

    def hold(self, prompt: Moment, go: Callable[[], None]) -> None:
        """Call `go` when the snapshot is there, or when that has taken long enough."""
        if self._start is None or self._folders.off:
            go()
        else:
            self._start(self._hold, prompt, go)

    def went_out(self, prompt: Moment) -> None:
        """Its bytes go out now."""
        if prompt.done.is_set():
            return
        last, now = self._last, time.monotonic()
        if last is not None and last.late is None and last.taken.trees and last.began >= prompt.asked:
            prompt.taken = last.taken
            if prompt is self._running and self._scope is not None:
                self._scope.cancel()
            else:
                self._waiting.remove(prompt)
                self._finish(prompt)
            return
        for moment in self.unfinished():
            moment.late = moment.late or Late(now, time.time_ns())
        self._folders.mark_late()

    @property
    def ending(self) -> bool:
        """Whether what the last turn left is being looked at, which takes a moment, and not all for the first time."""
        return self._running is not None and self._running.kind in ("ended", "taken_back")

    async def settled(self) -> None:
        """Wait until nothing is wanted any more."""
        for moment in list(self.unfinished()):
            await moment.done.wait()

    def unfinished(self) -> Iterator[Moment]:
        if self._running is not None:
            yield self._running
        yield from self._waiting

    def _go_on(self) -> None:
        if self._start is not None and self._running is None and self._waiting:
            self._running = self._waiting.popleft()
            self._start(self._run)

    async def _run(self) -> None:
        try:
            while (moment := self._running) is not None:
                await self._take(moment)
                self._finish(moment)
                self._running = self._waiting.popleft() if self._waiting else None
        finally:
            self._running = None

    async def _take(self, moment: Moment) -> None:
        moment.began = time.monotonic()
        with anyio.CancelScope() as self._scope:
            try:
                await self._folders.open()
                if not (self._folders.off or moment.void):
                    progress = partial(self._progress, moment)
                    trees = self.follow(moment)
                    taken = await self._folders.take(self._also(), progress, lambda: moment.late, trees)
                    moment.taken = moment.taken if moment.taken.trees else taken
            except Fault as fault:
                moment.fault = fault
            except OSError as error:
                moment.fault = UserFault("The snapshot failed", reason_of(error))

    async def _hold(self, prompt: Moment, go: Callable[[], None]) -> None:
        with anyio.move_on_after(PATIENCE):
            await prompt.done.wait()
        go()

    def _finish(self, moment: Moment) -> None:
        self._last = moment
        self._arrived(moment)
        moment.done.set()
