"""Agent text made safe for a terminal: the one gate that every foreign string passes.

What passes is printable, as `acp_tui.safe_text` says; here it is also cut to cells, which can be counted one by one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import NamedTuple, overload

from rich.cells import cell_len, get_character_cell_size
from textual.content import Content
from textual.style import Style

from acp_tui.safe_text import NEWLINE_MARK, in_place, is_plain, one_line, sanitise
from acp_tui.session.text.phrases import counted
from acp_tui.views.formatting import Span, Tone

__all__ = [
    "clipped",
    "cut",
    "cut_left",
    "cut_path",
    "exact_lines",
    "in_place",
    "opens",
    "painted",
    "safe",
    "sanitise",
    "sanitise_line",
]

ELLIPSIS = "…"


def sanitise_line(text: str, limit: int = 200) -> str:
    """The text as one line of at most `limit` cells: newlines become `⏎`, tabs blanks, a cut shows as `…`."""
    if len(text) <= limit and text.isascii() and text.isprintable():  # most names are, and lists have hundreds
        return text.strip()
    if len(text) > 8 * limit + 80:
        text = text[: 8 * limit + 80] + ELLIPSIS  # shown even if what is left needs no further cut
    return cut(one_line(text), limit)


def cut(text: str, width: int) -> str:
    """The sanitised one-line `text` in at most `width` cells, ending in `…` where something was cut."""
    if (len(text) <= width and text.isascii()) or cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return text[: fitting(text, width - 1)].rstrip() + ELLIPSIS


def cut_left(path: str, width: int) -> str:
    """A path in at most `width` cells: its end says more than its beginning."""
    if cell_len(path) <= width:
        return path
    return ELLIPSIS + path[len(path) - fitting(reversed(path), max(1, width - 1)) :]


def cut_path(path: str, width: int) -> str:
    """A path in at most `width` cells that is cut in the middle: how it begins, and the file's name."""
    folder, _, name = path.rpartition("/")
    room = width - cell_len(name) - len("…/")
    if cell_len(path) <= width or room < 1:
        return cut_left(path, width)
    return f"{folder[: fitting(folder, room)]}{ELLIPSIS}/{name}"


def opens(url: str) -> bool:
    """Whether a terminal may be given this address to open: http(s) and printable ASCII, nothing else."""
    return url.startswith(("http://", "https://")) and url.isascii() and url.isprintable()


def clipped(text: str, limit: int, gap: str = " ") -> str:
    """The first characters of a text up to a limit; behind a gap, how many more there are."""
    more = len(text) - limit
    return text if more <= 0 else f"{text[:limit]}{gap}… {counted(more, 'more character')}"


def fitting(text: Iterable[str], width: int) -> int:
    cells = count = 0
    for character in text:
        cells += get_character_cell_size(character)
        if cells > width:
            break
        count += 1
    return count


def common_start(one: Sequence[object], other: Sequence[object]) -> int:
    """With how many equal elements, of a text characters, both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))


def safe(text: str, style: str | Style = "") -> Content:
    """Sanitised text as `Content`, which no widget parses as markup."""
    return Content.styled(sanitise(text), style)


def painted(text: Iterable[Span], limit: int = 4096) -> Content:
    """The text of a view as `Content`: one line, made safe, each span in its tone and of at most `limit` cells."""
    return Content.assemble(*((_in_line(words, limit), _style_of(tone)) for words, tone in text))


def _in_line(words: str, limit: int) -> str:
    """The words made safe, with the blanks at their ends, which stand between two spans."""
    lead, trail = len(words) - len(words.lstrip(" ")), len(words) - len(words.rstrip(" "))
    return words if words.isspace() else f"{words[:lead]}{sanitise_line(words, limit)}{' ' * trail}"


@cache
def _style_of(tone: Tone) -> str:
    """What Textual calls a tone; each theme has them as variables (`acp_tui.ui.kit.theme`)."""
    return " ".join(word if word in ("bold", "italic", "strike") else f"${word}" for word in tone.split())


ExactPiece = tuple[str, bool]  # text, and whether it stands for something else
BLANKS = 4  # that are counted instead of shown; fewer are plain to see
REPEATED = 40  # equal characters that are counted instead of shown
_SHOWN = 3  # of them
_OURS = "⟨⟩⏎"  # what stand-ins are made of


def exact_lines(text: str) -> Iterator[list[ExactPiece]]:
    """The lines of a text to which a user agrees, every character to be seen; all but the last end in a mark.

    `sanitise` makes text harmless and drops what is invisible anyway. Here that would hide something: blanks push a
    command out of sight, and an invisible character makes another word of a word. So what is not seen as itself is
    written as a number or a count between ⟨ and ⟩, and these two, where they stand in the text, as numbers as well.
    """
    pieces: list[ExactPiece] = []
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
            stand_in(f"⟨{count:,} spaces⟩")
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
