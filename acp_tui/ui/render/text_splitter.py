"""Splitters of Markdown into pieces that can be laid out by themselves: whole blocks of a text that comes at once, or
lines of one that grows.

Line by line: new complete lines only are looked at, and the text is cut where CommonMark cannot look back: at a blank
line before a line at the margin that continues no list, and around every fence. Fences inside lists are cut out, too;
what follows them keeps its indentation as the piece's. A piece that outgrows its limit is cut at the next line that can
begin one: a list item, a quoted line, a table row under its repeated header, any line of a paragraph.

Block by block: a paragraph, a list of single lines or the inside of a fence is one step and not one for each of its
lines. That must be no other cut: a block is taken whole only where each of its lines would be added to one piece.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from acp_tui.ui.render.text import Lines, Piece, PlainSplitter, stretch

PIECE_LIMIT = 4_000  # characters; parsing one piece again costs about half a microsecond for each
TABLE_LIMIT = 6_000
LIST_LIMIT = 1_000  # where one plain bullet follows another: nothing stands between them, and neither looks back
NESTED_LIMIT = 16_000  # of a list that has no further item at its margin

_MARKER = re.compile(r"(?:[-*+]|(?P<number>\d{1,9})[.)])(?:\s|$)")
_BULLET = re.compile(
    r"([-*+]) (?:\*\*)?(?:[^\W\d_]|[`(\"'])"
)  # a bullet before words: no rule, table, code or list inside it
_MARKERS = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?=[`~])")
_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*)$")
_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_UNDECIDED = re.compile(r"\s*(?:[-=*_`~]+\s*|(?:```|~~~)[^`]*)$")  # may become a fence, an underline, an item


class LineSplitter(PlainSplitter):
    """Cuts Markdown, one line after the other; what `Splitter` does in fewer steps must come out as it does here."""

    def __init__(self) -> None:
        super().__init__()
        self._fence = ""  # of the fence that is open, if one is
        self._base = 0  # the margin: cells that every line of the piece is indented by
        self._ordinals: dict[int, int] = {}  # cells before a list's numbers: the last number
        self._table: list[str] = []  # header and delimiter row of the table that is open
        self._quote_fence = ""  # the line that opened a fence inside the quote that is open
        self._before = ""

    def finish(self) -> None:
        super().finish()
        self._last.closed = True

    def provisional(self) -> tuple[int, Piece] | None:
        line, last = self._reader.rest, self._last
        if not line or (not self._reader.continues and len(line) < 80 and _UNDECIDED.match(line)):
            return None
        lines = dedented(line, last.indent if self._fence else self._base).split("\n")
        if self._reader.continues:
            rest = Piece(code=last.code, indent=last.indent, info=last.info, joined=True, inline=True, lines=lines)
            return len(self.pieces), rest
        if last.closed or (not self._fence and self._parts_from(last, lines[0])):
            return len(self.pieces), Piece(indent=self._base, lines=lines)
        return len(self.pieces) - 1, replace(last, lines=[*last.lines, *lines])

    def _take(self, line: str, continues: bool) -> None:
        if continues:
            self._take_rest(line)
        elif self._fence:
            self._take_code(line)
        elif not line or line.isspace():
            self._take_blank()
        else:
            self._take_prose(line)

    def _take_rest(self, line: str) -> None:
        last = self._last
        self._open(Piece(code=last.code, indent=last.indent, info=last.info, joined=True, inline=True))
        self._last.append(line)
        self._last.closed = not last.code

    def _take_code(self, line: str) -> None:
        if self._closes(line):
            self._close()
        else:
            self._last.append(dedented(line, self._last.indent))

    def _closes(self, line: str) -> bool:
        stripped = line.strip()
        if not stripped.startswith(self._fence) or stripped.strip(self._fence[0]):
            return False
        return _indent(line) < self._last.indent + 4

    def _close(self) -> None:
        self._fence = ""
        self._last.closed = True

    def _take_blank(self) -> None:
        self._table, self._quote_fence, self._before = [], "", ""
        if not self._last.closed:
            self._last.append("")
            self._last.blank = True

    def _take_prose(self, line: str) -> None:
        indent = _indent(line)
        if indent < self._base:
            self._base = indent if indent > 1 else 0
            self._last.closed = True
        line, indent = dedented(line, self._base), indent - self._base
        markers = _MARKERS.match(line)
        items, stripped = (markers[0].strip(), line[markers.end() :]) if markers else ("", line.lstrip())
        if stripped and stripped[0] in "`~" and self._opens_fence(stripped, indent, items):
            return
        if self._parts_from(self._last, line) or self._outgrown(line, indent):
            self._last.closed = True
        elif self._last.size > LIST_LIMIT and not self._last.closed:
            self._part_bullets(line)
        if self._last.closed:
            if indent and (self._base or self._ordinals):  # inside a list, where four blanks are no code
                line, self._base = line.lstrip(), self._base + indent
            self._begin(line)
        self._add(line)

    def _opens_fence(self, stripped: str, indent: int, items: str) -> bool:
        match = _FENCE.match(stripped)
        if not match or (match["fence"][0] == "`" and "`" in match["info"]):
            return False
        if items and indent > 3 and not self._ordinals:
            return False
        if items:
            self._last.closed |= not self._last.is_list
            self._take_prose(" " * (self._base + indent) + items)
            indent += len(items) + 1
        nested = indent + self._base > 0 and bool(self._ordinals)
        if indent > 3 and not nested:
            return False
        self._fence = match["fence"]
        self._open(Piece(code=True, indent=self._base + indent, info=match["info"].strip()))
        if nested:
            self._base += indent
        else:
            self._base, self._ordinals = 0, {}
        return True

    def _parts_from(self, piece: Piece, line: str) -> bool:
        """Whether a blank line and this one after it end the piece for good."""
        if not piece.blank:
            return False
        indent = _indent(line)
        return indent < 4 if not piece.is_list else indent == 0 and not _MARKER.match(line)

    def _outgrown(self, line: str, indent: int) -> bool:
        piece = self._last
        if piece.size <= (TABLE_LIMIT if self._table else PIECE_LIMIT):
            return False
        if not piece.is_list or (indent == 0 and _MARKER.match(line)):
            return True
        return piece.size > NESTED_LIMIT

    def _part_bullets(self, line: str) -> None:
        """End the piece between the two lines before this one, if all three are bullets of one list.

        Of the second it is known by now that it is one line: no underline makes a heading of it, or a table.
        """
        last = self._last
        found = [_BULLET.match(each) for each in (*last.lines[-2:], line)]
        if len({each and each[1] for each in found}) == 1 and all(found) and len(found) == 3:
            *kept, moved = last.lines
            last.lines, last.size = kept, last.size - len(moved) - 1
            self._open(Piece(indent=self._base, joined=True, is_list=True))
            self._last.append(moved)

    def _begin(self, line: str) -> None:
        last = self._last
        cut = not last.code and not last.inline and last.size > PIECE_LIMIT and not last.blank
        lead: Sequence[str] = ()
        if cut and self._table and "|" in line:
            lead = list(self._table)
        elif cut and self._quote_fence and line.startswith(">"):
            lead = [self._quote_fence]
        self._open(Piece(indent=self._base, joined=cut, lead=lead))

    def _add(self, line: str) -> None:
        piece = self._last
        marker = _MARKER.match(line.lstrip())
        if marker:
            self._table = []  # an item ends it
            self._note_marker(piece, self._base + _indent(line), marker["number"])
        elif (not piece.lines and not self._base) or line.startswith("#"):
            self._ordinals = {}
        if (
            not marker
            and "-" in line
            and not self._table
            and "|" in self._before
            and _DELIMITER_ROW.match(line.strip())
        ):
            self._table = [self._before, line]
        if line.startswith(">") and (fence := _FENCE.match(line.lstrip("> "))):
            self._quote_fence = "" if self._quote_fence else f"> {fence[0]}"
        self._before = line
        piece.append(line)
        piece.blank = False

    def _note_marker(self, piece: Piece, column: int, number: str | None) -> None:
        """Remember that a list is under way, and how far its numbers have come; 0 stands for bullets."""
        self._ordinals = {place: last for place, last in self._ordinals.items() if place <= column}
        last = self._ordinals.get(column, 0)
        if number is None:
            self._ordinals[column] = 0
        else:
            self._ordinals[column] = last + 1 if last else int(number)
            if last and not piece.lines:
                piece.ordinal = last + 1
        piece.is_list = True

    def _open(self, piece: Piece) -> None:
        self._last.closed = True
        self.pieces.append(piece)

    @property
    def _last(self) -> Piece:
        return self.pieces[-1] if self.pieces else Piece(closed=True)


def _indent(line: str) -> int:
    """Cells of leading white space, with tab stops of four."""
    lead = line[: len(line) - len(line.lstrip())]
    return len(lead.expandtabs(4)) if lead else 0


def dedented(line: str, cells: int) -> str:
    """The line without up to `cells` of leading white space."""
    if not cells or not line:
        return line
    lead = len(line) - len(line.lstrip(" \t"))
    if not lead:
        return line
    white = line[:lead].expandtabs(4)
    return white[min(cells, len(white)) :] + line[lead:]


STRETCH = 32 * 1024  # characters that are looked at together; if one of them is odd, all are looked at more closely

# A line that is not indented and begins no item and no fence. What else it may begin ends with the blank line after it.
_WORDS = r"(?:[^\s\d~`*+-]|[-*+][^\s]|`[^\s`]|[0-9]{1,9}[^\d.)\n])[^\n]*+\n"
_BLOCK = re.compile(
    rf"(?:(?P<words>(?:{_WORDS})++)"
    rf"|(?P<bullets>(?:[-*+] {_WORDS})++)"
    rf"|(?P<numbers>(?:[1-9][0-9]{{0,8}}[.)] {_WORDS})++))\n++"
)
_OPENS = re.compile(r"(`{3,}+)([^`\n]*+)\n")
_MAY_CLOSE = re.compile(r"\n([^\S\n]*(?:`{3,}|~{3,})[^\S\n]*)(?=\n)")
_NEWLINES = re.compile(r"\n+")


class Splitter(LineSplitter):
    """Cuts Markdown into the same pieces as `LineSplitter`; whole blocks in one step where many lines come at once."""

    def feed(self, text: str) -> None:
        at, size = 0, len(text)
        while at < size:
            ahead = min(at + STRETCH, size)
            begun = self._reader.begun
            end = (text.find("\n", at, ahead) if begun else text.rfind("\n", at, ahead)) + 1 or ahead
            lines = None if begun or text[end - 1] != "\n" else stretch(text, at, end)
            if lines is None:
                super().feed(text[at:end])
            else:
                self._take_lines(*lines)
            at = end

    def _take_lines(self, text: str, at: int, end: int) -> None:
        while at < end:
            if self._fence and at:
                at = self._take_inside(text, at, end)
            elif not self._fence and not self._base and text[at] == "`" and (opens := _OPENS.match(text, at, end)):
                self._open(Piece(code=True, info=opens[2].strip()))
                self._fence, self._ordinals = opens[1], {}
                at = opens.end()
            elif not self._fence and not self._base and (block := self._block(text, at, end)):
                self._take_block(text, block)
                at = block.end()
            else:
                newline = text.index("\n", at)
                self._take(text[at:newline], False)
                at = newline + 1

    def _block(self, text: str, at: int, end: int) -> re.Match[str] | None:
        """A block with the blank line after it that is a piece by itself, whatever stands before and after it."""
        last = self.pieces[-1] if self.pieces else None
        if last and not last.code and not last.blank:
            return None
        block = _BLOCK.match(text, at, end)
        if block is None or block.end() - at > LIST_LIMIT:
            return None
        if block.lastgroup != "words" and (self._ordinals or (last and last.is_list)):  # that list may go on
            return None
        return block

    def _take_block(self, text: str, block: re.Match[str]) -> None:
        start, end = block.span()
        kind = block.lastgroup
        lines = Lines(text, start, end - 1)
        self._open(Piece(lines=lines, size=end - start, is_list=kind != "words", blank=True))
        self._ordinals = {}
        if kind == "bullets":
            self._ordinals[0] = 0
        elif kind == "numbers":
            first = int(re.split("[.)]", block["numbers"], maxsplit=1)[0])
            self._ordinals[0] = first - 1 + block["numbers"].count("\n")
        self._table, self._quote_fence, self._before = [], "", ""

    def _take_inside(self, text: str, at: int, end: int) -> int:
        """Take lines of the fence that is open, and if its end is there, blank lines after it; where they end."""
        for found in _MAY_CLOSE.finditer(text, at - 1, end):
            if self._closes(found[1]):
                self._add_code(text, at, found.start())
                self._close()
                after = found.end() + 1
                if blank := _NEWLINES.match(text, after, end):
                    self._take_blank()
                return blank.end() if blank else after
        self._add_code(text, at, end - 1)
        return end

    def _add_code(self, text: str, at: int, end: int) -> None:
        """Add lines, of which the last one's newline is at `end`."""
        piece = self._last
        if end < at:
            return
        if piece.lines or piece.indent:
            lines = [dedented(line, piece.indent) for line in text[at:end].split("\n")]
            piece.extend(lines, sum(map(len, lines)) + len(lines))
        else:
            piece.lines, piece.size = Lines(text, at, end), end - at + 1


def pieces_of(text: str) -> list[Piece]:
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    return splitter.pieces
