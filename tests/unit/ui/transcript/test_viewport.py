"""The viewport against an independent full layout, over thousands of random acts."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from rich.segment import Segment

from acp_tui.session.entries import Entry, MessageEntry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Drawing, Row, text_of
from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.viewport import Viewport
from tests.transcript_fakes import FakeDrawing, Paragraph, extend, message, palette
from tests.transcript_oracle import Oracle, random_text


class Pair:
    """A viewport and its oracle, to which the same is done."""

    def __init__(self, seed: int, entries: int) -> None:
        self.chance = random.Random(seed)
        self.count = 0
        self.drawings: dict[int, FakeDrawing] = {}
        self.viewport = Viewport(Layout(self.draw))
        self.oracle = Oracle(60, 20)
        self.oracle.entries.extend(self.new() for _ in range(entries))
        self.viewport.load([entry for entry in self.oracle.entries if entry])
        self.viewport.reshape(60, 20, palette())
        self.oracle.changed()

    def draw(self, entry: Entry) -> Drawing:
        return self.drawings.setdefault(id(entry), FakeDrawing(entry))

    def new(self) -> MessageEntry:
        self.count += 1
        return message(self.count, random_text(self.chance, f"{self.count}"))

    def some_place(self, last: bool) -> int | None:
        """A place with an entry: anywhere, or (as while streaming) the last."""
        places = [place for place, entry in enumerate(self.oracle.entries) if entry]
        if not places:
            return None
        return places[-1] if last else self.chance.choice(places)

    def shown(self) -> list[str]:
        lines = [text_of(shown.row).rstrip() for shown in self.viewport.shown]
        return lines + [""] * (self.viewport.height - len(lines))

    def first(self) -> tuple[int, int, int]:
        """The first row shown: place, line of the entry's text (-2 and -1 before it), character."""
        place, unit, row = self.viewport.shown[0]
        entry = self.oracle.entries[place]
        assert entry is not None
        paragraphs = self.draw(entry).units[1:unit] if unit else ()
        lines = sum(len(paragraph.lines) for paragraph in paragraphs if isinstance(paragraph, Paragraph))
        return place, lines + row.line if unit else row.line - 2, row.offset

    def step(self) -> str:
        acts = [self.add, self.grow, self.grow, self.remove, self.scroll, self.scroll, self.jump, self.ends]
        act = self.chance.choice([*acts, self.fold, self.fold, self.resize, self.theme, self.catch_up])
        act()
        return act.__name__

    def add(self) -> None:
        entries = [self.new() for _ in range(self.chance.choice((1, 1, 3)))]
        self.oracle.entries.extend(entries)
        self.viewport.refresh(entries, (), ())
        self.oracle.changed()

    def grow(self) -> None:
        place = self.some_place(self.chance.random() < 0.7)
        if place is None:
            return
        self.count += 1
        entry = self.oracle.entries[place]
        assert entry is not None
        extend(entry, self.chance.choice(("", " ", "\n", "\n\n")) + random_text(self.chance, f"{self.count}"))
        self.viewport.refresh((), [entry], ())
        self.oracle.changed()

    def remove(self) -> None:
        place = self.some_place(self.chance.random() < 0.5)
        if place is None or self.chance.random() < 0.7:
            return
        entry = self.oracle.entries[place]
        assert entry is not None
        self.oracle.entries[place] = None
        self.viewport.refresh((), (), [entry])
        self.oracle.changed()

    def scroll(self) -> None:
        self.scroll_by(self.chance.choice((-20, -18, -3, -1, 1, 3, 18, 20)))

    def scroll_by(self, rows: int) -> None:
        """By wheel and page: so near that every height on the way is exact."""
        top = max(0, min(self.viewport.top + rows, self.viewport.end))
        if top == self.viewport.top:
            return
        self.viewport.scroll_to(top)
        self.oracle.place_top(self.oracle.top + rows)

    def jump(self) -> None:
        self.viewport.scroll_to(self.chance.randrange(self.viewport.layout.total + 1))
        if self.viewport.shown:
            self.oracle.adopt(self.first())

    def ends(self) -> None:
        if self.chance.random() < 0.5:
            self.viewport.follow_end()
            self.oracle.place_top(self.oracle.end)
        else:
            self.viewport.scroll_to(0)
            self.oracle.place_top(0)

    def fold(self) -> None:
        near = [shown.place for shown in self.viewport.shown]
        place = self.chance.choice(near) if near and self.chance.random() < 0.8 else self.some_place(last=False)
        if place is not None and self.viewport.toggle(place):
            self.oracle.toggled(place)

    def resize(self) -> None:
        width, height = self.chance.choice((9, 40, 60, 61, 130)), self.chance.choice((1, 7, 20, 50))
        self.oracle.width, self.oracle.height = width, height
        self.viewport.reshape(width, height, self.viewport.layout.palette)
        self.oracle.changed()

    def theme(self) -> None:
        self.viewport.reshape(self.oracle.width, self.oracle.height, palette())

    def catch_up(self) -> None:
        self.viewport.catch_up(lambda: False)

    def check(self, act: str) -> None:
        assert self.shown() == self.oracle.window(), act
        assert self.viewport.following == self.oracle.following, act
        layout = self.viewport.layout
        assert layout.total == sum(layout.heights[place] for place in range(len(layout.heights)))
        for place, opened in layout._opened.items():
            assert layout.heights[place] == opened.heights.total, act
            exact = {unit: rows for unit in range(len(opened.units)) if (rows := opened.rows_of(unit)) is not None}
            assert all(opened.heights[unit] == len(exact[unit]) for unit in exact), act
        if self.oracle.end == 0:
            assert layout.total == len(self.oracle.rows)


@pytest.mark.parametrize("seed", range(9))
def test_every_screen_is_that_of_a_full_layout(seed: int) -> None:
    pair = Pair(seed, entries=(0, 3, 60)[seed % 3])
    pair.check("load")
    for _ in range(300):
        pair.check(pair.step())


def test_when_everything_was_measured_the_total_is_exact() -> None:
    pair = Pair(99, entries=60)
    while pair.viewport.top:
        pair.viewport.scroll_to(pair.viewport.top - 20)
    assert pair.viewport.layout.total == len(pair.oracle.rows)


@pytest.mark.parametrize(("height", "lines"), [(12, 30), (12, 100), (100, 300), (100, 1_000)])
def test_a_page_up_from_the_end_is_a_page_though_more_lies_above_than_was_estimated(height: int, lines: int) -> None:
    pair = Pair(0, entries=0)
    pair.oracle.height = height
    pair.viewport.reshape(60, height, palette())
    text = "\n".join(map(str, range(lines))) + "\n\n" + "\n".join(f"end {number}" for number in range(height))
    pair.oracle.entries.append(message(1, text))
    pair.viewport.refresh([entry for entry in pair.oracle.entries if entry])
    pair.oracle.changed()
    for rows in (-height, -3, 2, -height):
        pair.scroll_by(rows)
        pair.check(f"{rows} rows")


class Giant(Sequence[Row]):
    """A hundred thousand rows that count how often they are looked at."""

    def __init__(self) -> None:
        self.looks = 0

    def __len__(self) -> int:
        return 100_000

    def __getitem__(self, index: Any) -> Any:
        self.looks += 1
        return Row((Segment(f"row {index}"),), index)


class GiantDrawing:
    """One unit with all those rows."""

    version = 0
    folded = None

    def __init__(self) -> None:
        self.units = [self]
        self.all = Giant()

    def estimate(self, width: int) -> int:
        return 3

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        return self.all

    def update(self) -> int:
        return 0

    def toggle(self) -> None:
        return None


def test_of_a_giant_unit_only_what_is_shown_is_looked_at() -> None:
    drawing = GiantDrawing()
    viewport = Viewport(Layout(lambda entry: drawing))
    entry = message(0, "")
    viewport.load([entry])
    viewport.reshape(60, 20, palette())
    assert viewport.layout.total == 100_000
    assert text_of(viewport.shown[-1].row) == "row 99999"
    viewport.scroll_to(50_000)
    viewport.refresh((), [entry], ())
    viewport.reshape(50, 20, palette())
    assert text_of(viewport.shown[0].row) == "row 50000"
    assert drawing.all.looks < 400


def test_while_something_is_selected_the_end_is_not_followed_though_it_comes_into_view() -> None:
    viewport = Viewport(Layout(FakeDrawing))
    entries: list[Entry] = [message(number, "one\ntwo\nthree") for number in range(20)]
    viewport.load(entries)
    viewport.reshape(60, 10, palette())
    viewport.hold(True)
    viewport.refresh((), (), entries[5:])
    assert viewport.top >= viewport.end
    assert not viewport.following
    viewport.refresh([message(30, "\n".join("abcdefghijklmnop"))], (), ())
    assert viewport.top < viewport.end
    viewport.hold(False)
    assert viewport.following


def test_rows_above_the_end_are_measured_when_there_is_time_and_before_the_reader_scrolls() -> None:
    drawn: list[Entry] = []

    def draw(entry: Entry) -> Drawing:
        drawn.append(entry)
        return FakeDrawing(entry)

    viewport = Viewport(Layout(draw))
    viewport.reshape(60, 10, palette())
    viewport.refresh([message(number, "one\ntwo\nthree") for number in range(100)], (), ())
    assert len(drawn) <= 10
    assert viewport.behind
    viewport.catch_up(lambda: True)
    assert viewport.behind
    count = len(drawn)
    viewport.catch_up(lambda: False, margin=False)
    assert viewport.behind
    assert len(drawn) == count
    first = viewport.shown[0].row
    viewport.scroll_to(viewport.top - 3)
    assert viewport.shown[3].row is first
    assert len(drawn) > 10
    viewport.follow_end()
    viewport.refresh([message(200, "more")], (), ())
    viewport.catch_up(lambda: False)
    assert not viewport.behind
