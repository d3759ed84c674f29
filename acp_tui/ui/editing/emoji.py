"""Emoji that are written with several characters, and where the cursor may stand beside them.

Flags, keycaps, colours of skin, families and what has a variation selector are one for who reads them, so they are
moved over and deleted as one. Letters with marks are not here: their marks are typed, and go, one by one.
"""

import re

_PICTURE = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25aa-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
)
_LOOKS = r"[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"  # variation, skin, letters of a region
EMOJI = re.compile(
    r"[\U0001f1e6-\U0001f1ff]{2}"  # flags are two letters
    r"|[0-9#*](?:\ufe0f\u20e3?|\u20e3)"
    rf"|{_PICTURE}{_LOOKS}(?:\u200d{_PICTURE}{_LOOKS})+"
    rf"|{_PICTURE}(?=[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]){_LOOKS}"
)


def around(text: str, start: int, end: int) -> tuple[int, int]:
    """The same part of a text with the whole of an emoji that begins or ends within it."""
    if not text.isascii():
        for found in EMOJI.finditer(text):
            if found.start() >= end:
                break
            if found.start() < start < found.end():
                start = found.start()
            if found.end() > end:
                end = found.end()
    return start, end


def before(text: str, at: int) -> int:
    """The place before the character or emoji that ends here; in the middle of one it is its beginning."""
    return around(text, max(0, at - 1), at)[0]


def after(text: str, at: int) -> int:
    """The place after the character or emoji that begins here."""
    return around(text, at, min(len(text), at + 1))[1]


def beside(text: str, at: int, came_from: int) -> int:
    """This place, or, if it is in the middle of an emoji, the end of it that lies further on from where one came."""
    start, end = around(text, at, at)
    return at if start == at else end if came_from < at else start
