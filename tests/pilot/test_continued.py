"""What the screen says of a session that is continued, by keys."""

import pytest

from acp_tui.session.facts import CarryingChosen, Noticed
from acp_tui.ui.commands.key_table import first_way
from tests.pilot.driver import user
from tests.pilot.fake_client import end_turn, say

pytestmark = pytest.mark.anyio

INCLUDES = "Your next prompt includes the conversation so far (≈"
CAN = "Your next prompt can include the conversation so far (≈"


async def test_a_line_says_that_the_next_prompt_carries_the_conversation_and_a_key_leaves_it_out() -> None:
    async with user() as someone:
        session = someone.session
        await someone.send("hello")
        say(session, "Hello.")
        end_turn(session)
        await someone.wait_for("Hello.")
        assert not someone.sees(INCLUDES)
        session.apply(CarryingChosen("wanted"))
        await someone.wait_for(INCLUDES)
        assert someone.sees("^X U leave out")
        await someone.press("ctrl+x", "U")
        assert (session.carrying, someone.sees(CAN), someone.sees("^X U include")) == ("offered", True, True)
        await someone.press("ctrl+x", "U")
        assert someone.sees(INCLUDES)
        session.apply(CarryingChosen(""))
        await someone.wait_until(lambda: not someone.sees("conversation so far"), "the line is gone")
        await someone.press("ctrl+x", "U")
        assert someone.sees("Nothing to mention")


async def test_a_mode_that_was_not_set_again_is_said_with_the_key_that_changes_it() -> None:
    async with user() as someone:
        someone.session.apply(Noticed("info", "Mode was YOLO", see="mode"))
        await someone.wait_for("Mode was YOLO")
        assert someone.sees(f"Mode was YOLO · {first_way('next_mode')} to change")
