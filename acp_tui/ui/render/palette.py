"""The colours and styles that drawing uses, made once from a theme's few: blended for quiet, moved until they read.

Text reads at a contrast of 4.5 or more on any ground that it is drawn on, muted signs at 3.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from rich.style import Style
from textual.color import Color
from textual.filter import monochrome_style
from textual.theme import Theme

# What a piece of code can be: the inks that are mixed for it, and which of the terminal's own colours it has.
SYNTAX = {
    "attribute": ("user text", "cyan"),
    "builtin": ("user agent", "cyan"),
    "class": ("accent success", "cyan"),
    "comment": ("muted", ""),
    "constant": ("accent", "cyan"),
    "decorator": ("agent", "magenta"),
    "deleted": ("error", "red"),
    "error": ("error", "red"),
    "function": ("user", "blue"),
    "heading": ("agent", "magenta"),
    "inserted": ("success", "green"),
    "keyword": ("agent", "magenta"),
    "number": ("accent", "cyan"),
    "operator": ("text muted", ""),
    "string": ("success", "green"),
    "tag": ("user", "blue"),
    "variable": ("text", ""),
}


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """Named styles; a drawing never names a colour itself. Two palettes are the same only if identical.

    `text` … `line_number` and `syntax` (keys: SYNTAX) are foregrounds. `code_block`, `added`, `removed`,
    the two `_word`s, the two `_background`s and `selection`, `match`, `current_match` are backgrounds, to be
    added to a foreground (`palette.text + palette.user_background`). `ground` is the theme's background and
    text: the view paints it under everything. Without `colour` all are greys and attributes. `text_only` says that
    only the text of what is drawn is wanted, for copying: nothing need be lexed or compared by words for it.
    """

    text: Style
    muted: Style
    faint: Style
    user: Style
    agent: Style
    accent: Style
    warning: Style
    error: Style
    success: Style
    heading: Style
    link: Style
    code: Style
    code_block: Style
    border: Style
    added: Style
    removed: Style
    added_word: Style
    removed_word: Style
    line_number: Style
    user_background: Style
    panel_background: Style
    dark: bool
    syntax: dict[str, Style]
    colour: bool = True
    text_only: bool = False
    ground: Style = field(default_factory=Style.null)
    selection: Style = field(default_factory=lambda: Style(reverse=True))
    match: Style = field(default_factory=lambda: Style(underline=True))
    current_match: Style = field(default_factory=lambda: Style(reverse=True, bold=True))


TEXT_CONTRAST = 4.5
SIGN_CONTRAST = 3.0


def readable(colour: Color, grounds: list[Color], contrast: float) -> Color:
    """The colour, moved toward white or black until it reads at `contrast` on all `grounds`."""
    pole = Color(255, 255, 255) if grounds[0].brightness < 0.5 else Color(0, 0, 0)
    for step in range(21):
        moved = colour.blend(pole, step / 20, alpha=1)
        if min(contrast_ratio(ground, moved) for ground in grounds) >= contrast:
            return moved
    return pole


def contrast_ratio(one: Color, other: Color) -> float:
    """The contrast of two colours, 1 to 21, as WCAG 2 defines it."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = ((c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in colour.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _ink(colour: Color, *, bold: bool | None = None, italic: bool | None = None) -> Style:
    return Style(color=colour.rich_color, bold=bold, italic=italic)


def _wash(colour: Color) -> Style:
    return Style(bgcolor=colour.rich_color)


def _near(one: Color, other: Color) -> bool:
    """Whether two colours are too alike to mean two things."""
    return sum(abs(a - b) for a, b in zip(one.rgb, other.rgb, strict=True)) < 60


class _Inks:
    """The colours of a true-colour theme, made readable on its ground and on the washes above it."""

    def __init__(self, theme: Theme) -> None:
        names = {name: text for name, text in theme.to_color_system().generate().items() if text.startswith("#")}
        colours = {name: Color.parse(names[name]) for name in ("background", "foreground", "primary", "secondary")}
        self.ground = ground = colours["background"]
        self.foreground = foreground = colours["foreground"]
        self.user_wash = ground.blend(colours["primary"], 0.11, alpha=1)
        self.panel_wash = ground.blend(foreground, 0.07, alpha=1)
        self.code_wash = ground.blend(foreground, 0.05, alpha=1)
        self.grounds = [ground, self.user_wash, self.panel_wash, self.code_wash]
        self.text = self.read(foreground)
        self.muted = self.read(foreground.blend(ground, 0.5, alpha=1))
        self.faint = self.read(foreground.blend(ground, 0.7, alpha=1), SIGN_CONTRAST)
        self.user, self.agent = self.read(colours["primary"]), self.read(colours["secondary"])
        self.accent, self.warning, self.error, self.success = (
            self.read(Color.parse(names[name])) for name in ("accent", "warning", "error", "success")
        )
        if _near(self.accent, self.warning):
            self.accent = self.user
        if _near(self.agent, self.user):
            self.agent = self.accent if not _near(self.accent, self.user) else self.success

    def read(self, colour: Color, contrast: float = TEXT_CONTRAST) -> Color:
        return readable(colour, self.grounds, contrast)

    def mix(self, one: Color, other: Color) -> Color:
        return self.read(one.blend(other, 0.5, alpha=1))


def true_palette(theme: Theme) -> Palette:
    """The palette of a theme that names true colours."""
    inks = _Inks(theme)
    ground = inks.ground
    text = _ink(inks.text)
    return Palette(
        text=text,
        muted=_ink(inks.muted),
        faint=_ink(inks.faint),
        user=_ink(inks.user),
        agent=_ink(inks.agent),
        accent=_ink(inks.accent),
        warning=_ink(inks.warning),
        error=_ink(inks.error),
        success=_ink(inks.success),
        heading=_ink(inks.agent, bold=True),
        link=_ink(inks.accent) + Style(underline=True),
        code=_ink(inks.mix(inks.accent, inks.text)),
        code_block=_wash(inks.code_wash),
        border=_ink(ground.blend(inks.foreground, 0.25, alpha=1)),
        added=_wash(ground.blend(inks.success, 0.14, alpha=1)),
        removed=_wash(ground.blend(inks.error, 0.14, alpha=1)),
        added_word=_wash(ground.blend(inks.success, 0.34, alpha=1)),
        removed_word=_wash(ground.blend(inks.error, 0.34, alpha=1)),
        line_number=_ink(inks.faint),
        user_background=_wash(inks.user_wash),
        panel_background=_wash(inks.panel_wash),
        dark=theme.dark,
        syntax=_syntax(inks),
        ground=text + _wash(ground),
        selection=_wash(ground.blend(inks.user, 0.35, alpha=1)),
        match=_wash(ground.blend(inks.accent, 0.3, alpha=1)),
        current_match=_wash(ground.blend(inks.accent, 0.5, alpha=1)) + Style(bold=True),
    )


def _syntax(inks: _Inks) -> dict[str, Style]:
    found: dict[str, Style] = {}
    for key, (names, _) in SYNTAX.items():
        first, *others = (getattr(inks, name) for name in names.split())
        italic = key in ("comment", "decorator")
        ink = inks.mix(first, others[0]) if others else first
        found[key] = _ink(ink, bold=key == "heading" or None, italic=italic or None)
    return found


def ansi_palette(theme: Theme) -> Palette:
    """The terminal's own sixteen colours: its owner chose them, so nothing is measured."""
    plain, dim = Style(), Style(dim=True)

    def ink(name: str, bold: bool | None = None, underline: bool | None = None) -> Style:
        return Style(color=name, bold=bold, underline=underline)

    return Palette(
        text=plain,
        muted=dim,
        faint=dim,
        user=ink("blue"),
        agent=ink("magenta"),
        accent=ink("cyan"),
        warning=ink("yellow"),
        error=ink("red"),
        success=ink("green"),
        heading=ink("magenta", bold=True),
        link=ink("cyan", underline=True),
        code=ink("cyan"),
        code_block=plain,
        border=dim,
        added=ink("green"),
        removed=ink("red"),
        added_word=Style(bold=True, underline=True),
        removed_word=Style(bold=True, underline=True),
        line_number=dim,
        user_background=plain,
        panel_background=plain,
        dark=theme.dark,
        syntax={key: ink(name) if name else plain for key, (_, name) in SYNTAX.items()} | {"comment": dim},
        ground=plain,
    )


def without_colour(palette: Palette) -> Palette:
    """The same in greys; what only a hue told is told by bold, italic and underline."""
    greys: dict[str, Any] = {
        field.name: _grey(style)
        for field in fields(palette)
        if isinstance(style := getattr(palette, field.name), Style)
    }
    underline, bold = Style(underline=True), Style(bold=True)
    for name in ("added_word", "removed_word"):
        greys[name] += underline
    for name in ("user", "agent", "warning", "error"):
        greys[name] += bold
    syntax = {key: _grey(style) for key, style in palette.syntax.items()}
    syntax["keyword"] += bold
    return replace(palette, **greys, syntax=syntax, colour=False)


def _grey(style: Style) -> Style:
    named = (style.color is not None and style.color.triplet is None) or (
        style.bgcolor is not None and style.bgcolor.triplet is None
    )
    return style.without_color if named else monochrome_style(style)
