"""Undo in words: what happens to each path and why not, what came of it, what the agent is told; folders follow."""

from dataclasses import replace

import pytest

from acp_tui.host.revert.steps import Act, Outcome, Preview, Step, TakenBack
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, Who
from acp_tui.views import undo
from acp_tui.views.formatting import plain
from acp_tui.views.undo import (
    FEW,
    KEPT,
    act_words,
    brief_names,
    can_choose,
    files_words,
    implied_folders,
    left_alone,
    news_of,
    problems,
    reason,
    step_row,
    summary,
    time_of,
    turn_name,
    turn_of,
    why_not_chosen,
    with_folders,
    with_its_folders,
)
from tests.pilot.fake_changes import ROOT
from tests.rows import each_of

FOLDER = PathState("folder", 0o755)
FILE = PathState("file", 0o644, 1, "d")
CHANGE = PathChange("/p", "src/a.py", "changed", FILE, FILE, old_path="src/old.py", who="agent")
STEP = Step(CHANGE, "write", FILE, replace(FILE, mode=0o600))


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("write", "restore"),
        ("delete", "delete (new in this turn)"),
        ("move", "move back to src/old.py"),
        ("mode", "mode 0600"),
        ("link", "restore symlink"),
        ("folder", "restore folder"),
        ("nothing", "nothing to do"),
    ],
)
def test_what_happens_in_a_word(act: Act, said: str) -> None:
    assert act_words(replace(STEP, act=act)) == said


@pytest.mark.parametrize(
    ("words", "turns", "said"),
    [
        ('"fix it"', range(3, 4), "in this turn"),
        ("src/a.py", range(1, 4), "in this session"),
        ("all since the session began", range(1, 2), "in this session"),
        ('everything since "fix it"', range(1, 4), "since then"),
    ],
)
def test_a_file_is_new_since_when_the_preview_begins(words: str, turns: range, said: str) -> None:
    new = time_of(Preview(words, turns=turns))
    assert new == said
    assert step_row(replace(STEP, act="delete"), chosen=True, new=new).act[0] == f"delete (new {said})"


def test_what_is_written_is_told_by_what_is_there() -> None:
    assert act_words(replace(STEP, now=ABSENT)) == "restore (deleted)"
    assert act_words(replace(STEP, content=b"x")) == "restore lines"
    assert act_words(STEP, again=True) == "reapply"


def test_why_a_step_is_not_chosen() -> None:
    refused = replace(STEP, refusal="A parent is a link now", chosen=False)
    assert reason(refused, chosen=False) == ("A parent is a link now", True)
    assert not can_choose(refused)
    forced = replace(refused, forcible=True)
    assert reason(forced, chosen=False)[0].endswith("(Space to include it anyway)")
    assert KEPT in reason(forced, chosen=True)[0]
    unknown = replace(STEP, change=replace(CHANGE, who="unknown"), chosen=False)
    assert reason(unknown, chosen=False) == ("Not from a tool call, probably yours", False)
    assert reason(STEP, chosen=False) == ("", False)


def test_the_summary_counts_what_was_left() -> None:
    outcomes = [Outcome("a", done=True), Outcome("b", done=True), Outcome("c", done=False, said="no")]
    taken = TakenBack("Turn 1", number=1, outcomes=outcomes)
    assert summary(taken, "^X r to undo") == "2 files undone, 1 skipped (^X r to undo)"
    assert summary(replace(taken, outcomes=outcomes[2:]), "x") == "No files were changed, 1 skipped"
    assert problems(taken, {"a", "c"}) == [outcomes[2]]
    assert problems(taken, {"a"}) == []


def test_why_many_are_not_chosen_is_said_once() -> None:
    unknown = replace(STEP, change=replace(CHANGE, who="unknown"), chosen=False)
    assert why_not_chosen([unknown] * FEW) == []
    said = why_not_chosen([STEP, replace(unknown, refusal="x"), *[unknown] * 4])
    assert said == ["4 files: not from a tool call, probably yours"]
    assert reason(unknown, chosen=False, why=False) == ("", False)


def test_folders_are_not_counted_among_the_files_that_were_taken_back() -> None:
    folder = PathState("folder", 0o755)
    steps = [
        replace(STEP, change=PathChange("/p", "a", "new", ABSENT, folder)),
        replace(STEP, change=PathChange("/p", "a/x", "new", ABSENT, FILE)),
    ]
    taken = TakenBack("Turn 1", steps, number=1, outcomes=[Outcome("a", True), Outcome("a/x", True)])
    assert summary(taken, "") == "1 file undone"


@each_of(
    ("who", "said"),
    [
        (["agent", "command"], "2 files"),
        (["agent", "unknown", "outside", "afterwards"], "4 files, 3 probably yours"),
        (["agent", "session", "unknown"], "3 files, 1 probably yours, 1 from another session"),
        (["agent", "own"], "1 file"),
    ],
)
def test_the_files_of_an_undo_are_counted_by_whose_they_are(who: list[Who], said: str) -> None:
    files = [PathChange("/p", f"{at}", "changed", FILE, FILE, who=each) for at, each in enumerate(who)]
    assert files_words(files) == said


@each_of("chosen, said", [([True, True], "2 files"), ([True, False], "1 of 2 files"), ([False, False], "0 of 2 files")])
def test_of_the_files_of_an_undo_those_that_are_chosen_are_counted(chosen: list[bool], said: str) -> None:
    files = [PathChange("/p", name, "changed", FILE, FILE, who="agent") for name in "ab"]
    assert files_words(files, chosen) == said


def test_a_turn_is_named_by_its_prompt() -> None:
    assert turn_name("fix the\nparser", 3) == '"fix the parser"'
    assert turn_name("x" * 50, 3) == f'"{"x" * 39}…"'
    assert turn_name(" ", 3) == "turn 3"


@each_of(
    "given, chosen, row",
    [
        (STEP, True, ["☑ src/a.py | restore | agent", "user", "", "", []]),
        (STEP, False, ["☐ src/a.py | restore | agent", "faint", "muted", "muted", []]),
        (replace(STEP, act="delete", now=ABSENT), True, [
            "☑ src/a.py | delete (new in this turn) | agent", "user", "", "error", []
        ]),
        (replace(STEP, act="nothing"), False, ["– src/a.py | nothing to do | agent", "faint", "muted", "muted", [
            ("Nothing to undo", "muted")
        ]]),
        (replace(STEP, refusal="No way"), False, ["– src/a.py | restore | agent", "faint", "muted", "muted", [
            ("△ No way", "warning")
        ]]),
    ],
)  # fmt: skip
def test_a_step_as_a_row(given: Step, chosen: bool, row: list[object]) -> None:
    found = step_row(given, chosen=chosen)
    text = f"{found.box[0]} {found.path[0]} | {found.act[0]} | {found.who}"
    assert [text, found.box[1], found.path[1], found.act[1], found.below] == row


def test_whose_it_was_is_not_told_of_a_redo() -> None:
    assert step_row(STEP, chosen=True, again=True).who == ""


def test_many_that_are_left_alone_are_counted_by_their_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo, "LISTED", 2)
    outcomes = [Outcome("a", True, "half"), Outcome("b", False), *(Outcome(name, False, "in use") for name in "cd")]
    told = [(plain(head), plain(below)) for head, below in left_alone(outcomes)]
    assert told == [("△ partly done  a", "half"), ("✗ skipped  b", "reason unknown"), ("… 2 more files: in use", "")]


def test_names_of_files_are_brief() -> None:
    assert brief_names(["a.py"]) == "a.py"
    assert brief_names([f"{'long/' * 9}a.py", "b.py", "c.py"]) == "long/long/long/long/lo…/a.py, b.py +1"


def step(path: str, root: str = ROOT) -> Step:
    return Step(PathChange(root, path, "new", ABSENT, FILE), "delete", FILE, ABSENT)


def taken(number: int, *paths: str, undoes: int | None = None, turn: int = 1, time: float = 2e9) -> TakenBack:
    steps = [step(path) for path in paths]
    outcomes = [Outcome(path, done=True) for path in paths]
    return TakenBack(
        "words", steps, undoes=undoes, turns=range(turn, turn + 1), number=number, time=time, outcomes=outcomes
    )


def test_several_takings_join() -> None:
    news = news_of([taken(1, "b.py", turn=2), taken(2, "a.py", "b.py")], ROOT)
    assert news.words == "the undone files: a.py, b.py"
    assert "now as they were before these changes" in news.note


def test_of_one_turn_the_note_names_its_message() -> None:
    one = replace(taken(1, "b.py", turn=4), words='"fix it"')
    assert 'now as they were before my message "fix it".' in news_of([one], ROOT).note
    assert "before these changes." in news_of([replace(one, words="b.py")], ROOT).note


def test_what_is_undone_among_them_is_no_news() -> None:
    assert not news_of([taken(1, "a.py"), taken(2, "a.py", undoes=1)], ROOT)
    left = news_of([taken(1, "a.py", "b.py"), taken(2, "a.py", undoes=1)], ROOT)
    assert left.back == ["b.py"]


def test_what_is_undone_of_earlier_ones_is_put_back() -> None:
    news = news_of([taken(2, "a.py", undoes=1)], ROOT)
    assert news.words == "the redone files: a.py"
    assert "I restored changes that I had undone, in these files: a.py." in news.note


def test_a_file_of_another_folder_is_named_whole() -> None:
    other = TakenBack("Turn 1", [step("a.py", "/other")], number=1)
    assert news_of([other], ROOT).back == ["/other/a.py"]


def test_the_turn_of_a_taking() -> None:
    assert turn_of(taken(1, turn=12)) == 12
    assert turn_of(replace(taken(1), turns=range(1, 3))) == turn_of(taken(2, undoes=1)) == 0


def on_disk(path: str, act: Act, now: PathState, refusal: str = "") -> Step:
    status: Status = "new" if act == "delete" else "deleted"
    before, after = (ABSENT, now) if act == "delete" else (FOLDER if act == "folder" else FILE, ABSENT)
    return Step(PathChange("/p", path, status, before, after), act, now, before, refusal)


NEW = [
    on_disk("a", "delete", FOLDER),
    on_disk("a/b", "delete", FOLDER),
    on_disk("a/b/x", "delete", FILE),
    on_disk("a/y", "delete", FILE),
]
GONE = [on_disk("a", "folder", ABSENT), on_disk("a/x", "write", ABSENT), on_disk("a/y", "write", ABSENT)]


@pytest.mark.parametrize(
    ("steps", "files", "folders"),
    [
        (NEW, {2: True, 3: True}, [True, True]),
        (NEW, {2: True, 3: False}, [False, True]),
        (NEW, {2: False, 3: True}, [False, False]),
        (GONE, {1: True, 2: False}, [True]),
        (GONE, {1: False, 2: False}, [False]),
    ],
)
def test_a_folder_goes_with_all_in_it_and_comes_back_with_any(
    steps: list[Step], files: dict[int, bool], folders: list[bool]
) -> None:
    below = implied_folders(steps)
    chosen = with_folders([files.get(at, False) for at in range(len(steps))], steps, below)
    assert [chosen[at] for at in below] == folders


def test_a_file_that_is_gone_already_holds_no_folder_back() -> None:
    steps = [
        on_disk("a", "delete", FOLDER),
        on_disk("a/x", "delete", FILE),
        on_disk("a/y", "nothing", ABSENT),
    ]
    assert with_folders([False, True, False], steps, implied_folders(steps)) == [True, True, False]


def test_a_folder_with_nothing_below_and_one_that_is_refused_are_rows_of_their_own() -> None:
    assert implied_folders([on_disk("a", "delete", FOLDER), on_disk("ab", "delete", FILE)]) == {}
    assert implied_folders([on_disk("a", "delete", FOLDER, "Holds more"), on_disk("a/x", "delete", FILE)]) == {}


def test_a_file_takes_the_folders_with_it_that_came_for_it_alone() -> None:
    changes = [each.change for each in (*NEW, on_disk("c", "delete", FOLDER))]
    named = {change.path: change for change in changes}
    assert [each.path for each in with_its_folders(named["a/b/x"], changes)] == ["a/b/x", "a/b"]
    assert [each.path for each in with_its_folders(named["a/y"], changes)] == ["a/y"]
    alone = [change for change in changes if change.path != "a/y"]
    assert [each.path for each in with_its_folders(named["a/b/x"], alone)] == ["a/b/x", "a", "a/b"]


def test_a_file_brings_the_folders_back_that_went() -> None:
    changes = [each.change for each in GONE]
    assert [each.path for each in with_its_folders(changes[1], changes)] == ["a/x", "a"]
