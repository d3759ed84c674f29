"""The tabs in one row: whatever there is and however little room, the current one is there and all are counted."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.status.header_footer import strip_of
from acp_tui.views.board import TabLabel


def test_the_tab_of_a_branch_has_its_mark() -> None:
    strip = strip_of([TabLabel(1, "Fix the login test", current=True), TabLabel(2, "find out why", branch=True)], 80)
    assert strip.content.plain == "1 Fix the login test   2 └ find out why"
    assert strip.places[1] == (23, 39, 2)


def labels(count: int, current: int, name: str = "Fix the login test") -> list[TabLabel]:
    return [TabLabel(number, name, "working", number == current) for number in range(1, count + 1)]


def test_names_are_whole_where_there_is_room() -> None:
    strip = strip_of([TabLabel(1, "Fix the login", "waiting"), TabLabel(2, "Docs", "idle", True)], 80)
    assert strip.content.plain == "1 Fix the login △   2 Docs"
    assert strip.places == ((0, 17, 1), (20, 26, 2))


@given(st.integers(2, 30), st.data(), st.integers(26, 200))
def test_the_current_one_always_shows(count: int, data: st.DataObject, width: int) -> None:
    current = data.draw(st.integers(1, count))
    strip = strip_of(labels(count, current), width)
    assert strip.content.cell_length <= width
    shown = [number for _, _, number in strip.places]
    assert current in shown
    assert shown == list(range(shown[0], shown[-1] + 1))
    text = strip.content.plain
    if shown[0] > 1:
        assert text.startswith(f"+{shown[0] - 1}")
    if shown[-1] < count:
        assert text.endswith(f"+{count - shown[-1]}")
    for start, end, number in strip.places:
        assert text[start:end].startswith(f"{number} ")
