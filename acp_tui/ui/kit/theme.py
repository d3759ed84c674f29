"""Our own themes, palette and tones for every theme, and hints on keys in them.

The user has one accent (`primary`), the agent another (`secondary`); `warning` is kept for what waits for the user.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from textual.app import App
from textual.content import Content
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


def _theme(line: str, line_hover: str, on_primary: str, selection: str, **colours: Any) -> Theme:
    grounds = ("background", "background-hover", "background-active", "corner-color")
    variables = {
        "border-blurred": line,
        "block-cursor-foreground": on_primary,
        "block-cursor-text-style": "none",
        "input-selection-background": f"{colours['primary']} {selection}",
        "scrollbar": line,
        "scrollbar-hover": line_hover,
        **{f"scrollbar-{ground}": colours["background"] for ground in grounds},
    }
    return Theme(variables=variables, **colours)


DARK = _theme(
    line="#2A303A",
    line_hover="#3A424F",
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
    line_hover="#C2BDB1",
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

# Textual's have the warnings of a light one in red, as errors, and blue on black, which few can read.
ANSI_DARK = replace(
    BUILTIN_THEMES["ansi-dark"],
    primary="ansi_bright_blue",
    secondary="ansi_bright_magenta",
    accent="ansi_cyan",
    error="ansi_bright_red",
)
ANSI_LIGHT = replace(BUILTIN_THEMES["ansi-light"], warning="ansi_magenta", accent="ansi_cyan")

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
    """A row of hints. Where it is too short, those before the last one go first: that tells how to leave."""

    def __init__(self, hints: Sequence[Hint] = (), *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._hints = hints

    def show(self, hints: Sequence[Hint]) -> None:
        self._hints = hints
        self.update(key_hints(fitting(hints, self.size.width, reversed(hints[:-1]))), layout=False)

    def on_resize(self) -> None:
        self.show(self._hints)
