"""From changes to refreshes: at once, then once a frame; nothing lost, nothing running while nothing changes."""

import asyncio
from collections.abc import Callable, Iterable
from math import inf

import anyio
import pytest
from textual.pilot import Pilot

from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.tool_calls import TerminalReference
from acp_tui.session.changes import (
    Change,
    ElicitationAsked,
    EntryAdded,
    EntryChanged,
    EntryRemoved,
    PermissionAsked,
    PermissionSettled,
    QueueChanged,
    TerminalChanged,
    TurnChanged,
    UsageChanged,
)
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import PromptQueued
from acp_tui.ui import bridge as module
from acp_tui.ui.bridge import FRAME, GROWTH, Bridge
from tests.pilot.driver import PATIENCE
from tests.transcript_fakes import FakeDrawing, TranscriptApp, extend, message

pytestmark = [pytest.mark.anyio, pytest.mark.painted]
SIZE = (40, 12)


class Scene:
    """An app with a bridge, and what the bridge told."""

    def __init__(self, *entries: Entry) -> None:
        self.app = TranscriptApp(entries)
        self.told: list[list[Change]] = []
        self.refreshed: list[tuple[list[Entry], list[Entry], list[Entry]]] = []

    def start(self, refreshed: Callable[[], object] | None = None) -> Bridge:
        refresh = self.app.view.refresh_entries

        def note(added: Iterable[Entry] = (), changed: Iterable[Entry] = (), removed: Iterable[Entry] = ()) -> None:
            self.refreshed.append((list(added), list(changed), list(removed)))
            refresh(*self.refreshed[-1])

        self.app.view.refresh_entries = note  # type: ignore[method-assign]
        self.bridge = Bridge(self.app.session, self.app.view, refreshed)
        self.bridge.start(self.told.append)
        return self.bridge

    async def settle(self, pilot: Pilot[None]) -> None:
        """Until everything collected was told."""
        await pilot.pause()
        with anyio.fail_after(PATIENCE):
            while self.bridge.wait is not None:
                await pilot.pause(0.01)
        await pilot.pause()


async def test_what_is_there_is_shown_and_what_comes_is_followed() -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        entry = message(1, "one")
        scene.app.session.entries.append(entry)
        bridge.collect(EntryAdded(entry))
        for letter in " two":
            extend(entry, letter)
            bridge.collect(EntryChanged(entry))
        await scene.settle(pilot)
        assert scene.refreshed == [([entry], [entry], [])]
        assert scene.app.lines()[:6] == ["", "* m0", "| zero", "", "* m1", "| one two"]
        assert scene.told == []
        bridge.collect(EntryRemoved(entry))
        await scene.settle(pilot)
        assert scene.app.lines()[3:6] == ["", "", ""]


async def test_what_changes_before_the_view_is_there_is_told_once_it_is() -> None:
    scene = Scene()
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.bridge = Bridge(scene.app.session, scene.app.view)
        bridge.listen()
        entry = message(0, "zero")
        scene.app.session.entries.append(entry)
        for change in (EntryAdded(entry), TurnChanged(), EntryChanged(entry), UsageChanged()):
            bridge.collect(change)
        await pilot.pause()
        assert bridge.wait is None
        assert scene.told == []
        bridge.start(scene.told.append)
        await scene.settle(pilot)
        assert scene.app.lines()[:3] == ["", "* m0", "| zero"]
        assert scene.told == [[TurnChanged(), UsageChanged()]]


async def test_each_refresh_is_told_to_what_is_painted_with_it() -> None:
    scene, told = Scene(), []
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start(lambda: told.append(len(scene.refreshed)))
        for number in range(2):
            bridge.collect(EntryAdded(message(number, "new")))
            await scene.settle(pilot)
        assert told == [1, 2]


async def test_other_changes_come_in_order_and_only_looks_are_dropped() -> None:
    scene = Scene()
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        changes: list[Change] = [TurnChanged(), UsageChanged(), PermissionAsked(1), UsageChanged(), TurnChanged()]
        for change in changes:
            bridge.collect(change)
        await scene.settle(pilot)
        assert scene.told == [[TurnChanged(), UsageChanged(), PermissionAsked(1), TurnChanged()]]


async def test_it_listens_to_the_session_until_stopped() -> None:
    scene = Scene()
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        blocks: list[ContentBlock] = []
        scene.app.session.apply(PromptQueued(blocks))
        await scene.settle(pilot)
        assert len(scene.told) == 1
        scene.app.session.apply(PromptQueued(blocks))
        bridge.stop()
        scene.app.session.apply(PromptQueued(blocks))
        await pilot.pause()
        assert len(scene.told) == 1
        assert bridge.wait is None


async def test_the_first_change_is_taken_at_once_and_the_next_a_frame_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FRAME", 50.0)
    scene = Scene(message(0, "zero"))
    entry = scene.app.session.entries[0]
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        bridge._last = -1000
        bridge.collect(EntryChanged(entry))
        assert bridge.wait == 0
        await scene.settle(pilot)
        bridge.collect(EntryChanged(entry))
        bridge.collect(EntryChanged(entry))
        assert bridge.wait is not None
        assert 10 < bridge.wait <= 50
        assert len(scene.refreshed) == 1
        bridge.stop()
        assert bridge.wait is None


@pytest.mark.parametrize(
    "change",
    [
        TurnChanged(),
        PermissionAsked(1),
        PermissionSettled(1, None),
        ElicitationAsked(1),
        QueueChanged(),
    ],
)
async def test_what_the_user_waits_for_is_not_kept_until_the_next_frame(
    monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    monkeypatch.setattr(module, "FRAME", 50.0)
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        bridge._last, bridge._interval, bridge._cost = asyncio.get_running_loop().time(), 40.0, 0.0
        bridge.collect(EntryChanged(scene.app.session.entries[0]))
        assert bridge.wait is not None
        assert bridge.wait > 10
        bridge.collect(change)
        assert bridge.wait == 0
        await scene.settle(pilot)
        assert scene.refreshed[0][1] == scene.app.session.entries[:1], "what waited is painted with it"


async def test_what_cannot_wait_leaves_half_of_the_time_to_others() -> None:
    scene = Scene()
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        await pilot.pause()
        bridge._last, bridge._interval, bridge._cost = asyncio.get_running_loop().time(), 100.0, 30.0
        bridge.collect(TurnChanged())
        assert bridge._timer is not None
        assert bridge._timer.when() == bridge._last + 30.0
        bridge.stop()


async def test_what_cannot_wait_all_the_time_gets_one_refresh_more_a_frame_and_two_to_spare() -> None:
    scene = Scene()
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge, waits = scene.start(), []
        await pilot.pause()
        bridge._last = asyncio.get_running_loop().time()
        for change in (TurnChanged(), QueueChanged(), PermissionAsked(1), TurnChanged()):
            bridge._interval, bridge._cost = 100.0, 0.0
            bridge.collect(change)
            assert bridge.wait is not None
            waits.append(bridge.wait > 50)
            if not waits[-1]:
                await scene.settle(pilot)
        assert waits == [False, False, False, True]
        bridge.stop()


@pytest.mark.parametrize("active", [True, False])
async def test_where_an_answer_begins_nothing_waits_but_in_a_history_it_does(
    active: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRAME", 50.0)
    scene = Scene(message(0, "asked", "user"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge, waits = scene.start(), []
        await pilot.pause()
        scene.app.session.turn.state = "running" if active else "idle"
        bridge._last = asyncio.get_running_loop().time()
        for number in (1, 2):
            bridge._interval, bridge._cost = 40.0, 0.0
            entry = message(number, "answered")
            scene.app.session.entries.append(entry)
            bridge.collect(EntryAdded(entry))
            assert bridge.wait is not None
            waits.append(bridge.wait > 10)
            if not waits[-1]:
                await scene.settle(pilot)
        assert waits == ([False, True] if active else [True, True])
        bridge.stop()


async def test_messages_of_the_user_in_a_history_wait_like_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FRAME", 50.0)
    scene = Scene()
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        await pilot.pause()
        bridge._last = asyncio.get_running_loop().time()
        for number in range(3):
            bridge.collect(EntryAdded(message(number, "said before", "user")))
        assert bridge.wait is not None
        assert bridge.wait > 10
        bridge.stop()


async def test_refreshes_that_cost_much_make_the_next_one_wait_longer_and_a_single_one_not_by_much() -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge, intervals = scene.start(), []
        for _ in range(5):
            scene.app.view.paint_seconds = 9.0
            bridge.collect(EntryChanged(scene.app.session.entries[0]))
            await scene.settle(pilot)
            intervals.append(bridge._interval)
        assert intervals[0] == module.GROWTH * module.FRAME
        assert intervals[-1] == module.SLOWEST


async def test_terminal_output_alone_waits_longer_and_reaches_the_entry_that_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "FRAME", 0.3)
    monkeypatch.setattr(module, "TERMINAL_FRAME", 50.0)
    call = ToolCallEntry("t", content=[TerminalReference(terminal_id="term")])
    scene = Scene()
    scene.app.drawings[id(call)] = FakeDrawing(message(0, "output"))
    scene.app.session.index.terminal_references["term"] = {call.id: call}
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        bridge.collect(EntryAdded(call))
        await scene.settle(pilot)
        bridge.collect(TerminalChanged("term"))
        assert bridge.wait is not None
        assert bridge.wait > 10
        bridge.collect(TerminalChanged("unknown"))
        bridge.collect(UsageChanged())
        assert bridge.wait <= 0.3
        await scene.settle(pilot)
        assert scene.refreshed == [([call], [], []), ([], [call], [])]


async def test_while_updates_are_held_back_nothing_is_lost() -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        await pilot.pause()
        paints = scene.app.paints
        with scene.app.batch_update():
            extend(scene.app.session.entries[0], " one")
            bridge.collect(EntryChanged(scene.app.session.entries[0]))
            await scene.settle(pilot)
            assert scene.app.paints == paints
        await pilot.pause()
        assert scene.app.lines()[2] == "| zero one"


async def test_what_came_in_a_flood_is_read_ahead_in_turns_that_a_pause_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        await scene.settle(pilot)
        turns: list[int] = []

        def read_ahead(entries: Iterable[Entry]) -> bool:
            turns.append(len(list(entries)))
            if len(turns) == 2:
                bridge.pause()
                bridge.resume()
            assert not scene.refreshed
            return len(turns) < 4

        monkeypatch.setattr(scene.app.view, "read_ahead", read_ahead)
        extend(scene.app.session.entries[0], " one")
        bridge.collect(EntryChanged(scene.app.session.entries[0]))
        await scene.settle(pilot)
        assert turns == [1, 1, 1, 1]
        assert scene.refreshed == [([], scene.app.session.entries, [])]
        assert scene.app.lines()[2] == "| zero one"


async def test_a_flood_that_is_never_taken_over_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read ahead is shown now and then; what the user waits for is shown with it."""
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        await scene.settle(pilot)
        monkeypatch.setattr(scene.app.view, "read_ahead", lambda entries: bool(list(entries)))
        monkeypatch.setattr(module, "SLOWEST", 0.02)
        bridge.collect(EntryChanged(scene.app.session.entries[0]))
        with anyio.fail_after(PATIENCE):
            while len(scene.refreshed) < 3:
                await pilot.pause()
        monkeypatch.setattr(module, "SLOWEST", 2 * PATIENCE)
        bridge.collect(TurnChanged())
        with anyio.fail_after(PATIENCE):
            while not any(isinstance(change, TurnChanged) for told in scene.told for change in told):
                await pilot.pause()
        assert all(changed == scene.app.session.entries for _, changed, _ in scene.refreshed)


async def test_nothing_is_read_ahead_for_a_screen_that_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        await scene.settle(pilot)

        def read_ahead(entries: Iterable[Entry]) -> bool:
            assert not bridge.paused
            return bool(list(entries))

        monkeypatch.setattr(scene.app.view, "read_ahead", read_ahead)
        monkeypatch.setattr(bridge, "_last", -inf)
        bridge.collect(EntryChanged(scene.app.session.entries[0]))
        assert bridge.wait == 0.0, "a refresh waits for its turn"
        bridge.pause()
        await pilot.pause()
        assert bridge.wait is None
        monkeypatch.setattr(scene.app.view, "read_ahead", lambda _entries: False)
        bridge.resume()
        await scene.settle(pilot)
        assert scene.refreshed[-1] == ([], scene.app.session.entries, [])


async def test_entries_far_away_are_looked_at_too() -> None:
    scene = Scene(*(message(n, f"text {n}") for n in range(200)))
    first = scene.app.session.entries[0]
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        scene.app.view.scroll_to_start()
        scene.app.view.follow_end()
        extend(first, "\n" * 50)
        total = scene.app.view.virtual_size.height
        bridge.collect(EntryChanged(first))
        await scene.settle(pilot)
        assert not scene.app.view.behind
        assert scene.app.view.virtual_size.height == total + 25  # 50 line ends: 25 more paragraphs of the fake


async def test_what_is_above_the_end_of_a_flood_of_entries_waits_for_the_next_frame() -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        for number in range(1, 50):
            scene.app.session.entries.append(message(number, "text"))
            bridge.collect(EntryAdded(scene.app.session.entries[-1]))
        await scene.settle(pilot)
        assert [bool(added) for added, _, _ in scene.refreshed] == [True, False]
        assert not scene.app.view.behind


async def test_refreshes_that_cost_much_are_spaced() -> None:
    scene = Scene(message(0, "zero"))
    async with scene.app.run_test(size=SIZE) as pilot:
        bridge = scene.start()
        bridge.collect(TurnChanged())
        scene.app.view.paint_seconds = 10.0  # as if the paint before had taken that long
        await scene.settle(pilot)
        assert bridge._interval == GROWTH * FRAME
        bridge._last = asyncio.get_running_loop().time() + 100  # so that the next one is not due before it is looked at
        bridge.collect(UsageChanged())
        assert bridge._timer is not None
        assert bridge._timer.when() == bridge._last + GROWTH * FRAME
        bridge.stop()
