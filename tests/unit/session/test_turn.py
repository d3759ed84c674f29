"""Turns: their beginning and end, cancelling, the queue, and the death of the agent."""

import pytest

from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import ImageContent, for_agent
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommandsUpdate,
    MessageChunk,
    Notice,
    Plan,
    PlanUpdate,
    PromptDropped,
    StateUpdate,
    UnknownUpdate,
    Update,
    UsageUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork, PermissionRequest
from acp_tui.session.changes import (
    EntryRemoved,
    PermissionSettled,
    PromptReturned,
    QueueChanged,
    TurnChanged,
)
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.facts import (
    AgentGone,
    CancelRequested,
    ConfigOptionRequested,
    Noticed,
    PermissionReceived,
    PromptQueued,
    QueuedPromptMoved,
    QueuedPromptTaken,
)
from acp_tui.session.folds.file_changes import TurnEntry
from acp_tui.session.text.phrases import CARRIED
from tests.rows import each_of
from tests.unit.session.speech import Told, idle, prompt, running, say, text, think, told, tool, user

PICTURE = ImageContent(data="aGk=", mime_type="image/png")


def notices(one: Told) -> list[NoticeEntry]:
    return [entry for entry in one.session.entries if isinstance(entry, NoticeEntry)]


def test_a_turn_begins_and_ends() -> None:
    one = told()
    one.apply(running())
    assert one.session.turn.active
    one.apply(idle(), after=7)
    turn = one.session.turn
    assert (turn.active, turn.started_at, turn.ended_at, turn.stop_reason) == (False, 100, 107, "end_turn")
    assert len(one.all(TurnChanged)) == 2


def test_a_state_said_again_is_no_news() -> None:
    one = told()
    one.apply(running(), running(), idle("refusal"), idle("refusal"), idle(None))
    assert len(one.all(TurnChanged)) == 2
    assert len(notices(one)) == 1
    assert one.session.turn.stop_reason == "refusal"


def test_an_idle_session_that_says_so_has_no_end() -> None:
    one = told()
    one.apply(idle())
    assert one.changes == []


def test_another_state_continues_the_turn() -> None:
    one = told()
    one.apply(running())
    one.apply(StateUpdate(state="requires_action"), after=3)
    assert (one.session.turn.state, one.session.turn.started_at) == ("requires_action", 100)


@pytest.mark.parametrize("reason", ["end_turn", "cancelled", None])
def test_ordinary_ends_need_no_words(reason: str | None) -> None:
    one = told()
    one.apply(running(), say("x"), idle(reason))
    assert notices(one) == []


@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests", "refusal", "eclipse"])
def test_other_ends_are_explained(reason: str) -> None:
    one = told()
    one.apply(running(), idle(reason))
    (notice,) = notices(one)
    assert notice.severity == "warning"
    assert notice.message or "eclipse" in notice.title


def test_an_error_shows_its_details() -> None:
    one = told()
    one.apply(running(), idle("error", error={"code": -32603, "message": "boom", "data": {"why": "quota"}}))
    (notice,) = notices(one)
    assert notice.severity == "error"
    assert all(word in notice.message for word in ("boom", "-32603", "quota"))


def test_the_end_is_told_after_everything_that_it_brings() -> None:
    one = told()
    one.apply(running(), say("x"), idle("max_tokens"))
    assert one.changes[-1] == TurnChanged()


def test_asking_to_cancel_is_remembered_until_the_next_turn() -> None:
    one = told()
    one.apply(running(), CancelRequested())
    one.apply(CancelRequested(), after=5)
    assert one.session.turn.cancel_requested_at == 100
    one.apply(idle("cancelled"), running())
    assert one.session.turn.cancel_requested_at is None


def test_there_is_nothing_to_cancel_without_a_turn() -> None:
    one = told()
    one.apply(CancelRequested())
    assert (one.session.turn.cancel_requested_at, one.changes) == (None, [])


def test_an_unanswered_prompt_comes_back() -> None:
    one = told()
    one.apply(prompt("fix it"), running(), CancelRequested(), idle("cancelled"))
    assert one.session.entries == []
    assert one.last(PromptReturned).text == "fix it"
    assert len(one.all(EntryRemoved)) == 1


def test_a_returned_prompt_may_be_sent_again() -> None:
    one = told()
    one.apply(prompt("fix it"), running(), idle("cancelled"), prompt("fix it"), running(), idle("cancelled"))
    assert [change.text for change in one.all(PromptReturned)] == ["fix it", "fix it"]


def test_what_the_user_said_elsewhere_stays() -> None:
    one = told()
    one.apply(user("elsewhere"), running(), idle("cancelled"))
    one.apply(running(), user("there too", "u2"), CancelRequested(), idle("cancelled"))
    assert [type(entry) for entry in one.session.entries] == [MessageEntry, MessageEntry, TurnEntry]
    assert one.all(PromptReturned) == []


def test_notices_of_this_side_are_no_answer() -> None:
    one = told()
    one.apply(prompt("hi"), running(), Noticed("warning", "noise"), idle("cancelled"))
    assert [type(entry) for entry in one.session.entries] == [NoticeEntry]


def test_a_prompt_that_was_answered_stays() -> None:
    one = told()
    one.apply(prompt("hi"), running(), say("he"), idle("cancelled"))
    assert [type(entry) for entry in one.session.entries] == [MessageEntry, MessageEntry, TurnEntry]
    assert one.all(PromptReturned) == []


def test_a_later_turn_does_not_return_an_older_prompt() -> None:
    one = told()
    one.apply(prompt("hi"), running(), idle("cancelled_by_nobody"), running(), idle("cancelled"))
    assert one.all(PromptReturned) == []


def untold(one: Told) -> list[tuple[str, str]]:
    return [(notice.title, notice.see) for notice in notices(one)]


NO_ANSWER = [("The agent ended its turn without an answer", "stderr")]


@pytest.mark.parametrize(
    "shown",
    [
        [],
        [think("hm")],
        [say("")],
        [say(" \n")],
        [user("an echo")],
        [UsageUpdate(used=1, size=2)],
        [AvailableCommandsUpdate(available_commands=[])],
    ],
    ids=repr,
)
def test_a_turn_that_shows_nothing_says_so(shown: list[Update]) -> None:
    one = told()
    one.apply(prompt("hi"))
    one.apply(running(), *shown, after=1)
    one.apply(idle(), after=1)
    assert untold(one) == NO_ANSWER


@each_of(
    "shown",
    [
        [say("yes")],
        [think("hm"), say("yes"), think("hm")],
        [tool()],
        [Notice(severity="info", title="Done")],
        [UnknownUpdate("new", {})],
        [PlanUpdate(plan=Plan(entries=[]))],
        [ConfigOptionUpdate(config_options=[])],
        [MessageChunk(session_update="agent_message_chunk", message_id="a", content=PICTURE)],
    ],
)
def test_a_turn_that_shows_anything_needs_no_word(shown: list[Update]) -> None:
    one = told()
    one.apply(prompt("hi"), running(), *shown, idle())
    assert untold(one) == []


@pytest.mark.parametrize("reason", ["cancelled", "refusal", "max_tokens", None])
def test_only_a_turn_that_ends_as_if_all_were_well_owes_an_answer(reason: str | None) -> None:
    one = told()
    one.apply(prompt("hi"), running(), idle(reason))
    assert NO_ANSWER[0] not in untold(one)


def test_an_answer_of_the_turn_before_does_not_count() -> None:
    one = told()
    one.apply(prompt("hi"), running(), say("yes"), Notice(severity="info", title="Done"), idle())
    one.apply(prompt("again", "p2"), running(), after=1)
    one.apply(idle(), after=1)
    assert untold(one) == NO_ANSWER


def test_a_turn_that_goes_on_in_the_background_owes_no_answer_yet() -> None:
    one = told()
    work = BackgroundWork(type="tool_call", tool_call_id="1")
    one.apply(prompt("hi"), running(), idle(background=[work]))
    assert untold(one) == []


def test_prompts_queue_and_leave() -> None:
    one = told()
    one.apply(PromptQueued([text("one")]), PromptQueued([text("two")]))
    first, second = one.session.queue
    one.apply(QueuedPromptTaken(first.id))
    assert one.session.queue == [second]
    one.apply(PromptQueued([]))
    assert one.session.queue[-1].id not in (first.id, second.id)
    assert len(one.all(QueueChanged)) == 4


def test_the_agents_death_ends_everything_that_waits() -> None:
    one = told()
    one.apply(running(), say("x"), tool(status="in_progress"), ConfigOptionRequested("m", "v"))
    one.apply(PermissionReceived(1, PermissionRequest(session_id="s", title="t", options=[])))
    one.apply(AgentGone("The agent exited", "code 3", "Start it again."))
    session = one.session
    assert (session.closed, session.turn.active, session.permissions, session.config_in_flight) == (True, False, [], {})
    assert all(entry.sealed for entry in session.entries)
    assert one.last(PermissionSettled) == PermissionSettled(1, None)
    (notice,) = notices(one)
    assert (notice.severity, notice.title, notice.message) == ("error", "The agent exited", "code 3")


def test_the_agents_death_between_turns_is_told_too() -> None:
    one = told()
    one.apply(AgentGone("The agent exited"))
    assert [notice.title for notice in notices(one)] == ["The agent exited"]
    assert one.session.turn.ended_at is None


@pytest.mark.parametrize(
    ("moved", "place", "order"),
    [(2, 0, [2, 1, 3]), (1, 1, [2, 1, 3]), (1, 9, [2, 3, 1]), (3, -1, [3, 1, 2]), (9, 0, [1, 2, 3])],
)
def test_a_queued_prompt_moves(moved: int, place: int, order: list[int]) -> None:
    one = told()
    one.apply(PromptQueued([text("a")]), PromptQueued([text("b")]), PromptQueued([text("c")]))
    one.apply(QueuedPromptMoved(moved, place))
    assert [prompt.id for prompt in one.session.queue] == order


def test_a_prompt_that_failed_twice_in_the_same_way_is_not_to_be_sent_again() -> None:
    one = told()
    for number, message in enumerate(["busy", "busy", "full", "full"]):
        one.apply(
            user("hi", f"u{number}"), running(), say("part", f"a{number}"), idle("error", error={"message": message})
        )
    hints = [entry.hint for entry in notices(one)]
    again, same = "Edit and send it again.", "It failed in the same way before. Check its stderr"
    assert hints == [again, same, again, same]
    one.apply(user("hi", "u5"), running(), say("all", "a5"), idle(), user("hi", "u6"), running())
    one.apply(idle("error", error={"message": "full"}))
    assert notices(one)[-1].hint == again


@each_of(("carrying", "ends"), [("wanted", PromptDropped("p")), ("offered", idle("cancelled"))])
def test_what_a_prompt_that_comes_back_carried_can_be_carried_again(carrying: str, ends: Update) -> None:
    one = told()
    carried = for_agent(text(f"{CARRIED}\n\nahoy"))
    sent = prompt("go on")
    one.apply(sent.model_copy(update={"content": [carried, text("go on")]}), running(), ends)
    assert one.session.carrying == carrying
    assert one.last(PromptReturned).text == "go on"
