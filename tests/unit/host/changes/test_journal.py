"""What is written down of a session's snapshots, and read again."""

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.host.changes.client_changes import _of_history
from acp_tui.host.changes.journal import (
    FOLDER,
    History,
    Journal,
    TurnFiles,
    earlier_runs,
    early_line,
    files_line,
    intent_line,
    manifest_line,
    new_name,
    point_line,
    read,
    settle,
    taken_line,
    void_line,
    within_run,
    write_beginning,
)
from acp_tui.host.changes.points import Point
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.host.take_back.steps import Outcome, Step, TakenBack

ROOT = "/project"
ODD = "new\nline \udcff"
PROMPT = Point(3, "prompt", 2, 12.5, "do it", {ROOT: "m1"}, ("too large: x",), {ROOT: "main"}, 4)
FILE = PathState("file", 0o600, 3, "ab" * 20)


def taken(number: int, undoes: int | None = None) -> TakenBack:
    change = PathChange(ROOT, ODD, "changed", ABSENT, FILE)
    steps, outcomes = [Step(change, "delete", FILE, ABSENT)], [Outcome(ODD, done=True)]
    return TakenBack("Turn 1", steps, undoes=undoes, number=number, time=9.0, outcomes=outcomes)


def journal(store: Path, agent: str = "agent", session_id: str = "one") -> Journal:
    made = Journal(store, new_name())
    made.identify(agent, session_id)
    return made


def test_all_that_is_written_is_read_again(tmp_path: Path) -> None:
    made = journal(tmp_path)
    key = (ROOT, ODD)
    files = TurnFiles({key: "call"}, frozenset({(ROOT, "o")}), frozenset({(ROOT, "u")}), ("said",), commands=True)
    for line in (
        point_line(PROMPT),
        early_line(2, {key: FILE}),
        files_line(2, files),
        taken_line(taken(1)),
        manifest_line(ROOT, "m2"),
    ):
        made.add(line)
    history = read(made.path)
    assert history.points == [replace(PROMPT, number=0)]
    assert history.early == {2: {key: FILE}}
    assert history.files == {2: files}
    assert history.taken_back == [taken(1)]
    assert history.needed() == {ROOT: {"m1", "m2"}}


def test_a_long_journal_is_read_to_its_end_but_for_lines_that_are_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = journal(tmp_path)
    for number in (1, 2):
        made.add(taken_line(taken(number)))
    made.add(intent_line(replace(taken(3), words="x" * 2_000)))
    made.add(taken_line(taken(4)))
    monkeypatch.setattr("acp_tui.host.changes.journal.READ_AT_MOST", 1_000)  # bytes; each short line has fewer
    assert [each.number for each in read(made.path).taken_back] == [1, 2, 4]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    made = journal(tmp_path)
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("torn", [b'{"kind": "point", "num', b"\xff\xfe", b"[]", b'{"kind": "point"}', b'{"kind": 4}'])
def test_a_torn_line_costs_only_itself(tmp_path: Path, torn: bytes) -> None:
    made = journal(tmp_path)
    made.add(point_line(PROMPT))
    with made.path.open("ab") as file:
        file.write(torn)
    made.add(taken_line(taken(1)))
    history = read(made.path)
    assert (history.points, history.taken_back) == ([replace(PROMPT, number=0)], [taken(1)])


def test_earlier_runs_are_one_history_and_other_sessions_none_of_it(tmp_path: Path) -> None:
    one, two, other = journal(tmp_path), journal(tmp_path), journal(tmp_path, session_id="two")
    one.add(point_line(Point(0, "opened", 0, 1.0)))
    one.add(point_line(Point(1, "prompt", 1, 2.0)))
    two.add(point_line(Point(0, "opened", 0, 3.0)))
    two.add(point_line(Point(1, "prompt", 1, 4.0)))
    two.add(early_line(1, {(ROOT, "a"): FILE}))
    other.add(point_line(Point(0, "opened", 0, 5.0)))
    history = earlier_runs(tmp_path, "agent", "one", "none")
    assert [(point.number, point.turn, point.time) for point in history.points] == [
        (0, 0, 1.0),
        (1, 1, 2.0),
        (2, 1, 3.0),
        (3, 2, 4.0),
    ]
    assert list(history.early) == [2]


def test_this_run_is_no_earlier_one(tmp_path: Path) -> None:
    name = new_name()
    mine = Journal(tmp_path, name)
    mine.add(point_line(PROMPT))
    mine.identify("agent", "one")
    assert earlier_runs(tmp_path, "agent", "one", name).points == []
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == [mine.path.name]


def test_ids_of_agents_name_no_paths(tmp_path: Path) -> None:
    made = journal(tmp_path, "../../agent", "../../../etc/passwd\0\udcff")
    assert made.path.parent == tmp_path / FOLDER
    assert made.path.exists()


def test_a_turn_that_was_none_leaves_no_point() -> None:
    history = History([Point(0, "opened", 0, 1.0), PROMPT])
    history.void(PROMPT.turn)
    assert [point.kind for point in history.points] == ["opened"]


def test_a_void_line_is_read(tmp_path: Path) -> None:
    made = journal(tmp_path)
    made.add(point_line(PROMPT))
    made.add(void_line(PROMPT.turn))
    assert read(made.path).points == []


def test_an_undone_one_is_known_as_that() -> None:
    history = History()
    history.add_taken(taken(1))
    history.add_taken(taken(2, undoes=1))
    assert [each.undone for each in history.taken_back] == [True, False]


def test_a_run_counts_from_its_own_beginning(tmp_path: Path) -> None:
    first, second = journal(tmp_path), journal(tmp_path)
    first.add(point_line(Point(0, "prompt", 1, 1.0)))
    first.add(taken_line(replace(taken(1), back_to=0)))
    second.add(within_run(point_line(Point(1, "prompt", 2, 2.0)), 1, 1, 1))
    second.add(within_run(taken_line(taken(2, undoes=1)), 1, 1, 1))
    for number in (0, 1):  # a point of the run before, and one of this one
        second.add(within_run(taken_line(replace(taken(3 + number), back_to=number)), 1, 1, 1))
    history = earlier_runs(tmp_path, "agent", "one", "none")
    assert [(point.number, point.turn) for point in history.points] == [(0, 1), (1, 2)]
    told = [(each.number, each.undoes, each.undone, each.back_to) for each in history.taken_back]
    assert told == [(1, None, True, 0), (2, 1, False, None), (3, None, False, 0), (4, None, False, 1)]


def test_what_was_about_to_be_done_gives_way_to_what_was(tmp_path: Path) -> None:
    made = journal(tmp_path)
    made.add(intent_line(replace(taken(1), outcomes=())))
    assert [each.outcomes for each in read(made.path).taken_back] == [[]]
    made.add(taken_line(taken(1)))
    assert read(made.path).taken_back == [taken(1)]


def test_what_a_crash_cut_short_is_settled_once_by_what_the_disk_shows(tmp_path: Path) -> None:
    made = journal(tmp_path)
    steps = [replace(taken(1).steps[0], change=replace(taken(1).steps[0].change, path=path)) for path in ("a", "b")]
    made.add(intent_line(replace(taken(1), outcomes=(), steps=steps, turns=range(1, 2), whole=True, finished=False)))
    assert not read(made.path).taken_back[0].finished
    (found,) = earlier_runs(tmp_path, "agent", "one", "none", lambda step: step.change.path == "a").taken_back
    assert (found.finished, found.whole, [step.change.path for step in found.steps]) == (True, False, ["a"])
    assert [(each.path, each.done) for each in found.outcomes] == [("a", True), ("b", False)]
    (again,) = earlier_runs(tmp_path, "agent", "one", "none", lambda _step: False).taken_back
    assert again == found


def test_steps_are_settled_one_by_one_and_not_each_with_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 25,000 steps that took minutes."""
    history = History()
    history.add_taken(replace(taken(1), steps=[*taken(1).steps, *taken(1).steps], finished=False))

    def compared(_one: Step, _other: object) -> bool:
        raise AssertionError

    answers = iter((True, False))
    with monkeypatch.context() as patch:
        patch.setattr(Step, "__eq__", compared)
        settle(tmp_path / "x.jsonl", history, lambda _step: next(answers))
    assert [each.done for each in history.taken_back[0].outcomes] == [True, False]


def test_a_taking_that_was_done_at_its_end_is_whole_though_nobody_wrote_that_down(tmp_path: Path) -> None:
    made = journal(tmp_path)
    made.add(intent_line(replace(taken(1), outcomes=(), turns=range(1, 2), whole=True, finished=False)))
    (found,) = earlier_runs(tmp_path, "agent", "one", "none", lambda _step: True).taken_back
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


def test_a_session_begins_with_what_another_one_had_before_its_own_runs(tmp_path: Path) -> None:
    key = (ROOT, ODD)
    before = History(
        [Point(number, "prompt", number + 1, 2.0 * number, trees={ROOT: f"m{number}"}) for number in range(3)],
        {1: {key: PathState("unknown", reason="late")}, 3: {key: ABSENT}},
        {1: TurnFiles({key: "call"}), 2: TurnFiles(commands=True), 3: TurnFiles()},
        [TakenBack("one", number=1, time=1.0, at=1), TakenBack("two", number=2, time=9.0, at=3)],
        {ROOT: ["m9"]},
    )
    beginning = before.until(before.points[2])
    own = Journal(tmp_path, new_name())
    own.identify("agent", "branch")
    own.add(point_line(Point(0, "prompt", 1, 20.0)))
    write_beginning(tmp_path, "agent", "branch", beginning)
    found = earlier_runs(tmp_path, "agent", "branch", "none")
    assert [(point.number, point.turn, point.time) for point in found.points] == [
        (0, 1, 0.0),
        (1, 2, 2.0),
        (2, 3, 20.0),
    ]
    assert (found.early, found.files) == ({1: before.early[1]}, {1: before.files[1], 2: before.files[2]})
    assert [taken.words for taken in found.taken_back] == ["one"]
    assert found.needed() == {ROOT: {"m0", "m1", "m9"}}


def test_a_folder_is_the_agents_own_only_if_it_was_so_in_two_turns() -> None:
    own = [TurnFiles(own=frozenset({(ROOT, path)})) for path in (".agent/a", ".agent/b", ".storybook/x")]
    assert History(files=dict(enumerate(own, 1))).own_folders == {".agent"}


def test_what_calls_of_another_run_named_counts_while_its_turn_goes_on() -> None:
    history = History([Point(0, "prompt", 1, 5.0)], named={1: {(ROOT, "a"): "edit"}})
    (named,) = _of_history(history, 6.0, 7.0, alive=True)
    assert named.call((ROOT, "a")) == "edit"
