"""Hunks as rows: numbers and signs beside every line, both layouts, colours that say no more than the signs."""

import pytest
from rich.segment import Segment

from acp_tui.protocol.vocabulary.tool_calls import Diff
from acp_tui.ui.entries.diff_units import HunkText, HunkUnit, LazyDiffs, diff_units
from acp_tui.ui.kit.theme import DARK, LIGHT, palette_for
from acp_tui.ui.render.diff import FileDiff, compare, paired_lines
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Row, text_of
from acp_tui.ui.transcript.row_painter import lines_of

PALETTE: Palette = palette_for(DARK)
OLD = "import os\n\ndef login():\n    return None\n\nend = 1\n"
NEW = "import os\n\ndef login():\n    return open(timeout=30)\n    # done\n\nend = 1\n"


@pytest.fixture
def file() -> FileDiff:
    return compare("login.py", OLD, NEW)


def drawn(file: FileDiff, start: int, end: int, width: int = 40, palette: Palette = PALETTE) -> list[Row]:
    return HunkText(file, file.hunks[0]).unified(range(start, end), width, palette)


def split(file: FileDiff, width: int) -> list[Row]:
    return list(HunkText(file, file.hunks[0]).split(range(len(file.hunks[0].lines)), width, PALETTE))


def unified(file: FileDiff, width: int = 40) -> list[str]:
    return [text_of(row).rstrip() for row in drawn(file, 0, len(file.hunks[0].lines), width)]


def test_unified_rows_have_one_number_and_a_sign(file: FileDiff) -> None:
    assert unified(file) == [
        " 1   import os",
        " 2",
        " 3   def login():",
        " 4 −     return None",
        " 4 +     return open(timeout=30)",
        " 5 +     # done",
        " 6",
        " 7   end = 1",
    ]


def test_split_rows_have_what_was_beside_what_will_be(file: FileDiff) -> None:
    rows = split(file, 61)
    assert [text_of(row) for row in rows] == [
        " 1   import os                │ 1   import os                ",
        " 2                            │ 2                            ",
        " 3   def login():             │ 3   def login():             ",
        " 4 −     return None          │ 4 +     return               ",
        "                              │           open(timeout=30)   ",
        "                              │ 5 +     # done               ",
        " 5                            │ 6                            ",
        " 6   end = 1                  │ 7   end = 1                  ",
    ]


@pytest.mark.parametrize("width", [30, 61, 120])
def test_split_rows_have_two_columns_of_the_same_width(file: FileDiff, width: int) -> None:
    rows = split(file, width)
    half = (width - 1) // 2
    for row in rows:
        text = text_of(row)
        assert text[half] == "│"
        assert len(text) == 2 * half + 1


def test_a_diff_has_all_the_width_of_its_view() -> None:
    diffs = LazyDiffs([Diff(path="login.py", old_text=OLD, new_text=NEW)])
    widths = {
        layout: {len(text_of(row)) for row in diff_units(diffs, 3, layout, heads=False)[0].rows(250, PALETTE)}
        for layout in ("unified", "split")
    }
    assert widths == {"unified": {248}, "split": {248}}


def test_lines_stand_beside_their_replacements() -> None:
    hunk = compare("a", "a\nb\nc\nkeep\n", "x\nkeep\ny\n").hunks[0]
    assert list(paired_lines(hunk, 0, len(hunk.lines))) == [(0, 3), (1, None), (2, None), (4, 4), (None, 5)]


def styles_of(row_segments: list[Segment], text: str) -> list[object]:
    return [segment.style for segment in row_segments if text in segment.text]


def test_only_the_changed_words_have_the_stronger_wash(file: FileDiff) -> None:
    row = drawn(file, 3, 4, 40)[0]
    backgrounds = {segment.text: segment.style.bgcolor for segment in row.segments if segment.style}
    assert backgrounds["None"] == PALETTE.removed_word.bgcolor
    assert backgrounds["return"] == PALETTE.removed.bgcolor
    assert PALETTE.removed_word.bgcolor != PALETTE.removed.bgcolor


def test_a_wash_reaches_the_edge_and_is_not_copied(file: FileDiff) -> None:
    row = drawn(file, 3, 4, 40)[0]
    assert len(text_of(row)) == 40
    assert row.segments[-1].style is not None
    assert row.segments[-1].style.bgcolor == PALETTE.removed.bgcolor
    assert [text for _, text in lines_of([row])] == ["    return None"]


def test_code_is_coloured_by_the_files_language(file: FileDiff) -> None:
    row = drawn(file, 0, 1, 40)[0]
    inks = {segment.text: segment.style.color for segment in row.segments if segment.style}
    assert inks["import"] == PALETTE.syntax["keyword"].color


def test_a_palette_without_colour_still_marks_words_and_signs(file: FileDiff) -> None:
    plain = palette_for(LIGHT, colour=False)
    row = drawn(file, 3, 4, palette=plain)[0]
    changed = next(segment.style for segment in row.segments if segment.text == "None")
    assert changed is not None
    assert changed.underline
    assert "−" in text_of(row)


def test_a_long_line_wraps_and_is_copied_whole() -> None:
    long = "word " * 30
    file = compare("a", None, long + "\n")
    rows = drawn(file, 0, 1, 40)
    assert len(rows) > 3
    assert all(len(text_of(row)) == 40 for row in rows)
    assert [text for _, text in lines_of(rows)] == [long]


def test_hostile_lines_are_safe() -> None:
    file = compare("a", None, "[b]x[/]\x1b[2J\x1b]52;c;x\x07\u202e\ttab\n")
    (row,) = drawn(file, 0, 1, 60)
    assert "[b]x[/]" in text_of(row)
    assert not {"\x1b", "\x07", "\u202e", "\t"} & set(text_of(row))


def test_all_units_together_are_the_diff() -> None:
    old = "".join(f"{number}\n" for number in range(300))
    new = old.replace("5\n", "five\n")
    units = diff_units(LazyDiffs([Diff(path="/a.py", old_text=old, new_text=new)]), 2)
    copied = [line for unit in units for _, line in lines_of(unit.rows(80, PALETTE))]
    assert copied[0] == "/a.py  +30 −30"
    assert copied.count("five") == 1
    assert sum(line.endswith("five") for line in copied) == 30


def test_an_estimate_is_right_where_nothing_wraps(file: FileDiff) -> None:
    unit = HunkUnit(HunkText(file, file.hunks[0]), range(len(file.hunks[0].lines)), 2, "unified")
    assert unit.estimate(80) == len(unit.rows(80, PALETTE))


def test_nothing_is_compared_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(diff: Diff, *_: object) -> list[FileDiff]:
        raise AssertionError(diff.path)

    monkeypatch.setattr("acp_tui.ui.entries.diff_units.file_diffs", never)
    diffs = LazyDiffs([Diff(path="a", old_text="x\n", new_text="y\n")])
    assert diffs
    assert diffs.estimate() > 0
    with pytest.raises(AssertionError):
        diffs.counts()
