"""What vim's keys act on, and what they do to it: a text, a cursor, a register."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from acp_tui.ui.prompt.vim.places import first_word, line_end, line_start, on_character

Mode = Literal["insert", "normal", "visual", "visual line"]
Wish = Literal["", "undo", "redo", "up", "down", "repeat"]


MOST = 1_000_000  # characters that a count makes of a text; 20 million hold up everything for two minutes


class Register(NamedTuple):
    """What was deleted or yanked last; whole `lines` have no newline at their end."""

    text: str = ""
    lines: bool = False


EMPTY = Register()


class Span(NamedTuple):
    """A part of the text, without its `end`; of whole `lines` it ends before the newline."""

    start: int
    end: int
    lines: bool = False


@dataclass(slots=True, eq=False)
class Desk:
    """A text and the cursor in it, an offset. A selection reaches from the `anchor` to the cursor, both included.

    `wish` is what only the owner of the text can do, as often as `wished` says.
    """

    text: str = ""
    at: int = 0
    anchor: int = 0
    mode: Mode = "insert"
    register: Register = EMPTY
    wish: Wish = ""
    wished: int = 1

    @property
    def selected(self) -> Span:
        first, last = sorted((self.anchor, self.at))
        if self.mode == "visual line":
            return whole_lines(self.text, first, last)
        return Span(first, min(len(self.text), last + 1))

    def put(self, span: Span, text: str, at: int) -> None:
        """Put a text in the place of another one; the cursor goes to `at`."""
        self.text = self.text[: span.start] + text + self.text[span.end :]
        self.at = at


Act = Callable[[Desk, Span], None]  # what an operator does with a part of the text
Do = Callable[[Desk, int, str], None]  # what any other key does: by its count (0: none), and the character after it


def whole_lines(text: str, first: int, last: int) -> Span:
    return Span(line_start(text, first), line_end(text, last), lines=True)


def lines_from(desk: Desk, count: int) -> Span:
    """So many lines from the cursor's on (0: one), as far as there are."""
    last = desk.at
    for _ in range(count - 1):
        last = min(len(desk.text), line_end(desk.text, last) + 1)
    return whole_lines(desk.text, desk.at, last)


def yank(desk: Desk, span: Span) -> None:
    desk.register = Register(desk.text[span.start : span.end], span.lines)
    if desk.mode != "normal" or not span.lines:
        desk.at = span.start


def delete(desk: Desk, span: Span) -> None:
    keep(desk, span)
    if not span.lines:
        desk.put(span, "", span.start)
        return
    start, end = span.start, span.end + 1
    if span.end == len(desk.text):  # the last lines go with the newline before them
        start, end = max(0, span.start - 1), span.end
    desk.put(Span(start, end), "", 0)
    desk.at = first_word(desk.text, min(span.start, len(desk.text)))


def change(desk: Desk, span: Span) -> None:
    keep(desk, span)
    desk.put(span, "", span.start)
    desk.mode = "insert"


def keep(desk: Desk, span: Span) -> None:
    desk.register = Register(desk.text[span.start : span.end], span.lines)


def swap_case(desk: Desk, span: Span) -> None:
    desk.put(span, desk.text[span.start : span.end].swapcase(), span.start)


def replace(desk: Desk, span: Span, character: str) -> None:
    written = "".join("\n" if each == "\n" else character for each in desk.text[span.start : span.end])
    desk.put(span, written, span.start)


def join(desk: Desk, span: Span) -> None:
    """Make one line of these, and of the next if there is but one, with a blank where they met."""
    start, end = span.start, span.end
    if "\n" not in desk.text[start:end] and end < len(desk.text):
        end = line_end(desk.text, end + 1)
    joined, at = "", 0
    for number, line in enumerate(desk.text[start:end].split("\n")):
        rest = line.lstrip(" \t") if number else line
        at = len(joined)
        joined += (" " if number and rest and joined[-1:] not in ("", " ", "\t") and rest[0] != ")" else "") + rest
    desk.put(Span(start, end), joined, start + at)


def copies(text: str, count: int) -> int:
    """How often a text is put for a count (0: none): as often as there is room, and once at least."""
    return max(1, min(count, MOST // max(1, len(text))))


def put_after(desk: Desk, count: int, _character: str) -> None:
    end = line_end(desk.text, desk.at)
    _put(desk, end if desk.register.lines else min(end, desk.at + 1), count, "\n{}")


def put_before(desk: Desk, count: int, _character: str) -> None:
    _put(desk, line_start(desk.text, desk.at) if desk.register.lines else desk.at, count, "{}\n")


def _put(desk: Desk, place: int, count: int, line: str) -> None:
    text, lines = desk.register
    if lines:
        written = line.format("\n".join([text] * copies(text, count)))
        desk.put(Span(place, place), written, 0)
        desk.at = first_word(desk.text, place + (line[0] == "\n"))
    elif text:
        written = text * copies(text, count)
        desk.put(Span(place, place), written, place if "\n" in written else place + len(written) - 1)


def put_over(desk: Desk, span: Span) -> None:
    """The register in the place of what is selected, which is in the register then."""
    put, cut = desk.register, Register(desk.text[span.start : span.end], span.lines)
    written = put.text if span.lines or not put.lines else f"\n{put.text}\n"
    desk.put(span, written, span.start + (0 if put.lines else max(0, len(written) - 1)))
    desk.register = cut


def open_below(desk: Desk, _count: int, _character: str) -> None:
    end = line_end(desk.text, desk.at)
    desk.put(Span(end, end), "\n", end + 1)
    desk.mode = "insert"


def open_above(desk: Desk, _count: int, _character: str) -> None:
    start = line_start(desk.text, desk.at)
    desk.put(Span(start, start), "\n", start)
    desk.mode = "insert"


def insert(place: Callable[[str, int], int]) -> Do:
    """To insert mode, with the cursor at this place of its line."""

    def do(desk: Desk, _count: int, _character: str) -> None:
        desk.at = place(desk.text, desk.at)
        desk.mode = "insert"

    return do


def select(mode: Mode) -> Do:
    """To a visual mode; out of it, if it is that already."""

    def do(desk: Desk, _count: int, _character: str) -> None:
        if desk.mode == "normal":
            desk.anchor = desk.at
        desk.mode = "normal" if desk.mode == mode else mode

    return do


def other_end(desk: Desk, _count: int, _character: str) -> None:
    desk.anchor, desk.at = desk.at, desk.anchor


def wish(what: Wish) -> Do:
    def do(desk: Desk, count: int, _character: str) -> None:
        desk.wish, desk.wished = what, max(1, count)

    return do


def on_line(act: Act, *, before: bool = False) -> Do:
    """An operator on so many characters of the line, from the cursor on or `before` it."""

    def do(desk: Desk, count: int, _character: str) -> None:
        start = max(line_start(desk.text, desk.at), desk.at - max(1, count)) if before else desk.at
        end = desk.at if before else min(line_end(desk.text, desk.at), desk.at + max(1, count))
        if start < end or act is change:
            act(desk, Span(start, end))

    return do


def to_line_end(act: Act) -> Do:
    """An operator from the cursor to the end of the line; with a count, of a line further down."""

    def do(desk: Desk, count: int, _character: str) -> None:
        act(desk, Span(desk.at, lines_from(desk, count).end))

    return do


def lines(act: Act) -> Do:
    """An operator on so many lines."""

    def do(desk: Desk, count: int, _character: str) -> None:
        act(desk, lines_from(desk, count))

    return do


def toggle_case(desk: Desk, count: int, _character: str) -> None:
    span = Span(desk.at, min(line_end(desk.text, desk.at), desk.at + max(1, count)))
    swap_case(desk, span)
    desk.at = span.end


def replace_here(desk: Desk, count: int, character: str) -> None:
    span = Span(desk.at, desk.at + max(1, count))
    if span.end <= line_end(desk.text, desk.at):
        replace(desk, span, character)
        desk.at = span.end - 1


def settle(desk: Desk) -> None:
    """Where the cursor may be: in normal mode on a character."""
    desk.at = max(0, min(desk.at, len(desk.text)))
    if desk.mode != "insert":
        desk.at = on_character(desk.text, desk.at)
