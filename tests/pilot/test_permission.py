"""What the agent asks: who has the focus, what is answered, and that it is answered once."""

import pytest

from acp_tui.protocol.vocabulary.session_updates import StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.session import facts
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission
from tests.pilot.questions import answerable

pytestmark = pytest.mark.anyio


async def asked(someone: User) -> None:
    await someone.send("write it")
    ask_permission(someone.session)
    await someone.wait_for("Edit login.py")


async def test_with_an_empty_draft_the_panel_has_the_focus_and_shows_the_diff() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.wait_for("Permission required")
        assert someone.sees("return None")
        assert someone.sees("return 1")
        assert not someone.sees("waiting for you")
        await someone.wait_for("Reject")
        rows = "\n".join(someone.rows())
        assert rows.index("Allow once") < rows.index("Always allow") < rows.index("Reject")


async def test_a_key_answers() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.wait_for("Permission required")
        await answerable(someone)
        await someone.press("Y")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "always")], "the answer")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")


async def test_a_draft_keeps_the_focus_and_alt_a_goes_to_the_question() -> None:
    async with user() as someone:
        await someone.send("write it")
        await someone.type("draft")
        ask_permission(someone.session)
        await someone.wait_for("needs an answer (alt+a)")
        assert someone.focused == "editor"
        await someone.type("y")
        assert someone.draft == "drafty"
        assert someone.acts("answer") == []
        await someone.press("alt+a")
        await someone.wait_for("Permission required")
        await answerable(someone)
        await someone.press("y")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "once")], "the answer")


async def test_escape_gives_the_focus_back_without_an_answer_and_again_cancels() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.wait_for("Permission required")
        await answerable(someone)
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        assert someone.acts("answer") == []
        assert someone.acts("cancel") == []
        await someone.press("escape")
        assert someone.acts("cancel") == [()]


async def test_one_key_answers_one_question() -> None:
    async with user() as someone:
        await asked(someone)
        ask_permission(someone.session, 2, "Write other.py")
        await someone.wait_for("1 of 2 waiting")
        await answerable(someone)
        await someone.type("yy")
        await someone.wait_for("Write other.py")
        assert someone.acts("answer") == [(1, "once")]


async def test_the_reason_goes_first_in_the_queue() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.wait_for("Permission required")
        await answerable(someone)
        await someone.press("escape")
        await someone.send("later")
        await someone.press("alt+a")
        await answerable(someone)
        await someone.press("tab")
        await someone.type("use await")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "no")], "the answer")
        await someone.wait_for("queued  use await")
        rows = "\n".join(someone.rows())
        assert rows.index("use await") < rows.index("later")
        assert [prompt.id for prompt in someone.session.queue] == [2, 1]
        assert someone.acts("withdraw") == []


@pytest.mark.parametrize(("running", "act"), [(True, ("cancel",)), (False, ("answer", 1, None))])
async def test_a_question_without_options_is_answered_by_cancelling(running: bool, act: tuple[object, ...]) -> None:
    async with user() as someone:
        if running:
            someone.session.apply(StateUpdate(state="running"))
        request = PermissionRequest(session_id="s1", title="May I?", options=[])
        someone.session.apply(facts.PermissionReceived(1, request))
        await someone.wait_for("c cancel the turn")
        await answerable(someone)
        await someone.press("c")
        await someone.wait_until(lambda: act in someone.client.acts, "the turn to be cancelled")


async def test_a_withdrawn_question_goes_away() -> None:
    async with user() as someone:
        await asked(someone)
        someone.session.apply(facts.PermissionAnswered(1, None))
        await someone.wait_until(lambda: not someone.sees("Permission required"), "the panel to go")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")


async def test_a_question_withdrawn_before_it_has_the_focus_gets_no_keys() -> None:
    async with user() as someone:
        panel = someone.conversation.parts.questions.permission
        panel.display = True
        panel.focus()
        panel.put_away()
        await someone.pilot.pause()
        assert someone.focused == "editor"


async def test_a_command_typed_in_a_permission_is_completed_in_the_prompt() -> None:
    async with user() as someone:
        await asked(someone)
        await answerable(someone)
        await someone.type("/mod")
        await someone.wait_for("/model")
        assert (someone.draft, someone.acts("answer")) == ("/mod", [])
        await someone.press("escape")
        await someone.wait_for("needs an answer (alt+a)")


async def test_help_opened_in_a_permission_gives_it_the_keys_again() -> None:
    async with user() as someone:
        await asked(someone)
        await answerable(someone)
        await someone.press("question_mark")
        await someone.wait_for("First steps")
        await someone.press("escape")
        await answerable(someone)
        await someone.wait_for("Permission required")
        assert (someone.draft, someone.acts("answer")) == ("", [])
