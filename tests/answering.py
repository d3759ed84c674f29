"""Clocks for the rule of answers: one that makes each key of a test a deliberate one, and one that a test moves."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual import events
from textual.screen import Screen

from acp_tui.ui.kit.key_routing import AnswerKeys, AnswersByRule

__all__ = ["deliberate_keys"]

BETWEEN_KEYS = 2.0  # seconds; longer than any pause of the rule
IN_A_WORD = 0.06  # seconds between two letters that are typed
FIRST = 1_000.0
_route, _note = AnswerKeys.route, AnswerKeys.note
_forward = Screen._forward_event


class ManualClock:
    """A clock that stands until it is moved; what is due then is called in its order."""

    def __init__(self) -> None:
        self._now = FIRST
        self._calls: list[tuple[float, Callable[[], object]]] = []

    def now(self) -> float:
        return self._now

    def call_at(self, when: float, call: Callable[[], object]) -> None:
        self._calls.append((when, call))

    def advance(self, seconds: float) -> None:
        """Move on; each call is made at its own time."""
        end = self._now + seconds
        while due := [each for each in self._calls if each[0] <= end]:
            first = min(due, key=lambda each: each[0])
            self._calls.remove(first)
            self._now = max(self._now, first[0])
            first[1]()
        self._now = end

    def stop(self, seconds: float) -> None:
        """Stand still, as a machine that is stopped: what is due meanwhile is called with the next move."""
        self._now += seconds


class PatientClock(ManualClock):
    """A clock on which whatever is waited for is there at once, as long as nobody types."""

    def call_at(self, when: float, call: Callable[[], object]) -> None:
        asyncio.get_running_loop().call_soon(self._reach, when, call)

    def _reach(self, when: float, call: Callable[[], object]) -> None:
        self._now = max(self._now, when)
        call()


def route_deliberately(keys: AnswerKeys, event: events.Event) -> Iterator[events.Event]:
    """Stamp what comes with the test's clock, and route it."""
    stamp(keys, event)
    return _route(keys, event)


def note_deliberately(keys: AnswerKeys, event: events.Event) -> float:
    """Stamp a key of which nothing but its time is of interest."""
    stamp(keys, event)
    return _note(keys, event)


def stamp(keys: AnswerKeys, event: events.Event) -> None:
    """Give an event the time of the test's clock, once; on a patient one a hand takes its time."""
    if getattr(event, "is_stamped", False):
        return
    event.is_stamped = True  # type: ignore[attr-defined]
    if isinstance(keys.clock, PatientClock):
        keys.clock.advance(getattr(event, "after", BETWEEN_KEYS))
    if isinstance(keys.clock, ManualClock):
        event.time = keys.clock.now()


def forward_noted(screen: Screen[Any], event: events.Event) -> None:
    """Tell of buttons that the pilot, which passes the app by, has pressed."""
    if isinstance(event, events.MouseDown | events.MouseUp) and isinstance(screen.app, AnswersByRule):
        list(screen.app.answer_keys.route(event))
    _forward(screen, event)


@pytest.fixture(autouse=True)
def deliberate_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key and click is meant, unless a test says otherwise: it comes long after what it answers was painted."""
    make_deliberate(monkeypatch)


def make_deliberate(patch: pytest.MonkeyPatch) -> None:
    """Have every app from now on run on a patient clock."""
    patch.setattr("acp_tui.ui.kit.key_routing.SystemClock", PatientClock)
    patch.setattr(AnswerKeys, "route", route_deliberately)
    patch.setattr(AnswerKeys, "note", note_deliberately)
    patch.setattr(Screen, "_forward_event", forward_noted)
