"""Which press of Esc is one too many: it comes right after one that closed something."""

from acp_tui.ui.kit.key_routing import EscapePresses
from tests.rows import each_of


@each_of(
    ("presses", "surplus"),
    [
        ("0 idle", ""),
        ("0 closes, 400 idle", "400"),
        ("0 closes, 499 idle", "499"),
        ("0 closes, 500 idle", ""),
        ("0 closes, 300 idle, 600 idle", "300"),  # half a second after the one that closed, not after each
        ("0 idle, 300 idle", ""),  # two in a row mean something
        ("0 closes, 300 closes, 700 idle", "700"),
        ("0 idle, 100 closes, 200 idle", "200"),
    ],
)
def test_a_press_right_after_one_that_closed_is_surplus(presses: str, surplus: str) -> None:
    for at_once in (True, False):
        escapes, found = EscapePresses(), []
        told = [(int(time), what) for time, what in (each.split() for each in presses.split(", "))]
        if at_once:  # the program was busy: all had come before it looked at the first
            for time, _ in told:
                escapes.note(time / 1000)
        for time, what in told:
            if not at_once:
                escapes.note(time / 1000)
            if what == "idle" and escapes.is_surplus(time / 1000):
                found.append(str(time))
        assert ", ".join(found) == surplus
