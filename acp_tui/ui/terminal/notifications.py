"""Desktop notifications (OSC 9, 99, 777) or the bell of the terminal, for a user who looks elsewhere.

Terminals differ in what they take, and say little about themselves. One that is not known gets the form that others
ignore, and the bell beside it. A multiplexer passes only the bell on.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Literal

from acp_tui.safe_text import is_text
from acp_tui.ui.render.text import sanitise_line

Way = Literal["desktop", "bell", "off"]
Form = Literal["9", "99", "777", "777 and bell", "bell"]

BELL, END = "\x07", "\x1b\\"
TITLE = "acp-tui"
LONGEST = 120  # cells of the text
_PROGRAMS: Mapping[str, Form] = {"iTerm.app": "9", "WezTerm": "9", "ghostty": "9", "Apple_Terminal": "bell"}


def form_of(environ: Mapping[str, str]) -> Form:
    """Which notification this terminal takes, as far as its environment tells."""
    term = environ.get("TERM", "")
    if "TMUX" in environ or "STY" in environ or term.startswith(("screen", "tmux", "linux", "dumb", "vt")) or not term:
        return "bell"
    if "KITTY_WINDOW_ID" in environ or term == "xterm-kitty":
        return "99"
    if term.startswith(("foot", "rxvt-unicode")):
        return "777"
    return _PROGRAMS.get(environ.get("TERM_PROGRAM", ""), "777 and bell")


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
    """Text only, and none that separates the members of a sequence."""
    line = sanitise_line(text, LONGEST).replace(";", ",")
    return "".join(sign for sign in line if is_text(sign))
