from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.host.connection.agent_process import AgentProcess
from tests.at_work import looked_first, own_home
from tests.integration.checkouts import Checkout, hostile_checkout
from tests.integration.driver import BOUND

__all__ = ["looked_first", "own_home"]


@pytest.fixture(autouse=True)
def own_state(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is kept beyond a run is kept beside the test."""
    folder = private_folders / "kept"
    folder.mkdir()
    monkeypatch.setattr("acp_tui.host.config.choices.state_folder", lambda: folder)
    monkeypatch.setattr("acp_tui.host.sessions.questions.state_folder", lambda: folder)
    return folder


@pytest.fixture(autouse=True)
def long_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that ends by itself has ended, however late a busy machine tells us."""
    monkeypatch.setattr(AgentProcess, "grace", 10 * BOUND)


@pytest.fixture
def checkout(tmp_path: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkout]:
    """The current folder: a project that wants its own code to be run."""
    with hostile_checkout(tmp_path, private_folders, monkeypatch) as checkout:
        yield checkout
