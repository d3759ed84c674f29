"""What is selected, named so that it survives resizing, scrolling and growth; and the text of it.

Textual's selections are offsets (x, y). Here y is a *key*: place, unit and logical line packed into one
ordered integer; x is the character within that line.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.session.entries import Entry
from acp_tui.ui.render.unit import Row, StandIn, copied, text_of
from acp_tui.ui.transcript.layout import Layout

BITS = 24  # of the unit's index, and of the line's number
Written = Callable[[Entry], str | None]
_WORD = re.compile(r"""[^\s"'`()\[\]{}<>|,;]+""")  # paths and addresses are one word


def key_of(place: int, unit: int, line: int) -> int:
    """Place, unit and line as one number in the order of the transcript."""
    return (place << BITS | unit) << BITS | line


def place_and_unit(key: int) -> tuple[int, int]:
    return key >> 2 * BITS, key >> BITS & (1 << BITS) - 1


def lines_of(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """The logical lines of a unit with their numbers: wrapped rows joined again, decoration left out."""
    pieces: list[str] = []
    for index, row in enumerate(rows):
        text = text_of(row)
        text = text[row.gutter : len(text) - row.tail]
        if row.wrapped and index + 1 < len(rows):
            length = max(0, rows[index + 1].offset - row.offset)
            pieces.append(text[:length].ljust(length))  # blanks were dropped at the break
        else:
            yield row.line, "".join(pieces) + text
            pieces.clear()


def copied_lines(rows: Sequence[Row]) -> Iterator[tuple[int, str, Sequence[StandIn]]]:
    """As `lines_of`, with the stand-ins of each line."""
    stand_ins = {row.line: row.stand_ins for row in rows if row.stand_ins}
    return ((line, text, stand_ins.get(line, ())) for line, text in lines_of(rows))


def selected_text(layout: Layout, selection: Selection, written: Written = lambda _entry: None) -> str:
    """The selected text; a selection without a start or end reaches to the transcript's.

    An entry that is selected as a whole is what `written` says, where it says something, and is not drawn then.
    """
    start, end = selection
    first = 0 if start is None else start.y >> 2 * BITS
    last = len(layout.entries) - 1 if end is None else end.y >> 2 * BITS
    found: list[str] = []
    for place in range(first, min(last + 1, len(layout.entries))):
        entry = layout.entries[place]
        whole = (place > first or start is None) and (place < last or end is None)
        text = written(entry) if whole and entry is not None else None
        if text is None:
            found += _selected_lines(layout, place, selection)
        elif text:
            found += (text, "")
    return "\n".join(found)


def _selected_lines(layout: Layout, place: int, selection: Selection) -> Iterator[str]:
    for unit, rows in layout.read(place):
        for line, text, stand_ins in copied_lines(rows):
            span = selection.get_span(key_of(place, unit, line))
            if span is not None:
                yield copied(text, stand_ins, *span)


def around(layout: Layout, key: int, character: int, *, word: bool) -> Selection:
    """The word or the whole logical line at a character."""
    place, unit = place_and_unit(key)
    line = key & (1 << BITS) - 1
    text = next((text for number, text in lines_of(layout.measure(place, unit)) if number == line), "")
    start, end = 0, len(text)
    if word:
        found = (match.span() for match in _WORD.finditer(text))
        start, end = next((span for span in found if span[0] <= character < span[1]), (character, character + 1))
    return Selection(Offset(start, key), Offset(end, key))


def entry_text(layout: Layout, place: int) -> str:
    """The text of one entry as it is drawn, without decoration and surrounding blank lines."""
    return "\n".join(
        copied(text, stand_ins) for _unit, rows in layout.read(place) for _line, text, stand_ins in copied_lines(rows)
    ).strip("\n")
