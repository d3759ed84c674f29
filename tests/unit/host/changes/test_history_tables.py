"""What is written down of a session's snapshots, and read again."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from acp_tui.host.changes.comparison import _of_history
from acp_tui.host.changes.history_tables import (
    FIRST,
    Before,
    RunWriter,
    Statements,
    calls_rows,
    earlier_runs,
    early_rows,
    files_rows,
    new_name,
    point_rows,
    settle,
    taken_rows,
    void_rows,
    write_beginning,
)
from acp_tui.host.changes.snapshot_history import History, Point, TurnFiles
from acp_tui.host.revert.steps import Outcome, Step, TakenBack
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState

ROOT = "/project"
ODD = "new\nline \udcff"
PROMPT = Point(3, "prompt", 2, 12.5, "do it", {ROOT: "m1"}, ["too large: x"], {ROOT: "main"}, 4)
FILE = PathState("file", 0o600, 3, "ab" * 20)


def taken(number: int, undoes: int | None = None) -> TakenBack:
    change = PathChange(ROOT, ODD, "changed", ABSENT, FILE)
    steps, outcomes = [Step(change, "delete", FILE, ABSENT)], [Outcome(ODD, done=True)]
    return TakenBack("Turn 1", steps, undoes=undoes, number=number, time=9.0, outcomes=outcomes)


def writer(store: FolderStore, agent: str = "agent", session_id: str = "one") -> RunWriter:
    made = RunWriter(store, new_name())
    made.identify(agent, session_id)
    return made


def put(to: RunWriter, rows: Callable[..., Statements], *given: object, before: Before = FIRST) -> None:
    to.add(partial(rows, *given, before=before))


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(ROOT, tmp_path / "store")


def runs(store: FolderStore, session_id: str = "one") -> History:
    return earlier_runs(store, "agent", session_id)


def test_all_that_is_written_is_read_again(store: FolderStore) -> None:
    made = writer(store)
    key = (ROOT, ODD)
    files = TurnFiles({key: "call"}, frozenset({(ROOT, "o")}), frozenset({(ROOT, "u")}), ("said",), commands=True)
    put(made, point_rows, PROMPT)
    put(made, early_rows, 2, {key: FILE})
    put(made, calls_rows, 2, {key: "named"})
    assert runs(store).named == {2: {key: "named"}}
    put(made, files_rows, 2, files)
    put(made, taken_rows, replace(taken(1), back_to=3))
    history = runs(store)
    assert history.points == [replace(PROMPT, number=0)]
    assert history.early == {2: {key: FILE}}
    assert (history.files, history.named) == ({2: files}, {})
    assert history.taken_back == [replace(taken(1), back_to=3)]
    assert history.needed() == {ROOT: {"m1"}}
    assert history.runs == [made.name]


@pytest.mark.parametrize(
    "wrong",
    ['{"kind": "point", "num', "[]", "{}", "4", '{"number": "x"}', '{"steps": 4}', "null", '"' + "x" * 9],
)
@pytest.mark.parametrize("table", ["point", "turn", "taking", "step"])
def test_a_row_that_nobody_can_read_costs_only_itself(store: FolderStore, table: str, wrong: str) -> None:
    made = writer(store)
    other = TurnFiles(commands=True)
    for turn in (1, 2):
        put(made, point_rows, replace(PROMPT, number=turn, turn=turn))
        put(made, files_rows, turn, other)
        put(made, taken_rows, taken(turn))
    column = {"turn": "files"}.get(table, "data")
    number = {"point": "number", "turn": "turn", "taking": "number", "step": "taking"}[table]
    with store.database.writing() as connection:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {number} = 1", (wrong,))
    history = runs(store)
    points, turns, takings = ([2] if table == each else [1, 2] for each in ("point", "turn", "taking"))
    assert [point.turn for point in history.points] == points
    assert [*history.files] == ([1, 2] if wrong.endswith("}") else turns)  # an object of which nothing is known
    assert [each.number for each in history.taken_back] == (takings if table != "step" else [2])


def test_earlier_runs_are_one_history_and_other_sessions_none_of_it(store: FolderStore) -> None:
    one, two, other = writer(store), writer(store), writer(store, session_id="two")
    put(one, point_rows, Point(0, "opened", 0, 1.0))
    put(one, point_rows, Point(1, "prompt", 1, 2.0))
    put(two, point_rows, Point(0, "opened", 0, 3.0))
    put(two, point_rows, Point(1, "prompt", 1, 4.0))
    put(two, early_rows, 1, {(ROOT, "a"): FILE})
    put(other, point_rows, Point(0, "opened", 0, 5.0))
    history = runs(store)
    assert [(point.number, point.turn, point.time) for point in history.points] == [
        (0, 0, 1.0),
        (1, 1, 2.0),
        (2, 1, 3.0),
        (3, 2, 4.0),
    ]
    assert list(history.early) == [2]


def test_this_run_is_no_earlier_one(store: FolderStore) -> None:
    mine = RunWriter(store, new_name())
    put(mine, point_rows, PROMPT)
    assert runs(store).points == [], "it has no names yet"
    mine.identify("agent", "one")
    assert earlier_runs(store, "agent", "one", mine.name).points == []
    assert len(runs(store).points) == 1


def test_ids_of_agents_are_any(store: FolderStore) -> None:
    ids = ("../../agent", "../../../etc/passwd\0\udcff"), ("'; DROP TABLE run; --", "%"), ("", "x")
    for agent, session_id in ids:
        put(writer(store, agent, session_id), point_rows, PROMPT)
    assert [len(earlier_runs(store, *each).points) for each in ids] == [1, 1, 1]


def test_a_turn_that_was_none_leaves_no_point() -> None:
    history = History([Point(0, "opened", 0, 1.0), PROMPT])
    history.void(PROMPT.turn)
    assert [point.kind for point in history.points] == ["opened"]


def test_a_void_line_is_read(store: FolderStore) -> None:
    made = writer(store)
    put(made, point_rows, PROMPT)
    put(made, void_rows, PROMPT.turn)
    assert runs(store).points == []


def test_an_undone_one_is_known_as_that() -> None:
    history = History()
    history.add_taken(taken(1))
    history.add_taken(taken(2, undoes=1))
    assert [each.undone for each in history.taken_back] == [True, False]


def test_a_run_counts_from_its_own_beginning(store: FolderStore) -> None:
    first, second = writer(store), writer(store)
    put(first, point_rows, Point(0, "prompt", 1, 1.0))
    put(first, taken_rows, replace(taken(1), back_to=0))
    put(second, point_rows, Point(1, "prompt", 2, 2.0), before=Before(1, 1, 1))
    put(second, taken_rows, taken(2, undoes=1), before=Before(1, 1, 1))
    for number in (0, 1):  # a point of the run before, and one of this one
        put(second, taken_rows, replace(taken(3 + number), back_to=number), before=Before(1, 1, 1))
    history = runs(store)
    assert [(point.number, point.turn) for point in history.points] == [(0, 1), (1, 2)]
    told = [(each.number, each.undoes, each.undone, each.back_to) for each in history.taken_back]
    assert told == [(1, None, True, 0), (2, 1, False, None), (3, None, False, 0), (4, None, False, 1)]


def test_what_was_about_to_be_done_gives_way_to_what_was(store: FolderStore) -> None:
    made = writer(store)
    put(made, taken_rows, replace(taken(1), outcomes=()))
    assert [each.outcomes for each in runs(store).taken_back] == [()]
    put(made, taken_rows, taken(1))
    assert runs(store).taken_back == [taken(1)]


def test_what_a_crash_cut_short_is_settled_once_by_what_the_disk_shows(store: FolderStore) -> None:
    made = writer(store)
    steps = [replace(taken(1).steps[0], change=replace(taken(1).steps[0].change, path=path)) for path in ("a", "b")]
    put(made, taken_rows, replace(taken(1), outcomes=(), steps=steps, turns=range(1, 2), whole=True, finished=False))
    assert not runs(store).taken_back[0].finished
    (found,) = earlier_runs(store, "agent", "one", is_done=lambda step: step.change.path == "a").taken_back
    assert (found.finished, found.whole, [step.change.path for step in found.steps]) == (True, False, ["a"])
    assert [(each.path, each.done) for each in found.outcomes] == [("a", True), ("b", False)]
    (again,) = earlier_runs(store, "agent", "one", is_done=lambda _step: False).taken_back
    assert again == found


def test_steps_are_settled_one_by_one(store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 25,000 steps that took minutes."""
    history = History()
    history.add_taken(replace(taken(1), steps=[*taken(1).steps, *taken(1).steps], finished=False))

    def compared(_one: Step, _other: object) -> bool:
        raise AssertionError

    answers = iter((True, False))
    with monkeypatch.context() as patch:
        patch.setattr(Step, "__eq__", compared)
        settle(store, 1, history, lambda _step: next(answers))
    assert [each.done for each in history.taken_back[0].outcomes] == [True, False]


def test_a_taking_that_was_done_at_its_end_is_whole_though_nobody_wrote_that_down(store: FolderStore) -> None:
    made = writer(store)
    put(made, taken_rows, replace(taken(1), outcomes=(), turns=range(1, 2), whole=True, finished=False))
    (found,) = earlier_runs(store, "agent", "one", is_done=lambda _step: True).taken_back
    assert found.whole


def test_numbers_of_later_runs_count_on() -> None:
    history, later = History(), History()
    history.add_taken(taken(1))
    later.add_taken(taken(1))
    later.add_taken(taken(2, undoes=1))
    history.follow(later)
    assert [(each.number, each.undoes, each.undone) for each in history.taken_back] == [
        (1, None, False),
        (2, None, True),
        (3, 2, False),
    ]


def test_a_session_begins_with_what_another_one_had_before_its_own_runs(store: FolderStore) -> None:
    key = (ROOT, ODD)
    before = History(
        [Point(number, "prompt", number + 1, 2.0 * number, trees={ROOT: f"m{number}"}) for number in range(3)],
        {1: {key: PathState("unknown", reason="late")}, 3: {key: ABSENT}},
        {1: TurnFiles({key: "call"}), 2: TurnFiles(commands=True), 3: TurnFiles()},
        [TakenBack("one", number=1, time=1.0, at=1), TakenBack("two", number=2, time=9.0, at=3)],
        runs=[(theirs := writer(store)).name],
    )
    digest = store.keep(b"held")
    store.worker.run = theirs.name
    assert store.hold([PathState("file", digest=digest)])
    beginning = before.until(before.points[2])
    own = writer(store, session_id="branch")
    put(own, point_rows, Point(0, "prompt", 1, 20.0))
    write_beginning({ROOT: store}, "agent", "branch", beginning)
    found = runs(store, "branch")
    assert [(point.number, point.turn, point.time) for point in found.points] == [
        (0, 1, 0.0),
        (1, 2, 2.0),
        (2, 3, 20.0),
    ]
    assert (found.early, found.files) == ({1: before.early[1]}, {1: before.files[1], 2: before.files[2]})
    assert [taken.words for taken in found.taken_back] == ["one"]
    assert found.needed() == {ROOT: {"m0", "m1"}}
    store.forget([theirs.name], 0.0)
    assert store.has(digest), "it stays with the branch"
    store.forget(found.runs, 0.0)
    assert not store.has(digest)
    assert not runs(store, "branch").points


def test_a_folder_is_the_agents_own_only_if_it_was_so_in_two_turns() -> None:
    own = [TurnFiles(own=frozenset({(ROOT, path)})) for path in (".agent/a", ".agent/b", ".storybook/x")]
    assert History(files=dict(enumerate(own, 1))).own_folders == {".agent"}


def test_what_calls_of_another_run_named_counts_while_its_turn_goes_on() -> None:
    history = History([Point(0, "prompt", 1, 5.0)], named={1: {(ROOT, "a"): "edit"}})
    (named,) = _of_history(history, 6.0, 7.0, alive=True)
    assert named.call((ROOT, "a")) == "edit"
