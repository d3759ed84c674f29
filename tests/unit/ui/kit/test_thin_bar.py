"""A scrollbar is a thin line where its thumb is, blank elsewhere, and takes clicks where Textual's does."""

from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.segment import Segment
from textual.scrollbar import ScrollBarRender

from acp_tui.ui.kit.thin_bar import ThinBar

HEIGHT = 12
INK, GROUND = Color.parse("red"), Color.parse("black")


def bar(kind: type[ScrollBarRender], rows: int, position: float, *, vertical: bool = True) -> list[Segment]:
    how = {"virtual_size": rows, "window_size": HEIGHT, "position": position, "thickness": 1, "vertical": vertical}
    return list(kind.render_bar(size=HEIGHT, back_color=GROUND, bar_color=INK, **how).segments)  # type: ignore[arg-type]


@given(st.integers(HEIGHT + 1, 5000), st.floats(0, 1))
def test_the_thumb_is_a_line_and_clicks_mean_what_they_do(rows: int, share: float) -> None:
    position = int(share * (rows - HEIGHT) * 8) / 8
    thin, textuals = bar(ThinBar, rows, position), bar(ScrollBarRender, rows, position)
    assert [each.style and each.style.meta for each in thin] == [each.style and each.style.meta for each in textuals]
    drawn = "".join(each.text for each in thin)
    assert drawn.strip() == "┃" * len(drawn.strip()) != ""
    assert len({id(each) for each in thin if each.text == "┃"}) == 1


def test_a_horizontal_bar_is_textuals() -> None:
    assert bar(ThinBar, 100, 3.0, vertical=False) == bar(ScrollBarRender, 100, 3.0, vertical=False)
