import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from acp_tui.safe_text import MARKS_AT_MOST
from acp_tui.ui.render.text import cut, cut_path, safe, sanitise, sanitise_line
from tests.rows import each_of
from tests.strategies import TOWER, UNSAFE, UNSETTLED, nasty_texts


@given(nasty_texts)
def test_nothing_unsafe_passes(text: str) -> None:
    assert UNSAFE.search(sanitise(text)) is None
    assert TOWER.search(sanitise(text)) is None
    sanitise(text).encode("utf-8")


@given(nasty_texts)
def test_sanitising_twice_changes_nothing(text: str) -> None:
    once = sanitise(text)
    assert sanitise(once) == once


@given(nasty_texts)
def test_cells_of_safe_text_add_up_character_by_character(text: str) -> None:
    for line in sanitise(text).replace("\t", " ").split("\n"):
        assert cell_len(line) == sum(map(get_character_cell_size, line))


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=40))
@example("漢字 – Ελληνικά, देव ✓ 🎉 한글 ｶﾅ ≡ \u2801")
def test_ordinary_text_is_left_alone(text: str) -> None:
    vowels = any(character.isalpha() and not get_character_cell_size(character) for character in text)  # of Korean
    if UNSAFE.search(text) is None and UNSETTLED.search(text) is None and not vowels:
        assert sanitise(text) == text


def test_clean_text_comes_back_as_the_same_object() -> None:
    text = "plain\n\ttext " * 10
    assert sanitise(text) is text


@each_of(
    ("given_text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b(B\x1b[m", ""),
        ("\x1b]52;c;QUJD\x07", "␛]52;c;QUJD␇"),
        ("\x1b]8;;https://a.b\x1b\\here\x1b]8;;\x1b\\", "here"),
        ("\x1b[\x1b[0m31m", "␛[31m"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b2J", "�2J"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("rm \u202egnp.\u202c", "rm �gnp.�"),
        ("\ud83d", "�"),
        ("a\u200bb\ufeffc", "abc"),
        ("👩\u200d💻 ❤\ufe0f 👍🏽", "👩💻 ❤ 👍"),
    ],
)
def test_what_is_shown(given_text: str, shown: str) -> None:
    assert sanitise(given_text) == shown


def test_a_tower_of_marks_is_capped_and_the_cut_shows() -> None:
    shown = sanitise("a" + "\u0301" * 50 + "b")
    assert sum(unicodedata.combining(c) > 0 for c in shown) == MARKS_AT_MOST
    assert shown.endswith("�b")


def test_a_title_is_one_line_and_says_where_it_was_broken_and_cut() -> None:
    assert sanitise_line(" cd x\n  rm -rf y\t! ") == "cd x ⏎ rm -rf y !"
    assert sanitise_line("x" * 50, 10) == "x" * 9 + "…"
    assert sanitise_line("漢" * 50, 10) == "漢" * 4 + "…"
    assert sanitise_line("\u200b" * 9000 + "rm", 10) == "…"


@given(nasty_texts, st.integers(0, 30))
def test_a_line_never_exceeds_its_limit(text: str, limit: int) -> None:
    line = sanitise_line(text, limit)
    assert cell_len(line) <= limit
    assert "\n" not in line


def test_a_cut_into_no_room_leaves_nothing() -> None:
    assert cut("abc", 0) == ""
    assert cut("abc", 3) == "abc"


def test_content_is_never_parsed_as_markup() -> None:
    assert safe("[@click=app.quit]x[/]\x1b").plain == "[@click=app.quit]x[/]␛"


@pytest.mark.parametrize(
    ("width", "shown"),
    [(40, "src/of/the/package/login.py"), (20, "src/of/the…/login.py"), (12, "sr…/login.py"), (10, "…/login.py")],
)
def test_a_path_is_cut_in_the_middle_and_keeps_its_name(width: int, shown: str) -> None:
    assert cut_path("src/of/the/package/login.py", width) == shown


@given(st.text(max_size=60).map(sanitise_line), st.integers(2, 70))
def test_a_path_that_is_cut_fits(path: str, width: int) -> None:
    assert cell_len(cut_path(path, width)) <= width
