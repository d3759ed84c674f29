"""A status line of one's own: how its items share a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config.settings_table import STATUS_ITEMS
from acp_tui.session.state import Session
from acp_tui.ui.status.custom_status_line import row_of
from acp_tui.views.formatting import StyledText
from acp_tui.views.status import items_of
from tests.strategies import UNSAFE, texts

ITEMS: list[StyledText] = [
    [(words, "muted")] for words in ("~/project", "main", "34% of 200k", "$0.05", "5 h limit 40%", "Sonnet 5")
]


@pytest.mark.parametrize(
    ("width", "row"),
    [
        (60, "~/project · main · 34% of 200k · $0.05 · 5 h limit 40%"),
        (40, "~/project · main · 34% of 200k · $0.05"),
        (30, "~/project · main · 34% of 200k"),
        (27, "~/project · main · 34% of …"),
        (16, "~/project · main"),
        (6, ""),
    ],
)
def test_the_first_ones_win(width: int, row: str) -> None:
    assert row_of(ITEMS, width).plain == row


@given(st.lists(st.text(st.characters(codec="ascii", categories=["L"]), max_size=60), max_size=6), st.integers(0, 80))
def test_a_row_is_never_too_long(words: list[str], width: int) -> None:
    assert row_of([[(each, "muted")] for each in words if each], width).cell_length <= width


@given(texts(), st.integers(1, 120))
def test_a_hostile_branch_or_folder_is_cleaned(text: str, width: int) -> None:
    row = row_of(items_of(STATUS_ITEMS, Session("s", f"/{text}"), text), width)
    assert not UNSAFE.search(row.plain)
    assert row.cell_length <= width
