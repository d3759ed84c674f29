import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from acp_tui.ui.kit.theme import ANSI_DARK, ANSI_LIGHT, DARK, LIGHT, THEMES, palette_for, tones
from acp_tui.ui.render.palette import CHOSEN, MARKS, READ_ON, SYNTAX, TEXT_CONTRAST, Palette, contrast_ratio
from tests.rows import each_of

TRUE_COLOUR = [theme for theme in [*THEMES, *BUILTIN_THEMES.values()] if not theme.ansi]
ANSI = [theme for theme in [*THEMES, *BUILTIN_THEMES.values()] if theme.ansi]
OURS = [DARK, LIGHT]
LEAST = TEXT_CONTRAST - 0.05  # colours are whole numbers
READ = ("text", "muted", "user", "agent", "accent", "warning", "error", "success", "heading", "link", "code")


def name_of(theme: Theme) -> str:
    return theme.name


def ink(style: Style) -> Color:
    assert style.color is not None
    return Color.from_rich_color(style.color)


def ground(palette: Palette, style: Style) -> Color:
    both = palette.ground + style
    assert both.bgcolor is not None
    return Color.from_rich_color(both.bgcolor)


@each_of("theme", TRUE_COLOUR)
def test_all_that_is_read_stands_out_from_every_ground(theme: Theme) -> None:
    palette = palette_for(theme)
    quiet = (Style(), palette.user_background, palette.panel_background, palette.code_block)
    for wash in (Style(), *(getattr(palette, name) for name in READ_ON)):
        for name in (*READ, "line_number"):
            assert contrast_ratio(ground(palette, wash), ink(getattr(palette, name))) >= LEAST, name
        if wash in quiet:
            assert contrast_ratio(ground(palette, wash), ink(palette.faint)) >= LEAST
    for key, style in palette.syntax.items():
        for wash in (palette.code_block, palette.added, palette.removed):
            assert contrast_ratio(ground(palette, wash), ink(style)) >= LEAST, key


@each_of("theme", TRUE_COLOUR)
def test_what_is_marked_stands_out_whatever_its_ink_was(theme: Theme) -> None:
    palette = palette_for(theme)
    for name in MARKS:
        marked = palette.syntax["comment"] + palette.added + getattr(palette, name)
        assert contrast_ratio(ground(palette, marked), ink(marked)) >= LEAST, name


@each_of("theme", TRUE_COLOUR)
def test_all_that_is_read_outside_the_transcript_stands_out_too(theme: Theme) -> None:
    names = theme.to_color_system().generate()
    grounds = [Color.parse(names[name]) for name in ("background", "surface", "panel")]
    chosen = [each.blend(Color.parse(names["primary"]), CHOSEN, alpha=1) for each in grounds[1:]]
    told = {name: Color.parse(tone) for name, tone in tones(theme).items()}
    for name, tone in told.items():
        on = grounds if name in ("faint", "text-disabled") else [*grounds, *chosen]
        assert min(contrast_ratio(each, tone) for each in on) >= LEAST, name


@pytest.mark.parametrize("theme", OURS, ids=name_of)
def test_our_own_have_three_tones_of_text_and_their_colours_as_they_are(theme: Theme) -> None:
    told = {name: Color.parse(tone) for name, tone in tones(theme).items()}
    shades = [Color.parse(theme.foreground or ""), *(told[name] for name in ("key", "muted", "faint"))]
    from_ground = [contrast_ratio(Color.parse(theme.background or ""), shade) for shade in shades]
    assert from_ground == sorted(from_ground, reverse=True)
    assert len(set(from_ground)) == len(from_ground)
    permission = Color.parse(theme.surface or "").blend(told["warning"], 0.14, alpha=1)
    for name in ("warning", "muted"):
        assert contrast_ratio(permission, told[name]) >= LEAST, name
    for name in ("user", "error", "warning"):
        wanted = getattr(theme, "primary" if name == "user" else name)
        assert abs(told[name].brightness - Color.parse(wanted).brightness) < 0.1


# xterm's own sixteen, for want of the user's.
XTERM = {
    "black": "#000000",
    "red": "#cd0000",
    "magenta": "#cd00cd",
    "yellow": "#cdcd00",
    "green": "#00cd00",
    "cyan": "#00cdcd",
    "blue": "#0000ee",
    "bright_blue": "#5c5cff",
    "bright_red": "#ff0000",
    "bright_magenta": "#ff00ff",
}


def in_xterm(colour: str | None) -> Color:
    return Color.parse(XTERM[(colour or "").removeprefix("ansi_")])


def test_the_terminals_own_colours_can_be_read_in_a_plain_xterm() -> None:
    for name in ("primary", "secondary", "accent", "warning", "error", "success"):
        assert contrast_ratio(in_xterm("black"), in_xterm(getattr(ANSI_DARK, name))) >= 4.4, name
    for name in ("primary", "warning", "error"):  # green and cyan are its owner's choice, as git's are
        assert contrast_ratio(Color.parse("#ffffff"), in_xterm(getattr(ANSI_LIGHT, name))) >= 4, name


@pytest.mark.parametrize("theme", [ANSI_DARK, ANSI_LIGHT], ids=name_of)
def test_the_terminals_own_colours_have_quiet_loud_and_different_signals(theme: Theme) -> None:
    told = tones(theme)
    assert told["muted"].endswith(" dim")
    assert told["key"].endswith(" bold")
    assert len({theme.warning, theme.error, theme.primary, theme.secondary, theme.success}) == 5
    palette = palette_for(theme)
    assert palette.muted.dim
    assert palette.warning.color != palette.error.color
    assert palette.user.color == Style.parse((theme.primary or "").removeprefix("ansi_")).color


@each_of("theme", [*TRUE_COLOUR, *ANSI])
@each_of("colour", [True, False])
def test_every_theme_has_a_whole_palette_and_always_the_same(theme: Theme, colour: bool) -> None:
    palette = palette_for(theme, colour=colour)
    assert palette is palette_for(theme, colour=colour)
    assert set(palette.syntax) == set(SYNTAX)
    assert palette.colour is colour
    assert palette.dark is theme.dark


@each_of("theme", TRUE_COLOUR)
def test_the_user_and_the_agent_have_different_accents(theme: Theme) -> None:
    palette = palette_for(theme)
    assert palette.user.color != palette.agent.color


def test_in_our_own_themes_warning_is_no_other_colour() -> None:
    for theme in OURS:
        palette = palette_for(theme)
        others = (palette.user, palette.agent, palette.accent, palette.success, palette.link, *palette.syntax.values())
        assert palette.warning.color not in [other.color for other in others]


def test_without_colour_nothing_has_a_hue_and_signs_differ_by_weight() -> None:
    for theme in [*OURS, *ANSI]:
        palette = palette_for(theme, colour=False)
        for style in [palette.user, palette.error, palette.added, palette.ground, *palette.syntax.values()]:
            for colour in (style.color, style.bgcolor):
                assert colour is None or colour.triplet is not None
                assert colour is None or len(set(colour.triplet or ())) == 1
        assert palette.warning.bold
        assert palette.added_word.underline


def test_one_of_ours_is_dark_and_one_is_light() -> None:
    assert DARK.dark
    assert not LIGHT.dark
    assert ground(palette_for(DARK), Style()).brightness < 0.1
    assert ground(palette_for(LIGHT), Style()).brightness > 0.9


@each_of("theme", [ANSI_DARK, ANSI_LIGHT])
def test_of_few_colours_the_scrollbar_is_grey(theme: Theme) -> None:
    assert theme.variables["scrollbar"] in ("ansi_bright_black", "ansi_white")
    assert theme.variables["scrollbar-background"] == "ansi_default"
