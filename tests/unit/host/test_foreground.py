"""A command with the terminal to itself: why it was not started."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.user_programs import run_in_foreground

pytestmark = pytest.mark.anyio


async def test_what_is_missing_is_named(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    for argv, cwd, reason in (
        (["/bin/sh"], gone, f"{gone} no longer exists"),
        (["no-such-editor"], str(tmp_path), "no-such-editor: command not found"),
    ):
        with pytest.raises(UserFault, match="cannot be started") as raised:
            await run_in_foreground(argv, cwd)
        assert raised.value.message == reason
