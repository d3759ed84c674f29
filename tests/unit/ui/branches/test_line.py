"""What stands above the prompt while an earlier message is edited."""

import pytest

from acp_tui.ui.branches.rewind import Told, packed, rows_of

SAID = ("Fork at this message", "The agent remembers everything before it", "Files stay as they are")


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (100, [" · ".join(SAID)]),
        (70, [" · ".join(SAID[:2]), SAID[2]]),
        (45, list(SAID)),
    ],
)
def test_what_must_be_known_takes_as_few_rows_as_it_needs(width: int, rows: list[str]) -> None:
    assert packed(SAID, width) == rows


def test_each_row_fits_and_no_escape_gets_there() -> None:
    told = Told("Edit message 1 of 2", ("Fork\x1b[31m at this message of the agent",), (("enter", "send"),))
    rows = rows_of(told, 20).plain.split("\n")
    assert rows == ["Edit message 1 of 2", "Fork at this messag…", "enter send"]
