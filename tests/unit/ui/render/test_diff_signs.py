"""Two different lines of a diff never look alike; ordinary diffs have no signs."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_tui.safe_text import sanitise
from acp_tui.ui.entries.diff_units import HunkText
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.diff import MAX_COLUMNS, MOST_SIGNED, Side, compare, shown_lines
from acp_tui.ui.render.wrap import copied, text_of
from acp_tui.ui.transcript.row_painter import copied_lines
from tests.rows import each_of
from tests.work import calls_of

PALETTE = palette_for(DARK)


def shown(old: str, new: str) -> list[str]:
    return [line.text for hunk in compare("a", old, new).hunks for line in hunk.shown]


ALIKE = {
    "tab and blanks": ("\tcc a.c", "    cc a.c", "→   cc a.c", "    cc a.c"),
    "tabs of another width": ("\tcc", "        cc", "→   cc", "        cc"),
    "a tab within": ("a\tb", "a b", "a→  b", "a b"),
    "blanks at the end": ("x = 1", "x = 1  ", "x = 1", "x = 1··"),
    "blanks only": ("", "  ", "", "··"),
    "a no-break blank": ("a b", "a\u00a0b", "a b", "a⟨U+00A0⟩b"),
    "a wide blank": ("a  b", "a\u3000b", "a  b", "a⟨U+3000⟩b"),
    "no width": ("ab", "a\u200bb", "ab", "a⟨U+200B⟩b"),
    "a mark of the byte order": ("ab", "\ufeffab", "ab", "⟨U+FEFF⟩ab"),
    "a soft hyphen": ("ab", "a\u00adb", "ab", "a⟨U+00AD⟩b"),
    "a variation": ("❤", "❤\ufe0f", "❤", "❤⟨U+FE0F⟩"),
    "composed and not": ("é", "e\u0301", "é", "e⟨U+0301⟩"),
    "a sign and a letter": ("Å", "\u212b", "Å", "⟨U+212B⟩"),
    "letters of two scripts": ("paypal", "p\u0430ypal", "paypal", "p⟨U+0430⟩ypal"),
    "dashes": ("-rf", "\u2010rf", "-rf", "⟨U+2010⟩rf"),
    "two controls": ("a\x80", "a\x81", "a⟨U+0080⟩", "a⟨U+0081⟩"),
    "a control and its picture": ("a\x1b", "a␛", "a⟨U+001B⟩", "a␛"),
    "an escape that would colour": ("a", "\x1b[31ma", "a", "⟨U+001B⟩[31ma"),
    "a carriage return within": ("a\rb", "a␍b", "a⟨U+000D⟩b", "a␍b"),
    "directions": ("a\u202eb", "a\u202db", "a⟨U+202E⟩b", "a⟨U+202D⟩b"),
    "Korean": ("한", unicodedata.normalize("NFD", "한"), "한 ⟨column 1 is U+D55C⟩", None),
}


@each_of("old, new, before, after", ALIKE.values())
def test_lines_that_would_look_alike_have_signs(old: str, new: str, before: str, after: str | None) -> None:
    found = shown(f"{old}\n", f"{new}\n")
    assert found == [before, after or found[1]]
    assert found[0].rstrip() != found[1].rstrip()


CALM = [
    ("\tone\n\ttwo\n", "\tone\n\tthree\n"),
    ("if x:\n    y()\n", "if x:\n        y()\n"),  # moved in, as it is seen
    ("\ta\n", "\t\ta\n"),
    ("x  \ny\n", "x  \nz\n"),
    ("naïve\n", "naïf\n"),
    ("nai\u0308ve\n", "nai\u0308f\n"),
    ("привет\n", "привет, мир\n"),
    ("a\u00a0b\n", "a\u00a0c\n"),
]


@each_of("old, new", CALM)
def test_ordinary_lines_have_none(old: str, new: str) -> None:
    assert not {"→", "·", "⟨"} & set("".join(shown(old, new)))


def test_a_new_file_has_none() -> None:
    assert shown("", "\ta\n    a\n") == ["    a", "    a"]


def test_line_ends_are_told_behind_the_line() -> None:
    """And only where they differ within the file."""
    file = compare("a", "x\r\ny\r\n", "x\ny")
    rows = HunkText(file, file.hunks[0]).unified(range(4), 40, PALETTE)
    assert [text_of(row).rstrip() for row in rows] == [" 1 − x ␍", " 2 − y ␍", " 1 + x", " 2 + y ⏎ no newline"]
    assert [copied(text, stand_ins) for _, text, stand_ins in copied_lines(rows)] == ["x", "y", "x", "y"]


def test_a_difference_beyond_the_cut_is_told() -> None:
    long = "x" * (MAX_COLUMNS + 20)
    before, after = shown(f"{long}\n", f"{long[:-1]}y\n")
    assert (before[-28:], after[-28:]) == ("ers ⟨column 2,020 is U+0078⟩", "ers ⟨column 2,020 is U+0079⟩")


def test_lines_that_differ_in_the_same_place_beyond_the_cut_are_numbered() -> None:
    long = "x" * MAX_COLUMNS
    looks = shown(f"{long}a1\n", f"{long}b1\n{long}b2\n")
    assert [look.rpartition(" is ")[2] for look in looks] == ["U+0061, 1 of 3⟩", "U+0062, 2 of 3⟩", "U+0062, 3 of 3⟩"]


def test_signs_are_little_work_whatever_the_hunk() -> None:
    """A diff of megabytes that all looks alike is told by places, and not looked at character by character."""
    lines = [Side("+-"[at % 2], ("a\u0430"[at % 2]) * MAX_COLUMNS + str(at // 2), "") for at in range(1_000)]
    looks = shown_lines(lines)
    assert len({look.text for look in looks}) == 1_000
    assert calls_of(lambda: shown_lines(lines)) < 15 * MOST_SIGNED  # of 2,000,000 characters


ODD = st.text(st.sampled_from("a b\t\u00a0\u200b\u0301é\ufeff\u0430e\u3000·→⟨⟩-\u2010\r"), max_size=6)


@given(old=ODD, new=ODD)
def test_two_different_lines_never_look_alike(old: str, new: str) -> None:
    file = compare("a", f"{old}\n", f"{new}\n")
    looks = [
        line.text.rstrip() + end.ending for hunk in file.hunks for line, end in zip(hunk.shown, hunk.lines, strict=True)
    ]
    assert len(looks) < 2 or looks[0] != looks[1]
    assert all(sanitise(look) == look and "\t" not in look for look in looks)


@each_of("old, new", [row[:2] for row in ALIKE.values()])
def test_what_is_copied_is_the_line_itself(old: str, new: str) -> None:
    """But for what a terminal would obey: that stays a sign."""
    for hunk in compare("a", f"{old}\n", f"{new}\n").hunks:
        for line, each in zip((old, new), hunk.shown, strict=True):
            if is_plain_text(line):
                assert copied(each.text, each.stand_ins) == line
            assert not {"\x1b", "\x80", "\x81", "\r", "\u202e"} & set(copied(each.text, each.stand_ins))


def is_plain_text(line: str) -> bool:
    return all(unicodedata.category(sign) != "Cc" or sign == "\t" for sign in line) and not {"\u202e", "\u202d"} & set(
        line
    )


def test_signs_are_drawn_in_both_layouts() -> None:
    file = compare("Makefile", "all:\n\tcc a.c\n", "all:\n    cc a.c\n")
    hunk = HunkText(file, file.hunks[0])
    assert [text_of(row).rstrip() for row in hunk.unified(range(3), 40, PALETTE)][1:] == [
        " 2 − →   cc a.c",
        " 2 +     cc a.c",
    ]
    (row,) = list(hunk.split(range(1, 3), 61, PALETTE))
    assert "→   cc a.c" in text_of(row)
    assert cell_len(text_of(row)) == 61
