"""Work behind the loop's back: everything is taken, in order, and trouble does not end it."""

import logging
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.system import threads as write_behind
from acp_tui.host.system.threads import FULL, ITEM, WriteBehind

BOUND = 60.0


@given(st.lists(st.integers(), max_size=30))
def test_everything_is_taken_in_order(items: list[int]) -> None:
    taken: list[int] = []
    behind = WriteBehind[int](taken.extend, "test", interval=0.001)
    for item in items:
        behind.put(item)
    assert behind.close(BOUND)
    assert taken == items


def test_nothing_runs_before_something_is_put() -> None:
    before = threading.active_count()
    behind = WriteBehind[int](lambda _: None, "test")
    assert threading.active_count() == before
    assert behind.close()


@pytest.mark.parametrize("ask", [WriteBehind[int].hurry, WriteBehind[int].soon])
def test_who_asks_does_not_wait_for_the_interval(ask: Callable[[WriteBehind[int]], None]) -> None:
    taken = threading.Event()
    behind = WriteBehind[int](lambda _: taken.set(), "test", interval=1000)
    behind.put(1)
    ask(behind)
    assert taken.wait(BOUND)
    assert behind.close(BOUND)


def test_what_is_taken_soon_is_taken_now_by_who_hurries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_behind, "BREATH", 1000)
    taken = threading.Event()
    behind = WriteBehind[int](lambda _: taken.set(), "test", interval=1000)
    behind.put(1)
    behind.soon()
    behind.hurry()
    assert taken.wait(BOUND)
    behind.put(2)
    behind.soon()
    assert behind.close(BOUND)


def test_a_batch_that_fails_is_remembered_and_the_next_is_taken() -> None:
    taken: list[int] = []
    failed = threading.Event()

    def take(batch: list[int]) -> None:
        if 1 in batch:
            failed.set()
            raise ValueError("no ones")
        taken.extend(batch)

    behind = WriteBehind[int](take, "test", interval=0.001)
    behind.put(1)
    assert failed.wait(BOUND)
    behind.put(2)
    assert behind.close(BOUND)
    assert taken == [2]
    assert behind.problem == "ValueError: no ones"


def test_what_hangs_does_not_keep_anyone() -> None:
    go_on = threading.Event()

    def hang(_: list[int]) -> None:
        go_on.wait(BOUND)

    behind = WriteBehind[int](hang, "test", interval=0.001)
    behind.put(1)
    assert not behind.close(0.01)
    go_on.set()
    assert behind.close(BOUND)


def test_what_waits_is_bounded_and_what_was_lost_is_said(caplog: pytest.LogCaptureFixture) -> None:
    go_on, begun = threading.Event(), threading.Event()
    taken: list[int] = []

    def hang(batch: list[int]) -> None:
        begun.set()
        go_on.wait(BOUND)
        taken.extend(batch)

    behind = WriteBehind[int](hang, "test", interval=0.001, held=5 * ITEM)
    assert behind.put(0, size=ITEM)
    assert begun.wait(BOUND)
    with caplog.at_level(logging.ERROR):
        assert [behind.put(number) for number in range(1, 6)] == [True, True, True, False, False]
    assert behind._items.empty()
    assert behind.problem == FULL
    assert caplog.messages == [f"test: {FULL}; 4 items are lost"]
    go_on.set()
    assert behind.close(BOUND)
    assert taken == [0]


def test_what_was_taken_makes_room() -> None:
    taken = threading.Event()
    behind = WriteBehind[int](lambda _: taken.set(), "test", interval=0.001, held=2 * ITEM)
    for number in range(10):
        assert behind.put(number)
        assert taken.wait(BOUND)
        taken.clear()
        assert behind.put(number)
        assert taken.wait(BOUND)
        taken.clear()
    assert behind.close(BOUND)
