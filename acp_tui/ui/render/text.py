"""Agent text made safe for a terminal: the one gate that every foreign string passes.

What passes is printable, as `acp_tui.safe_text` says; here it is also cut to cells, which can be counted one by one.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

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
