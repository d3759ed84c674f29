"""A picture as half cells of colour, two pixels above each other in each; its size from the first bytes of its file.

They come from whoever an agent is, so only well-known formats are read, none of more pixels than a look is worth, and
what is kept is as small as what is drawn. This needs nothing of a terminal but colours.

Where a loop runs, big pictures are read beside it; who shows pictures subscribes to `pictures_read`.
"""

import asyncio
import base64
import struct
import warnings
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from acp_tui.session.changes import Publisher
from acp_tui.startup import late

if TYPE_CHECKING:
    from PIL.Image import Image

HEAD = 256 * 1024  # bytes that are looked at; what a camera writes before a JPEG's size fits
COLUMNS, ROWS = 60, 16  # cells at most
MOST_PIXELS = 6_000_000  # a sixth of a second to read, at worst
LEAST_SIDE = 8  # pixels; of less nothing can be seen
QUICK = 50_000  # pixels, and characters of base64, that are read in 3 ms
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
UPPER = "▀"
SLICE = 256 * 1024  # characters of base64, whole groups of four, that are decoded at a time

Size = tuple[int, int]
Rgb = tuple[int, int, int]


def size_of_base64(data: str) -> Size | None:
    """Width and height in pixels of a picture that is given in base64; None if its head does not tell."""
    try:
        return size_of(base64.b64decode(data[: HEAD // 3 * 4] + "==="))
    except ValueError:  # not base64
        return None


def size_of(head: bytes) -> Size | None:
    """Width and height in pixels of a PNG, GIF, JPEG or WebP picture that begins with these bytes."""
    try:
        if head.startswith(b"\x89PNG\r\n\x1a\n"):
            return struct.unpack(">II", head[16:24])
        if head.startswith((b"GIF87a", b"GIF89a")):
            return struct.unpack("<HH", head[6:10])
        if head.startswith(b"\xff\xd8"):
            return _jpeg(head)
        if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
            return _webp(head)
    except (struct.error, IndexError):  # cut off before it says
        return None
    return None


def _jpeg(head: bytes) -> Size | None:
    """Walk over the segments to the frame's (SOF0 to SOF15; C4, C8 and CC between them are none)."""
    at = 2
    while head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        else:
            at += 2 + struct.unpack(">H", head[at + 2 : at + 4])[0]
    return None


def _webp(head: bytes) -> Size | None:
    kind = head[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", head[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = struct.unpack("<I", head[21:25])[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(head) >= 30:
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    return None


pictures_read: Publisher[[]] = Publisher()
"""That a picture was read beside the loop."""


class Thumbnail:
    """A picture that is given in base64; it is read when it is drawn first."""

    def __init__(self, data: str) -> None:
        self._data = data
        self._size = size_of_base64(data)
        self._small: Image | None = None
        self._reading = False
        self.version = 0  # another once its rows would come out differently

    def cells(self, columns: int) -> Size:
        """How many columns and rows it takes where `columns` are free; none where it cannot be drawn."""
        width, height = self._size or (0, 0)
        if columns < 1 or min(width, height) < LEAST_SIDE or width * height > MOST_PIXELS:
            return 0, 0
        scale = min(1.0, min(columns, COLUMNS) / width, 2 * ROWS / height)
        return max(1, int(width * scale)), max(1, (int(height * scale) + 1) // 2)

    def rows(self, columns: int, ground: Rgb) -> list[list[Segment]]:
        """The rows of cells; none where it cannot be drawn. What it is transparent for is the `ground`.

        While it is read beside the loop there are as many rows, without cells.
        """
        width, height = self.cells(columns)
        if width and self._small is None and not self._reading:
            self._read()
        if self._reading:
            return [[] for _ in range(height)]
        if self._small is None:
            return []
        images = late("PIL.Image")
        small = self._small.resize((width, 2 * height), 4)  # 4: each pixel is the mean of those it stands for
        below = images.new("RGBA", small.size, ground)
        pixels: bytes = images.alpha_composite(below, small).convert("RGB").tobytes()
        return [_row(pixels[6 * width * row : 6 * width * (row + 1)], width) for row in range(height)]

    def _read(self) -> None:
        width, height = self._size or (0, 0)
        quick = max(width * height, len(self._data)) <= QUICK
        loop = None if quick else _running_loop()
        if loop is None:
            self._take(_decoded(self._data))
        else:
            self._reading = True
            loop.run_in_executor(None, _decoded, self._data).add_done_callback(self._was_read)

    def _was_read(self, reading: "asyncio.Future[Image | None]") -> None:
        self._reading = False
        if reading.cancelled():  # the loop ends
            return
        self._take(reading.result())
        self.version += 1
        pictures_read.publish()

    def _take(self, small: "Image | None") -> None:
        self._small, self._data = small, ""
        if small is None:
            self._size = None


@lru_cache(maxsize=16)  # they hold what their keys are, also of sessions that were closed
def thumbnail_of(data: str) -> Thumbnail:
    """The same one for whoever shows this picture, so that it is read once."""
    return Thumbnail(data)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _decoded(data: str) -> "Image | None":
    images = late("PIL.Image")
    # They would be written on the screen; for good, since threads cannot put the filters back as they were.
    warnings.filterwarnings("ignore", module=r"PIL\b")
    try:
        with images.open(BytesIO(_bytes(data)), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:  # a frame may be larger than the head said
                return None
            picture.draft("RGB", (4 * COLUMNS, 8 * ROWS))
            picture.thumbnail((4 * COLUMNS, 8 * ROWS), images.Resampling.BOX)
            small: Image = picture.convert("RGBA")
            return small
    except (OSError, ValueError, ArithmeticError, LookupError, TypeError, SyntaxError, EOFError, struct.error):
        return None  # what a picture that is none can bring about, by Pillow's own documentation and code
    except (images.DecompressionBombError, MemoryError):
        return None


def _bytes(data: str) -> bytes:
    """In slices, between which the loop has its turn; at once where something stands between the letters."""
    try:
        return b"".join(base64.b64decode(data[at : at + SLICE]) for at in range(0, len(data), SLICE))
    except ValueError:
        return base64.b64decode(data)


def _row(pixels: bytes, width: int) -> list[Segment]:
    upper, lower = pixels[: 3 * width], pixels[3 * width :]
    return [Segment(UPPER, _style(upper[at : at + 3], lower[at : at + 3])) for at in range(0, 3 * width, 3)]


@lru_cache(maxsize=4096)
def _style(upper: bytes, lower: bytes) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))
