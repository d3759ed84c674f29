"""Text to which somebody agrees, so that every character of it is seen; knows no layout.

`sanitise` makes text harmless and drops what is invisible anyway. Here that would hide something: blanks push a
command out of sight, and an invisible character makes another word of a word. So what is not seen as itself is
written as a number or a count between ⟨ and ⟩, and these two, where they stand in the text, as numbers as well.
"""

from collections.abc import Iterator
from itertools import groupby

from acp_tui.ui.render.text import NEWLINE_MARK, sanitise

Piece = tuple[str, bool]
"""Text, and whether it stands for something else."""

BLANKS = 4
"""Blanks that are counted instead of shown; fewer are plain to see."""
REPEATED = 40
"""Equal characters that are counted instead of shown."""
_SHOWN = 3  # of them
# Printable for Unicode, but empty on the screen or part of another character.
_UNSEEN = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400), *range(0xE0100, 0xE01F0))))


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
        elif _is_unseen(character):
            stand_in(_number(character, count))
        elif count >= REPEATED:
            seen.append(character * _SHOWN)
            stand_in(f"⟨{count:,} times⟩")
        else:
            seen.append(character * count)
    if seen:
        pieces.append((sanitise("".join(seen)), False))
    yield pieces


def _is_unseen(character: str) -> bool:
    if character.isascii():
        return not character.isprintable()
    return not character.isprintable() or character in _UNSEEN or character in "⟨⟩⏎" or not sanitise(character)


def _number(character: str, count: int) -> str:
    name = "tab" if character == "\t" else f"U+{ord(character):04X}"
    return f"⟨{name} {count:,} times⟩" if count > 1 else f"⟨{name}⟩"
