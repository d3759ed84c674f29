import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from acp_tui.ui.kit.theme import DARK, LIGHT, THEMES, palette_for
from acp_tui.ui.render.palette import SIGN_CONTRAST, SYNTAX, TEXT_CONTRAST, Palette, contrast_ratio

TRUE_COLOUR = [theme for theme in [*THEMES, *BUILTIN_THEMES.values()] if not theme.ansi]
ANSI = [theme for theme in BUILTIN_THEMES.values() if theme.ansi]
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


@pytest.mark.parametrize("theme", TRUE_COLOUR, ids=name_of)
def test_all_that_is_read_stands_out_from_every_ground(theme: Theme) -> None:
    palette = palette_for(theme)
    washes = [Style(), palette.user_background, palette.panel_background, palette.code_block]
    for wash in washes:
        for name in READ:
            assert contrast_ratio(ground(palette, wash), ink(getattr(palette, name))) >= TEXT_CONTRAST - 0.05, name
        assert contrast_ratio(ground(palette, wash), ink(palette.faint)) >= SIGN_CONTRAST - 0.05
        assert contrast_ratio(ground(palette, wash), ink(palette.line_number)) >= SIGN_CONTRAST - 0.05
    for key, style in palette.syntax.items():
        assert contrast_ratio(ground(palette, palette.code_block), ink(style)) >= TEXT_CONTRAST - 0.05, key


@pytest.mark.parametrize("theme", [*TRUE_COLOUR, *ANSI], ids=name_of)
@pytest.mark.parametrize("colour", [True, False])
def test_every_theme_has_a_whole_palette_and_always_the_same(theme: Theme, colour: bool) -> None:
    palette = palette_for(theme, colour=colour)
    assert palette is palette_for(theme, colour=colour)
    assert set(palette.syntax) == set(SYNTAX)
    assert palette.colour is colour
    assert palette.dark is theme.dark


@pytest.mark.parametrize("theme", TRUE_COLOUR, ids=name_of)
def test_the_user_and_the_agent_have_different_accents(theme: Theme) -> None:
    palette = palette_for(theme)
    assert palette.user.color != palette.agent.color


def test_in_our_own_themes_warning_is_no_other_colour() -> None:
    for theme in THEMES:
        palette = palette_for(theme)
        others = (palette.user, palette.agent, palette.accent, palette.success, palette.link, *palette.syntax.values())
        assert palette.warning.color not in [other.color for other in others]


def test_without_colour_nothing_has_a_hue_and_signs_differ_by_weight() -> None:
    for theme in [*THEMES, *ANSI]:
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
