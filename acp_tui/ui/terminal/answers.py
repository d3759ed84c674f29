"""What a terminal answers when it is asked about itself, kept apart from what is typed.

Answers come on the same line as keys, whenever the terminal likes, whole or in pieces. They end with the device
attributes (DA1), which every terminal tells: nothing that was asked before them comes after them.
"""

import re
from collections.abc import Iterable

LONGEST = 1024  # characters that are kept of one answer; what comes after them is taken with them
_MODE_TOLD = re.compile(r"\x1b\[\?(\d+);(\d)\$y")
_ATTRIBUTES = re.compile(r"\x1b\[\?[\d;]*c")
_BODY = r"[^\x00-\x1f\x7f]*"
# XTGETTCAP, DECRQSS (or one of these questions sent back), XTVERSION: no key begins like that.
_TEXT = rf"\x1bP(?:\d?[+$][rq]|>\|){_BODY}"
_END = r"(?:\x1b\\|\x07|\x9c)"
# Also what breaks off, and texts and attributes of any other sort, if they are whole.
_ANSWER = re.compile(rf"{_TEXT}{_END}?|\x1bP{_BODY}{_END}|\x1b\[[?>=][\d;]*c|\x1b\[\?10(?:36|39)[;\d]*\$y", re.DOTALL)
_SURELY_BEGUN = re.compile(rf"(?:{_TEXT}\x1b?|\x1b\[[?>=][\d;]*\$?)\Z", re.DOTALL)
_PERHAPS_BEGUN = re.compile(rf"\x1b(?:P{_BODY}\x1b?|\[)?\Z", re.DOTALL)

ATTRIBUTES = "\x1b[c"
VERSION = "\x1b[>0q"


def mode(number: int) -> str:
    """The question how a private mode is set (DECRQM)."""
    return f"\x1b[?{number}$p"


def capabilities(names: Iterable[str]) -> str:
    """The questions whether a terminal has these capabilities of terminfo (XTGETTCAP)."""
    return "".join(f"\x1bP+q{name.encode().hex()}\x1b\\" for name in names)


def mode_told(answer: str) -> tuple[int, int] | None:
    """A private mode and how it is: 1 set, 2 reset, 0 unknown, 3 and 4 for good; None for other answers."""
    told = _MODE_TOLD.fullmatch(answer)
    return None if told is None else (int(told[1]), int(told[2]))


class Answers:
    """Takes answers out of what a terminal sends."""

    def __init__(self) -> None:
        self.awaited = 0  # how often it was asked and has not told its attributes yet

    def take(self, text: str) -> tuple[str, list[str], str]:
        """What was typed, the answers, and an end of the text that may be the beginning of an answer."""
        if not (self.awaited or "\x1bP" in text or "\x1b[?" in text):
            return text, [], ""
        begun = _SURELY_BEGUN.search(text) or (_PERHAPS_BEGUN.search(text) if self.awaited else None)
        rest = "" if begun is None else begun[0]
        text = text[: len(text) - len(rest)]
        found = [answer[0] for answer in _ANSWER.finditer(text)]
        self.awaited = max(0, self.awaited - sum(_ATTRIBUTES.fullmatch(answer) is not None for answer in found))
        return _ANSWER.sub("", text) if found else text, found, rest[:LONGEST] + rest[LONGEST:][-1:]

    def begins(self, text: str) -> bool:
        """Whether an answer begins here, whole or not, while one is awaited."""
        return bool(self.awaited and (_ANSWER.match(text) or _SURELY_BEGUN.match(text)))

    def typed(self, rest: str) -> str:
        """What of such an end is taken for typed, since nothing followed it for long."""
        return "" if _SURELY_BEGUN.fullmatch(rest) else rest
