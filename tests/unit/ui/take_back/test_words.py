from dataclasses import replace

import pytest

from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState, Who
from acp_tui.host.take_back.steps import Act, Outcome, Preview, Step, TakenBack
from acp_tui.ui.take_back import words
from acp_tui.ui.take_back.line import Said, row_of
from acp_tui.ui.take_back.step_rows import rows_of
from tests.rows import each_of

FILE = PathState("file", 0o644, 1, "d")
CHANGE = PathChange("/p", "src/a.py", "changed", FILE, FILE, old_path="src/old.py", who="agent")
STEP = Step(CHANGE, "write", FILE, replace(FILE, mode=0o600))


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("write", "restore"),
        ("delete", "delete (it did not exist)"),
        ("move", "move back to src/old.py"),
        ("mode", "mode 0600"),
        ("link", "link, as it was"),
        ("folder", "folder, as it was"),
        ("nothing", "nothing to do"),
    ],
)
def test_what_happens_in_a_word(act: Act, said: str) -> None:
    assert words.act_words(replace(STEP, act=act)) == said


def test_what_is_written_is_told_by_what_is_there() -> None:
    assert words.act_words(replace(STEP, now=ABSENT)) == "restore (deleted)"
    assert words.act_words(replace(STEP, content=b"x")) == "put the lines back"
    assert words.act_words(STEP, again=True) == "write again"


def test_why_a_step_is_not_chosen() -> None:
    refused = replace(STEP, refusal="A parent is a link now", chosen=False)
    assert words.reason(refused, chosen=False) == ("A parent is a link now", True)
    assert not words.can_choose(refused)
    forced = replace(refused, forcible=True)
    assert words.reason(forced, chosen=False)[0].endswith("(Space: do it all the same)")
    assert words.KEPT in words.reason(forced, chosen=True)[0]
    unknown = replace(STEP, change=replace(CHANGE, who="unknown"), chosen=False)
    assert words.reason(unknown, chosen=False) == ("Outside any command, probably yours", False)
    assert words.reason(STEP, chosen=False) == ("", False)


def test_the_summary_counts_what_was_left() -> None:
    outcomes = [Outcome("a", done=True), Outcome("b", done=True), Outcome("c", done=False, said="no")]
    taken = TakenBack("Turn 1", number=1, outcomes=outcomes)
    assert words.summary(taken, "Ctrl+X r undoes it") == "2 files undone, 1 left alone (Ctrl+X r undoes it)"
    assert words.summary(replace(taken, outcomes=outcomes[2:]), "x") == "Nothing was changed, 1 left alone"
    assert words.problems(taken, {"a", "c"}) == [outcomes[2]]
    assert words.problems(taken, {"a"}) == []


@each_of("width", [20, 40, 52, 74, 95])
@each_of("path", ["a.py", "ordner/日本語/" * 12 + "x.py", "bad\n\x1b[31mname"])
def test_rows_keep_to_their_cells_and_lines(width: int, path: str) -> None:
    refused = replace(STEP, change=replace(CHANGE, path=path), refusal="It was changed again " * 5, forcible=True)
    preview = Preview("Turn 1", [replace(refused, refusal=""), refused])
    for row in rows_of(preview, [0, 1], [True, False], width):
        drawn = row.draw(width).split("\n")
        assert len(drawn) == row.lines
        assert all(line.cell_length <= width for line in drawn)
        assert "\x1b" not in row.draw(width).plain


@pytest.mark.parametrize("width", [12, 30, 80])
def test_a_row_above_the_prompt_keeps_its_key_where_there_is_room(width: int) -> None:
    said = Said("The agent will be told: files were undone (a.py)", ("^X U", "leave out"), lambda: None)
    row = row_of(said, width)
    assert row.cell_length <= width
    assert ("leave out" in row.plain) is (width == 80)


def test_why_many_are_not_chosen_is_said_once() -> None:
    unknown = replace(STEP, change=replace(CHANGE, who="unknown"), chosen=False)
    assert words.why_not_chosen([unknown] * words.FEW) == []
    said = words.why_not_chosen([STEP, replace(unknown, refusal="x"), *[unknown] * 4])
    assert said == ["4 files: outside any command, probably yours"]
    assert words.reason(unknown, chosen=False, why=False) == ("", False)
    preview = Preview("Turn 1", [unknown] * 4)
    assert [row.lines for row in rows_of(preview, [0, 1, 2, 3], [False] * 4, 80)] == [1, 1, 1, 1]


def test_folders_are_not_counted_among_the_files_that_were_taken_back() -> None:
    folder = PathState("folder", 0o755)
    steps = [
        replace(STEP, change=PathChange("/p", "a", "new", ABSENT, folder)),
        replace(STEP, change=PathChange("/p", "a/x", "new", ABSENT, FILE)),
    ]
    taken = TakenBack("Turn 1", steps, number=1, outcomes=[Outcome("a", True), Outcome("a/x", True)])
    assert words.summary(taken, "") == "1 file undone"


@each_of(
    ("who", "said"),
    [
        (["agent", "command"], "2 files"),
        (["agent", "unknown", "outside", "afterwards"], "4 files, 3 probably yours"),
        (["agent", "session", "unknown"], "3 files, 1 probably yours, 1 of another session"),
        (["agent", "own"], "1 file"),
    ],
)
def test_the_files_of_an_undo_are_counted_by_whose_they_are(who: list[Who], said: str) -> None:
    files = [PathChange("/p", f"{at}", "changed", FILE, FILE, who=each) for at, each in enumerate(who)]
    assert words.files_words(files) == said


def test_a_turn_is_named_by_its_prompt() -> None:
    assert words.turn_name("fix the\nparser", 3) == '"fix the parser"'
    assert words.turn_name("x" * 50, 3) == f'"{"x" * 39}…"'
    assert words.turn_name(" ", 3) == "turn 3"
