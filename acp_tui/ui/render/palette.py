"""The colours and styles that drawing uses, made once from a theme's few: blended for quiet, moved until they read.

Text reads at a contrast of 4.5 or more on any ground that it is drawn on, muted signs at 3.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

from rich.style import Style
from textual.color import Color
from textual.filter import monochrome_style
from textual.theme import Theme

# Of each foreground the inks that are mixed for it, and which of the terminal's own styles it has.
INKS = {
    "text": ("text", ""),
    "muted": ("muted", "dim"),
    "faint": ("faint", "dim"),
    "user": ("user", "blue"),
    "agent": ("agent", "magenta"),
    "accent": ("accent", "cyan"),
    "warning": ("warning", "yellow"),
    "error": ("error", "red"),
    "success": ("success", "green"),
    "heading": ("agent", "magenta"),
    "link": ("accent", "cyan"),
    "code": ("accent text", "cyan"),
    "border": ("border", "dim"),
    "line_number": ("faint", "dim"),
}
# Of each background the ink that is blended into the ground, its share, and what the terminal's own colours have.
WASHES = {
    "user_background": ("primary", 0.11, ""),
    "panel_background": ("foreground", 0.07, ""),
    "code_block": ("foreground", 0.05, ""),
    "added": ("success", 0.14, "green"),
    "removed": ("error", 0.14, "red"),
    "added_word": ("success", 0.34, "bold underline"),
    "removed_word": ("error", 0.34, "bold underline"),
    "selection": ("user", 0.35, "reverse"),
    "match": ("accent", 0.3, "underline"),
    "current_match": ("accent", 0.5, "reverse"),
}
# Beside the ground, what is written may stand on these.
READ_ON = ("user_background", "panel_background", "code_block")
# What a piece of code can be: its inks and style as those of foregrounds, and what Pygments calls it.
SYNTAX = {
    "attribute": ("user text", "cyan", "Generic.Emph Name.Attribute"),
    "builtin": ("user agent", "cyan", "Name.Builtin"),
    "class": ("accent success", "cyan", "Keyword.Type Name.Class Name.Exception Name.Namespace"),
    "comment": ("muted", "dim", "Comment Literal.String.Doc"),
    "constant": (
        "accent",
        "cyan",
        "Keyword.Constant Literal.String.Escape Literal.String.Interpol Name.Constant Name.Entity",
    ),
    "decorator": ("agent", "magenta", "Comment.Preproc Name.Decorator"),
    "deleted": ("error", "red", "Generic.Deleted"),
    "error": ("error", "red", "Generic.Error Generic.Traceback"),
    "function": ("user", "blue", "Name.Function"),
    "heading": ("agent", "magenta", "Generic.Heading Generic.Subheading"),
    "inserted": ("success", "green", "Generic.Inserted"),
    "keyword": ("agent", "magenta", "Generic.Prompt Keyword Operator.Word"),
    "number": ("accent", "cyan", "Literal.Number"),
    "operator": ("text muted", "", "Operator Punctuation"),
    "string": ("success", "green", "Literal"),
    "tag": ("user", "blue", "Name.Tag"),
    "variable": ("text", "", "Name.Variable"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """Named styles; a drawing never names a colour itself. Two palettes are the same only if identical.

    Those of INKS and `syntax` (keys: SYNTAX) are foregrounds. Those of WASHES are backgrounds, to be added to a
    foreground (`palette.text + palette.user_background`). `ground` is the theme's background and
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
    ground: Style
    selection: Style
    match: Style
    current_match: Style
    colour: bool = True
    text_only: bool = False


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


def _near(one: Color, other: Color) -> bool:
    return sum(abs(a - b) for a, b in zip(one.rgb, other.rgb, strict=True)) < 60


def _inks(theme: Theme) -> tuple[dict[str, Color], list[Color]]:
    """The colours of a true-colour theme, readable on its ground and the washes above it; and these grounds."""
    names = theme.to_color_system().generate()
    base = {name: Color.parse(names[name]) for name in ("background", "foreground", "primary", "secondary")}
    ground, foreground = base["background"], base["foreground"]
    washes = (WASHES[name] for name in READ_ON)
    grounds = [ground, *(ground.blend(base[name], share, alpha=1) for name, share, _ in washes)]

    def read(colour: Color, contrast: float = TEXT_CONTRAST) -> Color:
        return readable(colour, grounds, contrast)

    inks = base | {
        "text": read(foreground),
        "muted": read(foreground.blend(ground, 0.5, alpha=1)),
        "faint": read(foreground.blend(ground, 0.7, alpha=1), SIGN_CONTRAST),
        "border": ground.blend(foreground, 0.25, alpha=1),
        "user": read(base["primary"]),
        "agent": read(base["secondary"]),
    }
    inks |= {name: read(Color.parse(names[name])) for name in ("accent", "warning", "error", "success")}
    if _near(inks["accent"], inks["warning"]):
        inks["accent"] = inks["user"]
    if _near(inks["agent"], inks["user"]):
        inks["agent"] = inks["success"] if _near(inks["accent"], inks["user"]) else inks["accent"]
    return inks, grounds


def true_palette(theme: Theme) -> Palette:
    inks, grounds = _inks(theme)
    ground = grounds[0]

    def ink(names: str) -> Style:
        first, *others = (inks[name] for name in names.split())
        mixed = readable(first.blend(others[0], 0.5, alpha=1), grounds, TEXT_CONTRAST) if others else first
        return Style(color=mixed.rich_color)

    def wash(colour: Color, share: float) -> Style:
        return Style(bgcolor=ground.blend(colour, share, alpha=1).rich_color)

    styles = {name: ink(names) for name, (names, _) in INKS.items()}
    styles |= {name: wash(inks[colour], share) for name, (colour, share, _) in WASHES.items()}
    syntax = {key: ink(names) for key, (names, _, _) in SYNTAX.items()}
    syntax["heading"] += Style(bold=True)
    for key in ("comment", "decorator"):
        syntax[key] += Style(italic=True)
    return _palette(theme, styles, syntax, styles["text"] + wash(ground, 1))


def ansi_palette(theme: Theme) -> Palette:
    """The terminal's own sixteen colours: its owner chose them, so nothing is measured."""
    styles = {name: Style.parse(own) for name, (*_, own) in (INKS | WASHES).items()}
    syntax = {key: Style.parse(own) for key, (_, own, _) in SYNTAX.items()}
    return _palette(theme, styles, syntax, Style.null())


def _palette(theme: Theme, styles: dict[str, Any], syntax: dict[str, Style], ground: Style) -> Palette:
    for name, attributes in (("heading", "bold"), ("link", "underline"), ("current_match", "bold")):
        styles[name] += Style.parse(attributes)
    return Palette(dark=theme.dark, syntax=syntax, ground=ground, **styles)


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
