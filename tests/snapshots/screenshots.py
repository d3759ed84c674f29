"""Makes `screenshots/*.svg` from the scenes: `python -m tests.snapshots.screenshots`."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from tests.answering import make_deliberate
from tests.snapshots.scenes import SCENES, Scene

FOLDER = Path(__file__).parents[2] / "screenshots"
SHOWN = (
    *("answer", "permission", "working-light", "small", "models", "form", "palette", "settings", "subagents"),
    *("changes", "changes-small"),
)


async def take(scene: Scene) -> str:
    """The picture of a scene as SVG."""
    app = scene.app()
    async with app.run_test(size=scene.size) as pilot:
        await scene.play(pilot)
        return app.export_screenshot(title="acp-tui")


def main() -> None:
    """Write all pictures."""
    os.environ["HOME"], os.environ["TZ"] = "/home/someone", "UTC"
    time.tzset()
    make_deliberate(pytest.MonkeyPatch())
    for scene in SCENES:
        if scene.name in SHOWN:
            (FOLDER / f"{scene.name}.svg").write_text(asyncio.run(take(scene)), encoding="utf-8")


if __name__ == "__main__":
    main()
