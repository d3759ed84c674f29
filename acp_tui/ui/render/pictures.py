"""How large a picture is, from the first bytes of its file; decodes nothing and draws nothing."""

import base64
import struct

HEAD = 256 * 1024  # bytes that are looked at; what a camera writes before a JPEG's size fits

Size = tuple[int, int]


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
    """The three kinds: lossy, lossless, extended."""
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
