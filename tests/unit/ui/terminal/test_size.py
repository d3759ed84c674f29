"""What the environment says of the terminal's size counts only where it can be one."""

import pytest

from acp_tui.ui.terminal.terminal_capabilities import bound_size

SIZES, OTHERS = ("80", "2000", ""), ("2001", "9999999", "0", "-1", "x", "٨٠")


@pytest.mark.parametrize(("told", "stays"), [*((each, True) for each in SIZES), *((each, False) for each in OTHERS)])
def test_what_is_no_size_is_taken_out(told: str, *, stays: bool) -> None:
    environment = {"COLUMNS": told, "LINES": told, "TERM": "x"}
    bound_size(environment)
    assert environment == ({"COLUMNS": told, "LINES": told, "TERM": "x"} if stays else {"TERM": "x"})
