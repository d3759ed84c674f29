"""Makes `screenshots/*.svg` from the scenes: `python -m tests.snapshots.screenshots [NAME ...]`."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style

from tests.answering import make_deliberate
from tests.snapshots.scenes import PICTURES, Scene
from tests.snapshots.svg_film import Row, still

FOLDER = Path(__file__).parents[2] / "screenshots"


async def take(scene: Scene) -> str:
    """The picture of a scene as SVG."""
    app = scene.app()
    async with app.run_test(size=scene.size) as pilot:
        await scene.play(pilot)
        strips = app.screen._compositor.render_strips(app.size)
        return still([row_of([*strip]) for strip in strips], scene.about, scene.theme)


def row_of(segments: list[Segment]) -> Row:
    """A row's cells; a wide character has an empty one behind it."""
    cells = [(sign, segment.style or Style.null()) for segment in segments for sign in segment.text]
    return tuple(
        cell
        for sign, style in cells
        for cell in ((sign, style), *(("", style) for _ in range(Segment(sign).cell_length - 1)))
    )


def main() -> None:
    """Write all pictures, or those that are named."""
    os.environ["HOME"], os.environ["TZ"] = "/home/someone", "UTC"
    time.tzset()
    make_deliberate(pytest.MonkeyPatch())
    for scene in PICTURES:
        if scene.name in (sys.argv[1:] or [scene.name]):
            (FOLDER / f"{scene.name}.svg").write_text(asyncio.run(take(scene)), encoding="utf-8")


if __name__ == "__main__":
    main()
