"""What is written for a frame gives, cell by cell, what Textual's own painting of the same update gives."""

import logging
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

from acp_tui.ui.terminal import frames
from acp_tui.ui.terminal.frames import Frames, unknown_names

WIDTH, HEIGHT = 40, 8
SEQUENCE = re.compile(r"\x1b\[([\d;]*)([HmrML])|\x1b\]8;([^\x1b]*)\x1b\\|\n")


class Cells:
    """A terminal's cells: character, attributes, both colours and link."""

    def __init__(self) -> None:
        self.rows: list[list[object]] = [[None] * (WIDTH * 2) for _ in range(HEIGHT)]
        self.x = self.y = self.bottom = 0
        self.look: dict[str, object] = {}
        self.link = ""

    def feed(self, text: str) -> None:
        at = 0
        for found in SEQUENCE.finditer(text):
            self.put(text[at : found.start()])
            at = found.end()
            if found[2]:
                self.obey(found[2], [int(code) for code in found[1].split(";") if code])
            elif found[3] is not None:
                self.link = found[3].strip(";")
        self.put(text[at:])

    def obey(self, what: str, codes: list[int]) -> None:
        if what == "H":
            self.y, self.x = codes[0] - 1, codes[1] - 1
        elif what == "r":
            self.x = self.y = 0
            self.bottom = codes[1] - 1 if codes else HEIGHT - 1
        elif what == "m":
            self.style(codes or [0])
        else:
            new: list[list[object]] = [[None] * (WIDTH * 2) for _ in range(codes[0])]
            old = self.rows[self.y : self.bottom + 1]
            kept = [*old[codes[0] :], *new] if what == "M" else [*new, *old[: -codes[0]]]
            self.rows[self.y : self.bottom + 1] = kept

    def style(self, codes: list[int]) -> None:
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.look = {}
            elif code in (38, 48):
                size = 4 if codes[0] == 2 else 2
                self.look["colour" if code == 38 else "ground"] = tuple(codes[:size])
                del codes[:size]
            elif code in (39, 49):
                self.look.pop("colour" if code == 39 else "ground", None)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.look["colour"] = code
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.look["ground"] = code
            else:
                self.look[f"attribute {code}"] = True

    def put(self, text: str) -> None:
        for character in text:
            look = (tuple(sorted(self.look.items())), self.link)
            size = get_character_cell_size(character)
            if not size:
                before = self.rows[self.y][self.x - 1]
                assert isinstance(before, tuple)
                self.rows[self.y][self.x - 1] = (before[0] + character, before[1])
            for cell in range(size):
                self.rows[self.y][self.x + cell] = ("" if cell else character, look)
            self.x += size


LOOKS = [
    None,
    Style(),
    *map(Style.parse, ["bold red", "dim", "bold dim #102030 on #405060", "underline on blue", "underline2", "reverse"]),
    Style.parse("#ff0000 link https://example.org"),
    Style.parse("italic link https://example.org/2"),
]
TEXTS = ["one", "two words", "日本", "e\u0301x", "x" * 20, "─┐", "", "\U0001f600"]


@st.composite
def strips(draw: st.DrawFn, width: int) -> Strip:
    segments = [
        Segment(text, look)
        for text, look in draw(st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(LOOKS)), max_size=4))
    ]
    return Strip(segments).adjust_cell_length(width)


@st.composite
def sequences(draw: st.DrawFn) -> list[Any]:
    """Updates of a screen whose rows move, change and are cut elsewhere."""
    pool = [draw(strips(WIDTH - 6)) for _ in range(10)]
    sides = [draw(strips(6)) for _ in range(3)]
    screen = [[pool[y], sides[0]] for y in range(HEIGHT)]
    updates: list[Any] = []
    for _ in range(draw(st.integers(2, 8))):
        by = draw(st.integers(-3, 3))
        top = draw(st.integers(0, 2))
        moved = screen[top:]
        screen = [*screen[:top], *(moved[by:] + moved[:by])]
        for y in draw(st.lists(st.integers(0, HEIGHT - 1), max_size=3)):
            screen[y] = [draw(st.sampled_from(pool)), draw(st.sampled_from(sides))]
        cut = draw(st.sampled_from([0, 0, 0, 11]))
        rows = [[*row[0].divide([cut, WIDTH - 6]), row[1]] if cut else row for row in screen]
        if draw(st.booleans()):
            updates.append(LayoutUpdate(list(rows), Region(0, 0, WIDTH, HEIGHT)))
            continue
        ends = [cut, WIDTH - 6, WIDTH] if cut else [WIDTH - 6, WIDTH]
        chops: list[Any] = [dict(zip([0, *ends], row, strict=False)) for row in rows]
        spans = [(y, 0, WIDTH) for y in range(HEIGHT)]
        if draw(st.booleans()):
            x1, x2 = sorted(draw(st.lists(st.integers(0, WIDTH), min_size=2, max_size=2, unique=True)))
            spans = [(y, x1, x2) for y in sorted(draw(st.sets(st.integers(0, HEIGHT - 1), min_size=1)))]
        updates.append(ChopsUpdate(chops, spans, [ends] * HEIGHT))
    return updates


def console(system: ColorSystem = ColorSystem.TRUECOLOR) -> Console:
    made = Console()
    made._color_system = system
    return made


@settings(max_examples=150, deadline=None)
@given(sequences())
def test_every_frame_is_cell_by_cell_what_textual_paints(updates: list[Any]) -> None:
    ours, textual, written = Cells(), Cells(), Frames()
    for update in updates:
        ours.feed(written.wrap(update).render_segments(console()))
        textual.feed(update.render_segments(console()))
        assert ours.rows == textual.rows


def layout(rows: list[str]) -> LayoutUpdate:
    return LayoutUpdate([[Strip([Segment(row.ljust(WIDTH))])] for row in rows], Region(0, 0, WIDTH, len(rows)))


def test_rows_that_moved_are_moved_by_the_terminal() -> None:
    written = Frames()
    rows = [f"row {y} of some text" for y in range(20)]
    written.wrap(layout(rows[:HEIGHT])).render_segments(console())
    down = written.wrap(layout(rows[2 : HEIGHT + 2])).render_segments(console())
    assert down.startswith(f"\x1b[1;{HEIGHT}r\x1b[1;1H\x1b[2M\x1b[r")
    assert "row 9" in down
    assert "row 7" not in down
    up = written.wrap(layout(rows[1 : HEIGHT + 1])).render_segments(console())
    assert up.startswith(f"\x1b[1;{HEIGHT}r\x1b[1;1H\x1b[1L\x1b[r")


def test_what_was_forgotten_is_written_again() -> None:
    written, update = Frames(), layout(["same"] * HEIGHT)
    first = written.wrap(update).render_segments(console())
    assert written.wrap(update).render_segments(console()) == ""
    written.forget()
    assert written.wrap(update).render_segments(console()) == first


def test_what_is_of_another_kind_or_turned_off_is_textuals() -> None:
    class Other(LayoutUpdate):
        pass

    other = Other([], Region(0, 0, WIDTH, 0))
    assert Frames().wrap(other) is other
    update = layout(["row"])
    assert Frames(on=False).wrap(update) is update


def test_this_textual_has_the_names_that_are_used() -> None:
    assert unknown_names() == ()
    assert list(__import__("inspect").signature(App._display).parameters) == ["self", "screen", "renderable"]


def test_another_textual_paints_by_itself_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(frames, "ChopsUpdate", object)
    with caplog.at_level(logging.WARNING):
        update = layout(["row"])
        assert Frames().wrap(update) is update
    assert "ChopsUpdate" in caplog.text


@pytest.mark.parametrize("system", list(ColorSystem)[:4])
def test_colours_are_those_of_the_console(system: ColorSystem) -> None:
    ours, textual = Cells(), Cells()
    segments = [Segment("x", Style.parse(look)) for look in ("#123456 on red", "bold #ffaa00", "dim", "not bold")]
    strip = Strip(segments).adjust_cell_length(WIDTH)
    for segment in segments:
        assert segment.style is not None
        segment.style._ansi = None
    Strip.render_ansi.cache_clear()
    ours.feed(Frames().wrap(LayoutUpdate([[strip]], Region(0, 0, WIDTH, 1))).render_segments(console(system)))
    textual.feed("\x1b[1;1H" + strip.render(console(system)))
    assert ours.rows == textual.rows
