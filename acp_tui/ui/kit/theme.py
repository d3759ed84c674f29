"""Our own themes, palette and tones for every theme, and hints on keys in them.

The user has one accent (`primary`), the agent another (`secondary`); `warning` is kept for what waits for the user.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from textual.app import App
from textual.content import Content
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Static

from acp_tui.ui.render.palette import (
    Palette,
    ansi_palette,
    ansi_tones,
    true_palette,
    true_tones,
    without_colour,
)

# Text in what has no palette of its own: each theme has them as variables (`tones`).
MUTED = "$muted"  # secondary text
FAINT = "$faint"  # signs and hints that repeat what stands elsewhere
ACCENT = "$user"
AGENT = "$agent"
KEY = "$key"


_PARTS = ("background", "background-hover", "background-active", "corner-color")
_GROUNDS = tuple(f"scrollbar-{ground}" for ground in _PARTS)
_PANEL_STYLES = str(Path(__file__).parents[1] / "panels.tcss")


def read_panel_styles(app: App[Any]) -> None:
    """Have the styles of all that is no part of a session's first frame, which need not wait for them (6 ms)."""
    if not app.stylesheet.has_source(_PANEL_STYLES):
        app.stylesheet.read(_PANEL_STYLES)


def _theme(line: str, bar: str, bar_hover: str, on_primary: str, selection: str, **colours: Any) -> Theme:
    variables = {
        "border-blurred": line,
        "block-cursor-foreground": on_primary,
        "block-cursor-text-style": "none",
        "input-selection-background": f"{colours['primary']} {selection}",
        "scrollbar": bar,
        "scrollbar-hover": bar_hover,
        "scrollbar-active": bar_hover,
        **dict.fromkeys(_GROUNDS, "transparent"),
    }
    return Theme(variables=variables, **colours)


DARK = _theme(
    line="#2A303A",
    bar="#4D5563",
    bar_hover="#7B8494",
    on_primary="#0E1014",
    selection="30%",
    name="acp-dark",
    primary="#7FB0FF",
    secondary="#C4A7FF",
    accent="#7CCFC4",
    warning="#F0B454",
    error="#F47C7C",
    success="#8CCB8F",
    foreground="#DADDE4",
    background="#0E1014",
    surface="#14171C",
    panel="#1B1F26",
    dark=True,
)

LIGHT = _theme(
    line="#D6D2C8",
    bar="#B5AFA2",
    bar_hover="#8C867A",
    on_primary="#FFFFFF",
    selection="25%",
    name="acp-light",
    primary="#2458C6",
    secondary="#7641B4",
    accent="#0B6F6A",
    warning="#8F5500",
    error="#B3261E",
    success="#2A7337",
    foreground="#23262D",
    background="#FBFAF7",
    surface="#F4F2ED",
    panel="#EBE8E1",
    dark=False,
)


def _quiet_bar(theme: str, line: str, line_hover: str) -> dict[str, str]:
    lines = {"scrollbar": line, "scrollbar-hover": line_hover, "scrollbar-active": line_hover}
    return {**BUILTIN_THEMES[theme].variables, **lines, **dict.fromkeys(_GROUNDS, "ansi_default")}


# Textual's have the warnings of a light one in red, as errors, and blue on black, which few can read; and a scrollbar
# in the brightest blue there is.
ANSI_DARK = replace(
    BUILTIN_THEMES["ansi-dark"],
    primary="ansi_bright_blue",
    secondary="ansi_bright_magenta",
    accent="ansi_cyan",
    error="ansi_bright_red",
    variables=_quiet_bar("ansi-dark", "ansi_bright_black", "ansi_white"),
)
ANSI_LIGHT = replace(
    BUILTIN_THEMES["ansi-light"],
    warning="ansi_magenta",
    accent="ansi_cyan",
    variables=_quiet_bar("ansi-light", "ansi_white", "ansi_bright_black"),
)

THEMES = (DARK, LIGHT, ANSI_DARK, ANSI_LIGHT)
DEFAULT_THEME = DARK.name
FEW_COLOURS_THEME = ANSI_DARK.name  # the default where there are fewer than 256


def theme_names() -> list[str]:
    return [DARK.name, LIGHT.name, *sorted(BUILTIN_THEMES)]


def grounds_of(themes: Mapping[str, Theme]) -> list[tuple[str, str]]:
    """The names of these themes, ours first, and `dark` or `light`."""
    return [(name, "dark" if themes[name].dark else "light") for name in theme_names() if name in themes]


def other_ground(theme: Theme) -> str:
    """The name of our light theme for a dark one, or of our dark one; of few colours where this one has few."""
    dark, light = (ANSI_DARK, ANSI_LIGHT) if theme.ansi else (DARK, LIGHT)
    return light.name if theme.dark else dark.name


_tones: dict[str, dict[str, str]] = {}


def tones(theme: Theme) -> dict[str, str]:
    """A theme's variables for text: the tones named above, and its own colours, so that they read on its grounds."""
    key = repr(theme)
    if key not in _tones:
        _tones[key] = ansi_tones(theme) if theme.ansi else true_tones(theme)
    return _tones[key]


_palettes: dict[tuple[str, bool], Palette] = {}


def palette_of(app: App[object]) -> Palette:
    """The palette of the app's present theme; without colours where NO_COLOR asks for that."""
    return palette_for(app.current_theme, colour=not app.no_color)


def palette_for(theme: Theme, *, colour: bool = True) -> Palette:
    """The palette of a theme; the same object each time, so that views may compare by identity."""
    key = repr(theme), colour
    if key not in _palettes:
        palette = ansi_palette(theme) if theme.ansi else true_palette(theme)
        _palettes[key] = palette if colour else without_colour(palette)
    return _palettes[key]


GAP = 2  # cells between two hints
Hint = tuple[str, str]  # a key, and what it does
MOVE, SCROLL, CLOSE = ("↑↓", "move"), ("↑↓", "scroll"), ("esc", "close")


def turning(layout: str) -> Hint:
    return ("s", "unified" if layout == "split" else "side by side")


def fitting(hints: Sequence[Hint], room: int, dispensable: Iterable[Hint]) -> list[Hint]:
    """The hints that fit in `room` cells: those that are `dispensable` go first, one by one, in that order."""
    kept = list(hints)
    for hint in dispensable:
        if key_hints(kept).cell_length <= room:
            break
        if hint in kept:
            kept.remove(hint)
    return kept


def by_need(hints: Sequence[Hint]) -> list[Hint]:
    """The hints of a panel that can go, from behind; what Enter does goes last."""
    return sorted(hints[-2::-1], key=lambda hint: hint[0] == "enter")


def key_hints(hints: Iterable[Hint], room: int | None = None) -> Content:
    """`y copy  esc close` in one row; with a `room` (cells) as many as it holds, the first ones."""
    line = Content("")
    for key, word in hints:
        gap = " " * GAP if line.cell_length else ""
        longer = Content.assemble(line, gap, (key, KEY), (f" {word}", MUTED))
        if room is not None and longer.cell_length > room:
            break
        line = longer
    return line


class HintLine(Static):
    """A row of hints. Where it is too short, the last one stays: that tells how to leave."""

    def __init__(self, hints: Sequence[Hint] = (), *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._hints = hints

    def show(self, hints: Sequence[Hint]) -> None:
        self._hints = hints
        self.update(key_hints(fitting(hints, self.size.width, by_need(hints))), layout=False)

    def on_resize(self) -> None:
        self.show(self._hints)


MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")  # in the order in which Textual writes them
_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
    "control": "ctrl",
    "option": "alt",
    "cmd": "super",
    "command": "super",
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
}
_SPELLINGS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "delete": "del",
}
_LONG_NAMES = {short: long for long, short in KEY_NAME_REPLACEMENTS.items()}
_CAPITALS = {"pgup": "PgUp", "pgdn": "PgDn"}
LAST_SIGN = "\u2200"  # what comes behind it (mathematics, pictures) stands on no key
_SAME = {"ctrl+i": "Tab", "ctrl+m": "Enter", "ctrl+left_square_bracket": "Esc"}


def key_name(written: str) -> str:
    """Textual's name of a key: `Ctrl+P` is `ctrl+p`, `?` is `question_mark`. Raises ValueError that says why not."""
    *given, last = _parts(written.strip())
    modifiers = {_ALIASES.get(part.lower(), part.lower()) for part in given}
    strange = sorted(modifiers - set(MODIFIERS))
    if strange or not last:
        raise ValueError(f"{written!r} is not a key: write keys like ctrl+p, alt+t, f2, shift+tab or pageup")
    base = _base(last, written)
    if len(base) == 1 and modifiers:
        shifted = modifiers == {"shift"}
        base, modifiers = (base.upper(), set[str]()) if shifted else (base.lower(), modifiers)
    name = "+".join([*sorted(modifiers), base])
    if name in _SAME:
        raise ValueError(f"terminals cannot tell {written} from {_SAME[name]}")
    return name


def is_typed(name: str) -> bool:
    """Whether the key writes a character, so that binding it in the prompt would make that impossible to write."""
    if "+" in name:
        return False
    return len(name) == 1 or name == "space" or name not in _named()


@cache
def _named() -> frozenset[str]:
    """Keys that have names of their own, found when first asked for: 1 ms that a start need not take."""
    return frozenset(key.value.rpartition("+")[2] for key in Keys if not key.value.startswith("<"))


def _parts(written: str) -> list[str]:
    """`ctrl++` is two parts: the last of them is the sign itself."""
    if written == "+" or written.endswith("++"):
        return [*(part for part in written[:-2].split("+") if part), "+"]
    return written.split("+")


def _base(last: str, written: str) -> str:
    if len(last) == 1 and last not in _ALIASES:
        return last if last.isalnum() else _sign_name(last)
    name = _ALIASES.get(last.lower(), last.lower())
    if name in _named() or name in KEY_NAME_REPLACEMENTS.values() or _is_sign(name):
        return name
    raise ValueError(f"{written!r} is not a key: unknown key {last!r}")


def _sign_name(sign: str) -> str:
    name = "space" if sign == " " else unicodedata.name(sign, "").lower().replace("-", "_").replace(" ", "_")
    if not name:
        raise ValueError(f"{sign!r} is not a key")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _is_sign(name: str) -> bool:
    """Whether this is what Unicode calls a sign, with `_` for blanks: `question_mark`; no keyboard has a `banana`."""
    sign = key_to_character(name)
    return sign is not None and sign < LAST_SIGN


def spell(way: str) -> str:
    """A key, or the leader and one more, as hints write it: `alt+p`, `↑`, `^X m`."""
    return " ".join(map(_spell, way.split(" ")))


def _spell(key: str) -> str:
    modifiers, _, last = key.rpartition("+")
    name = _name_shown(last)
    if modifiers == "ctrl":
        return "^" + (name.upper() if len(name) == 1 else name)
    return f"{modifiers}+{name}" if modifiers else name


def spell_out(way: str) -> str:
    """The same in full, as help and README write it: `Ctrl+P`, `Shift+Tab`, `Ctrl+X m`."""
    return " ".join(
        key if len(key) == 1 else "+".join(_capital(_name_shown(part)) for part in key.split("+"))
        for key in way.split(" ")
    )


@cache
def _name_shown(name: str) -> str:
    """`question_mark` is `?`, `underscore` is `_`, `pageup` is `pgup`."""
    if len(name) == 1 or name in MODIFIERS or name in _SPELLINGS:
        return _SPELLINGS.get(name, name)
    if any(key.value == name for key in Keys):
        return name
    sign = key_to_character(_LONG_NAMES.get(name, name))
    return sign if sign is not None and sign.isprintable() else name


def _capital(name: str) -> str:
    return _CAPITALS.get(name, name if len(name) == 1 and not name.isalpha() else name.capitalize())
