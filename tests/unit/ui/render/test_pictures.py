"""The size of a picture, from its first bytes."""

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.render.thumbnail import Size, size_of, size_of_base64

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
EXIF = b"\xff\xe1" + struct.pack(">H", 4000) + bytes(3998)
FRAME = struct.pack(">HBHH", 17, 8, 480, 640)
LOSSLESS = b"VP8L" + struct.pack("<I", 9) + b"\x2f" + struct.pack("<I", 639 | 479 << 14)
EXTENDED = b"VP8X" + struct.pack("<I", 10) + bytes(4) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
LOSSY = b"VP8 " + struct.pack("<I", 9) + b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480 | 1 << 14)


def webp(chunk: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


PICTURES = {
    "png": PNG,
    "gif": b"GIF89a" + struct.pack("<HH", 640, 480),
    "jpeg": b"\xff\xd8" + EXIF + b"\xff\xc4\x00\x02" + b"\xff\xff\xc2" + FRAME,
    "webp lossy": webp(LOSSY),
    "webp lossless": webp(LOSSLESS),
    "webp extended": webp(EXTENDED),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_the_size_stands_in_the_head(picture: bytes) -> None:
    assert size_of(picture) == (640, 480)
    assert size_of_base64(base64.b64encode(picture).decode()) == (640, 480)


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_a_head_that_is_cut_off_has_no_size(picture: bytes) -> None:
    needed = {size_of(picture[:length]) for length in range(len(picture) - 1)}
    assert needed <= {None, (640, 480)}
    assert None in needed


@pytest.mark.parametrize("data", ["", "!", "A", "AAAA", "\u00e9", base64.b64encode(b"\xff\xd8\xff").decode()])
def test_what_is_no_picture_has_no_size(data: str) -> None:
    assert size_of_base64(data) is None


@given(st.sampled_from(list(PICTURES.values())), st.binary(max_size=40), st.integers(0, 40))
def test_any_bytes_give_a_size_or_none(picture: bytes, noise: bytes, at: int) -> None:
    found: Size | None = size_of(picture[:at] + noise)
    assert found is None or all(0 <= side < 2**32 for side in found)
