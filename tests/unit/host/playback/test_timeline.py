"""The pace of a replay: real, faster, step by step."""

import anyio
import pytest

from acp_tui.host.playback.timeline import Timeline
from acp_tui.host.recording.wire_record import WireLine

pytestmark = pytest.mark.anyio
BOUND = 60.0


def lines(*times: float) -> list[WireLine]:
    return [WireLine(at, "<-", b"%d" % number) for number, at in enumerate(times)]


async def run_out(timeline: Timeline) -> int:
    """Play to the end; how often it was interrupted."""
    interrupted = 0
    with anyio.fail_after(BOUND):
        while not timeline.over:
            if await timeline.reach():
                timeline.advance()
            else:
                interrupted += 1
    return interrupted


async def test_speed_shortens_hours_to_moments() -> None:
    timeline = Timeline(lines(0, 3_000, 90_000), speed=1e9)
    assert await run_out(timeline) == 0
    assert (timeline.position, timeline.total, timeline.at, timeline.duration) == (3, 3, 90_000, 90_000)


async def test_each_step_plays_one_line() -> None:
    timeline = Timeline(lines(0, 0, 0), stepping=True)
    for number in range(3):
        timeline.step()
        assert await timeline.reach()
        timeline.advance()
        assert timeline.position == number + 1
    assert timeline.over


async def test_a_step_cuts_a_long_wait_short() -> None:
    timeline = Timeline(lines(0, 100_000))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_out, timeline)
        await anyio.wait_all_tasks_blocked()
        timeline.step()
    assert timeline.over


async def test_it_can_be_held_and_let_go() -> None:
    timeline = Timeline(lines(0, 100_000))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_out, timeline)
        await anyio.wait_all_tasks_blocked()
        timeline.hold()
        await anyio.wait_all_tasks_blocked()
        assert timeline.position == 1
        timeline.run(1e9)
    assert timeline.over


async def test_a_poke_interrupts_once() -> None:
    timeline = Timeline(lines(0, 0))
    timeline.poke()
    assert await run_out(timeline) == 1


async def test_a_life_ends_where_the_agent_is_started_again() -> None:
    life = lines(0, 1)
    timeline = Timeline([*life, WireLine(2, "start", b""), *lines(3)])
    assert timeline.rest_of_life() == life
    assert await timeline.reach()
    timeline.advance()
    assert timeline.rest_of_life() == life[1:]


async def test_nobody_waits_longer_than_the_patience() -> None:
    timeline = Timeline(lines(0, 3_000_000, 9_000_000), speed=1000, patience=2)
    assert await run_out(timeline) == 0
    assert timeline.at == 9_000_000


async def test_it_tells_when_the_next_line_is_due() -> None:
    timeline = Timeline(lines(0, 1_000_000), speed=10)
    assert timeline.due == 0
    assert await timeline.reach()
    timeline.advance()
    assert 0 < timeline.due <= 100_000
    assert Timeline([]).due == 0
