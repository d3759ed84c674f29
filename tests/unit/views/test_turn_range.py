"""Between which points: the session, a turn that goes on or is over or never ended, and the turn after and before."""

import time

from acp_tui.host.changes.snapshot_history import Point, PointKind
from acp_tui.views.changed_files import (
    NO_UNDO,
    UNCOMMITTED,
    clock,
    one_turn,
    point_words,
    step,
    turns,
    wanted_range,
    whole_session,
)


def points(*kinds: tuple[PointKind, int]) -> list[Point]:
    return [Point(number, kind, turn, time.time(), "fix the login") for number, (kind, turn) in enumerate(kinds)]


def test_the_session_is_from_the_first_point_until_now() -> None:
    found = whole_session(points(("opened", 0), ("prompt", 1), ("ended", 1)))
    assert (found.since.number, found.until, found.words) == (0, None, "Since the session began")


def test_nothing_is_undone_to_head() -> None:
    assert UNCOMMITTED.no_undo == NO_UNDO
    assert whole_session(points(("opened", 0))).no_undo == ""
    assert step(points(("prompt", 1), ("ended", 1)), UNCOMMITTED, 1) == 1


def test_a_turn_is_from_its_prompt_to_its_end() -> None:
    there = points(("opened", 0), ("prompt", 1), ("ended", 1), ("taken_back", 1), ("prompt", 2))
    first = one_turn(there, 1, active=True)
    assert first is not None
    assert first.until is there[2]
    assert first.words == "Turn 1"
    assert first.ends.startswith('"fix the login" · ')


def test_a_turn_goes_on_until_now_if_it_is_the_last_and_active() -> None:
    there = points(("prompt", 1), ("prompt", 2))
    going = one_turn(there, 2, active=True)
    assert going is not None
    assert (going.until, going.words) == (None, "Since this turn began")
    never_ended = one_turn(there, 1, active=True)
    assert never_ended is not None
    assert never_ended.until is there[1]
    assert one_turn(there, 3, active=True) is None


def test_turns_are_stepped_through() -> None:
    there = points(("opened", 0), ("prompt", 1), ("ended", 1), ("prompt", 2), ("ended", 2))
    assert turns(there) == [1, 2]
    assert step(there, whole_session(there), -1) == 2
    assert step(there, one_turn(there, 2, active=False), -1) == 1
    assert step(there, one_turn(there, 2, active=False), 1) is None
    assert step([], None, 1) is None


def test_what_is_wanted_is_there_once_its_points_are() -> None:
    there = points(("opened", 0), ("prompt", 1), ("ended", 1), ("prompt", 2))
    assert wanted_range("uncommitted", [], active=False) is UNCOMMITTED
    assert wanted_range("session", [], active=False) is None
    found = [wanted_range(wanted, there, active=True) for wanted in ("session", "last", 1, 3)]
    assert [each and each.words for each in found] == [
        "Since the session began",
        "Since this turn began",
        "Turn 1",
        None,
    ]
    assert wanted_range("last", there[:1], active=False) is None


def test_points_in_words() -> None:
    words = [point_words(each) for each in points(("prompt", 3), ("ended", 3), ("taken_back", 3), ("now", 3))]
    assert words == ["Prompt 3: fix the login", "After turn 3", "After undo: fix the login", "Now"]
    opened = Point(0, "opened", 0, time.time())
    assert point_words(opened) == f"Session opened {time.strftime('%H:%M', time.localtime(opened.time))}"
    assert clock(Point(0, "opened", 0, 0.0)).count(" ") == 2  # another day is told
    assert point_words(UNCOMMITTED.since) == "HEAD"


def test_a_prompt_s_words_are_harmless() -> None:
    assert "\x1b" not in point_words(Point(0, "prompt", 1, 0.0, "a\x1b[2J\nb"))
