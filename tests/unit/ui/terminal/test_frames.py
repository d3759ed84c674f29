"""What is written for a frame gives, cell by cell, what Textual's own painting of the same update gives."""

import logging
from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.terminal import frame_writer as frames
from acp_tui.ui.terminal.frame_writer import FrameWriter, drawn, moves_rows, unknown_names
from tests import emulated_terminal
from tests.emulated_terminal import Cells, written_by_textual
from tests.rows import each_of
from tests.work import calls_of

WIDTH, HEIGHT = 40, 8
LOOKS = [
    None,
    Style(),
    *map(Style.parse, ["bold red", "dim", "bold dim #102030 on #405060", "underline on blue", "underline2", "reverse"]),
    Style.parse("#ff0000 link https://example.org"),
    Style.parse("italic link https://example.org/2"),
]
TEXTS = ["one", "two words", "日本", "e\u0301x", "x" * 20, "─┐", "", "\U0001f600", "a\U0001faea→b", "नि ", "🇩🇪x"]


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


def cells() -> Cells:
    made = Cells(WIDTH, HEIGHT, ids=True)
    made.scramble(0)
    return made


def console(system: ColorSystem = ColorSystem.TRUECOLOR) -> Console:
    made = Console()
    made._color_system = system
    return made


@given(sequences())
def test_every_frame_is_cell_by_cell_what_textual_paints(updates: list[Any]) -> None:
    ours, textual, written = cells(), cells(), FrameWriter()
    for update in updates:
        ours.feed(written.wrap(update).render_segments(console()))
        textual.feed(written_by_textual(update, console()))
        assert ours.rows == textual.rows


def layout(rows: list[str]) -> LayoutUpdate:
    return LayoutUpdate([[Strip([Segment(row.ljust(WIDTH))])] for row in rows], Region(0, 0, WIDTH, len(rows)))


def test_rows_that_moved_are_moved_by_the_terminal() -> None:
    written = FrameWriter()
    rows = [f"row {y} of some text" for y in range(20)]
    written.wrap(layout(rows[:HEIGHT])).render_segments(console())
    down = written.wrap(layout(rows[2 : HEIGHT + 2])).render_segments(console())
    assert down.startswith(f"\x1b[1;{HEIGHT}r\x1b[1;1H\x1b[2M\x1b[r")
    assert "row 9" in down
    assert "row 7" not in down
    up = written.wrap(layout(rows[1 : HEIGHT + 1])).render_segments(console())
    assert up.startswith(f"\x1b[1;{HEIGHT}r\x1b[1;1H\x1b[1L\x1b[r")


def part_of_a_chop(strips: list[Strip]) -> ChopsUpdate:
    spans = [(y, 0, 12 if y == 3 else WIDTH) for y in range(HEIGHT)]
    return ChopsUpdate([{0: strip} for strip in strips], spans, [[WIDTH]] * HEIGHT)


def a_strip_that_ends_early(strips: list[Strip]) -> LayoutUpdate:
    rows = [[strip.crop(0, 12) if y == 3 else strip] for y, strip in enumerate(strips)]
    return LayoutUpdate(list(rows), Region(0, 0, WIDTH, HEIGHT))


@pytest.mark.parametrize("second", [part_of_a_chop, a_strip_that_ends_early], ids=lambda made: made.__name__)
def test_a_row_that_is_written_in_part_is_not_moved_as_if_all_of_it_were(second: Callable[[list[Strip]], Any]) -> None:
    ours, textual, written = cells(), cells(), FrameWriter()
    rows = [f"row {y} of a text that ends with {y}" for y in range(HEIGHT + 1)]
    for update in (layout(rows[:HEIGHT]), second([Strip([Segment(row.ljust(WIDTH))]) for row in rows[1:]])):
        ours.feed(written.wrap(update).render_segments(console()))
        textual.feed(written_by_textual(update, console()))
        assert ours.rows == textual.rows


def test_what_was_forgotten_is_written_again() -> None:
    written, update = FrameWriter(), layout(["same"] * HEIGHT)
    first = written.wrap(update).render_segments(console())
    assert written.wrap(update).render_segments(console()) == ""
    written.forget()
    assert written.wrap(update).render_segments(console()) == first


def test_what_is_of_another_kind_or_turned_off_is_textuals() -> None:
    class Other(LayoutUpdate):
        pass

    other = Other([], Region(0, 0, WIDTH, 0))
    assert FrameWriter().wrap(other) is other
    update = layout(["row"])
    assert FrameWriter(on=False).wrap(update) is update


def test_this_textual_has_the_names_that_are_used() -> None:
    assert unknown_names() == ()


def another_update(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(frames, "ChopsUpdate", object)
    return "ChopsUpdate"


def no_display(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delattr(App, "_display")
    return "App._display"


def another_display(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(App, "_display", lambda _app, renderable, *, region: TOLD.append((renderable, region)))
    return "App._display"


TOLD: list[Any] = []


@pytest.mark.parametrize("change", [another_update, no_display, another_display], ids=lambda change: change.__name__)
def test_another_textual_paints_by_itself_and_the_log_says_so(
    change: Callable[[pytest.MonkeyPatch], str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    name, update = change(monkeypatch), layout(["row"])
    with caplog.at_level(logging.WARNING):
        app = AcpTuiApp()
        assert app._frames.wrap(update) is update
    assert name in caplog.text
    if change is another_display:
        app._display(update, region=2)
        assert [(update, 2)] == TOLD


@each_of("systems", permutations(list(ColorSystem)[:4], 2))
def test_colours_are_those_of_the_console_now(systems: tuple[ColorSystem, ColorSystem]) -> None:
    segments = [Segment("x", Style.parse(look)) for look in ("#123456 on red", "bold #ffaa00", "dim", "not bold")]
    update = LayoutUpdate([[Strip(segments).adjust_cell_length(WIDTH)]], Region(0, 0, WIDTH, 1))
    ours, textual, frames = cells(), cells(), FrameWriter()
    for system in systems:
        ours.feed(frames.wrap(update).render_segments(console(system)))
        textual.feed(written_by_textual(update, console(system)))
        assert ours.rows == textual.rows


def test_a_mark_that_was_cut_off_its_letter_is_not_added_twice() -> None:
    ours, textual, frames = cells(), cells(), FrameWriter()
    for word in ("one", "two"):
        row = Strip([Segment("x" * 19 + "e\u0301 " + word)]).adjust_cell_length(WIDTH)
        update = LayoutUpdate([row.divide([20, WIDTH])], Region(0, 0, WIDTH, 1))
        ours.feed(frames.wrap(update).render_segments(console()))
        textual.feed(written_by_textual(update, console()))
        assert ours.rows == textual.rows


def test_behind_what_a_terminal_may_take_to_be_wider_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated_terminal, "width_of", lambda character: 1 + (character == "─"))
    ours, frames = cells(), FrameWriter()
    for word in ("one", "two"):
        row = [Strip([Segment(text)]).adjust_cell_length(20) for text in (word.rjust(20, "─"), "beside")]
        ours.feed(frames.wrap(LayoutUpdate([row], Region(0, 0, WIDTH, 1))).render_segments(console()))
        assert ours.text()[0].endswith("beside".ljust(20))


DOUBTFUL = ["\U0001faea", "\U0001f468\u034f\U0001f469", "🇩🇪", "❤", "→", "…", "“", "①", "\ue0b0", "नि", "ᄒ"]


@pytest.mark.parametrize("taken", [0.5, 1, 2])
def test_behind_a_character_of_doubtful_width_all_stands_in_its_column(
    monkeypatch: pytest.MonkeyPatch, taken: float
) -> None:
    """Whether a terminal takes it to be half as wide as we do or twice as wide; nothing old shows through."""
    known = emulated_terminal.width_of
    monkeypatch.setattr(
        emulated_terminal, "width_of", lambda sign: known(sign) if sign.isascii() else int(known(sign) * taken + 0.5)
    )
    for sign in DOUBTFUL:
        ours = cells()
        strip = Strip([Segment(f"ab{sign}"), Segment(f"cd{sign}{sign}", Style(bold=True)), Segment("ef")])
        update = LayoutUpdate([[strip.adjust_cell_length(WIDTH)]], Region(0, 0, WIDTH, 1))
        ours.feed(FrameWriter().wrap(update).render_segments(console()))
        width = cell_len(sign)
        row = [character for character, _ in ours.rows[0]]
        assert ("".join(row[:2]), "".join(row[2 + width : 4 + width])) == ("ab", "cd"), ascii(sign)
        assert "".join(row[4 + 3 * width :]) == "ef".ljust(WIDTH - 4 - 3 * width), ascii(sign)
        assert not [cell for cell in row if ":" in cell], ascii(sign)


def test_rows_of_ordinary_text_cost_nothing() -> None:
    texts = ["plain", "naïve 日本語 привет", "│ box ├─┐ ▌", "ｗｉｄｅ", "한국"]
    assert [drawn(Strip([Segment(text)]), ColorSystem.TRUECOLOR) for text in texts] == texts


@each_of(
    ("term", "moves"),
    [
        *((term, True) for term in ("xterm-256color", "tmux", "linux", "vt220", "foot")),
        *((term, False) for term in ("vt100", "ansi", "cons25", "sun", "dumb")),
    ],
)
def test_rows_are_moved_only_by_terminals_that_can(term: str, moves: bool) -> None:
    assert moves_rows({"TERM": term}) is moves
    frames, rows = FrameWriter(moves=moves), [f"row {y} of some text" for y in range(HEIGHT + 2)]
    for top in range(2):
        told = frames.wrap(layout(rows[top : top + HEIGHT])).render_segments(console())
    assert ("r\x1b[" in told) is moves


def test_after_a_mistake_of_ours_textual_paints_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    written, update = FrameWriter(), layout(["row"])
    monkeypatch.setattr(written, "_write", lambda _: 1 / 0)
    told = written.wrap(update).render_segments(console())
    assert told == update.render_segments(console())
    assert written.wrap(update) is update
    assert "painted whole from now on" in caplog.text


def test_places_are_work_that_grows_with_the_row() -> None:
    looks = [Style.parse("red"), Style.parse("blue")]
    made = [Strip([Segment("→x", looks[at % 2]) for at in range(size)]) for size in (50, 200)]
    few, many = (calls_of(partial(drawn, strip, ColorSystem.TRUECOLOR)) for strip in made)
    assert many < 6 * few
