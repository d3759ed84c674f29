"""When snapshots are taken, and how long a prompt waits for its own."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes import moments
from acp_tui.host.changes.folders import Folders, Taken
from acp_tui.host.changes.moments import Moment, Moments, Start
from acp_tui.host.changes.points import PointKind
from acp_tui.host.changes.settings import SnapshotSettings
from acp_tui.host.snapshots.scan import Late

pytestmark = pytest.mark.anyio
BOUND = 20.0


class FakeFolders(Folders):
    """Each snapshot waits until it is `let` through; the numbers name them."""

    def __init__(self) -> None:
        super().__init__(SnapshotSettings(), ())
        self.began: list[Late | None] = []
        self.marked = 0
        self.gates: list[anyio.Event] = []
        self.fault: UserFault | None = None

    async def open(self) -> None:
        if self.fault is not None:
            raise self.fault

    async def take(
        self,
        also: Mapping[str, Sequence[str]],
        progress: Callable[[int, int], None] = lambda _read, _of: None,
        late: Callable[[], Late | None] = lambda: None,
        follow: Mapping[str, str] | None = None,
    ) -> Taken:
        number = len(self.began)
        self.began.append(late())
        gate = anyio.Event()
        self.gates.append(gate)
        await gate.wait()
        return Taken({"/": f"{number}"})

    def mark_late(self) -> None:
        self.marked += 1


class Watched:
    """Moments of a session, and how often its prompt went out."""

    def __init__(self, start: Start) -> None:
        self.folders = FakeFolders()
        self.arrived: list[Moment] = []
        self.gone = 0
        self.moments = Moments(self.folders, dict, self.arrived.append, lambda _moment, _read, _of: None)
        self.moments.serve(start)

    def want(self, kind: PointKind) -> Moment:
        return self.moments.want(Moment(kind, 1))

    def prompt(self) -> Moment:
        prompt = self.want("prompt")

        def go() -> None:
            self.gone += 1
            self.moments.went_out(prompt)

        self.moments.hold(prompt, go)
        return prompt

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
        await one.until(lambda: one.arrived)
        assert [moment.kind for moment in one.arrived] == ["opened"]
        await one.let(1)
        await one.until(lambda: one.arrived[1:])
        assert [moment.taken.trees for moment in one.arrived] == [{"/": "0"}, {"/": "1"}]


async def test_a_prompt_goes_out_once_its_snapshot_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "PATIENCE", BOUND)
    async with watched() as one:
        prompt = one.prompt()
        await one.until(lambda: one.folders.gates)
        assert one.gone == 0
        await one.let(0)
        await one.until(lambda: one.gone)
        assert (prompt.late, prompt.taken.trees, one.folders.marked) == (None, {"/": "0"}, 0)


async def test_a_prompt_does_not_wait_for_ever_and_what_is_read_then_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "PATIENCE", 0.0)
    async with watched() as one:
        opened = one.want("opened")
        await one.until(lambda: one.folders.gates)
        prompt = one.prompt()
        await one.until(lambda: one.gone)
        assert opened.late is not None
        assert one.folders.marked == 1
        await one.let(0)
        await one.let(1)
        await one.until(lambda: one.arrived[1:])
        assert one.folders.began[1] is not None  # late from the start
        assert prompt.taken.trees == {"/": "1"}


async def test_a_snapshot_of_the_moments_before_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "PATIENCE", BOUND)
    async with watched() as one:
        one.want("ended")
        prompt = one.prompt()
        await one.let(0)
        await one.until(lambda: one.folders.gates[1:])
        one.moments.went_out(prompt)  # the user cancels
        await one.until(lambda: one.arrived[1:])
        assert [moment.taken.trees for moment in one.arrived] == [{"/": "0"}, {"/": "0"}]
        assert (prompt.late, one.folders.marked) == (None, 0)
        one.want("ended")
        await one.let(2)
        await one.until(lambda: one.arrived[2:])


async def test_a_snapshot_that_began_before_the_prompt_was_wanted_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "PATIENCE", 0.0)
    async with watched() as one:
        one.want("opened")
        await one.let(0)
        await one.until(lambda: one.arrived)
        prompt = one.prompt()
        await one.until(lambda: one.gone)
        assert prompt.late is not None


async def test_what_fails_is_known_and_keeps_no_other_from_being_taken() -> None:
    async with watched() as one:
        one.folders.fault = UserFault("full")
        one.want("opened")
        await one.until(lambda: one.arrived)
        assert one.arrived[0].fault is one.folders.fault
        one.folders.fault = None
        one.want("ended")
        await one.let(0)
        await one.until(lambda: one.arrived[1:])


async def test_without_anybody_who_runs_them_prompts_go_out_at_once() -> None:
    gone: list[bool] = []
    alone = Moments(FakeFolders(), dict, lambda _moment: None, lambda _moment, _read, _of: None)
    alone.hold(alone.want(Moment("prompt", 1)), lambda: gone.append(True))
    assert gone == [True]
