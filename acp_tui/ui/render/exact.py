"""Text to which somebody agrees, so that every character of it is seen; knows no layout.

`sanitise` makes text harmless and drops what is invisible anyway. Here that would hide something: blanks push a
command out of sight, and an invisible character makes another word of a word. So what is not seen as itself is
written as a number or a count between ⟨ and ⟩, and these two, where they stand in the text, as numbers as well.
"""

from collections.abc import Iterator
from itertools import groupby

from acp_tui.safe_text import NEWLINE_MARK, is_plain, sanitise

Piece = tuple[str, bool]
"""Text, and whether it stands for something else."""

BLANKS = 4
"""Blanks that are counted instead of shown; fewer are plain to see."""
REPEATED = 40
"""Equal characters that are counted instead of shown."""
_SHOWN = 3  # of them
_OURS = "⟨⟩⏎"  # what stand-ins are made of


def exact_lines(text: str) -> Iterator[list[Piece]]:
    """The lines of the text; a line that another one follows ends in a mark."""
    pieces: list[Piece] = []
    seen: list[str] = []

    def stand_in(words: str) -> None:
        if seen:
            pieces.append((sanitise("".join(seen)), False))
            seen.clear()
        pieces.append((words, True))

    for character, group in groupby(text):
        count = sum(1 for _ in group)
        if character == "\n":
            for _ in range(count):
                stand_in(NEWLINE_MARK)
                yield pieces
                pieces = []
        elif character == " " and count >= BLANKS:
            stand_in(f"⟨{count:,} blanks⟩")
        elif not is_plain(character) or character in _OURS:
            stand_in(_number(character, count))
        elif count >= REPEATED:
            seen.append(character * _SHOWN)
            stand_in(f"⟨{count:,} times⟩")
        else:
            seen.append(character * count)
    if seen:
        pieces.append((sanitise("".join(seen)), False))
    yield pieces


def _number(character: str, count: int) -> str:
    name = "tab" if character == "\t" else f"U+{ord(character):04X}"
    return f"⟨{name} {count:,} times⟩" if count > 1 else f"⟨{name}⟩"
