"""Choosing two points one after the other: from which, until which."""

from collections.abc import Callable, Sequence
from typing import Any

from textual.app import App

from acp_tui.host.changes.points import Point
from acp_tui.ui.changes.spans import Between, chosen, clock, point_words
from acp_tui.ui.kit.picker import Picker, PickerRow


def pick_points(
    app: App[Any], points: Sequence[Point], shown: Between | None, then: Callable[[Between], object]
) -> None:
    """Ask for two points, the latest first in each list; `then` gets what was chosen, if anything was."""
    if not points:
        return
    now = Point(points[-1].number + 1, "now", points[-1].turn, points[-1].time)

    def until(since: Point | None) -> None:
        if since is not None:
            later = [now, *reversed([each for each in points if each.number > since.number])]
            current = (shown.until or now).number if shown is not None else -1
            picker = Picker(f"{point_words(since)} → until", [_row(each, current) for each in later])

            def take(last: Point | None) -> None:
                if last is not None:
                    then(chosen(since, last))

            app.push_screen(picker, take)

    current = shown.since.number if shown is not None else -1
    app.push_screen(Picker("Changes from", [_row(each, current) for each in reversed(points)]), until)


def _row(point: Point, current: int) -> PickerRow[Point]:
    when = "" if point.kind in ("opened", "now") else clock(point)
    return PickerRow(point, point_words(point), when, current=point.number == current)
