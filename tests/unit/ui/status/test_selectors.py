"""The selector bar: which options it shows in how many cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.render.text import painted
from acp_tui.ui.status.header_footer import GAP, fitting
from acp_tui.views.formatting import StyledText
from acp_tui.views.options import OptionLabel

labels = st.builds(OptionLabel, st.just("o"), st.text("ab漢", max_size=9), st.text("cd", max_size=20))


@given(st.lists(labels, max_size=12), st.integers(10, 200))
def test_the_bar_hides_nothing_that_fits(told: list[OptionLabel], width: int) -> None:
    shown = fitting(told, width)
    widths = [painted(label.words()).cell_length for label in told]
    used = sum(widths[:shown]) + GAP * max(0, shown - 1)
    if shown < len(told):
        assert sum(widths) + GAP * (len(told) - 1) > width
        assert shown == 1 or used + GAP + len(f"+{len(told) - shown}") <= width
    else:
        assert used <= width or len(told) == 1


def test_a_bar_of_thousands_looks_at_each_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    words = OptionLabel.words

    def counted(label: OptionLabel) -> StyledText:
        nonlocal looked
        looked += 1
        return words(label)

    monkeypatch.setattr(OptionLabel, "words", counted)
    assert fitting([OptionLabel(str(number), "name", "value") for number in range(500)], 100) == 7
    assert looked <= 3 * 500
