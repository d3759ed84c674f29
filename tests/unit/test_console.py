"""What goes to a terminal as plain text."""

from acp_tui.console import fault_text
from acp_tui.errors import UserFault


def test_no_further_line_of_a_fault_looks_like_one_of_ours() -> None:
    fault = UserFault("Not\nstarted", "the agent said\nReady\x1b[2J", "try\nagain")
    title, *below = fault_text(fault).split("\n")
    assert title == "Not ⏎ started"
    assert [line.startswith("  ") for line in below] == [False, True, False, True]
    assert "\x1b" not in "".join(below)
