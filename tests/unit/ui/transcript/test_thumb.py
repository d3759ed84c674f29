"""When a scrollbar looks otherwise than it did, it is painted again."""

from hypothesis import given
from hypothesis import strategies as st
from textual.scrollbar import ScrollBarRender

from acp_tui.ui.transcript.placed import thumb_of


def looks(total: int, position: float, height: int) -> list[object]:
    """What Textual draws of it."""
    bar = ScrollBarRender.render_bar(size=height, virtual_size=total, window_size=height, position=position)
    return [(segment.text, segment.style and segment.style.reverse) for segment in bar.segments]


@given(st.integers(1, 30), st.integers(0, 2_000), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 7)), max_size=9))
def test_bars_that_look_different_have_different_thumbs(height: int, total: int, steps: list[tuple[int, int]]) -> None:
    seen: dict[tuple[int, int], list[object]] = {}
    for rows, eighths in [(0, 0), *steps]:
        total += rows
        position = max(0.0, total - height - eighths / 8)
        look = looks(total, position, height)
        assert seen.setdefault(thumb_of(total, position, height), look) == look
