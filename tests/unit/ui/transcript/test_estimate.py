"""Estimates are cheap and of the right order."""

import pytest

from acp_tui.session.entries import Entry, NoticeEntry, ToolCallEntry
from acp_tui.ui.transcript.layout import FOLDED_ROWS, estimate_rows
from tests.transcript_fakes import message


@pytest.mark.parametrize(
    "entry", [ToolCallEntry("t"), NoticeEntry("n", "info", "title"), message(0, "long " * 99, "thought")]
)
def test_what_is_folded_is_a_heading(entry: Entry) -> None:
    assert estimate_rows(entry, 80) == FOLDED_ROWS


def test_a_message_grows_with_its_text_and_shrinks_with_the_width() -> None:
    long = message(0, "x" * 6000)
    assert estimate_rows(long, 80) == FOLDED_ROWS + 100
    assert estimate_rows(long, 30) == FOLDED_ROWS + 200
    assert estimate_rows(long, 0) >= estimate_rows(long, 30)
