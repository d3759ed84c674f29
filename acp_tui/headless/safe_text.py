"""Agent text made harmless for a terminal, as it streams; must not know what it is about."""

import re

from acp_tui.session.export.text import one_line

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
)
# What may go on in the next piece.
_BEGUN = re.compile(r"(?:(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*\x1b?|(?:\x1b\[?|\x9b)[0-?]*[ -/]*)\Z")
_PATIENCE = 256  # characters after which it is none

_HARMFUL = dict.fromkeys(
    [
        *(code for code in range(0x20) if code not in (0x09, 0x0A)),
        *range(0x7F, 0xA0),
        *(0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # directions
        *range(0xD800, 0xE000),  # lone surrogates
    ]
)


class SafeText:
    """A stream of text without escapes, controls (but newline and tab) and bidirectional overrides."""

    def __init__(self) -> None:
        self._begun = ""

    def feed(self, text: str, final: bool = False) -> str:
        """What may be shown of the stream so far and was not yet given."""
        text = _ESCAPE.sub("", self._begun + text)
        begun = None if final else _BEGUN.search(text)
        self._begun = begun.group() if begun and len(begun.group()) <= _PATIENCE else ""
        return text[: len(text) - len(self._begun)].translate(_HARMFUL)


def safe_line(text: str, limit: int = 160) -> str:
    """Text as one harmless line; `…` shows where it was cut."""
    line = one_line(text).translate(_HARMFUL)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
