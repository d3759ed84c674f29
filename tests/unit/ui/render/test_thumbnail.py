"""Pictures as half cells: how large, in which colours, and what an agent can send instead of one."""

import base64
import struct
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rich.color import Color

from acp_tui.protocol.vocabulary.content import (
    Annotations,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from acp_tui.ui.entries.message import BlockUnit
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.thumbnail import COLUMNS, MOST_PIXELS, ROWS, UPPER, Rgb, Thumbnail

PALETTE = palette_for(DARK)
BLACK = (0, 0, 0)
RED, BLUE = (255, 0, 0), (0, 0, 255)


def encoded(image: Image.Image, kind: str = "PNG") -> str:
    out = BytesIO()
    image.save(out, kind)
    return base64.b64encode(out.getvalue()).decode()


def two_colours(width: int, height: int) -> Image.Image:
    """Red above, blue below."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (0, height // 2, width, height))
    return image


def colours(thumbnail: Thumbnail, ground: Rgb = BLACK) -> list[list[tuple[Color | None, Color | None]]]:
    rows = thumbnail.rows(80, ground)
    assert all(segment.text == UPPER for row in rows for segment in row)
    return [[(segment.style.color, segment.style.bgcolor) for segment in row if segment.style] for row in rows]


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_two_pixels_stand_in_one_cell(kind: str) -> None:
    (*_, row) = rows = colours(Thumbnail(encoded(two_colours(10, 10), kind)))
    assert (len(rows), len(row)) == (5, 10)
    middle = rows[2]
    assert {tuple(colour and colour.get_truecolor() for colour in cell) for cell in middle} == {(RED, BLUE)}


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_what_is_nearly_red_and_blue_is_read(kind: str) -> None:
    rows = colours(Thumbnail(encoded(two_colours(640, 400), kind)))
    top, bottom = rows[0][0][0], rows[-1][-1][1]
    assert top is not None
    assert bottom is not None
    assert top.get_truecolor().red > 200 > 50 > bottom.get_truecolor().red


@pytest.mark.parametrize(
    ("size", "columns", "cells"),
    [
        ((320, 200), 80, (51, 16)),
        ((320, 200), 20, (20, 6)),
        ((2000, 100), 200, (COLUMNS, 2)),
        ((100, 2000), 80, (1, ROWS)),
        ((12, 9), 80, (12, 5)),
        ((7, 300), 80, (0, 0)),
        ((320, 200), 0, (0, 0)),
    ],
)
def test_it_keeps_its_shape_and_its_place(size: tuple[int, int], columns: int, cells: tuple[int, int]) -> None:
    thumbnail = Thumbnail(encoded(two_colours(*size)))
    assert thumbnail.cells(columns) == cells
    rows = thumbnail.rows(columns, BLACK)
    assert (len(rows), {len(row) for row in rows}) == (cells[1], {cells[0]} if cells[1] else set())


def test_what_is_transparent_shows_the_ground() -> None:
    clear = Image.new("RGBA", (10, 10), (255, 255, 255, 0))
    ((upper, _), *_), *_ = colours(Thumbnail(encoded(clear)), ground=(1, 2, 3))
    assert upper is not None
    assert upper.get_truecolor() == (1, 2, 3)


def test_a_huge_picture_is_not_read() -> None:
    assert Thumbnail(encoded(Image.new("1", (MOST_PIXELS // 100 + 1, 100)))).rows(80, BLACK) == []


def test_a_huge_picture_behind_a_small_head_is_not_read() -> None:
    data = bytearray(base64.b64decode(encoded(Image.new("P", (4000, 4000)), "GIF")))
    data[6:10] = struct.pack("<HH", 100, 100)
    thumbnail = Thumbnail(base64.b64encode(data).decode())
    assert thumbnail.cells(COLUMNS)[0] > 0
    assert thumbnail.rows(COLUMNS, BLACK) == []


def test_a_head_without_a_body_is_no_picture() -> None:
    data = base64.b64encode(base64.b64decode(encoded(two_colours(64, 64)))[:60]).decode()
    thumbnail = Thumbnail(data)
    assert thumbnail.cells(80) == (32, 16)
    assert thumbnail.rows(80, BLACK) == []
    assert thumbnail.cells(80) == (0, 0)


@given(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]), st.integers(0, 400), st.binary(min_size=1, max_size=30))
def test_any_damage_gives_a_picture_or_none(kind: str, at: int, noise: bytes) -> None:
    whole = base64.b64decode(encoded(two_colours(40, 30), kind))
    damaged = whole[:at] + noise + whole[at + len(noise) :]
    thumbnail = Thumbnail(base64.b64encode(damaged).decode())
    rows = thumbnail.rows(80, BLACK)
    assert len(rows) <= ROWS
    assert all(len(row) <= COLUMNS for row in rows)


PICTURE = encoded(two_colours(20, 20))


@pytest.mark.parametrize(
    ("block", "rows"),
    [
        (ImageContent(data=PICTURE, mime_type="image/png"), 10),
        (EmbeddedResource(resource=BlobResource(uri="a:b", blob=PICTURE, mime_type="image/png")), 10),
        (EmbeddedResource(resource=BlobResource(uri="a:b", blob=PICTURE, mime_type="application/pdf")), 0),
        (ImageContent(data=PICTURE, mime_type="image/png", annotations=Annotations(audience=["assistant"])), 0),
        (TextContent(text="no picture"), 0),
    ],
)
def test_pictures_for_the_user_are_drawn(block: ContentBlock, rows: int) -> None:
    unit = BlockUnit(block)
    assert unit.estimate(45) == 1 + rows
    assert len(unit.picture_rows([("  ", PALETTE.text)], 40, PALETTE)) == rows


def test_nothing_is_drawn_without_colours() -> None:
    unit = BlockUnit(ImageContent(data=PICTURE, mime_type="image/png"))
    assert unit.picture_rows([], 40, palette_for(DARK, colour=False)) == []


def test_a_picture_is_never_copied() -> None:
    (row, *_) = BlockUnit(ImageContent(data=PICTURE, mime_type="image/png")).picture_rows(
        [("  ", PALETTE.text)], 40, PALETTE
    )
    assert row.gutter == sum(len(segment.text) for segment in row.segments)
