"""Every scene looks as it did; `pytest --snapshot-update` after a look at the report accepts a change."""

from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.snapshots.scenes import SCENES, Scene


class Compare(Protocol):
    """What pytest-textual-snapshot gives."""

    def __call__(self, app: App[int], *, terminal_size: tuple[int, int], run_before: "object") -> bool: ...


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_scene(scene: Scene, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/home/someone/.config")

    async def play(pilot: Pilot[int]) -> None:
        await scene.play(pilot)

    assert snap_compare(scene.app(), terminal_size=scene.size, run_before=play)
