import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.host.config.log import open_log
from acp_tui.host.config.state_files import config_folder, state_folder


@pytest.fixture(autouse=True)
def logger() -> Iterator[logging.Logger]:
    """The program's logger, as it was before afterwards."""
    logger = logging.getLogger("acp_tui")
    handlers, propagate = list(logger.handlers), logger.propagate
    yield logger
    for handler in set(logger.handlers) - set(handlers):
        handler.close()
    logger.handlers, logger.propagate = handlers, propagate


def test_the_folders_are_ours_and_not_made_by_looking() -> None:
    assert state_folder().name == config_folder().name == "acp-tui"
    assert not state_folder().exists()


def test_a_mistake_is_written_down_there_and_nowhere_else(capsys: pytest.CaptureFixture[str]) -> None:
    path = open_log()
    assert path == state_folder() / "acp-tui.log"
    assert not path.exists()
    logging.getLogger("acp_tui.somewhere").error("oh no \ud800")
    assert "ERROR acp_tui.somewhere: oh no \\ud800" in path.read_text()
    assert capsys.readouterr().err == ""


def test_without_a_place_there_is_no_log(capsys: pytest.CaptureFixture[str]) -> None:
    state_folder().parent.mkdir(parents=True)
    state_folder().write_text("a file where a folder should be")
    assert open_log() is None
    logging.getLogger("acp_tui.somewhere").error("oh no")
    assert capsys.readouterr().err == ""


def test_nobody_else_looks_into_the_folder() -> None:
    path = open_log()
    assert isinstance(path, Path)
    assert path.parent.stat().st_mode & 0o077 == 0
