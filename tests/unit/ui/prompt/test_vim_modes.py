"""Which keys make a command, what is selected, and which mode comes of it."""

import pytest

from acp_tui.ui.prompt.vim_commands import UNFINISHED, Command, read
from acp_tui.ui.prompt.vim_keyboard import Pieces
from acp_tui.ui.prompt.vim_motions import PIECES
from tests.house.pages import vim_rows
from tests.rows import each_of
from tests.unit.ui.prompt.vim_hand import edited, hand, press


@each_of(
    ("typed", "command"),
    [
        ("x", Command(0, "", "x")),
        ("12x", Command(12, "", "x")),
        ("0", Command(0, "", "0")),
        ("10l", Command(10, "", "l")),
        ("dd", Command(0, "d", "d")),
        ("2d3w", Command(6, "d", "w")),
        ("f,", Command(0, "", "f…", ",")),
        ("d2f,", Command(2, "d", "f…", ",")),
        ("r…", Command(0, "", "r…", "…")),
        ("ciw", Command(0, "c", "iw")),
        ("i", Command(0, "", "i")),
        ("gg", Command(0, "", "gg")),
    ],
)
def test_what_was_typed_is_a_command(typed: str, command: Command) -> None:
    assert read(typed) == command


@each_of("typed", ["2", "d", "2d", "d3", "f", "df", "di", "g", "dg", "r", "ya"])
def test_more_keys_belong_to_it(typed: str) -> None:
    assert read(typed) is UNFINISHED


@each_of("typed", ["z", "dz", "diz", "gz", "1234", "dx", "cd", "/", "?", "!", "@", " "])
def test_no_command_begins_like_that(typed: str) -> None:
    assert read(typed) is None


def test_a_selection_has_keys_of_its_own() -> None:
    assert read("d", selecting=True) == Command(0, "", "d")
    assert read("iw", selecting=True) == Command(0, "", "iw")
    assert read("i", selecting=True) is UNFINISHED
    assert read("D", selecting=True) is None


@each_of(
    ("keys", "mode"),
    [
        ("", "normal"),
        ("i", "insert"),
        ("i<", "normal"),
        ("v", "visual"),
        ("V", "visual line"),
        ("vV", "visual line"),
        ("vv", "normal"),
        ("v<", "normal"),
        ("vd", "normal"),
        ("vc", "insert"),
        ("d<", "normal"),
        ("dwcw", "insert"),
    ],
)
def test_modes(keys: str, mode: str) -> None:
    vim = hand("|one two")
    press(vim, keys)
    assert vim.buffer.mode == mode


@each_of(
    ("before", "keys", "after"),
    [
        ("|one two", "vex", "| two"),
        ("one tw|o", "vbd", "one| "),
        ("|one two", "vlcx", "x|e two"),
        ("|abc def", "vedp", " ab|cdef"),
        ("a|b\ncd\nef", "Vjd", "|ef"),
        ("a|b\ncd\nef", "Vcx", "x|\ncd\nef"),
        ("ab|cd", "vohd", "a|d"),
        ("(a |b c)", "vi(rx", "(|xxxxx)"),
        ("|abc", "vl~", "|ABc"),
        ("|a\nb\nc", "VjJ", "a| b\nc"),
        ("|ab\ncd", "vjrx", "|xx\nxd"),
        ("|a\nb\n\nc", "vipd", "|\nc"),
        ("|", "vd", "|"),
    ],
)
def test_what_is_selected_is_changed(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@pytest.mark.parametrize(
    ("keys", "wish"), [("u", "undo"), ("3u", "undo"), ("\x12", "redo"), ("j", "down"), ("k", "up")]
)
def test_what_only_the_editor_can_do_is_wished_for(keys: str, wish: str) -> None:
    vim = hand("|one")
    press(vim, keys)
    assert (vim.buffer.wish, vim.buffer.wished) == (wish, 3 if keys == "3u" else 1)


def test_a_command_that_is_none_leaves_all_as_it_is() -> None:
    vim = hand("one |two")
    assert press(vim, "zdz2g") == "one |two"
    assert vim.unfinished
    assert press(vim, "<x") == "one |wo"


def test_each_key_has_a_row_with_words() -> None:
    rows = list(vim_rows())
    assert all(row.words and row.keys for row in rows)
    assert len({(row.where, row.keys) for row in rows}) == len(rows)
    told = " ".join(row.keys for row in rows).split()
    assert {"w", "gg", "f…", "d", "dd", "iw", 'a"', "ip", "u", "Ctrl+R", ".", "v", "~"} <= set(told)


CHIP = "[Pasted 12 KB, 300 lines #1]"


@pytest.mark.parametrize(
    ("text", "at", "seen"),
    [
        (f"a {CHIP} b", 0, 0),
        (f"a {CHIP} b", 2, 2),
        (f"a {CHIP} b", 5, 2),
        (f"a {CHIP} b", 2 + len(CHIP), 3),
        (f"a {CHIP} {CHIP}", 3 + 2 * len(CHIP), 5),
        ("a b", 3, 3),
    ],
)
def test_a_chip_is_one_character(text: str, at: int, seen: int) -> None:
    pieces = Pieces()
    shrunk, place = pieces.shrink(text, at, [CHIP])
    assert (place, len(shrunk)) == (seen, len(text) - text.count(CHIP) * (len(CHIP) - 1))
    assert pieces.grow(shrunk) == text


def test_chips_keep_their_characters() -> None:
    pieces, other = Pieces(), "[Image x.png #2]"
    first = pieces.shrink(CHIP, 0, [CHIP])[0]
    assert pieces.shrink(f"{other}{CHIP}", 0, [other, CHIP])[0][1] == first
    assert pieces.grow(first) == CHIP


def test_a_text_that_has_such_characters_stays_as_it_is() -> None:
    pieces, strange = Pieces(), chr(PIECES[0])
    assert pieces.shrink(f"{strange}{CHIP}", 1, [CHIP]) == (f"{strange}{CHIP}", 1)
    assert pieces.grow(strange) == strange


def test_a_chip_is_a_word() -> None:
    chip = chr(PIECES[0])
    assert edited(f"|a{chip}b", "w") == f"a|{chip}b"
    assert edited(f"a |{chip}{chip} b", "diw") == "a | b"
    assert edited(f"a|{chip}b", "x") == "a|b"
