"""Selected text: wrapped lines whole again, decoration left out, positions that survive another width."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection

from acp_tui.session.entries import Entry
from acp_tui.ui.render.wrap import Row
from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.row_painter import (
    around,
    cells_between,
    characters_under,
    entry_text,
    key_of,
    lines_of,
    place_and_unit,
    selected_text,
)
from tests.transcript_fakes import FakeDrawing, message, palette, rows_of_lines, text_in

TEXT = st.text(st.sampled_from("ab é日👍\u0301"), max_size=40)


def layout_of(*texts: str, width: int = 20) -> Layout:
    drawings: dict[int, FakeDrawing] = {}
    layout = Layout(lambda entry: drawings.setdefault(id(entry), FakeDrawing(entry)), width, palette())
    for number, text in enumerate(texts):
        layout.append(message(number, text))
    return layout


def row(text: str, **more: int | bool) -> Row:
    return Row((Segment(text),), 0, **more)  # type: ignore[arg-type]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_key_keeps_place_and_unit(place: int, unit: int, line: int) -> None:
    assert place_and_unit(key_of(place, unit, line)) == (place, unit)


@given(st.lists(TEXT, min_size=1), st.integers(5, 30))
def test_wrapped_lines_are_whole_again_at_every_width(lines: list[str], width: int) -> None:
    assert list(lines_of(rows_of_lines(lines, width, palette().text))) == list(enumerate(lines))


def test_skipped_blanks_come_back_and_tails_do_not() -> None:
    rows = [row("> one  ", gutter=2, wrapped=True, tail=2), row("two...", offset=5, tail=3)]
    assert list(lines_of(rows)) == [(0, "one  two")]


def test_everything_is_copied_also_what_was_never_shown() -> None:
    layout = layout_of("one\ntwo\n\nthree", "four")
    assert selected_text(layout, SELECT_ALL) == "\nm0\none\ntwo\nthree\n\nm1\nfour"
    entry = layout.entries[0]
    assert entry is not None
    assert entry_text(layout, 0) == "m0\none\ntwo\nthree"


@given(st.lists(TEXT, min_size=1, max_size=4), st.data(), st.integers(5, 30), st.integers(5, 30))
def test_a_selection_names_characters_whatever_the_width(
    lines: Sequence[str], data: st.DataObject, one: int, other: int
) -> None:
    layout = layout_of("\n".join(lines).replace("\n\n", "\n.\n"), width=one)
    entry = layout.entries[0]
    assert entry is not None
    texts = text_in(entry).split("\n\n")[0].split("\n")
    first = data.draw(st.integers(0, len(texts) - 1))
    last = data.draw(st.integers(first, len(texts) - 1))
    start = data.draw(st.integers(0, len(texts[first])))
    end = data.draw(st.integers(start if first == last else 0, len(texts[last])))
    selection = Selection(Offset(start, key_of(0, 1, first)), Offset(end, key_of(0, 1, last)))
    if first == last:
        wanted = texts[first][start:end]
    else:
        wanted = "\n".join([texts[first][start:], *texts[first + 1 : last], texts[last][:end]])
    assert selected_text(layout, selection) == wanted
    layout.reshape(other, palette())
    assert selected_text(layout, selection) == wanted


@given(TEXT, st.integers(0, 3), st.integers(0, 3))
def test_what_lies_under_a_cell_is_highlighted_there(text: str, offset: int, tail: int) -> None:
    shown = row("| " + text + "." * tail, gutter=2, offset=offset, tail=tail)
    width = cell_len("| " + text + "." * tail)
    for cell, character in enumerate(characters_under(shown, width + 2)[: width - tail]):
        if cell >= 2 and cell_len(text[character - offset]):
            start, end = cells_between(shown, character, character + 1)
            assert start <= cell < end


def test_right_of_the_text_is_the_place_after_it() -> None:
    assert characters_under(row("> ab", gutter=2), 6) == [0, 0, 0, 1, 2, 2]
    assert characters_under(row("> ab", gutter=2, offset=5, wrapped=True), 6) == [5, 5, 5, 6, 6, 6]
    assert characters_under(row(""), 3) == [0, 0, 0]


def test_a_word_is_what_one_would_want_to_paste() -> None:
    layout = layout_of('see "src/app.py:3", then')
    assert selected_text(layout, around(layout, key_of(0, 1, 0), 8, word=True)) == "src/app.py:3"
    assert selected_text(layout, around(layout, key_of(0, 1, 0), 3, word=True)) == " "
    assert selected_text(layout, around(layout, key_of(0, 1, 0), 8, word=False)) == 'see "src/app.py:3", then'


def test_a_removed_entry_is_passed_over() -> None:
    layout = layout_of("one", "two", "three")
    gone: Entry | None = layout.entries[1]
    assert gone is not None
    layout.remove(gone)
    assert selected_text(layout, SELECT_ALL) == "\nm0\none\n\nm2\nthree"
