"""How many colours the terminal has: as far as its environment tells, and what its answers add to that.

`TERM` names what programs may send, not what a terminal can: a plain xterm has millions of colours under `xterm`, and
most names do not come along over SSH.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from rich.color import ColorSystem
from rich.console import Console
from textual import constants
from textual.app import App
from textual.message import Message
from textual.strip import Strip

from acp_tui.ui.terminal.answers import VERSION, capabilities

MILLIONS = ("RGB", "Tc")  # capabilities that mean it
QUESTIONS = capabilities(MILLIONS) + VERSION
_PROGRAMS = ["iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper", "rio", "WarpTerminal", "mintty", "contour", "Tabby"]
_VARIABLES = ("KITTY_WINDOW_ID", "KONSOLE_VERSION", "ALACRITTY_WINDOW_ID", "WT_SESSION", "WEZTERM_PANE")
_TERMS = re.compile(r".*-direct\d*|(?:xterm-)?(?:kitty|ghostty)|(?:alacritty|foot|wezterm|contour|rio|st)(?:-.*)?")
_WITHOUT = re.compile(r"dumb|unknown|vt\d.*|.*-m(?:ono)?")
_SIMPLE = re.compile(r"|dumb|unknown|linux.*|vt\d.*|ansi.*|cons25.*|wsvt.*|sun|Eterm.*", re.IGNORECASE)
_VERSION_TOLD = re.compile(
    r"\x1bP>\|(?:(?P<old>XTerm|VTE)\((?P<version>\d+)\)"
    r"|kitty|foot|WezTerm|iTerm2|ghostty|Konsole|mintty|contour|[Aa]lacritty|rio|Warp)",
)
_SINCE = {"XTerm": 331, "VTE": 3600}  # the versions that draw all colours they are sent
_CAPABILITY_TOLD = re.compile(r"\x1bP1\+r([0-9A-Fa-f]+)(?:=[0-9A-Fa-f]*)?(?:;|\x1b|\x07|\x9c)")


class Colours(NamedTuple):
    """How many colours to draw with, 0 for none but black and white; and whether to ask if there are more."""

    depth: ColorSystem | None
    ask: bool = False

    @property
    def few(self) -> bool:
        """Whether only the terminal's own sixteen, or none, can be drawn."""
        return self.depth is None or self.depth < ColorSystem.EIGHT_BIT


def colours_of(environ: Mapping[str, str]) -> Colours:
    """What the environment tells; the names of a multiplexer's own terminal are not this one's."""
    term = environ.get("TERM", "")
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit") or _TERMS.fullmatch(term):
        return Colours(ColorSystem.TRUECOLOR)
    if is_multiplexed(environ):
        return Colours(ColorSystem.EIGHT_BIT if "256color" in term else ColorSystem.STANDARD)
    if _SIMPLE.fullmatch(term):
        return Colours(None if _WITHOUT.fullmatch(term) else ColorSystem.STANDARD)
    if _names_its_terminal(environ):
        return Colours(ColorSystem.TRUECOLOR)
    if _WITHOUT.fullmatch(term):
        return Colours(None)
    if environ.get("TERM_PROGRAM") == "Apple_Terminal":
        return Colours(ColorSystem.EIGHT_BIT)
    return Colours(ColorSystem.EIGHT_BIT if "256color" in term else ColorSystem.STANDARD, ask=True)


def is_multiplexed(environ: Mapping[str, str]) -> bool:
    """Whether tmux or screen is in between: it answers for itself, and screen prints what it does not know."""
    return "TMUX" in environ or "STY" in environ or environ.get("TERM", "").startswith(("screen", "tmux"))


def can_be_asked(environ: Mapping[str, str]) -> bool:
    """Whether the terminal knows that a question is not text; Apple's prints the end of some."""
    return not _SIMPLE.fullmatch(environ.get("TERM", "")) and environ.get("TERM_PROGRAM") != "Apple_Terminal"


def tells_millions(answer: str) -> bool:
    """Whether a terminal's answer says that it has millions of colours."""
    if version := _VERSION_TOLD.match(answer):
        return version["old"] is None or int(version["version"]) >= _SINCE[version["old"]]
    told = _CAPABILITY_TOLD.match(answer)
    return told is not None and told[1].lower() in [name.encode().hex() for name in MILLIONS]


def _names_its_terminal(environ: Mapping[str, str]) -> bool:
    numbers = {"XTerm": environ.get("XTERM_VERSION", ""), "VTE": environ.get("VTE_VERSION", "")}
    for name, told in numbers.items():
        number = re.search(r"\d{1,9}", told)
        if number and int(number[0]) >= _SINCE[name]:
            return True
    return environ.get("TERM_PROGRAM") in _PROGRAMS or any(name in environ for name in _VARIABLES)


class MillionsOfColours(Message):
    """The terminal has answered that it has them."""


def draw_with(app: App[Any], depth: ColorSystem) -> None:
    """Have the app draw with this many colours, unless the environment has set how many."""
    if constants.COLOR_SYSTEM == "auto":
        app.console._color_system = depth  # noqa: SLF001 (it is asked for in the constructor only, which Textual calls)


def draw_anew_with(app: App[Any], depth: ColorSystem) -> None:
    """The same for an app that has drawn already, from the next time on."""
    draw_with(app, depth)
    setattr(Strip, "render", _render_anew)  # noqa: B010 (all that is drawn goes through it)


class _Drawn(str):
    """A strip as text for the terminal, made since the depth is known."""

    __slots__ = ()


_render = Strip.render


def _render_anew(strip: Strip, console: Console) -> str:
    """Strips and styles remember as what they were drawn, and not for which depth; they are to forget it."""
    drawn = strip._render_cache  # noqa: SLF001 (as above: there is no public way)
    if type(drawn) is not _Drawn:
        strip._render_cache = None  # noqa: SLF001
        for _, style, _ in strip:
            if style is not None:
                style._ansi = None  # noqa: SLF001
        drawn = strip._render_cache = _Drawn(_render(strip, console))  # noqa: SLF001
    return drawn
