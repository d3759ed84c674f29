"""When snapshots are taken: one after the other, beside prompts, which wait for none."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes import session_folders as snapshot_queue
from acp_tui.host.changes.session_folders import Moment, Moments, SessionFolders, Start, Taken
from acp_tui.host.changes.snapshot_history import PointKind
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.snapshots.proof import Stamp, stamp_now
from acp_tui.host.snapshots.snapshot_client import Stamped, unstamped

pytestmark = pytest.mark.anyio
BOUND = 20.0


class FakeFolders(SessionFolders):
    """Each snapshot waits until it is `let` through; the numbers name them. `stamps` are asked for at its end."""

    def __init__(self) -> None:
        super().__init__(SnapshotSettings(), ())
        self.stamps: list[Stamp | None] = []
        self.earlier: list[Mapping[str, str] | None] = []
        self.gates: list[anyio.Event] = []
        self.fault: UserFault | None = None

    async def open(self) -> None:
        if self.fault is not None:
            raise self.fault

    async def take(
        self,
        also: Mapping[str, Sequence[str]],
        progress: Callable[[int, int], None] = lambda _read, _of: None,
        stamp: Stamped = unstamped,
        follow: Mapping[str, str] | None = None,
        earlier: Mapping[str, str] | None = None,
    ) -> Taken:
        number = len(self.gates)
        gate = anyio.Event()
        self.gates.append(gate)
        self.earlier.append(earlier)
        await gate.wait()
        self.stamps.append(stamp())
        return Taken({"/": f"{number}"})


class Watched:
    """Moments of a session."""

    def __init__(self, start: Start) -> None:
        self.folders = FakeFolders()
        self.there: list[Moment] = []
        self.moments = Moments(self.folders, self)
        self.moments.serve(start)

    takings = 0

    def also(self) -> Mapping[str, Sequence[str]]:
        return {}

    def followed(self, _moment: Moment) -> Mapping[str, str]:
        return {}

    def earlier(self, moment: Moment) -> Mapping[str, str]:
        return {"/": moment.kind}

    def progressed(self, _moment: Moment, _read: int, _of: int) -> None:
        """How far it is counts for nothing here."""

    def arrived(self, moment: Moment) -> None:
        self.there.append(moment)

    def want(self, kind: PointKind) -> Moment:
        return self.moments.want(Moment(kind, 1))

    def prompt(self) -> Stamp:
        """A prompt that goes out at once."""
        self.want("prompt")
        stamp = stamp_now(b"")
        self.moments.went_out(stamp)
        return stamp

    async def let(self, number: int) -> None:
        await self.until(lambda: len(self.folders.gates) > number)
        self.folders.gates[number].set()

    async def until(self, condition: Callable[[], object]) -> None:
        with anyio.fail_after(BOUND):
            while not condition():
                await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def watched() -> AsyncIterator[Watched]:
    async with anyio.create_task_group() as tasks:
        yield Watched(tasks.start_soon)
        tasks.cancel_scope.cancel()


async def test_they_are_taken_one_after_the_other() -> None:
    async with watched() as one:
        one.want("opened")
        one.want("ended")
        await one.let(0)
        await one.until(lambda: one.there)
        assert [moment.kind for moment in one.there] == ["opened"]
        await one.let(1)
        await one.until(lambda: one.there[1:])
        assert [moment.taken.trees for moment in one.there] == [{"/": "0"}, {"/": "1"}]
        assert one.folders.stamps == [None, None]


async def test_what_runs_and_what_waits_has_the_stamp_of_the_first_prompt_behind_it() -> None:
    async with watched() as one:
        one.want("opened")
        await one.until(lambda: one.folders.gates)
        first = one.prompt()
        one.want("ended")
        second = one.prompt()
        for number in range(4):
            await one.let(number)
        await one.until(lambda: one.there[3:])
        assert one.folders.stamps == [first, first, second, second]


async def test_what_is_there_before_the_prompt_has_no_stamp() -> None:
    async with watched() as one:
        one.want("opened")
        await one.let(0)
        await one.until(lambda: one.there)
        one.prompt()
        await one.let(1)
        await one.until(lambda: one.there[1:])
        assert [moment.stamp is None for moment in one.there] == [True, False]


async def test_each_hears_what_was_seen_earlier() -> None:
    async with watched() as one:
        one.want("opened")
        await one.let(0)
        await one.until(lambda: one.there)
        assert one.folders.earlier == [{"/": "opened"}]


async def test_they_are_recent_while_one_is_wanted_and_a_moment_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watched() as one:
        assert not one.moments.are_recent
        monkeypatch.setattr(snapshot_queue, "RECENT", 0.0)
        one.want("opened")
        assert one.moments.are_recent
        await one.let(0)
        await one.until(lambda: one.there)
        await one.until(lambda: not one.moments.are_recent)
        monkeypatch.setattr(snapshot_queue, "RECENT", BOUND)
        assert one.moments.are_recent


async def test_what_fails_is_known_and_keeps_no_other_from_being_taken() -> None:
    async with watched() as one:
        one.folders.fault = UserFault("full")
        one.want("opened")
        await one.until(lambda: one.there)
        assert one.there[0].fault is one.folders.fault
        one.folders.fault = None
        one.want("ended")
        await one.let(0)
        await one.until(lambda: one.there[1:])
