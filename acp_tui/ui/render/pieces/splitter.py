"""Markdown that comes at once is cut block by block; what that leaves, and what comes in bits, line by line.

A paragraph, a list of single lines or the inside of a fence is one step then and not one for each of its lines.
That must be no other cut: a block is taken whole only where each of its lines would have been added to one piece.
"""

import re

from acp_tui.ui.render.pieces import by_line
from acp_tui.ui.render.pieces.by_line import LineSplitter, dedented
from acp_tui.ui.render.pieces.piece import Lines, Piece, stretch

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
        if block is None or block.end() - at > by_line.LIST_LIMIT:
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
    """All pieces of a text that is complete."""
    splitter = Splitter()
    splitter.feed(text)
    splitter.finish()
    return splitter.pieces
