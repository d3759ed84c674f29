import signal

import pytest

from acp_tui.host.system.processes import ending


@pytest.mark.parametrize(
    ("returncode", "words"),
    [(0, "exit code 0"), (3, "exit code 3"), (-signal.SIGKILL, "killed by SIGKILL"), (-999, "killed by signal 999")],
)
def test_endings_in_words(returncode: int, words: str) -> None:
    assert ending(returncode) == words
