"""The end of an agent's process group."""

import os
import sys
from pathlib import Path

import pytest

from acp_tui.host.agent_process import AgentProcess

pytestmark = pytest.mark.anyio


async def test_a_group_that_is_gone_is_signalled_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []
    signal_group = os.killpg

    def killpg(group: int, number: int) -> None:
        found.append(False)
        signal_group(group, number)
        found[-1] = True

    monkeypatch.setattr(os, "killpg", killpg)
    process = await AgentProcess.start((sys.executable, "-c", "input()"), {}, str(tmp_path))
    await process.stop()
    process.kill()
    assert process.returncode is not None
    assert found.count(False) == 1
    assert found[-1] is False
