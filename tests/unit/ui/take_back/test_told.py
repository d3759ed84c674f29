from dataclasses import replace

from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.host.take_back.steps import Outcome, Step, TakenBack
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.state import Session
from acp_tui.ui.take_back.told import Tellings, news_of, turn_of
from tests.pilot.fake_changes import ROOT, FakeChanges

FILE = PathState("file", 0o644, 1, "d")


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
    assert news.words == "files were undone (a.py, b.py)"
    assert "now are as before these changes" in news.note


def test_of_one_turn_the_note_names_it() -> None:
    assert "now are as before turn 4." in news_of([taken(1, "b.py", turn=4)], ROOT).note


def test_what_is_undone_among_them_is_no_news() -> None:
    assert not news_of([taken(1, "a.py"), taken(2, "a.py", undoes=1)], ROOT)
    left = news_of([taken(1, "a.py", "b.py"), taken(2, "a.py", undoes=1)], ROOT)
    assert left.back == ["b.py"]


def test_what_is_undone_of_earlier_ones_is_put_back() -> None:
    news = news_of([taken(2, "a.py", undoes=1)], ROOT)
    assert news.words == "files were redone (a.py)"
    assert "I put back changes that I had taken back, to these files: a.py." in news.note


def test_a_file_of_another_folder_is_named_whole() -> None:
    other = TakenBack("Turn 1", [step("a.py", "/other")], number=1)
    assert news_of([other], ROOT).back == ["/other/a.py"]


def test_the_turn_of_a_taking() -> None:
    assert turn_of(taken(1, turn=12)) == 12
    assert turn_of(replace(taken(1), turns=range(1, 3))) == turn_of(taken(2, undoes=1)) == 0


def tellings(changes: FakeChanges) -> Tellings:
    return Tellings(Session("s1", ROOT), changes)


def test_what_an_earlier_run_has_not_told_is_told() -> None:
    changes = FakeChanges()
    changes.mark("prompt", 1, "go")
    changes.taken_back = [
        taken(1, "a.py", time=changes.points[0].time - 1),
        taken(2, "b.py", time=changes.points[0].time + 1),
    ]
    assert tellings(changes).news().back == ["b.py"]


def test_what_is_on_its_way_stays_told_while_it_is_there() -> None:
    changes = FakeChanges()
    told = tellings(changes)
    changes.taken_back = [taken(1, "a.py")]
    assert [block.text for block in told.leading([TextContent(text="go")]) if isinstance(block, TextContent)][1] == "go"
    assert not told.news()
    told.look()  # it is nowhere: it came back
    assert told.news().back == ["a.py"]


def test_a_branch_is_told_without_what_is_no_news_there() -> None:
    changes = FakeChanges()
    told = tellings(changes)
    changes.taken_back = [taken(1, "a.py"), taken(2, "b.py")]
    go = TextContent(text="go")
    (note, _) = told.noted([go], {2})
    assert isinstance(note, TextContent)
    assert "a.py;" in note.text
    assert told.noted([go], {1, 2}) == [go]
    assert told.news().back == ["a.py", "b.py"]  # here it is still to be told
