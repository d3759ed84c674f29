"""Our two themes, and a palette for every theme.

The user has one accent (`primary`), the agent another (`secondary`); `warning` is kept for what waits for the user.
"""

from typing import Any

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from acp_tui.ui.render.palette import Palette, ansi_palette, true_palette, without_colour

# In our own themes text reads at a contrast of 4.5 or more, signs and hints at 3.
MUTED = "$foreground 68%"  # secondary text
FAINT = "$foreground 55%"  # signs and hints that repeat what stands elsewhere
ACCENT = "$primary"
AGENT = "$secondary"
KEY = "$foreground 85%"


def _theme(line: str, line_hover: str, on_primary: str, selection: str, **colours: Any) -> Theme:
    """A theme whose scrollbars lie on its own ground, in the colour of its other lines."""
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

THEMES = (DARK, LIGHT)
DEFAULT_THEME = DARK.name
FEW_COLOURS_THEME = "ansi-dark"  # the default where there are fewer than 256


def theme_names() -> list[str]:
    """Every theme that there is, ours first."""
    return [*(theme.name for theme in THEMES), *sorted(BUILTIN_THEMES)]


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
