"""Blocking calls: left alone where they do not end, and in nobody's way."""

import subprocess
import sys
import threading
from functools import partial

import anyio
import pytest

from acp_tui.host.system import threads as blocking
from acp_tui.host.system.threads import Call, Stuck, Threads, Withdrawn, in_thread

pytestmark = pytest.mark.anyio

BOUND = 60.0


async def test_what_is_returned_and_what_is_raised() -> None:
    assert await in_thread(int, "7") == 7
    with pytest.raises(ValueError, match="invalid literal"):
        await in_thread(int, "seven")
    assert await in_thread(lambda: threading.current_thread().daemon)


async def test_calls_that_hang_let_others_begin_until_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("AT_ONCE", 2), ("SLOW", 0.01), ("MOST", 5)):
        monkeypatch.setattr(blocking, name, value)
    threads, others, never, reached = Threads(), Threads(), threading.Event(), list[str]()

    async def hang() -> None:
        await threads.run(never.wait)
        reached.append("ended")

    with anyio.fail_after(BOUND):
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(hang)
            await anyio.wait_all_tasks_blocked()
            assert await threads.run(partial(int, "1")) == 1
            tasks.start_soon(hang)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Stuck, match="5"):
                await threads.run(partial(int, "1"))
            assert await others.run(partial(int, "2")) == 2
            never.set()
    assert len(reached) == 5
    assert await threads.run(partial(int, "3")) == 3


async def test_more_calls_than_run_at_once_are_all_made() -> None:
    threads, results = Threads(), list[int]()

    async def call(number: int) -> None:
        results.append(await threads.run(partial(int, str(number))))

    with anyio.fail_after(BOUND):
        async with anyio.create_task_group() as tasks:
            for number in range(300):
                tasks.start_soon(call, number)
    assert sorted(results) == list(range(300))


async def test_whoever_is_cancelled_leaves_and_the_call_learns_of_it() -> None:
    begun, left, noticed = threading.Event(), threading.Event(), threading.Event()
    call = Call()

    def work() -> None:
        call.check()
        begun.set()
        left.wait(BOUND)
        for ask in (call.check, call.commit):
            try:
                ask()
            except Withdrawn:
                continue
            return
        noticed.set()

    with anyio.fail_after(BOUND):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Threads().run, work, call)
            await in_thread(begun.wait)
            tasks.cancel_scope.cancel()
        assert not call._committed
        left.set()
        await in_thread(noticed.wait)


async def test_what_is_done_already_is_reported_though_it_was_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking, "PARTING", BOUND)
    begun, go_on = threading.Event(), threading.Event()
    call, results = Call(), list[str]()

    def work() -> str:
        call.commit()
        begun.set()
        go_on.wait(BOUND)
        return "written"

    async def run() -> None:
        results.append(await Threads().run(work, call))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await in_thread(begun.wait)
        tasks.cancel_scope.cancel()
        go_on.set()
    assert results == ["written"]


ENDING = """
import threading, anyio
from acp_tui.host.system.threads import in_thread
async def main():
    with anyio.move_on_after(0.1):
        await in_thread(threading.Event().wait)
    print("left")
anyio.run(main)
"""


def test_a_call_that_hangs_does_not_keep_the_program() -> None:
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=BOUND, check=True)
    assert ended.stdout == "left\n"
