"""Painting by rows: the same pieces as Textual's own compositor gives, and nothing asked of what is covered."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

import pytest
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from acp_tui.ui.kit import base_screens
from acp_tui.ui.kit.base_screens import Overlay, PaintedScreen, RowCompositor, in_place_of

pytestmark = [pytest.mark.anyio, pytest.mark.painted]
OURS = RowCompositor._render_chops
TOLD = "all rows of all widgets are painted"
Painted = Sequence[Mapping[int, Strip]]


class Judge:
    """Renders each frame by both compositors, in turn first, and compares what of it is written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.frames = self.partial = 0
        self.wrong: list[str] = []
        judge = self

        def both(self: RowCompositor, crop: Region, is_rendered_line: Callable[[int], bool]) -> Painted:
            judge.frames += 1
            first, second = (OURS, Compositor._render_chops) if judge.frames % 2 else (Compositor._render_chops, OURS)
            one, other = first(self, crop, is_rendered_line), second(self, crop, is_rendered_line)
            judge.compare(self, crop, [y for y in crop.line_range if is_rendered_line(y)], one, other)
            return one

        monkeypatch.setattr(RowCompositor, "_render_chops", both)

    def compare(self, compositor: Compositor, crop: Region, rows: Sequence[int], one: Painted, other: Painted) -> None:
        self.partial += crop != compositor.size.region
        for y in rows:
            ends = compositor.cuts[y][1:]
            for (x, strip), end in zip(one[y].items(), ends, strict=True):
                if x <= crop.right and end > crop.x and strip != other[y][x]:
                    self.wrong.append(f"frame {self.frames}, row {y}, column {x}: {strip} {other[y][x]}")


class Counting(Static):
    """Notes which of its rows are asked for."""

    def __init__(self, text: str, **names: str) -> None:
        super().__init__(text, **names)  # type: ignore[arg-type]
        self.asked: list[int] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked += crop.line_range
        return super().render_lines(crop)


class Over(Overlay[None]):
    """A panel over the other screen."""

    DEFAULT_CSS = "Over Static { width: 20; height: 5; border: round red; }"

    def compose(self) -> ComposeResult:
        yield Static("over")


class Layers(PaintedScreen[None]):
    """Boxes over each other, some partly off the screen, in a screen that scrolls."""

    DEFAULT_CSS = """
    Layers { layers: a b c; }
    Layers Static { position: absolute; }
    .framed { border: heavy $primary; }
    """

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.boxes = [self.box(random, number) for number in range(14)]

    @staticmethod
    def box(random: Random, number: int) -> Counting:
        box = Counting(f"box {number} 宽 " * 30, classes="framed" if number % 3 else "")
        box.styles.width, box.styles.height = random.randint(1, 30), random.randint(1, 12)
        box.styles.offset = (random.randint(-5, 55), random.randint(-3, 24))
        box.styles.layer = random.choice("abc")
        box.styles.background = f"rgb({number * 9},0,80)"
        return box

    def compose(self) -> ComposeResult:
        yield from self.boxes


class LayersApp(App[None]):
    def __init__(self, screen: Screen[None]) -> None:
        super().__init__()
        self._first = screen

    def get_default_screen(self) -> Screen[None]:
        return self._first


@pytest.mark.parametrize("seed", range(3))
async def test_every_frame_has_the_same_pieces_as_textual_s(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    judge, random = Judge(monkeypatch), Random(seed)
    screen = Layers(random)
    async with LayersApp(screen).run_test(size=(60, 24)) as pilot:
        for step in range(25):
            box = random.choice(screen.boxes)
            match random.randrange(6):
                case 0:
                    box.styles.offset = (random.randint(-5, 55), random.randint(-3, 24))
                case 1:
                    box.visible = not box.visible
                case 2:
                    await pilot.resize_terminal(random.randint(30, 70), random.randint(8, 26))
                case 3 if step % 2:
                    over = Over()
                    await pilot.app.push_screen(over)
                    await pilot.pause()
                    await over.dismiss()
                case 4:
                    box.refresh(Region(1, 1, random.randint(1, 9), random.randint(1, 3)))
                case _:
                    box.update(f"changed {step} " * 20)
            await pilot.pause()
            await pilot.pause(0.01)
    assert not judge.wrong
    assert judge.partial > 3, "some frames paint a part of the screen"


class Covered(PaintedScreen[None]):
    DEFAULT_CSS = """
    Covered { layers: low high; }
    #low { width: 20; height: 10; layer: low; }
    #high { width: 20; height: 6; layer: high; position: absolute; }
    """

    def compose(self) -> ComposeResult:
        yield Counting("low", id="low")
        yield Counting("high", id="high")


async def test_rows_that_are_covered_or_unchanged_are_not_asked_for() -> None:
    async with LayersApp(Covered()).run_test(size=(40, 12)) as pilot:
        low, high = pilot.app.screen.query_one("#low", Counting), pilot.app.screen.query_one("#high", Counting)
        await pilot.pause(0.02)
        low.asked = []
        pilot.app.screen.refresh()
        await pilot.pause()
        await pilot.pause(0.02)
        assert set(low.asked) == set(range(6, 10)), "the rest is covered"
        low.asked, high.asked = [], []
        high.refresh(Region(0, 2, 20, 1))
        await pilot.pause()
        await pilot.pause(0.02)
        assert set(high.asked) == {2}
        assert low.asked == []


def test_the_textual_that_is_installed_is_the_one_it_was_written_for() -> None:
    assert type(in_place_of(Compositor())) is RowCompositor


class Other(Compositor):
    """Another Textual's: it is asked for rows in another way."""

    def _render_chops(self, crop: Region, lines: Sequence[int]) -> Painted:  # type: ignore[override]
        raise NotImplementedError


@pytest.fixture
def asked_anew() -> Iterator[None]:
    for asked in (base_screens._tell, base_screens._fits):
        asked.cache_clear()
    yield
    base_screens._fits.cache_clear()


@pytest.mark.usefixtures("asked_anew")
@pytest.mark.parametrize("known", [Other, object], ids=["other parameters", "no compositor"])
def test_another_textual_paints_by_itself_and_the_log_says_so(
    known: type, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(base_screens, "Compositor", known)
    own = Other()
    with caplog.at_level(logging.WARNING):
        assert in_place_of(own) is own
        assert in_place_of(None) is None, "where screens have none"
    assert caplog.text.count(TOLD) == 1


@pytest.mark.usefixtures("asked_anew")
@pytest.mark.parametrize("name", base_screens._COMPOSITOR_INTERNALS)
def test_without_one_of_the_names_textual_paints_by_itself_and_the_log_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    own = Compositor()
    monkeypatch.delattr(Compositor, name)
    assert in_place_of(own) is own
    assert TOLD in caplog.text


@pytest.mark.usefixtures("asked_anew")
def test_a_screen_with_a_compositor_of_its_own_keeps_it_and_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    own = Other()
    assert in_place_of(own) is own
    assert TOLD not in caplog.text
