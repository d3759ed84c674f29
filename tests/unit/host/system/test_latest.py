"""Work that is asked for again meanwhile is done once more, never two at a time."""

from collections.abc import Coroutine
from typing import Any

import anyio
import pytest

from acp_tui.host.system.threads import Latest

pytestmark = pytest.mark.anyio


class Works:
    """Each work waits at its gate; `most` is how many went on at once."""

    def __init__(self, tasks: anyio.abc.TaskGroup) -> None:
        self.gates: list[anyio.Event] = []
        self.at_once = self.most = 0
        self._tasks = tasks
        self.latest = Latest(self._begin, self._work)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        async def go() -> None:
            await work

        self._tasks.start_soon(go)

    async def _work(self) -> None:
        self.gates.append(anyio.Event())
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await self.gates[-1].wait()
        finally:
            self.at_once -= 1


async def test_who_asks_meanwhile_has_it_done_once_more_and_not_at_the_same_time() -> None:
    async with anyio.create_task_group() as tasks:
        works = Works(tasks)
        works.latest.ask()
        await anyio.wait_all_tasks_blocked()
        assert (works.latest.busy, works.latest.asked) == (True, False)
        for _ in range(3):
            works.latest.ask()
        await anyio.wait_all_tasks_blocked()
        assert (len(works.gates), works.latest.asked) == (1, True)
        works.gates[0].set()
        await anyio.wait_all_tasks_blocked()
        assert len(works.gates) == 2
        works.gates[1].set()
    assert (len(works.gates), works.most, works.latest.busy) == (2, 1, False)


async def test_one_that_was_cancelled_can_be_asked_for_again() -> None:
    async with anyio.create_task_group() as tasks:
        works = Works(tasks)
        works.latest.ask()
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert not works.latest.busy
    assert works.at_once == 0
