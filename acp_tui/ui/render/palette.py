"""The colours and styles that drawing uses, made once from a theme's few: blended for quiet, moved until they read.

Text reads at a contrast of 4.5 or more (WCAG 2, AA) on any ground that it is drawn on.
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
    "line_number": ("number", "dim"),
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
    "current_match": ("warning", 0.42, "reverse"),
}
# Marks on what is drawn in any ink: what is marked is drawn in the ink of text.
MARKS = ("added_word", "removed_word", "selection", "match", "current_match")
# Beside the ground, what is written may stand on these.
READ_ON = ("user_background", "panel_background", "code_block", "added", "removed")
QUIET_GROUNDS = 4  # how many of these, with the first, have signs and hints
SIGNALS = ("accent", "warning", "error", "success")
CHOSEN = 0.16  # the share of the accent in the ground of a row that is chosen in a list
# The shares of the foreground in secondary text, in signs and hints, and in the names of keys.
MUTED, FAINT, KEY = 0.68, 0.55, 0.85
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


def _base(theme: Theme) -> dict[str, Color]:
    names = theme.to_color_system().generate()
    own = ("background", "foreground", "surface", "panel", "primary", "secondary", *SIGNALS)
    return {name: Color.parse(names[name]) for name in own}


def _inks(theme: Theme) -> tuple[dict[str, Color], list[Color]]:
    """The colours of a true-colour theme, readable on its ground and the washes above it; and these grounds."""
    base = _base(theme)
    ground, foreground = base["background"], base["foreground"]
    grounds = [ground]
    for name in READ_ON:
        ink, share, _ = WASHES[name]
        grounds.append(ground.blend(readable(base[ink], [ground], TEXT_CONTRAST), share, alpha=1))

    def read(colour: Color) -> Color:
        return readable(colour, grounds, TEXT_CONTRAST)

    def quiet(share: float) -> Color:
        return ground.blend(foreground, share, alpha=1)

    inks = base | {"border": quiet(0.25), "text": read(foreground), "muted": read(quiet(MUTED))}
    inks |= {"faint": readable(quiet(0.3), grounds[:QUIET_GROUNDS], TEXT_CONTRAST), "number": read(quiet(0.3))}
    inks |= {"user": read(base["primary"]), "agent": read(base["secondary"])}
    inks |= {name: read(base[name]) for name in SIGNALS}
    if _near(inks["accent"], inks["warning"]):
        inks["accent"] = inks["user"]
    if _near(inks["agent"], inks["user"]):
        inks["agent"] = inks["success"] if _near(inks["accent"], inks["user"]) else inks["accent"]
    return inks, grounds


def true_tones(theme: Theme) -> dict[str, str]:
    """What is written outside the transcript, readable on the grounds of panels and on the rows that are chosen."""
    base = _base(theme)
    ground, foreground = base["background"], base["foreground"]
    grounds = [base[name] for name in ("background", "surface", "panel")]
    chosen = [each.blend(base["primary"], CHOSEN, alpha=1) for each in grounds[1:]]
    inks = {name: ground.blend(foreground, share, alpha=1) for name, share in (("muted", MUTED), ("key", KEY))}
    inks |= {"user": base["primary"], "agent": base["secondary"]}
    inks |= {name: base[name] for name in ("warning", "error", "success")}
    told = {name: readable(ink, [*grounds, *chosen], TEXT_CONTRAST) for name, ink in inks.items()}
    told["faint"] = readable(ground.blend(foreground, FAINT, alpha=1), grounds, TEXT_CONTRAST)
    return {name: ink.hex for name, ink in told.items()} | {
        "text-muted": told["muted"].hex,
        "text-disabled": told["faint"].hex,
    }


def ansi_tones(theme: Theme) -> dict[str, str]:
    """The same in the terminal's own colours: quiet is dim, loud is bold."""
    names = theme.to_color_system().generate()
    quiet = dict.fromkeys(("muted", "faint"), "ansi_default dim")
    return quiet | {"key": "ansi_default bold", "user": names["primary"], "agent": names["secondary"]}


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
    styles |= {name: wash(each, 1) for name, each in zip(READ_ON, grounds[1:], strict=True)}
    styles |= {name: _marked(styles[name], styles["text"]) for name in MARKS}
    syntax = {key: ink(names) for key, (names, _, _) in SYNTAX.items()}
    syntax["heading"] += Style(bold=True)
    for key in ("comment", "decorator"):
        syntax[key] += Style(italic=True)
    return _palette(theme, styles, syntax, styles["text"] + wash(ground, 1))


def _marked(wash: Style, text: Style) -> Style:
    """A mark: any ink would be too near to some of these washes."""
    ground = Color.from_rich_color(wash.bgcolor)
    return wash + Style(color=readable(Color.from_rich_color(text.color), [ground], TEXT_CONTRAST).rich_color)


def ansi_palette(theme: Theme) -> Palette:
    """The terminal's own sixteen colours: its owner chose them, so nothing is measured."""
    own = {"blue": theme.primary, "magenta": theme.secondary, "cyan": theme.accent}
    own |= {"yellow": theme.warning, "red": theme.error, "green": theme.success}
    named = {word: (name or word).removeprefix("ansi_") for word, name in own.items()}
    styles = {name: Style.parse(named.get(own, own)) for name, (*_, own) in (INKS | WASHES).items()}
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
