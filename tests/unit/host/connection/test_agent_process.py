"""The end of an agent and of all that descend from it."""

import os
import sys
from pathlib import Path

import anyio
import pytest

from acp_tui.host.connection.agent_process import AgentProcess
from tests.unit.host.system.test_terminals import dead, until

pytestmark = pytest.mark.anyio

PARENT = """
import subprocess, sys
child = subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
{then}
"""


async def test_a_tree_that_is_gone_is_signalled_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = await AgentProcess.start((sys.executable, "-c", "input()"), {}, str(tmp_path))
    await process.stop()
    monkeypatch.setattr(os, "killpg", pytest.fail)
    process.kill()
    await process.stop()
    assert process.returncode is not None


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_an_agent_that_leaves_at_the_end_of_its_input_leaves_no_child(end: str, tmp_path: Path) -> None:
    argv = (sys.executable, "-c", PARENT.format(then="sys.stdin.read()"))
    process = await AgentProcess.start(argv, {}, str(tmp_path))
    with anyio.fail_after(60):
        child = int(await process.receive())
        if end == "kill":
            process.kill()
        await process.stop()
        await dead(child)


async def test_the_child_of_an_agent_that_has_left_before_is_ended_if_it_was_seen(tmp_path: Path) -> None:
    process = await AgentProcess.start((sys.executable, "-c", PARENT.format(then="input()")), {}, str(tmp_path))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.watch_descendants)
            child = int(await process.receive())
            await until(lambda: child in process._tree._seen)
            await process.send(b"\n")
            await process.exited()
        await process.stop()
        await dead(child)
