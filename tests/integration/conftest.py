from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_state(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is kept beyond a run is kept beside the test."""
    folder = private_folders / "kept"
    folder.mkdir()
    monkeypatch.setattr("acp_tui.host.choices.state_folder", lambda: folder)
    monkeypatch.setattr("acp_tui.host.input_options.state_folder", lambda: folder)
    return folder
