"""Work beside the turn: what is listed, what stays open, what a cancel spares, what can be cancelled by itself."""

from acp_tui.protocol.vocabulary.session_updates import PromptDropped
from acp_tui.protocol.vocabulary.tool_calls import (
    BackgroundWork,
    TerminalExitStatus,
    TerminalReference,
    TerminalUpdate,
    WorkCapabilities,
)
from acp_tui.session.changes import PromptReturned, TurnChanged
from acp_tui.session.entries import NoticeEntry, ToolCallEntry
from acp_tui.session.facts import CancelRequested
from acp_tui.session.tools.running_work import background_work, can_be_cancelled, separate_work
from tests.unit.session.speech import Told, idle, running, say, told, tool, user

CANCEL = WorkCapabilities(cancel=True)
CALL = BackgroundWork(type="tool_call", tool_call_id="1")
TERMINAL = BackgroundWork(type="terminal", terminal_id="t")


def call(one: Told, identity: str = "1") -> ToolCallEntry:
    return one.session.index.tool_calls[identity]


def test_a_call_whose_terminal_is_listed_goes_on_too() -> None:
    one = told()
    one.apply(running(), tool("1", content=[TerminalReference(terminal_id="t")]), idle(background=[TERMINAL]))
    assert not call(one).sealed
    assert not one.session.turn.active


def test_a_cancelled_turn_spares_what_is_in_the_background() -> None:
    one = told()
    one.apply(running(), tool("1"), tool("2"), running().model_copy(update={"background": [CALL]}), CancelRequested())
    assert [call(one, each).status for each in "12"] == ["pending", "cancelled"]


def test_a_list_without_it_ends_what_never_told_its_end() -> None:
    one = told()
    one.apply(running(), tool("1"), idle(background=[CALL]))
    one.changes.clear()
    one.apply(idle(background=[]))
    assert call(one).sealed
    assert one.all(TurnChanged)
    one.changes.clear()
    one.apply(idle(background=[]), idle())
    assert not one.all(TurnChanged)


def test_work_that_is_told_of_while_idle_is_open_once_it_is_listed() -> None:
    one = told()
    one.apply(tool("1", status="in_progress"))
    assert call(one).sealed
    one.apply(idle(background=[CALL]))
    assert not call(one).sealed
    one.apply(tool("1", status="in_progress"), tool("1", status="completed"))
    assert call(one).sealed


def test_what_is_listed_has_a_title_and_says_whether_it_can_be_cancelled() -> None:
    one = told()
    one.apply(
        running(),
        tool("1", title="Index", capabilities=CANCEL),
        TerminalUpdate(terminal_id="t", command="make"),
        idle(
            background=[CALL, TERMINAL, BackgroundWork(type="_moon"), BackgroundWork(type="terminal", terminal_id="?")]
        ),
    )
    listed = [(work.type, work.title, work.cancellable) for work in background_work(one.session)]
    assert listed == [
        ("tool_call", "Index", True),
        ("terminal", "make", False),
        ("_moon", "_moon", False),
        ("terminal", "?", False),
    ]


def test_what_runs_in_the_turn_and_can_be_cancelled_by_itself() -> None:
    one = told()
    one.apply(
        running(), tool("1", capabilities=CANCEL), tool("2"), TerminalUpdate(terminal_id="t", capabilities=CANCEL)
    )
    assert [(work.id, work.background) for work in separate_work(one.session)] == [("1", False), ("t", False)]
    one.apply(
        tool("1", capabilities=None), TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus(exit_code=0))
    )
    assert separate_work(one.session) == []


def test_a_prompt_that_was_never_taken_comes_back_from_anywhere() -> None:
    one = told()
    one.apply(user("first", "p"), running(), say("something of its own"), PromptDropped("p"))
    assert one.last(PromptReturned).text == "first"
    assert [type(entry).__name__ for entry in one.session.entries] == ["MessageEntry"]
    one.apply(PromptDropped("p"), PromptDropped("q", "busy"))
    assert len(one.all(PromptReturned)) == 1
    assert [entry.message for entry in one.session.entries if isinstance(entry, NoticeEntry)] == ["busy"]


def test_metadata_is_patched_by_its_top_keys() -> None:
    one = told()
    one.apply(tool("1", meta={"a": 1, "b": {"c": 2}}), tool("1", title="T"), tool("1", meta={"a": None, "b": {"d": 3}}))
    assert call(one).meta == {"b": {"d": 3}}
    one.apply(tool("1", meta=None))
    assert call(one).meta == {}


def test_the_list_is_read_once_however_many_tool_calls_are_looked_up_in_it() -> None:
    one = told()
    one.apply(idle(background=[CALL, TERMINAL]), tool("1", status="in_progress"))
    listed = one.session.index.listed
    one.apply(
        tool("2", status="in_progress"), tool("3", content=[TerminalReference(terminal_id="t")], status="pending")
    )
    assert listed is not None
    assert one.session.index.listed is listed
    assert [call(one, each).sealed for each in "123"] == [False, True, False]
    one.apply(idle(background=[]), tool("3", status="in_progress"))
    assert [call(one, each).sealed for each in "123"] == [True, True, True]


def test_what_no_longer_offers_it_cannot_be_cancelled() -> None:
    one = told()
    one.apply(running(), tool("1", status="in_progress", capabilities=CANCEL))
    [work] = separate_work(one.session)
    assert can_be_cancelled(one.session, work)
    one.apply(tool("1", capabilities=None))
    assert not can_be_cancelled(one.session, work)
