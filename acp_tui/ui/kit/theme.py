"""Our two themes, and a palette for every theme.

The user has one accent (`primary`), the agent another (`secondary`); `warning` is kept for what waits for the user.
"""

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from acp_tui.ui.render.palette import Palette, ansi_palette, true_palette, without_colour

DARK = Theme(
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
    variables={
        "border": "#7FB0FF",
        "border-blurred": "#2A303A",
        "block-cursor-background": "#7FB0FF",
        "block-cursor-foreground": "#0E1014",
        "block-cursor-text-style": "none",
        "footer-background": "#0E1014",
        "footer-key-foreground": "#7FB0FF",
        "footer-description-foreground": "#949BA8",
        "input-cursor-background": "#DADDE4",
        "input-selection-background": "#7FB0FF 30%",
        "scrollbar": "#2A303A",
        "scrollbar-hover": "#3A424F",
        "scrollbar-active": "#7FB0FF",
        "scrollbar-background": "#0E1014",
        "scrollbar-background-hover": "#0E1014",
        "scrollbar-background-active": "#0E1014",
        "scrollbar-corner-color": "#0E1014",
    },
)

LIGHT = Theme(
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
    variables={
        "border": "#2458C6",
        "border-blurred": "#D6D2C8",
        "block-cursor-background": "#2458C6",
        "block-cursor-foreground": "#FFFFFF",
        "block-cursor-text-style": "none",
        "footer-background": "#FBFAF7",
        "footer-key-foreground": "#2458C6",
        "footer-description-foreground": "#626773",
        "input-cursor-background": "#23262D",
        "input-cursor-foreground": "#FBFAF7",
        "input-selection-background": "#2458C6 25%",
        "scrollbar": "#D6D2C8",
        "scrollbar-hover": "#C2BDB1",
        "scrollbar-active": "#2458C6",
        "scrollbar-background": "#FBFAF7",
        "scrollbar-background-hover": "#FBFAF7",
        "scrollbar-background-active": "#FBFAF7",
        "scrollbar-corner-color": "#FBFAF7",
    },
)

THEMES = (DARK, LIGHT)
DEFAULT_THEME = DARK.name


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
