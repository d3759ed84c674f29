"""When an app has done all that it was asked to do: no message waits, and nothing waits to be laid out or painted.

Textual's pilot looks at the processor instead: a process that got little of it counts as one that has nothing to do.
"""

import asyncio
from time import monotonic
from typing import Any

import pytest
from textual._context import active_app
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen

from acp_tui.ui.conversation_screen import ConversationScreen

ROUNDS = 5  # of the event loop without anything to do: what is begun in one may ask for more in the next
LOOK = 0.001  # seconds between two looks at what waits for a time, not for the event loop
PATIENCE = 60.0  # seconds; far more than anything takes, for machines that are busy


async def until_still(app: App[Any]) -> None:
    """Wait until nothing is to be done; not for timers, threads and processes, whose ends a test must wait for.

    The one timer that is waited for is that of the next frame: what has changed in a session is on the screen.
    """
    deadline, quiet = monotonic() + PATIENCE, 0
    while quiet < ROUNDS and app.is_running:
        at_work = next((pump for pump in (app, *app._registry) if is_at_work(pump)), None)
        quiet = quiet + 1 if at_work is None else 0
        assert monotonic() < deadline, f"never still: {at_work}"
        await asyncio.sleep(LOOK if isinstance(at_work, Screen) else 0)  # a screen waits for its next frame


def is_busy(app: App[Any]) -> bool:
    """Whether a message is under way; a frame that is due does not count."""
    return any(map(has_messages, (app, *app._registry)))


def is_at_work(pump: MessagePump) -> bool:
    """Whether a part of an app has, or is about to have, something to do."""
    if not pump._running:
        return False
    if has_messages(pump):
        return True
    if isinstance(pump, ConversationScreen) and (pump._bridge.wait is not None or is_to_be_completed(pump)):
        return True
    return isinstance(pump, Screen) and (bool(pump._callbacks) or is_to_be_painted(pump))


def is_to_be_completed(screen: ConversationScreen) -> bool:
    """Whether panels and actions come as soon as a thread has loaded them."""
    return screen.is_current and screen._introduced.is_set() and not screen.complete


def has_messages(pump: MessagePump) -> bool:
    """Whether a part of an app is with a message, or one waits for it."""
    queue: Any = pump._message_queue
    if not pump._running:
        return False
    if not queue.empty() or pump._pending_message is not None or pump._next_callbacks:
        return True
    if all(waiter.done() for waiter in queue.ready_event._waiters):  # it is with its last message still
        return True
    return isinstance(pump, App) and pump._resize_event is not None


def is_to_be_painted(screen: Screen[Any]) -> bool:
    """Whether what can be seen of the screen has changed since it was painted."""
    if screen.app._batch_count or not screen.is_current:
        return False
    asked = (screen._layout_required, screen._scroll_required, screen._repaint_required, screen._recompose_required)
    top = screen.app.screen is screen  # one below it keeps some of these for later
    return screen._update_timer._active.is_set() or (top and (any(asked) or bool(screen._dirty_widgets)))


def wait_until_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each pause and each key of Textual's pilot end when the app is still."""

    async def wait_for_idle(_least: float = 0, _most: float = 0) -> None:
        await until_still(active_app.get())

    monkeypatch.setattr("textual.pilot.wait_for_idle", wait_for_idle)
    monkeypatch.setattr("textual.app.wait_for_idle", wait_for_idle)
