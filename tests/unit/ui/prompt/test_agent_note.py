from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.state import Session
from acp_tui.ui.prompt.banners import AgentNotes
from tests.pilot.fake_changes import ROOT, FakeChanges
from tests.unit.views.test_undo import taken


def notes_of(changes: FakeChanges) -> AgentNotes:
    return AgentNotes(Session("s1", ROOT), changes)


def test_what_an_earlier_run_has_not_told_is_told() -> None:
    changes = FakeChanges()
    changes.mark("prompt", 1, "go")
    changes.taken_back = [
        taken(1, "a.py", time=changes.points[0].time - 1),
        taken(2, "b.py", time=changes.points[0].time + 1),
    ]
    assert notes_of(changes).news().back == ["b.py"]


def test_what_is_on_its_way_stays_told_while_it_is_there() -> None:
    changes = FakeChanges()
    told = notes_of(changes)
    changes.taken_back = [taken(1, "a.py")]
    assert [block.text for block in told.leading([TextContent(text="go")]) if isinstance(block, TextContent)][1] == "go"
    assert not told.news()
    told.look()  # it is nowhere: it came back
    assert told.news().back == ["a.py"]


def test_a_branch_is_told_without_what_is_no_news_there() -> None:
    changes = FakeChanges()
    told = notes_of(changes)
    changes.taken_back = [taken(1, "a.py"), taken(2, "b.py")]
    go = TextContent(text="go")
    (note, _) = told.noted([go], {2})
    assert isinstance(note, TextContent)
    assert "a.py;" in note.text
    assert told.noted([go], {1, 2}) == [go]
    assert told.news().back == ["a.py", "b.py"]  # here it is still to be told
