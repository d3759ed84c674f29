"""When frames come: at once after a rest, soon after another one, and never in more than half of the time."""

import asyncio
import logging
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App
from textual.screen import Screen
from textual.timer import Timer

from acp_tui.ui import pacing
from acp_tui.ui.pacing import FrameTimer, frame_timer
from acp_tui.ui.painted_screen import ComposedScreen
from tests.pilot.driver import PATIENCE

INTERVAL = 0.008


class Clock:
    """Time that passes only while something sleeps or paints."""

    def __init__(self) -> None:
        self.now = self.worked = 100.0

    async def sleep(self, seconds: float) -> None:
        self.now += max(seconds, 1e-6)  # a clock goes on


class Scene:
    """A timer that is resumed at given times; each of its frames takes `cost` seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost: float = 0.001) -> None:
        self.clock, self.cost = Clock(), cost
        self.frames: list[float] = []
        monkeypatch.setattr(pacing, "monotonic", lambda: self.clock.now)
        monkeypatch.setattr(pacing, "thread_time", lambda: self.clock.worked)
        monkeypatch.setattr(pacing, "sleep", self.clock.sleep)

    async def _paint(self, **_when: float) -> None:
        self.timer.pause()
        self.frames.append(self.clock.now)
        self.clock.now += self.cost
        self.clock.worked += self.cost

    async def _play(self, wanted: list[float]) -> None:
        self.timer = FrameTimer(Screen(), INTERVAL, pause=True)
        self.timer._tick = self._paint  # type: ignore[method-assign]
        begin = self.clock.now
        task = asyncio.ensure_future(self.timer._run())
        for at in sorted(wanted):
            self.clock.now = max(self.clock.now, begin + at)
            self.timer.resume()
            for _turn in range(3):  # more than it needs to wake up
                await asyncio.sleep(0)
        assert task.cancel(), task
        self.frames = [frame - begin for frame in self.frames]

    def play(self, *wanted: float) -> list[float]:
        """When frames began, in seconds from the beginning, if they are asked for at these times."""
        asyncio.run(self._play(list(wanted)))
        return self.frames


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scene]:
    return lambda **how: Scene(monkeypatch, **how)


def test_after_a_rest_a_frame_comes_at_once(scene: Callable[..., Scene]) -> None:
    assert scene().play(0.0, 0.0101, 0.5003) == pytest.approx([0.0, 0.0101, 0.5003])


def test_what_changes_right_after_a_frame_waits_for_no_grid(scene: Callable[..., Scene]) -> None:
    assert scene().play(0.0, 0.0015) == pytest.approx([0.0, INTERVAL])


def test_a_frame_that_took_long_leaves_as_much_time_to_everything_else(scene: Callable[..., Scene]) -> None:
    assert scene(cost=0.02).play(0.0, 0.001) == pytest.approx([0.0, 0.04])


@given(
    st.lists(st.floats(0, 0.2, allow_nan=False), min_size=1, max_size=20), st.sampled_from([0.0, 0.001, 0.005, 0.03])
)
def test_all_is_painted_soon_and_never_too_often(wanted: list[float], cost: float) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        frames = Scene(monkeypatch, cost).play(*wanted)
    least = max(INTERVAL, 2 * cost)
    assert all(after - before >= least - 1e-6 for before, after in pairwise(frames))
    for at in wanted:
        assert any(at - 1e-9 <= frame <= at + least + cost + 1e-4 for frame in frames)


def test_what_was_painted_otherwise_is_not_painted_again(
    scene: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new layout paints the whole screen, and pauses the timer that was to do it."""
    one = scene()

    async def sleep_until_painted(seconds: float) -> None:
        one.clock.now += seconds
        one.timer.pause()

    monkeypatch.setattr(pacing, "sleep", sleep_until_painted)
    assert one.play(0.0, 0.001) == pytest.approx([0.0])


@pytest.mark.anyio
async def test_screens_are_painted_by_it() -> None:
    async with App[None]().run_test() as pilot:
        screen: ComposedScreen[None] = ComposedScreen()
        await pilot.app.push_screen(screen)
        assert isinstance(screen._update_timer, FrameTimer)
        painted = asyncio.Event()
        screen.refresh()
        screen.call_after_refresh(painted.set)
        await asyncio.wait_for(painted.wait(), PATIENCE)


def test_this_textual_is_the_one_it_was_written_for() -> None:
    assert pacing._knows_textual.__wrapped__()


@pytest.mark.parametrize("name", ["_tick", "_no_such_name"])
def test_another_textual_times_frames_itself_and_the_log_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other: dict[Any, list[str]] = {(Timer, name): ["self", "other"]}
    monkeypatch.setattr(pacing, "_USED", pacing._USED | other)
    monkeypatch.setattr(pacing, "_knows_textual", pacing._knows_textual.__wrapped__)
    with caplog.at_level(logging.WARNING):
        assert frame_timer(Screen(), lambda: None) is None
    assert f"times frames in another way ({name})" in caplog.text
