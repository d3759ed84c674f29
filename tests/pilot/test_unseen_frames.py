"""A frame that is not composed asks widgets for the rows that a composed one asks them for."""

from collections.abc import Callable
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tests.pilot import unseen_frames
from tests.pilot.driver import user
from tests.pilot.fake_client import say

pytestmark = [pytest.mark.anyio, pytest.mark.painted]

Rows = set[tuple[Widget, int]]
render_update = Compositor.render_update


def asked(compositor: Compositor, paint: Callable[[], object]) -> Rows:
    """The rows of widgets that are drawn meanwhile, but those of a screen itself."""
    rows: Rows = set()

    def note(widget: Widget, draw: Callable[[Region], Any], part: Region) -> Any:
        rows.update((widget, y) for y in part.line_range)
        return draw(part)

    widgets = [widget for widget in compositor.visible_widgets if not isinstance(widget, Screen)]
    for widget in widgets:
        draw = widget.render_lines
        vars(widget)["render_lines"] = lambda part, widget=widget, draw=draw: note(widget, draw, part)
    paint()
    for widget in widgets:
        del vars(widget)["render_lines"]
    return rows


async def test_the_same_rows_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[tuple[Rows, Rows]] = []

    def both(compositor: Compositor, full: bool = False, screen_stack: Any = None, simplify: bool = False) -> Any:
        given: list[Any] = []
        changed = set(compositor._dirty_regions)
        unseen = asked(compositor, lambda: unseen_frames.draw(compositor, full, screen_stack))
        compositor._dirty_regions = changed
        seen = asked(compositor, lambda: given.append(render_update(compositor, full, screen_stack, simplify)))
        frames.append((seen, unseen))
        return given[0]

    monkeypatch.setattr(Compositor, "render_update", both)
    async with user((80, 24)) as someone:
        await someone.send("hello")
        say(someone.session, "One\n\n```python\nx = 1\n```\n")
        await someone.wait_for("x = 1")
        await someone.press("ctrl+p", "m", "down", "escape", "f1", "escape")
        await someone.pilot.resize_terminal(100, 30)
        await someone.press("a")
    assert sum(bool(seen) for seen, _ in frames) > 10
    assert [seen - unseen for seen, unseen in frames if not seen <= unseen] == []
    extra, drawn = sum(len(unseen - seen) for seen, unseen in frames), sum(len(seen) for seen, _ in frames)
    assert extra < drawn / 4  # what several widgets cover together is drawn, and little else


class Wrong(Static):
    """It can be put in its place, but not drawn."""

    def render_line(self, y: int) -> Any:
        raise RuntimeError("not drawn")


async def test_what_cannot_be_drawn_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    unseen_frames.leave_unseen(monkeypatch)

    async def drawn_wrong() -> None:
        async with user() as someone:
            await someone.conversation.mount(Wrong("x"))
            await someone.press("a")

    with pytest.raises(RuntimeError, match="not drawn"):
        await drawn_wrong()
