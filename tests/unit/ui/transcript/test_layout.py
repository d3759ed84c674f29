"""How many rows are held, and when those far away are forgotten."""

import random

import pytest

from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.ui.entries.message import MessageDrawing
from acp_tui.ui.kit.theme import DARK, LIGHT, palette_for
from acp_tui.ui.render.wrap import Drawing
from acp_tui.ui.transcript import layout
from acp_tui.ui.transcript.layout import Layout

BITS = ("words ", "more words\n\n", "- item\n", "```\n", "x = 1\n", "# Title\n\n")


def entry(number: int) -> MessageEntry:
    return MessageEntry(f"e{number}", "agent", [TextPart(["Words.\n\n"] * 4, 32)])


def draw(each: Entry) -> Drawing:
    assert isinstance(each, MessageEntry)
    return MessageDrawing(each)


def made(count: int) -> tuple[Layout, list[MessageEntry]]:
    entries = [entry(number) for number in range(count)]
    shown = Layout(draw, 60, palette_for(DARK))
    shown.load(entries)
    return shown, entries


def measure(shown: Layout, place: int) -> None:
    for unit in range(len(shown.open(place).units)):
        shown.measure(place, unit)


def grow(shown: Layout, grown: MessageEntry, text: str) -> None:
    part = grown.parts[-1]
    assert isinstance(part, TextPart)
    part.append(text)
    shown.change(grown)


def really_held(shown: Layout) -> int:
    return sum(len(each[1]) for opened in shown._opened.values() for each in opened._measured if each is not None)


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_counted_as_they_are_held(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "ROWS_HELD", 30)
    chance, (shown, entries) = random.Random(seed), made(6)
    for _ in range(150):
        act, place = chance.randrange(12), chance.randrange(len(entries))
        if act < 5:
            grow(shown, entries[place], chance.choice(BITS))
        elif act < 9 and shown.entries[place] is not None:
            measure(shown, place)
        elif act == 9:
            shown.forget_beyond(place, place + 1)
        elif act == 10:
            shown.reshape(chance.choice((40, 60)), palette_for(chance.choice((DARK, LIGHT))))
        elif chance.random() < 0.1:
            shown.remove(entries[place])
        assert shown._held.rows == really_held(shown)


def test_a_block_that_grows_for_long_does_not_have_others_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "ROWS_HELD", 60)
    shown, (first, last) = made(2)
    measure(shown, 0)
    for _ in range(100):
        grow(shown, last, "word ")
        measure(shown, 1)
        shown.forget_beyond(1, 1)
    assert first is shown.entries[0]
    assert shown.held_rows(0, 0) is not None


def test_what_is_far_away_is_forgotten_once_too_much_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "ROWS_HELD", 60)
    shown, entries = made(20)
    for place in range(len(entries)):
        measure(shown, place)
        shown.forget_beyond(place, place)
    assert shown.held_rows(0, 0) is None
    assert shown.held_rows(19, 0) is not None
    assert really_held(shown) < 100
