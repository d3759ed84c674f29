"""Markdown's inline tokens to styled runs; knows no blocks, rows or widths."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style

from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.render.wrap import Run, expand_tabs
from acp_tui.ui.transcript.unit import LINK

if TYPE_CHECKING:
    from markdown_it.token import Token

_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)
_EMPHASIS = {"strong_open": _BOLD, "em_open": _ITALIC, "s_open": _STRIKE}
_CLOSE = frozenset(("strong_close", "em_close", "s_close"))
_URL = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]")


def opens(url: str) -> bool:
    """Whether a terminal may be given this address to open: http(s) and printable ASCII, nothing else."""
    return url.startswith(("http://", "https://")) and url.isascii() and url.isprintable()


class Inline:
    """Turns the children of one inline token into logical lines of runs."""

    def __init__(self, palette: Palette, base: Style) -> None:
        self._palette = palette
        self._style = base
        self._outer: list[Style] = []
        self._lines: list[list[Run]] = [[]]
        self._link: tuple[str, int, int] | None = None  # address; line and run with which its text begins

    def lines(self, tokens: "Sequence[Token]") -> list[list[Run]]:
        """The runs of each logical line; a line break of the source is kept."""
        for token in tokens:
            self._take(token)
        return self._lines

    def _take(self, token: "Token") -> None:
        kind = token.type
        if kind == "text":
            self._text(token.content)
        elif kind in ("softbreak", "hardbreak"):
            self._lines.append([])
        elif kind == "code_inline":
            mark = "" if self._palette.colour else "`"
            self._add(f"{mark}{token.content}{mark}", self._style + self._palette.code)
        elif kind in _EMPHASIS:
            self._push(_EMPHASIS[kind])
        elif kind in _CLOSE:
            self._style = self._outer.pop()
        elif kind == "link_open":
            self._open_link(str(token.attrGet("href") or ""))
        elif kind == "link_close":
            self._close_link()
        elif kind == "image":
            self._image(token)
        elif token.content:
            self._text(token.content)

    def _text(self, text: str) -> None:
        if "://" not in text or self._link:
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

    def _push(self, style: Style) -> None:
        self._outer.append(self._style)
        self._style += style

    def _open_link(self, url: str) -> None:
        self._link = url, len(self._lines) - 1, len(self._lines[-1])
        self._push(link_style(url, self._palette))

    def _close_link(self) -> None:
        self._style = self._outer.pop()
        if self._link is None:
            return
        url, line, run = self._link
        self._link = None
        said = " ".join(
            "".join(text for text, _ in runs) for runs in [self._lines[line][run:], *self._lines[line + 1 :]]
        )
        if url and _differs(said, url):
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
    """Whether the address must be shown because a person could not tell it, or is told another one."""
    plain = url.removeprefix("mailto:")
    if said.strip() in (url, plain) or said.strip().rstrip("/") == url.rstrip("/"):
        return False
    return not opens(url) or "://" in said or said.lstrip().startswith("www.")
