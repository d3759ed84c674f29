"""Keys are told one way everywhere, and can be read in our own themes."""

import pytest
from textual.color import Color
from textual.theme import Theme

from acp_tui.ui.hints import CLOSE, MOVE, key_hints
from acp_tui.ui.render.shades import SIGN_CONTRAST, TEXT_CONTRAST, contrast_ratio
from acp_tui.ui.theme import THEMES
from acp_tui.ui.tones import FAINT, KEY, MUTED


def test_the_key_is_louder_than_what_it_does() -> None:
    told = key_hints((MOVE, CLOSE))
    assert told.plain == "↑↓ move  esc close"
    assert [(told.plain[span.start : span.end], span.style) for span in told.spans] == [
        ("↑↓", KEY),
        (" move", MUTED),
        ("esc", KEY),
        (" close", MUTED),
    ]


@pytest.mark.parametrize(("room", "told"), [(18, "↑↓ move  esc close"), (17, "↑↓ move"), (3, "")])
def test_only_whole_hints_are_told_where_there_is_little_room(room: int, told: str) -> None:
    assert key_hints((MOVE, CLOSE), room).plain == told


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize(("tone", "least"), [(KEY, TEXT_CONTRAST), (MUTED, TEXT_CONTRAST), (FAINT, SIGN_CONTRAST)])
def test_secondary_text_stands_out_in_our_own_themes(theme: Theme, tone: str, least: float) -> None:
    name, share = tone.split()
    assert name == "$foreground"
    for ground in (theme.background, theme.surface, theme.panel):
        assert ground is not None
        assert theme.foreground is not None
        under = Color.parse(ground)
        ink = under.blend(Color.parse(theme.foreground), float(share.rstrip("%")) / 100, alpha=1)
        assert contrast_ratio(under, ink) >= least
