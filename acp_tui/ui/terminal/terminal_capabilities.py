"""The terminal as its environment and its own answers tell it: size, colours, and which notification it takes.

Answers come on the same line as keys, whenever the terminal likes, whole or in pieces. They end with the device
attributes (DA1), which every terminal tells: nothing that was asked before them comes after them.

`TERM` names what programs may send, not what a terminal can: a plain xterm has millions of colours under `xterm`, and
most names do not come along over SSH.

Terminals differ in the notifications that they take (OSC 9, 99, 777), and say little about themselves. One that is not
known gets the form that others ignore, and the bell beside it. A multiplexer passes only the bell on.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from rich.color import ColorSystem
from rich.console import Console
from textual import constants
from textual.app import App
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from acp_tui.expressions import expression
from acp_tui.host.system.threads import in_joined_thread, in_thread
from acp_tui.safe_text import is_text
from acp_tui.startup import late
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.views.formatting import lines_in

MOST = 2_000  # columns or rows: a screen of 10 million by 10 million is no terminal, and hangs the start
_NAMES = ("COLUMNS", "LINES")


def bound_size(environment: MutableMapping[str, str]) -> None:
    """Take out what is no size, so that the terminal itself is asked."""
    for name in _NAMES:
        told = environment.get(name, "")
        if told and not (told.isascii() and told.isdecimal() and len(told) < 5 and 0 < int(told) <= MOST):
            del environment[name]


LONGEST = 1024  # characters that are kept of one answer; what comes after them is taken with them
_MODE_TOLD = expression(r"\x1b\[\?(\d+);(\d)\$y")
_ATTRIBUTES = expression(r"\x1b\[\?[\d;]*c")
_BODY = r"[^\x00-\x1f\x7f]*"
# XTGETTCAP, DECRQSS (or one of these questions sent back), XTVERSION: no key begins like that.
_TEXT = rf"\x1bP(?:\d?[+$][rq]|>\|){_BODY}"
_END = r"(?:\x1b\\|\x07|\x9c)"
# Also what breaks off, and texts and attributes of any other sort, if they are whole.
_ANSWER = expression(rf"{_TEXT}{_END}?|\x1bP{_BODY}{_END}|\x1b\[[?>=][\d;]*c|\x1b\[\?10(?:36|39)[;\d]*\$y", re.DOTALL)
_SURELY_BEGUN = expression(rf"(?:{_TEXT}\x1b?|\x1b\[[?>=][\d;]*\$?)\Z", re.DOTALL)
_PERHAPS_BEGUN = expression(rf"\x1b(?:P{_BODY}\x1b?|\[)?\Z", re.DOTALL)

ATTRIBUTES = "\x1b[c"
VERSION = "\x1b[>0q"


def mode(number: int) -> str:
    """The question how a private mode is set (DECRQM)."""
    return f"\x1b[?{number}$p"


def capabilities(names: Iterable[str]) -> str:
    """The questions whether a terminal has these capabilities of terminfo (XTGETTCAP)."""
    return "".join(f"\x1bP+q{name.encode().hex()}\x1b\\" for name in names)


def mode_told(answer: str) -> tuple[int, int] | None:
    """A private mode and how it is: 1 set, 2 reset, 0 unknown, 3 and 4 for good; None for other answers."""
    told = _MODE_TOLD.fullmatch(answer)
    return None if told is None else (int(told[1]), int(told[2]))


class TerminalAnswers:
    """Takes answers out of what a terminal sends."""

    def __init__(self) -> None:
        self.awaited = 0  # how often it was asked and has not told its attributes yet

    def take(self, text: str) -> tuple[str, list[str], str]:
        """What was typed, the answers, and an end of the text that may be the beginning of an answer."""
        if not (self.awaited or "\x1bP" in text or "\x1b[?" in text):
            return text, [], ""
        begun = _SURELY_BEGUN.search(text) or (_PERHAPS_BEGUN.search(text) if self.awaited else None)
        rest = "" if begun is None else begun[0]
        text = text[: len(text) - len(rest)]
        found = [answer[0] for answer in _ANSWER.finditer(text)]
        self.awaited = max(0, self.awaited - sum(_ATTRIBUTES.fullmatch(answer) is not None for answer in found))
        return _ANSWER.sub("", text) if found else text, found, rest[:LONGEST] + rest[LONGEST:][-1:]

    def begins(self, text: str) -> bool:
        """Whether an answer begins here, whole or not, while one is awaited."""
        return bool(self.awaited and (_ANSWER.match(text) or _SURELY_BEGUN.match(text)))

    def typed(self, rest: str) -> str:
        """What of such an end is taken for typed, since nothing followed it for long."""
        return "" if _SURELY_BEGUN.fullmatch(rest) else rest


MILLIONS = ("RGB", "Tc")  # capabilities that mean it
QUESTIONS = capabilities(MILLIONS) + VERSION
_PROGRAMS = ["iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper", "rio", "WarpTerminal", "mintty", "contour", "Tabby"]
_VARIABLES = ("KITTY_WINDOW_ID", "KONSOLE_VERSION", "ALACRITTY_WINDOW_ID", "WT_SESSION", "WEZTERM_PANE")
_TERMS = expression(r".*-direct\d*|(?:xterm-)?(?:kitty|ghostty)|(?:alacritty|foot|wezterm|contour|rio|st)(?:-.*)?")
_WITHOUT = expression(r"dumb|unknown|vt\d.*|.*-m(?:ono)?")
_SIMPLE = expression(r"|dumb|unknown|linux.*|vt\d.*|ansi.*|cons25.*|wsvt.*|sun|Eterm.*", re.IGNORECASE)
_VERSION_TOLD = expression(
    r"\x1bP>\|(?:(?P<old>XTerm|VTE)\((?P<version>\d+)\)"
    r"|kitty|foot|WezTerm|iTerm2|ghostty|Konsole|mintty|contour|[Aa]lacritty|rio|Warp)",
)
_SINCE = {"XTerm": 331, "VTE": 3600}  # the versions that draw all colours they are sent
_CAPABILITY_TOLD = expression(r"\x1bP1\+r([0-9A-Fa-f]+)(?:=[0-9A-Fa-f]*)?(?:;|\x1b|\x07|\x9c)")


class ColourDepth(NamedTuple):
    """How many colours to draw with, 0 for none but black and white; and whether to ask if there are more."""

    depth: ColorSystem | None
    ask: bool = False

    @property
    def few(self) -> bool:
        """Whether only the terminal's own sixteen, or none, can be drawn."""
        return self.depth is None or self.depth < ColorSystem.EIGHT_BIT


def colours_of(environ: Mapping[str, str]) -> ColourDepth:
    """What the environment tells; the names of a multiplexer's own terminal are not this one's."""
    term = environ.get("TERM", "")
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit") or _TERMS.fullmatch(term):
        return ColourDepth(ColorSystem.TRUECOLOR)
    if is_multiplexed(environ):
        return ColourDepth(ColorSystem.EIGHT_BIT if "256color" in term else ColorSystem.STANDARD)
    if _SIMPLE.fullmatch(term):
        return ColourDepth(None if _WITHOUT.fullmatch(term) else ColorSystem.STANDARD)
    if _names_its_terminal(environ):
        return ColourDepth(ColorSystem.TRUECOLOR)
    if _WITHOUT.fullmatch(term):
        return ColourDepth(None)
    if environ.get("TERM_PROGRAM") == "Apple_Terminal":
        return ColourDepth(ColorSystem.EIGHT_BIT)
    return ColourDepth(ColorSystem.EIGHT_BIT if "256color" in term else ColorSystem.STANDARD, ask=True)


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


Way = Literal["desktop", "bell", "off"]
Form = Literal["9", "99", "777", "777 and bell", "bell"]

BELL, END = "\x07", "\x1b\\"
TITLE = "acp-tui"
LONGEST_NOTIFICATION = 120  # cells of the text
_FORMS: Mapping[str, Form] = {"iTerm.app": "9", "WezTerm": "9", "ghostty": "9", "Apple_Terminal": "bell"}


def form_of(environ: Mapping[str, str]) -> Form:
    """Which notification this terminal takes, as far as its environment tells."""
    term = environ.get("TERM", "")
    if "TMUX" in environ or "STY" in environ or term.startswith(("screen", "tmux", "linux", "dumb", "vt")) or not term:
        return "bell"
    if "KITTY_WINDOW_ID" in environ or term == "xterm-kitty":
        return "99"
    if term.startswith(("foot", "rxvt-unicode")):
        return "777"
    return _FORMS.get(environ.get("TERM_PROGRAM", ""), "777 and bell")


def call(text: str, form: Form) -> str:
    """What to write to the terminal so that the user reads `text`; nothing in the text is an escape or ends one."""
    told = _plain(text)
    if form == "99":
        encoded = base64.b64encode(told.encode()).decode()
        return f"\x1b]99;i={TITLE}:d=0;{TITLE}{END}\x1b]99;i={TITLE}:p=body:e=1;{encoded}{END}"
    if form == "9":
        return f"\x1b]9;{TITLE}: {told}{END}"  # begins with letters: a number would mean progress or a folder
    if form == "bell":
        return BELL
    notification = f"\x1b]777;notify;{TITLE};{told}{END}"
    return notification if form == "777" else notification + BELL


def _plain(text: str) -> str:
    line = sanitise_line(text, LONGEST_NOTIFICATION).replace(";", ",")
    return "".join(sign for sign in line if is_text(sign))


def copy(app: App[Any], text: str, what: str) -> None:
    """Put `text` on the clipboard, without escapes and controls, and say that it is `what`."""
    text = sanitise(text)
    if not text:
        say(app, f"No {what.removeprefix('the ')} to copy", 3)
        return
    write_clipboard(app, text)
    say(app, f"Copied {what} ({lines_in(text)})", 3)


def write_clipboard(app: App[Any], text: str) -> None:
    """Put `text` on the clipboard by both ways; what is missing on a machine is passed over."""
    app.copy_to_clipboard(text)
    if not _remote():
        app.run_worker(in_joined_thread(_copy, text), exit_on_error=False, group="clipboard")


async def read_clipboard(app: App[Any]) -> str:
    """The text on this machine's clipboard, else what was copied in this app."""
    text = "" if _remote() else await in_thread(_paste)
    return text or app.clipboard


def _remote() -> bool:
    return "SSH_CONNECTION" in os.environ


def _copy(text: str) -> None:
    pyperclip = late("pyperclip")
    with suppress(pyperclip.PyperclipException):  # no clipboard program on this machine; OSC 52 has been sent
        pyperclip.copy(text)


def _paste() -> str:
    pyperclip = late("pyperclip")
    try:
        return str(pyperclip.paste())
    except pyperclip.PyperclipException:
        return ""


class CopyOnSelect:
    """Copies what the mouse selects when it is let go, each selection once. It stays selected."""

    def __init__(self) -> None:
        self._copied: dict[Widget, Selection] = {}

    def let_go(self, app: App[Any], selections: Mapping[Widget, Selection], read: Callable[[], str | None]) -> None:
        is_new, self._copied = selections != self._copied, dict(selections)
        text = read() if selections and is_new else None
        if text and text.strip():
            copy(app, text, "the selection")
