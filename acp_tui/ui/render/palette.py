"""The colours and styles that drawing uses, resolved once per theme; knows neither themes nor what is drawn."""

from dataclasses import dataclass, field

from rich.style import Style

SYNTAX_KEYS = (
    "attribute",
    "builtin",
    "class",
    "comment",
    "constant",
    "decorator",
    "deleted",
    "error",
    "function",
    "heading",
    "inserted",
    "keyword",
    "number",
    "operator",
    "string",
    "tag",
    "variable",
)


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """Named styles; a drawing never names a colour itself. Two palettes are the same only if identical.

    `text` … `line_number` and `syntax` (keys: SYNTAX_KEYS) are foregrounds. `code_block`, `added`, `removed`,
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
