"""A piece of a text, and the text of a user in pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

from acp_tui.ui.render.text import sanitise

NESTING = 40  # levels; deeper is shown as it was written
BRACKETS = 16  # that may be open at once; the parser reads to the end for each of them


def too_deep(lines: Sequence[str]) -> bool:
    """Whether a line opens more containers than the parser may nest."""
    return any(
        len(line) > NESTING
        and sum(sign in ">-*+" for sign in line[: len(line) - len(line.lstrip(" >-*+\t"))]) > NESTING
        for line in lines
    )


def too_open(source: str) -> bool:
    """Whether more brackets are opened than closed, by so many that the parser would take seconds."""
    if source.count("[") <= BRACKETS:
        return False
    depth = 0
    for sign in source:
        depth = depth + 1 if sign == "[" else max(0, depth - 1) if sign == "]" else depth
        if depth > BRACKETS:
            return True
    return False


PLAIN_LINES = 50  # of a piece of plain text


@dataclass(slots=True)
class Piece:
    """A piece of Markdown, or the inside of a fence (`code`), without its outer indentation of `indent` cells.

    `joined`: it goes on right where the previous piece was cut, so nothing stands between them; `inline`: it is
    the rest of a line, and begins no block. `ordinal` is the number of its first ordered item, where an earlier
    piece began the list. `lead` are lines repeated from an earlier piece, needed to understand this one.
    """

    code: bool = False
    indent: int = 0
    info: str = ""
    joined: bool = False
    inline: bool = False
    ordinal: int | None = None
    lead: Sequence[str] = ()
    lines: Sequence[str] = field(default_factory=list)
    size: int = 0
    is_list: bool = False
    blank: bool = False
    closed: bool = False

    def append(self, line: str) -> None:
        self.extend((line,), len(line) + 1)

    def extend(self, lines: Sequence[str], size: int) -> None:
        """Add lines, which have `size` characters with their newlines."""
        held = self.lines
        if not isinstance(held, list):
            held = self.lines = list(held)
        held.extend(lines)
        self.size += size


class PlainSplitter:
    """Text in, pieces out; all but the last are final, and `provisional` has the unfinished line as well.

    This one cuts plain text into pieces of a few lines, as the user's words are.
    """

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._reader = LineReader()

    def feed(self, text: str) -> None:
        for line, continues in self._reader.feed(text):
            self._take(line, continues)

    def finish(self) -> None:
        for line, continues in self._reader.finish():
            self._take(line, continues)

    def provisional(self) -> tuple[int, Piece] | None:
        """The piece that has the unfinished line, and its index; None where there is none to show yet."""
        rest = self._reader.rest
        return (len(self.pieces), Piece(lines=rest.split("\n"))) if rest else None

    def _take(self, line: str, _continues: bool) -> None:
        if not self.pieces or len(self.pieces[-1].lines) >= PLAIN_LINES:
            self.pieces.append(Piece())
        self.pieces[-1].append(line)


LINE_LIMIT = 3_000  # characters

Taken = tuple[str, bool]  # a line, and whether it goes on where the one before was cut


class LineReader:
    """Chunks in, complete and sanitised lines out, without newlines; the unfinished line is kept in parts.

    A giant line is not waited for: it is cut near `LINE_LIMIT`. Where it is cut depends on the text alone, never on
    how the text arrived.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self.continues = False

    @property
    def begun(self) -> bool:
        return bool(self._parts)

    def feed(self, text: str) -> list[Taken]:
        taken: list[Taken] = []
        whole, newline, rest = text.rpartition("\n")
        if newline:
            self._take("".join((*self._parts, whole)), taken)
            self._parts, self._size = [], 0
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
            if self._size > 2 * LINE_LIMIT:
                rest = self._halve("".join(self._parts), taken)
                self._parts, self._size = [rest], len(rest)
        return taken

    def finish(self) -> list[Taken]:
        return self.feed("\n") if self._parts else []

    @property
    def rest(self) -> str:
        return sanitise("".join(self._parts))

    def _take(self, whole: str, taken: list[Taken]) -> None:
        lines = whole.split("\n") if len(whole) > 2 * LINE_LIMIT else [whole]
        for line in lines:
            self._add(self._halve(line.removesuffix("\r"), taken), taken)
            self.continues = False

    def _halve(self, line: str, taken: list[Taken]) -> str:
        start = 0
        while len(line) - start > 2 * LINE_LIMIT:
            low, high = start + LINE_LIMIT, start + 2 * LINE_LIMIT
            place = line.rfind(" ", low, high) + 1 or high
            self._add(line[start:place], taken)
            self.continues = True
            start = place
        return line[start:] if start else line

    def _add(self, text: str, taken: list[Taken]) -> None:
        """Sanitise one or several lines, of which the first may go on where the last was cut."""
        first, *others = sanitise(text).split("\n")
        taken.append((first, self.continues))
        taken.extend((line, False) for line in others)


class TextStretch(NamedTuple):
    """Complete lines that may be shown, of at most `2 * LINE_LIMIT` characters: `text` from `start` to `end`."""

    text: str
    start: int
    end: int


def stretch(text: str, start: int, end: int) -> TextStretch | None:
    """Lines of a text, each with its newline, as `LineReader` would give them; None where it has to look at each.

    They stay where they are if nothing in them had to change.
    """
    part = text[start:end]
    lines = part.replace("\r\n", "\n")
    if "\r" in lines or "\x1b" in lines or _has_giant(lines):
        return None  # where a line ends depends on the one before it: `\r\r\n` is two lines, an escape may hide `\r`
    shown = sanitise(lines)
    return TextStretch(text, start, end) if shown == part else TextStretch(shown, 0, len(shown))


def _has_giant(lines: str) -> bool:
    start = 0
    while len(lines) - start > 2 * LINE_LIMIT:
        end = lines.rfind("\n", start, start + 2 * LINE_LIMIT + 1)
        if end < 0:
            return True
        start = end + 1
    return False


class Lines(Sequence[str]):
    """Lines that stand one after the other in a text, of which nothing is copied until somebody looks at them."""

    __slots__ = ("_end", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end

    @property
    def characters(self) -> int:
        """How many, without newlines."""
        return self._end - self._start - len(self) + 1

    def __len__(self) -> int:
        return self._text.count("\n", self._start, self._end) + 1

    def __iter__(self) -> Iterator[str]:
        return iter(self._text[self._start : self._end].split("\n"))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Cut all of them apart, each time: who wants more than one makes a list first."""
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))
