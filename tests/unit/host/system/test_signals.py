"""The signals that would end the program."""

import signal
import sys
import threading

import pytest

from acp_tui.host.system.processes import ending_signals, hearing
from acp_tui.host.user_programs import run_in_foreground

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


def test_each_is_heard_and_none_ends_the_program() -> None:
    heard: list[int] = []
    before = {number: signal.getsignal(number) for number in ending_signals()}
    assert {signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM} <= set(before)
    with hearing(heard.append):
        for number in ending_signals():
            signal.raise_signal(number)
    assert heard == ending_signals()
    assert {number: signal.getsignal(number) for number in ending_signals()} == before


def test_beside_the_main_thread_nothing_is_heard() -> None:
    before = signal.getsignal(signal.SIGTERM)
    during: list[object] = []

    def run() -> None:
        with hearing(during.append):
            during.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert during == [before]


@pytest.mark.anyio
async def test_a_key_that_quits_is_for_the_command_in_the_foreground() -> None:
    heard: list[int] = []
    with hearing(heard.append):
        assert await run_in_foreground(["sh", "-c", "kill -QUIT $PPID; exit 3"]) == 3
    assert heard == []
