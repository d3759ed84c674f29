"""Markdown pieces to styled logical lines.

The parser is loaded with the first piece. Raw HTML stays text, and so do reference definitions: a piece knows
nothing of the others.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style

from acp_tui.startup import late
from acp_tui.ui.render import tables
from acp_tui.ui.render.code import highlight, lexer_for, styled
from acp_tui.ui.render.markdown_split import Piece
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import opens, sanitise, sanitise_line
from acp_tui.ui.render.unit import LINK
from acp_tui.ui.render.wrap import MEASURE, Line, Run, cells_of, expand_tabs

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NESTING = 40  # levels; deeper is shown as it was written
BRACKETS = 16  # that may be open at once; the parser reads to the end for each of them
BULLETS = ("•", "◦", "▪")
TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)
_EMPHASIS = {"strong_open": _BOLD, "em_open": _ITALIC, "s_open": _STRIKE}
_CLOSE = frozenset(("strong_close", "em_close", "s_close"))
_APART = frozenset(("heading_open", "table_open", "fence", "code_block", "hr"))
_BLOCKS = _APART | {"paragraph_open"}
_URL = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]")


class Inline:
    """Turns the children of one inline token into logical lines of runs."""

    def __init__(self, palette: Palette, base: Style) -> None:
        self._palette = palette
        self._style = base
        self._outer: list[Style] = []
        self._lines: list[list[Run]] = [[]]
        self._url: str | None = None  # of the link that is open
        self._said: list[str] = []  # its text

    def lines(self, tokens: "Sequence[Token]") -> list[list[Run]]:
        for token in tokens:
            self._take(token)
        return self._lines

    def _take(self, token: "Token") -> None:
        kind = token.type
        if kind == "text":
            self._text(token.content)
        elif kind in ("softbreak", "hardbreak"):
            self._lines.append([])
            self._said.append(" ")
        elif kind == "code_inline":
            mark = "" if self._palette.colour else "`"
            self._add(f"{mark}{token.content}{mark}", self._style + self._palette.code)
        elif kind in _EMPHASIS:
            self._push(_EMPHASIS[kind])
        elif kind in _CLOSE:
            self._style = self._outer.pop()
        elif kind == "link_open":
            self._url, self._said = str(token.attrGet("href") or ""), []
            self._push(link_style(self._url, self._palette))
        elif kind == "link_close":
            self._close_link()
        elif kind == "image":
            self._image(token)
        elif token.content:
            self._text(token.content)

    def _text(self, text: str) -> None:
        if "://" not in text or self._url is not None:
            self._add(text, self._style)
            return
        place = 0
        for match in _URL.finditer(text):
            self._add(text[place : match.start()], self._style)
            self._add(match[0], self._style + link_style(match[0], self._palette))
            place = match.end()
        self._add(text[place:], self._style)

    def _add(self, text: str, style: Style) -> None:
        """Entities and addresses can bring back what was kept out of the source: sanitise again."""
        text = expand_tabs(sanitise(text).replace("\n", " "))
        if text:
            self._lines[-1].append((text, style))
            self._said.append(text)

    def _push(self, style: Style) -> None:
        self._outer.append(self._style)
        self._style += style

    def _close_link(self) -> None:
        self._style = self._outer.pop()
        url, self._url = self._url, None
        if url and _differs("".join(self._said), url):
            self._add(f" ({url})", self._style + self._palette.muted)

    def _image(self, token: "Token") -> None:
        """Pictures are not fetched; the address is shown instead."""
        url = str(token.attrGet("src") or "")
        self._add(f"▣ {token.content or 'image'}", self._style + link_style(url, self._palette))
        if url:
            self._add(f" ({url if len(url) <= 200 else url[:199] + '…'})", self._style + self._palette.muted)


def link_style(url: str, palette: Palette) -> Style:
    """How a link looks; for http(s) also a hyperlink for the terminal (OSC 8) and for a click in the view."""
    return palette.link + Style(link=url) + Style.from_meta({LINK: url}) if opens(url) else palette.link


def _differs(said: str, url: str) -> bool:
    """Whether the address must be shown because a user could not tell it, or is told another one."""
    plain = url.removeprefix("mailto:")
    if said.strip() in (url, plain) or said.strip().rstrip("/") == url.rstrip("/"):
        return False
    return not opens(url) or "://" in said or said.lstrip().startswith("www.")


@cache
def parser() -> "MarkdownIt":
    """CommonMark with tables and strikethrough."""
    markdown: MarkdownIt = late("markdown_it").MarkdownIt("commonmark", {"html": False, "maxNesting": 3 * NESTING})
    return markdown.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])


def lines_of(piece: Piece, palette: Palette, base: Style, width: int) -> list[Line]:
    """The logical lines of a piece that is no fence, in at most `width` cells where a width matters."""
    source = "\n".join([*piece.lead, *piece.lines])
    if _too_deep(piece.lines) or _too_open(source):
        return [Line([(expand_tabs(line), base)]) for line in piece.lines]
    setter = _Typesetter(palette, base, width, piece.ordinal)
    markdown = parser()
    if piece.inline:
        setter.paragraph(markdown.parseInline(source)[0])
    else:
        setter.blocks(markdown.parse(source))
    return setter.lines


def _too_deep(lines: Sequence[str]) -> bool:
    """Whether a line opens more containers than the parser may nest."""
    return any(
        len(line) > NESTING
        and sum(sign in ">-*+" for sign in line[: len(line) - len(line.lstrip(" >-*+\t"))]) > NESTING
        for line in lines
    )


def _too_open(source: str) -> bool:
    """Whether more brackets are opened than closed, by so many that the parser would take seconds."""
    if source.count("[") <= BRACKETS:
        return False
    depth = 0
    for sign in source:
        depth = depth + 1 if sign == "[" else max(0, depth - 1) if sign == "]" else depth
        if depth > BRACKETS:
            return True
    return False


class _Frame(NamedTuple):
    """What stands before every line inside one container: what is never copied, and what is."""

    decor: Sequence[Run] = ()
    text: Sequence[Run] = ()

    @property
    def runs(self) -> list[Run]:
        return [*self.decor, *self.text]

    @property
    def cells(self) -> int:
        return cells_of(self.runs)


class _Typesetter:
    """Walks block tokens and keeps the frames of the containers that are open."""

    def __init__(self, palette: Palette, base: Style, width: int, ordinal: int | None) -> None:
        self.lines: list[Line] = []
        self._palette = palette
        self._base = base
        self._width = width
        self._ordinal = ordinal
        self._frames = [_Frame()]
        self._marker: Run | None = None  # of the item that has no line yet
        self._marker_place = 0  # which run of the frame it stands for
        self._common = 0  # the innermost frame that has stayed open since the last line
        self._counters: list[int | None] = []
        self._end = -1  # the source line after the last block
        self._apart = False

    def blocks(self, tokens: "Sequence[Token]") -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            if token.type in _BLOCKS:
                self._space(token)
            if token.type == "heading_open":
                self._heading(tokens[index], int(token.tag[1]))
            elif token.type == "paragraph_open":
                self.paragraph(tokens[index])
            elif token.type in ("fence", "code_block"):
                self._code(token)
            elif token.type == "hr":
                cells = max(3, min(MEASURE, self._width) - self._frames[-1].cells)
                self._emit([], gutter=[("─" * cells, self._palette.border)])
            elif token.type == "table_open":
                index = self._table(tokens, index)
            else:
                self._container(token)

    def paragraph(self, inline: "Token") -> None:
        """Set a paragraph; a task's box becomes its item's bullet."""
        children = inline.children or []
        if self._marker and self._counters and children and children[0].content[:4] in TASKS:
            self._marker = f"{TASKS[children[0].content[:4]]} ", self._marker[1]
            children[0].content = children[0].content[4:]
        for runs in Inline(self._palette, self._base).lines(children):
            self._emit(runs)

    def _heading(self, inline: "Token", level: int) -> None:
        style = self._base + (self._palette.heading if level <= 2 else _BOLD)
        for runs in Inline(self._palette, style).lines(inline.children or []):
            self._emit(runs)

    def _code(self, token: "Token") -> None:
        wash = self._palette.code_block
        if token.info.strip():
            self._emit([(f"{sanitise_line(token.info)} ", self._palette.faint + wash)], wash)
        code = highlight(token.content.removesuffix("\n"), lexer_for(token.info))
        for line in code:
            self._emit([(expand_tabs(text), style) for text, style in styled(line, self._palette, wash)], wash)

    def _table(self, tokens: "Sequence[Token]", index: int) -> int:
        table = tables.Table([], [])
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                table.rows.append([])
            elif token.type in ("th_open", "td_open"):
                style = self._base + _BOLD if token.type == "th_open" else self._base
                cell = Inline(self._palette, style).lines(tokens[index + 1].children or [])
                table.rows[-1].append([run for line in cell for run in line])
                if token.type == "th_open":
                    table.alignments.append(str(token.attrGet("style") or "left").removeprefix("text-align:"))
            index += 1
        for line in tables.typeset(table, max(1, self._width - self._frames[-1].cells), self._palette):
            self._emit(line.runs, gutter=line.gutter, wide=line.wide)
        return index + 1

    def _container(self, token: "Token") -> None:
        kind = token.type
        frame = self._frames[-1]
        if kind == "blockquote_open":
            self._frames.append(_Frame([*frame.runs, ("▎ ", self._palette.faint)]))
        elif kind == "bullet_list_open":
            self._counters.append(None)
        elif kind == "ordered_list_open":
            start = int(token.attrs.get("start", 1))
            self._counters.append(self._ordinal if self._ordinal is not None else start)
            self._ordinal = None
        elif kind == "list_item_open":
            self._open_item()
        elif kind == "list_item_close":
            if self._marker:
                self._emit([])
            self._pop()
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._counters.pop()
        elif kind == "blockquote_close":
            self._pop()

    def _open_item(self) -> None:
        if self._marker:  # an item that begins with another list: its marker stands alone
            self._emit([])
        counter = self._counters[-1]
        if counter is None:
            depth = sum(count is None for count in self._counters) - 1
            marker = f"{BULLETS[min(depth, len(BULLETS) - 1)]} "
        else:
            marker = f"{counter}. "
            self._counters[-1] = counter + 1
        self._marker = marker, self._palette.muted
        frame = self._frames[-1]
        self._marker_place = len(frame.runs)
        self._frames.append(_Frame(frame.decor, [*frame.text, (" " * cell_len(marker), self._base)]))

    def _pop(self) -> None:
        self._frames.pop()
        self._common = min(self._common, len(self._frames) - 1)

    def _space(self, token: "Token") -> None:
        """A blank line where the source has one, and around blocks that stand apart."""
        start, end = token.map or (0, 0)
        apart = token.type in _APART
        if self._end >= 0 and (start > self._end or apart or self._apart):
            frame = self._frames[self._common]
            self.lines.append(Line((), frame.runs))
        self._end, self._apart = end, apart and token.type != "heading_open"

    def _emit(
        self, runs: Sequence[Run], fill: Style | None = None, *, gutter: Sequence[Run] = (), wide: bool = False
    ) -> None:
        """Put a line inside the open containers, behind the marker of its item if that is still due."""
        frame = self._frames[-1]
        lead = frame.runs
        if self._marker:
            lead[self._marker_place] = self._marker
            self._marker = None
        decor, text = lead[: len(frame.decor)], lead[len(frame.decor) :]
        if gutter:  # all decoration: a rule
            decor, text = [*lead, *gutter], []
        self.lines.append(Line([*text, *runs], decor, frame.runs, fill, wide or fill is not None))
        self._common = len(self._frames) - 1
