"""The board by keys: requests answered where they stand, sessions opened, peeked at and cancelled, and what is seen."""

import pytest

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.facts import PermissionAnswered
from acp_tui.session.state import Session
from acp_tui.ui.kit.key_routing import REFUSED
from acp_tui.ui.kit.picker import AnswerChoice
from acp_tui.ui.questions.request_screen import RequestScreen
from acp_tui.ui.sessions.board_screen import BoardScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, end_turn, say
from tests.pilot.test_tabs import two

pytestmark = pytest.mark.anyio


async def board(someone: User) -> BoardScreen:
    """The board, opened by its keys; its question, if it has one, is painted."""
    await someone.press("ctrl+x", "w")
    screen = await someone.opened(BoardScreen)
    if screen.panel.asked is not None:
        await someone.wait_until(lambda: screen.asker is not None, "the panel")
    return screen


async def asking(someone: User, *keys: int, second: int = 0) -> tuple[Session, Session]:
    """Two sessions, of which the first asks for all of these, and the second for that one, if it is not 0."""
    first, other = await two(someone)
    for key in keys:
        ask_permission(first, key, f"Write login{key}.py" if second else "Write login.py")
    if second:
        ask_permission(other, second)
    return first, other


async def test_a_request_is_answered_where_it_stands_and_each_key_is_for_one() -> None:
    async with user() as someone:
        await asking(someone, 1, second=2)
        screen = await board(someone)
        assert someone.sees("Needs you  2")
        await someone.press("n")
        assert someone.acts("answer") == [(1, "no")]
        await someone.wait_until(lambda: screen.asker is not None, "the next one")
        await someone.press("y")
        assert someone.acts("answer") == [(1, "no"), (2, "once")]
        await someone.wait_for("Idle  2")
        assert screen.asker is None
        await someone.press("y")
        assert len(someone.acts("answer")) == 2


@pytest.mark.parametrize("rows", range(16, 24))
async def test_no_heading_stands_without_its_first_row(rows: int) -> None:
    async with user((60, rows)) as someone:
        await asking(someone, 1)
        screen = await board(someone)
        last = screen.list.render_line(screen.list.size.height - 1).text.strip(" │┃")
        assert not last.startswith("Idle")


async def test_a_key_that_comes_right_behind_an_answer_is_not_for_the_next_request() -> None:
    async with user() as someone:
        await asking(someone, 1, second=2)
        await board(someone)
        await someone.press("y")
        await someone.hurry("y", "enter")
        assert someone.acts("answer") == [(1, "once")]


async def test_the_clock_begins_anew_where_another_request_is_highlighted() -> None:
    async with user() as someone:
        await asking(someone, 1, second=2)
        await board(someone)
        await someone.hurry("down", "y")
        assert someone.acts("answer") == []
        await someone.press("y")
        assert someone.acts("answer") == [(2, "once")]


async def test_words_are_the_reason_for_a_rejection_and_go_to_that_session() -> None:
    async with user() as someone:
        first, _ = await asking(someone, 1, second=2)
        await board(someone)
        await someone.type("use a timer")
        await someone.press("enter")
        assert someone.acts("answer") == [(1, "no")]
        assert someone.client.submitted == [[TextContent(text="use a timer")]] or first.queue
        assert REFUSED not in " ".join(someone.toasts())


async def test_a_reason_that_is_left_stays_in_the_prompt_of_its_session() -> None:
    async with user() as someone:
        await asking(someone, 1)
        screen = await board(someone)
        await someone.type("use a timer")
        await someone.press("escape")
        assert someone.app.screen is screen
        await someone.press("enter")
        assert someone.conversation.session is someone.session
        assert someone.draft == "use a timer"
        assert someone.acts("answer") == []


async def test_enter_opens_the_session_and_its_question() -> None:
    async with user() as someone:
        first, _ = await asking(someone, 1)
        await board(someone)
        await someone.press("enter")
        await someone.wait_until(lambda: someone.conversation.session is first, "the session")
        await someone.wait_until(lambda: someone.focused == "permission", "its question")


async def test_esc_and_the_keys_that_opened_it_close_it() -> None:
    async with user() as someone:
        await asking(someone, 1)
        for keys in (["escape"], ["ctrl+x", "w"]):
            screen = await board(someone)
            await someone.press(*keys)
            assert screen not in someone.app.screen_stack
        assert someone.acts("answer") == []


async def test_what_ended_unseen_is_finished_until_it_is_shown_not_when_it_is_peeked_at() -> None:
    async with user() as someone:
        first, _ = await two(someone)
        someone.client.of(first).submit([TextContent(text="go")])
        say(first, "All tests pass.")
        end_turn(first)
        await someone.wait_until(lambda: someone.app.title == "● 1 · acp-tui", "the count in the title")
        assert someone.rows()[0].count("●") + someone.rows()[1].count("●") == 1, (
            "the sign of its tab, and no count beside"
        )
        await board(someone)
        assert someone.sees("Finished, not seen  1")
        await someone.press("space")
        assert sum("All tests pass." in row for row in someone.rows()) == 2
        assert someone.sees("space hide")
        await someone.press("escape")
        assert someone.sees("space peek")
        assert someone.sees("Finished, not seen  1")
        assert sum("All tests pass." in row for row in someone.rows()) == 1
        await someone.press("enter")
        await someone.wait_until(lambda: "●" not in someone.app.title, "seen")
        await board(someone)
        assert not someone.sees("Finished, not seen")


async def test_what_ends_below_the_board_is_seen_once_the_board_is_closed() -> None:
    async with user() as someone:
        someone.client.of(someone.session).submit([TextContent(text="go")])
        await board(someone)
        assert someone.sees("Working  1")
        end_turn(someone.session)
        await someone.wait_for("Finished, not seen  1")
        await someone.press("escape")
        await board(someone)
        assert someone.sees("Idle  1")


async def test_a_turn_is_cancelled_once_the_user_agrees() -> None:
    async with user() as someone:
        someone.client.of(someone.session).submit([TextContent(text="go")])
        await board(someone)
        for keys, cancelled in ((["enter"], 0), (["down", "enter"], 1)):
            await someone.press("X")
            await someone.opened(AnswerChoice)
            await someone.press(*keys)
            assert len(someone.acts("cancel")) == cancelled


async def test_identical_requests_get_one_answer_once_their_number_was_shown() -> None:
    async with user() as someone:
        first, other = await asking(someone, 1, 2, 3)
        ask_permission(first, 4, "Write other.py")
        ask_permission(other, 5)
        await board(someone)
        assert someone.sees("= answer 3 identical")
        await someone.press("equals_sign")
        await someone.opened(AnswerChoice)
        assert someone.sees("Answer 3 identical requests: Allow once")
        assert not someone.sees("requests: Always allow")
        first.apply(PermissionAnswered(2, None))  # the agent takes it back meanwhile
        await someone.press("down", "enter")
        await someone.opened(BoardScreen)
        assert someone.acts("answer") == [(1, "once"), (3, "once")]
        assert "Answered 2 requests" in " ".join(someone.toasts())


async def test_one_answer_for_many_is_none_if_it_is_not_confirmed() -> None:
    async with user() as someone:
        await asking(someone, 1, 2)
        await board(someone)
        await someone.press("equals_sign", "enter")
        await someone.opened(BoardScreen)
        assert someone.acts("answer") == []


async def test_sessions_number_their_requests_by_themselves() -> None:
    async with user() as someone:
        first, second = await asking(someone, 1, second=1)
        await board(someone)
        await someone.press("y")
        assert [bool(each.permissions) for each in (first, second)] == [False, True]
        await someone.press("n")
        assert someone.acts("answer") == [(1, "once"), (1, "no")]


async def test_a_reason_goes_to_the_prompt_of_its_session_where_the_request_is_taken_back() -> None:
    async with user() as someone:
        first, second = await asking(someone, 1, second=2)
        screen = await board(someone)
        await someone.type("use a timer")
        first.apply(PermissionAnswered(1, None))
        await someone.wait_until(lambda: screen.panel.session is second, "the next request")
        assert someone.sees("Needs you  1")
        assert "Your text is in the prompt of that session" in " ".join(someone.toasts())
        await someone.press("escape")
        assert someone.draft == ""
        await someone.press("ctrl+x", "1")
        assert someone.conversation.session is first
        assert someone.draft == "use a timer"
        assert someone.acts("answer") == []


async def test_below_a_request_in_full_no_other_one_is_asked() -> None:
    async with user() as someone:
        first, _ = await asking(someone, 1, second=2)
        screen = await board(someone)
        await someone.press("v")
        await someone.opened(RequestScreen)
        first.apply(PermissionAnswered(1, None))
        await someone.wait_until(lambda: screen.panel.asked is None, "the end of the first")
        await someone.press("y")
        await someone.opened(BoardScreen)
        assert "The agent is no longer waiting for this answer" in " ".join(someone.toasts())
        assert someone.acts("answer") == []
        await someone.wait_until(lambda: screen.asker is not None, "the next one")
        await someone.press("y")
        assert someone.acts("answer") == [(2, "once")]
