"""When frames come: at once after a rest, soon after another one, and never in more than half of the time."""

import asyncio
import inspect
import logging
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.timer import Timer

from acp_tui.ui.kit import base_screens
from acp_tui.ui.kit.base_screens import FrameTimer, PaintedScreen, frame_timer, times_frames
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
        monkeypatch.setattr(base_screens, "monotonic", lambda: self.clock.now)
        monkeypatch.setattr(base_screens, "thread_time", lambda: self.clock.worked)
        monkeypatch.setattr(base_screens, "sleep", self.clock.sleep)

    async def _paint(self, **_when: float) -> None:
        self.timer.pause()
        self.frames.append(self.clock.now)
        self.clock.now += self.cost
        self.clock.worked += self.cost

    async def _play(self, wanted: list[float]) -> None:
        self.timer = FrameTimer(Screen(), INTERVAL)
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

    monkeypatch.setattr(base_screens, "sleep", sleep_until_painted)
    assert one.play(0.0, 0.001) == pytest.approx([0.0])


@pytest.fixture
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """On a system with fine clocks."""
    monkeypatch.setattr(base_screens, "COARSE", False)
    times_frames.cache_clear()
    yield
    times_frames.cache_clear()


@pytest.mark.anyio
@pytest.mark.usefixtures("asked_anew")
async def test_screens_are_painted_by_it() -> None:
    async with App[None]().run_test() as pilot:
        screen: PaintedScreen[None] = PaintedScreen()
        await pilot.app.push_screen(screen)
        assert isinstance(screen._update_timer, FrameTimer)
        painted = asyncio.Event()
        screen.refresh()
        screen.call_after_refresh(painted.set)
        await asyncio.wait_for(painted.wait(), PATIENCE)


@pytest.mark.usefixtures("asked_anew")
def test_this_textual_is_the_one_it_was_written_for(caplog: pytest.LogCaptureFixture) -> None:
    assert times_frames()
    assert not caplog.records


def test_every_private_name_that_is_used_is_asked_for() -> None:
    source = inspect.getsource(FrameTimer) + inspect.getsource(frame_timer) + inspect.getsource(PaintedScreen)
    used = set(re.findall(r"(?:self|super\(\)|timer|pump)\.(_[a-z]\w*)", source))
    ours = {"_between", "_frame_timer"}
    elsewhere = {"_compositor"}
    assert used - ours - elsewhere <= {name for _, name in base_screens._TIMER_INTERNALS} | {"_timers"}


def without_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Message pumps have their timers under another name."""
    code = MessagePump.__init__.__code__
    names = tuple("_renamed" if name == "_timers" else name for name in code.co_names)
    monkeypatch.setattr(MessagePump.__init__, "__code__", code.replace(co_names=names))


@pytest.mark.usefixtures("asked_anew")
@pytest.mark.parametrize(("made", "name"), [*base_screens._TIMER_INTERNALS, (MessagePump, "_timers")])
def test_another_textual_times_frames_itself_and_the_log_says_so_as_soon_as_there_is_a_screen(
    made: type, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if name == "_timers":
        without_timers(monkeypatch)
    else:
        monkeypatch.delattr(made, name)
    with caplog.at_level(logging.WARNING):
        PaintedScreen()
    assert caplog.text.count("times frames in another way") == 1
    assert f"({name})" in caplog.text
    assert not times_frames()


@pytest.mark.usefixtures("asked_anew")
def test_other_parameters_are_another_textual_s_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Timer, "_tick", lambda self, other: None)
    assert not times_frames()
    assert "(_tick)" in caplog.text


@pytest.mark.anyio
@pytest.mark.usefixtures("asked_anew")
async def test_where_clocks_are_coarse_the_timer_is_textual_s_and_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(base_screens, "COARSE", True)
    app = PaintedApp()
    async with app.run_test():
        assert type(app.screen._update_timer) is Timer
    assert "times frames" not in caplog.text


class PaintedApp(App[None]):
    def get_default_screen(self) -> Screen[None]:
        return PaintedScreen()


@pytest.mark.anyio
@pytest.mark.usefixtures("asked_anew")
async def test_an_app_lives_where_textual_s_screens_paint_by_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    paint, made = Screen._on_timer_update, dict[Screen[Any], Timer]()

    def update_timer(self: Screen[Any]) -> Timer:
        if self not in made:
            made[self] = self.set_interval(INTERVAL, self._paint_now, pause=True)  # type: ignore[attr-defined]
        return made[self]

    monkeypatch.setattr(Screen, "_paint_now", paint, raising=False)
    monkeypatch.delattr(Screen, "_on_timer_update")
    monkeypatch.setattr(Screen, "_update_timer", property(update_timer))
    app = PaintedApp()
    async with app.run_test():
        assert app.screen._update_timer is made[app.screen]
