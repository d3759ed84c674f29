"""The moving picture of the README: small, by itself, and of the program as it is now."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.style import Style

from tests.emulated_terminal import Cells
from tests.snapshots.moving_picture import MOST, PICTURE, Film, Frame, frames_of, make, picture

pytestmark = pytest.mark.skipif(not PICTURE.parent.exists(), reason="the source distribution has no pictures")

SVG = "{http://www.w3.org/2000/svg}"


def words(picture: str) -> set[str]:
    """All texts of a picture, without figures: how long things took is not the same each time."""
    texts = ElementTree.fromstring(picture).iter(f"{SVG}text")
    return {re.sub(r"[\d.]+", "0", "".join(text.itertext())) for text in texts}


def test_it_is_small_and_needs_nothing_from_elsewhere() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    assert len(picture.encode()) <= MOST
    assert set(re.findall(r"\w+://[^\s\"'<>]+", picture)) == {"http://www.w3.org/2000/svg"}
    assert "<script" not in picture
    assert "@font-face" not in picture


def test_it_shows_the_program_as_it_is_now(tmp_path: Path) -> None:
    """Made anew with `python -m tests.snapshots.moving_picture` where this fails; look at it then."""
    last = make(tmp_path, pace=0, speed=8)[-1]
    now = words(Film([Frame(0, last.rows), Frame(1, last.rows)]).draw())
    assert now - words(PICTURE.read_text(encoding="utf-8")) == set()


def test_the_screen_of_what_is_written() -> None:
    screen = Cells(6, 2)
    screen.feed("\x1b[2J\x1b[1;2Hab\x1b[1;31mc\x1b[0m\x1b[2;1Hx\x1b[2;3H会!")
    assert [[sign for sign, _ in row] for row in picture(screen)] == [list(" abc  "), ["x", " ", "会", "", "!", " "]]
    assert picture(screen)[0][3][1] == Style(bold=True, color="color(1)")


def test_frames_that_follow_at_once_are_one() -> None:
    told = ["", "a● ready", "b", "c", "d"]
    written = [(at, f"\x1b[1;1H{text}") for at, text in zip((0, 1, 1.01, 2, 3), told, strict=True)]
    frames = frames_of(written, 9, 1)
    assert [(frame.at, frame.rows[0][0][0]) for frame in frames] == [(1, "b"), (2, "c"), (3, "d"), (8, "d")]


def test_a_film_draws_each_row_once_and_moves_past_all_frames() -> None:
    row, other = ((("a", Style.null()),), (("█", Style(color="#ff0000")),))
    film = Film([Frame(0, (row, row)), Frame(1, (row, other)), Frame(4, (row, other))]).draw()
    assert film.count("<g id=") == 2
    assert film.count("<use ") == 4
    assert "0.000%{transform:translateY(0px)}25.000%{transform:translateY(-36px)}" in film
    assert "animation:film 4.00s step-end infinite" in film
    assert 'width="8.4" height="18" class="c' in film  # a block is drawn, not written
