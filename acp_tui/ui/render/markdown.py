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
from acp_tui.ui.render import blocks as tables
from acp_tui.ui.render.blocks import highlight, lexer_for, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import NESTING, Piece, opens, sanitise, sanitise_line, too_deep, too_open
from acp_tui.ui.render.verbatim_text import keep_formulas, keep_verbatim, opens_formula
from acp_tui.ui.render.wrap import LINK, MEASURE, Line, Run, cells_of, expand_tabs, tabs_in

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

BULLETS = ("•", "◦", "▪")
TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)
_EMPHASIS = {"strong_open": _BOLD, "em_open": _ITALIC, "s_open": _STRIKE}
_CLOSE = frozenset(("strong_close", "em_close", "s_close"))
_APART = frozenset(("heading_open", "table_open", "fence", "code_block", "hr"))
_BLOCKS = _APART | {"paragraph_open"}
STEP = 200  # characters of an inline text that grew before it is looked at whether they are final
_END = re.compile(r".*[^\s\\](?=\s)", re.DOTALL)  # up to the last blank
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
def parser(*, inline: bool = True) -> "MarkdownIt":
    """CommonMark with tables and strikethrough; blocks only, if not `inline`."""
    markdown: MarkdownIt = late("markdown_it").MarkdownIt("commonmark", {"html": False, "maxNesting": 3 * NESTING})
    markdown.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])
    if not inline:
        keep_formulas(markdown)
        return markdown.disable(["inline", "text_join"])
    keep_verbatim(markdown)
    markdown.inline.ruler2.push("pending", _note_pending)
    return markdown


def _note_pending(state: "StateInline") -> None:
    """Tell in the environment whether an emphasis was opened that may still be closed."""
    state.env["pending"] = any(mark.open and mark.end < 0 for mark in state.delimiters)


class Inlines:
    """Inline texts to lines of runs. One that is `kept` for a block that grows parses what is new in it.

    It remembers what the block had before `next_state`, and of the text that grows the part up to a blank where nothing
    is open: no emphasis, bracket or backtick. CommonMark cannot look back behind that.
    """

    def __init__(self, palette: Palette, *, kept: bool = False) -> None:
        self.palette = palette
        self._kept = kept
        self._before: dict[tuple[str, Style], list[list[Run]]] = {}
        self._now: dict[tuple[str, Style], list[list[Run]]] = {}
        self._settled: tuple[str, Style | None, list[list[Run]]] = "", None, [[]]
        self._next = STEP

    def next_state(self) -> None:
        self._before, self._now = self._now, {}

    def lines(self, source: str, style: Style) -> list[list[Run]]:
        """The lines, which the caller must not change."""
        if not self._kept:
            return Inline(self.palette, style).lines(parser().parseInline(source)[0].children or [])
        lines = self._before.get((source, style))
        if lines is None:
            lines = self._grown(source, style) if len(source) > STEP else self._parse(source, style)[0]
        self._now[source, style] = lines
        return lines

    def _grown(self, source: str, style: Style) -> list[list[Run]]:
        # Where a tab stops depends on the text before it, and `&Tab;` and `&#9;` become tabs.
        if "\t" in source or "&" in source or opens_formula(source):
            return self._parse(source, style)[0]
        settled, known, lines = self._settled
        follows = source[len(settled) : len(settled) + 1].isspace()  # else it is another text that begins alike
        if style != known or not source.startswith(settled) or (settled and not follows):
            settled, lines, self._next = "", [[]], STEP
        rest = source[len(settled) :]
        end = _END.match(rest) if len(rest) >= self._next else None
        if end:
            head, final = self._parse(end[0], style)
            self._next = STEP if final else 2 * len(rest)
            if final:
                settled, rest, lines = settled + end[0], rest[end.end() :], _joined(lines, head)
        self._settled = settled, style, lines
        return _joined(lines, self._parse(rest, style)[0])

    def _parse(self, source: str, style: Style) -> tuple[list[list[Run]], bool]:
        """The lines of a text, and whether they stay as they are if a blank and more follow."""
        found: dict[str, bool] = {}
        tokens = parser().parseInline(source, found)[0].children or []
        final = not found["pending"] and not any(
            token.type in ("text", "image") and ("`" in token.content or "[" in token.content) for token in tokens
        )
        return Inline(self.palette, style).lines(tokens), final


def _joined(head: list[list[Run]], tail: list[list[Run]]) -> list[list[Run]]:
    (*before, left), (right, *after) = head, tail
    if left and right and left[-1][1] == right[0][1]:
        left, right = [*left[:-1], (left[-1][0] + right[0][0], right[0][1])], right[1:]
    return [*before, [*left, *right], *after]


def lines_of(piece: Piece, palette: Palette, base: Style, width: int, inlines: Inlines | None = None) -> list[Line]:
    """The logical lines of a piece that is no fence, in at most `width` cells where a width matters."""
    source = "\n".join([*piece.lead, *piece.lines])
    if too_deep(piece.lines) or too_open(source):
        return [Line([(expand_tabs(line), base)], stand_ins=tabs_in(line)) for line in piece.lines]
    setter = _Typesetter(inlines or Inlines(palette), base, width, piece.ordinal)
    if piece.inline:
        setter.paragraph(source)
    else:
        setter.blocks(parser(inline=False).parse(source))
    return setter.lines


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

    def __init__(self, inlines: Inlines, base: Style, width: int, ordinal: int | None) -> None:
        self.lines: list[Line] = []
        self._inlines = inlines
        self._palette = inlines.palette
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
                self._heading(tokens[index].content, int(token.tag[1]))
            elif token.type == "paragraph_open":
                self.paragraph(tokens[index].content)
            elif token.type in ("fence", "code_block"):
                self._code(token)
            elif token.type == "hr":
                cells = max(3, min(MEASURE, self._width) - self._frames[-1].cells)
                self._emit([], gutter=[("─" * cells, self._palette.border)])
            elif token.type == "table_open":
                index = self._table(tokens, index)
            else:
                self._container(token)

    def paragraph(self, source: str) -> None:
        """Set a paragraph; a task's box becomes its item's bullet."""
        if self._marker and self._counters and source[:4] in TASKS:
            self._marker = f"{TASKS[source[:4]]} ", self._marker[1]
            source = source[4:]
        for runs in self._inlines.lines(source, self._base):
            self._emit(runs)

    def _heading(self, source: str, level: int) -> None:
        style = self._base + (self._palette.heading if level <= 2 else _BOLD)
        for runs in self._inlines.lines(source, style):
            self._emit(runs)

    def _code(self, token: "Token") -> None:
        wash = self._palette.code_block
        if token.info.strip():
            self._emit([(f"{sanitise_line(token.info)} ", self._palette.faint + wash)], wash)
        lines = token.content.removesuffix("\n").split("\n")
        code = highlight("\n".join(map(expand_tabs, lines)), lexer_for(token.info))
        for source, line in zip(lines, code, strict=True):
            self._emit(styled(line, self._palette, wash), wash)
            before = len(self.lines[-1].text) - len(expand_tabs(source))
            self.lines[-1].stand_ins = [(before + start, before + end, tab) for start, end, tab in tabs_in(source)]

    def _table(self, tokens: "Sequence[Token]", index: int) -> int:
        table = tables.Table([], [])
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                table.rows.append([])
            elif token.type in ("th_open", "td_open"):
                style = self._base + _BOLD if token.type == "th_open" else self._base
                table.rows[-1].append(self._inlines.lines(tokens[index + 1].content, style))
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
            self._open_item(token)
        elif kind == "list_item_close":
            if self._marker:
                self._emit([])
            self._pop()
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._counters.pop()
        elif kind == "blockquote_close":
            self._pop()

    def _open_item(self, token: "Token") -> None:
        if self._marker:  # an item that begins with another list: its marker stands alone
            self._emit([])
        counter = self._counters[-1]
        if counter is None:
            depth = sum(count is None for count in self._counters) - 1
            marker = f"{BULLETS[min(depth, len(BULLETS) - 1)]} "
        else:
            counter = max(counter, int(token.info))  # a list of years keeps them; one of ones is counted
            marker = f"{counter}{token.markup} "
            self._counters[-1] = counter + 1
        self._marker = marker, self._palette.muted
        frame = self._frames[-1]
        self._marker_place = len(frame.runs)
        self._frames.append(_Frame(frame.decor, [*frame.text, (" " * cell_len(marker), self._base)]))

    def _pop(self) -> None:
        self._frames.pop()
        self._common = min(self._common, len(self._frames) - 1)

    def _space(self, token: "Token") -> None:
        start, end = token.map or (0, 0)
        apart = token.type in _APART
        if self._end >= 0 and (start > self._end or apart or self._apart):
            frame = self._frames[self._common]
            self.lines.append(Line((), frame.runs))
        self._end, self._apart = end, apart and token.type != "heading_open"

    def _emit(
        self, runs: Sequence[Run], fill: Style | None = None, *, gutter: Sequence[Run] = (), wide: bool = False
    ) -> None:
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
