"""The pictures of the README: small, by themselves, and the moving one of the program as it is now."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.segment import Segment
from rich.style import Style

from tests.emulated_terminal import Cells
from tests.house.pages import PAGES
from tests.snapshots.moving_picture import ASKED, FOLDER, MOST, PICTURES, asks, begun_at, frames_of, make, picture
from tests.snapshots.scenes import PICTURES as STILLS
from tests.snapshots.screenshots import row_of
from tests.snapshots.svg_film import HIGH, Film, Frame, still

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the source distribution has no pictures")

SVG = "{http://www.w3.org/2000/svg}"
PLAIN, RED = ("a", Style.null()), ("█", Style(color="#ff0000"))


def texts(picture: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def words(picture: str) -> set[str]:
    """All texts of a picture, without figures: how long things took is not the same each time."""
    return {re.sub(r"[\d.]+", "0", text) for text in texts(picture)}


def first_frame(picture: str) -> list[str]:
    """The rows of a film that a reader sees who wants no motion."""
    root = ElementTree.fromstring(picture)
    rows = {group.get("id"): " ".join(text.text or "" for text in group) for group in root.iter(f"{SVG}g")}
    high = float(next(found for found in root.iter(f"{SVG}svg") if found is not root).get("height", 0))
    return [rows[used.get("href", "")[1:]] for used in root.iter(f"{SVG}use") if float(used.get("y", 0)) < high]


def test_every_picture_is_on_a_page_and_is_made_by_a_tool() -> None:
    files = {file.name for file in FOLDER.iterdir()}
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert files == {f"{scene.name}.svg" for scene in STILLS} | {file.name for file in PICTURES.values()}
    assert [name for name in sorted(files) if f"screenshots/{name}" not in pages] == []


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.svg")), ids=lambda file: file.stem)
def test_it_is_small_and_needs_nothing_from_elsewhere(file: Path) -> None:
    picture = file.read_text(encoding="utf-8")
    assert len(picture.encode()) <= MOST
    assert set(re.findall(r"\w+://[^\s\"'<>]+", picture)) == {"http://www.w3.org/2000/svg"}
    assert "<script" not in picture
    assert "@font-face" not in picture
    assert [text for text in texts(picture) if set(text) & {" ", "\xa0"}] == []  # renderers drop or move blanks


@pytest.mark.parametrize("file", PICTURES.values(), ids=lambda file: file.stem)
def test_the_film_begins_and_rests_on_the_diff_that_waits(file: Path) -> None:
    picture = file.read_text(encoding="utf-8")
    rows = first_frame(picture)
    assert any("Permission required" in row for row in rows)
    assert any(ASKED[0] in row for row in rows)
    assert "@media(prefers-reduced-motion:reduce){.film{animation:none}}" in picture
    assert "infinite" not in picture


def test_it_shows_the_program_as_it_is_now(tmp_path: Path) -> None:
    """Made anew with `python -m tests.snapshots.moving_picture` where this fails; look at it then."""
    last = make(tmp_path, pace=0, speed=8)[-1]
    now = words(still(last.rows, ""))
    assert now - words(PICTURES["acp-dark"].read_text(encoding="utf-8")) == set()


def test_the_screen_of_what_is_written() -> None:
    screen = Cells(6, 2)
    screen.feed("\x1b[2J\x1b[1;2Hab\x1b[1;31mc\x1b[0m\x1b[2;1Hx\x1b[2;3H会!")
    assert [[sign for sign, _ in row] for row in picture(screen)] == [list(" abc  "), ["x", " ", "会", "", "!", " "]]
    assert picture(screen)[0][3][1] == Style(bold=True, color="color(1)")


def test_the_cells_of_a_strip() -> None:
    assert [sign for sign, _ in row_of([Segment("a会"), Segment(" b")])] == ["a", "会", "", " ", "b"]


def test_frames_that_follow_at_once_are_one() -> None:
    told = ["", "a● ready", "b", "c", "d"]
    written = [(at, f"\x1b[1;1H{text}") for at, text in zip((0, 1, 1.01, 2, 3), told, strict=True)]
    frames = frames_of(written, 9, 1)
    assert [(frame.at, frame.rows[0][0][0]) for frame in frames] == [(1, "b"), (2, "c"), (3, "d"), (7, "d")]


def test_a_question_is_a_row_of_the_panel() -> None:
    assert asks(["  ▌ Edit src/login.py"], "src/login.py")
    assert not asks(["▌ fix it", "△ Edit  src/login.py"], "src/login.py")


def test_a_film_is_begun_where_the_question_stands_longest() -> None:
    def frame(at: float, text: str) -> Frame:
        return Frame(at, (tuple((sign, Style.null()) for sign in text),))

    film = [frame(1, "start"), frame(3, "▌ x.py"), frame(4, "▌x.py "), frame(8, "end"), frame(9, "end")]
    begun = begun_at(film, "x.py")
    assert [(each.at, "".join(sign for sign, _ in each.rows[0])) for each in begun] == [
        *((0, "▌x.py "), (4, "end"), (5, "start"), (7, "▌ x.py"), (8, "▌x.py ")),
    ]


def test_a_film_draws_each_row_once_and_moves_past_all_frames() -> None:
    row, other = (PLAIN,), (RED,)
    film = Film([Frame(0, (row, row)), Frame(1, (row, other)), Frame(4, (row, other))], "x").draw()
    assert film.count("<g id=") == 2
    assert film.count("<use ") == 4
    assert f"0.000%{{transform:translateY(0px)}}25.000%{{transform:translateY(-{2 * HIGH}px)}}" in film
    assert "animation:film 4.00s step-end 3}" in film
    assert 'width="8.4" height="18" class="c' in film  # a block is drawn, not written


@pytest.mark.parametrize(("theme", "ground"), [("acp-dark", "#0e1014"), ("acp-light", "#fbfaf7")])
def test_a_still_picture_has_the_window_of_its_theme_and_no_animation(theme: str, ground: str) -> None:
    picture = still([(PLAIN, (" ", Style(bgcolor=ground)))], "a < b", theme)
    assert f'rx="8" fill="{ground}"' in picture
    assert "<title>acp-tui: a &lt; b</title>" in picture
    assert "animation" not in picture
    assert picture.count("<rect") == 1  # the ground of the window is not drawn again
