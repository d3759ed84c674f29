"""Which point a message went out at, and which turn is the last that can be taken back."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from acp_tui.host.changes.comparison import Neighbours
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.session_folders import SessionFolders
from acp_tui.host.changes.snapshot_history import History, Point, PointKind, TurnFiles
from acp_tui.host.changes.turn_tracker import TurnPoints, shortened
from acp_tui.host.config.preferences import SWITCHED_OFF, SnapshotSettings
from acp_tui.host.revert.steps import Preview, Step, TakenBack
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState
from acp_tui.host.system.threads import WriteQueue
from acp_tui.session.state import Session

ROOT = "/project"
TREES = {ROOT: "m"}


def point(number: int, kind: PointKind, turn: int, words: str = "", message: int | None = None) -> Point:
    return Point(number, kind, turn, float(number), words, TREES, message=message)


def changes(
    points: Sequence[Point], files: dict[int, list[str]] | None = None, taken: Sequence[TakenBack] = ()
) -> SessionChanges:
    turns = TurnPoints(Session("one", ROOT), SessionFolders(SnapshotSettings(), (ROOT,)), WriteQueue())
    known = {
        turn: TurnFiles(unknown=frozenset((ROOT, path) for path in paths)) for turn, paths in (files or {}).items()
    }
    turns.follow(History(list(points), {}, known, list(taken)))
    return SessionChanges(turns, lambda _since, _until: Neighbours())


def taken(
    number: int, *paths: str, undoes: int | None = None, turns: range = range(2, 3), whole: bool = False
) -> TakenBack:
    steps = [Step(PathChange(ROOT, path, "new", ABSENT, PathState("file")), "delete", ABSENT, ABSENT) for path in paths]
    return TakenBack("Turn", steps, undoes=undoes, turns=turns, whole=whole, number=number)


TWO_TURNS = [
    point(0, "opened", 0),
    point(1, "prompt", 1, "first thing", 0),
    point(2, "ended", 1),
    point(3, "prompt", 2, "second thing", 1),
    point(4, "ended", 2),
]


@pytest.mark.parametrize(
    ("message", "words", "number"),
    [
        (0, "first thing", 1),
        (1, "second  thing\n", 3),
        (1, "second thing", 3),
        (7, "first thing", 1),  # the agent told its history in other messages
        (0, "other", None),
        (0, "", None),
    ],
)
def test_where_a_message_went_out(message: int, words: str, number: int | None) -> None:
    found = changes(TWO_TURNS).before(message, words)
    assert (found.number if found else None) == number


def test_messages_of_the_same_words_are_told_apart_by_their_place() -> None:
    same = [point(0, "prompt", 1, "go", 0), point(1, "ended", 1), point(2, "prompt", 2, "go", 1)]
    assert [changes(same).before(at, "go") for at in (0, 1, 2)] == [same[0], same[2], None]


def test_one_that_was_cancelled_and_sent_again_is_the_last_of_them() -> None:
    same = [point(0, "prompt", 1, "go", 0), point(1, "ended", 1), point(2, "prompt", 2, "go", 0)]
    assert changes(same).before(0, "go") == same[2]


@pytest.mark.parametrize("text", ["x" * 500, "word " * 5000, "a\nb  c"], ids=["one word", "many", "lines"])
def test_long_messages_are_known_by_their_beginning(text: str) -> None:
    assert len(shortened(text)) <= 120
    assert changes([point(0, "prompt", 1, shortened(text), 0)]).before(0, text) is not None
    assert changes([point(0, "prompt", 1, shortened(text), 0)]).before(0, "other " + text) is None


def test_the_last_turn_is_one_that_changed_something() -> None:
    assert changes(TWO_TURNS, {1: ["a"], 2: []}).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])
    assert changes(TWO_TURNS, {1: ["a"], 2: ["b"]}).last_turn() == (TWO_TURNS[3], TWO_TURNS[4])
    assert changes(TWO_TURNS, {1: [], 2: []}).last_turn() is None


def test_what_is_all_taken_back_is_no_last_turn_any_more_until_that_is_undone() -> None:
    files = {1: ["a"], 2: ["b", "c"]}
    last = (TWO_TURNS[3], TWO_TURNS[4])
    assert changes(TWO_TURNS, files, [taken(1, "b")]).last_turn() == last
    assert changes(TWO_TURNS, files, [taken(1, "b", "c")]).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])
    undone = [taken(1, "b", "c"), taken(2, "b", "c", undoes=1)]
    assert changes(TWO_TURNS, files, undone).last_turn() == last
    again = [*undone, taken(3, "b", "c", undoes=2)]
    assert changes(TWO_TURNS, files, again).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])


SAME_FILE = {1: ["a"], 2: ["a"]}


def test_two_turns_that_changed_the_same_file_are_undone_one_after_the_other() -> None:
    once = [taken(1, "a", whole=True)]
    assert changes(TWO_TURNS, SAME_FILE, once).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])
    twice = [*once, taken(2, "a", turns=range(1, 2), whole=True)]
    assert changes(TWO_TURNS, SAME_FILE, twice).last_turn() is None
    redone = [*twice, taken(3, "a", undoes=2)]
    assert changes(TWO_TURNS, SAME_FILE, redone).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])


def test_a_file_that_a_later_turn_gave_back_is_not_back_as_before_an_earlier_one() -> None:
    assert changes(TWO_TURNS, SAME_FILE, [taken(1, "a")]).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])


def test_going_back_to_a_message_undoes_the_turns_from_there_and_none_before() -> None:
    back_to_second = [taken(1, "a", turns=range(2, 3), whole=True)]
    assert changes(TWO_TURNS, SAME_FILE, back_to_second).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])
    back_to_first = [taken(1, "a", turns=range(1, 3), whole=True)]
    assert changes(TWO_TURNS, SAME_FILE, back_to_first).last_turn() is None


def test_going_back_to_a_message_concerns_the_files_of_all_later_turns() -> None:
    files = {1: ["a", "b"], 2: ["b", "c"]}
    assert changes(TWO_TURNS, files).files_from() == {1: 3, 2: 2}
    assert changes(TWO_TURNS, files, [taken(1, "b", "c", whole=True)]).files_from() == {1: 2, 2: 0}


def test_what_did_not_come_back_does_not_stand_in_the_way_of_the_turn_before() -> None:
    left = [taken(1, "b", whole=True)]  # c was not chosen, or could not come back
    assert changes(TWO_TURNS, {1: ["a"], 2: ["b", "c"]}, left).last_turn() == (TWO_TURNS[1], TWO_TURNS[2])
    assert changes(TWO_TURNS, {1: ["a"], 2: ["b"]}).last_turn(passed={2}) == (TWO_TURNS[1], TWO_TURNS[2])


def test_after_an_undo_the_next_turn_is_the_newest() -> None:
    third = [*TWO_TURNS, point(5, "prompt", 3, "third", 2), point(6, "ended", 3)]
    undone = [taken(1, "a", whole=True)]
    assert changes(third, {**SAME_FILE, 3: ["a"]}, undone).last_turn() == (third[5], third[6])
    again = [*undone, taken(2, "a", turns=range(3, 4), whole=True)]
    assert changes(third, {**SAME_FILE, 3: ["a"]}, again).last_turn() == (third[1], third[2])


def test_what_cannot_come_back_is_not_as_it_was() -> None:
    change = PathChange(ROOT, "big.bin", "changed", PathState("unknown", reason="too large"), PathState("file"))
    refused = Step(change, "nothing", PathState("file"), PathState("unknown"), "Too large to save")
    assert not Preview("Turn 1", [refused]).is_as_it_was
    assert Preview("Turn 1", [Step(change, "nothing", PathState("file"), PathState("file"))]).is_as_it_was


def test_a_turn_without_an_end_goes_to_the_next_start_or_to_now() -> None:
    open_turn = TWO_TURNS[:2]
    found = changes(open_turn).last_turn()
    assert found is not None
    assert (found[0], found[1].kind) == (open_turn[1], "now")
    started = [*open_turn, point(2, "opened", 1)]
    assert changes(started).last_turn() == (started[1], started[2])


def test_why_none_are_taken_is_said() -> None:
    turns = TurnPoints(Session("one", ROOT), SessionFolders(SWITCHED_OFF, (ROOT,)), WriteQueue())
    assert SessionChanges(turns, lambda _since, _until: Neighbours()).off == "Snapshots are switched off"


def test_what_was_taken_back_between_points_goes_by_numbers_whatever_the_clock_says() -> None:
    takings = [replace(taken(number, path), time=99.0) for number, path in ((1, "a"), (2, "b"))]
    since = point(4, "ended", 2)
    until = [replace(point(at, "taken_back", 2), time=1.0, takings=at - 4) for at in (5, 6)]
    comparing = changes([*TWO_TURNS, *until], taken=takings).comparing
    assert comparing._taken_back(since, until[0]) == {(ROOT, "a")}
    assert comparing._taken_back(until[0], until[1]) == {(ROOT, "b")}
