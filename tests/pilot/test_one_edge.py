"""One right edge on wide screens, for the transcript, the panels and the composer; and all of it for who wants that."""

import pytest

from acp_tui.host.config.config import own_file
from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry, PlanUpdate
from acp_tui.protocol.vocabulary.tool_calls import Diff, ToolCallUpdate
from acp_tui.session.state import Session
from acp_tui.ui.settings_screen import SettingsScreen
from tests.pilot.choosing import configure
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, say

pytestmark = pytest.mark.anyio


def talk(session: Session) -> None:
    say(session, "hello " * 90)
    session.apply(PlanUpdate(plan=Plan(entries=[PlanEntry(content="Look")])))
    edit = Diff(path="/home/someone/project/login.py", old_text="return None\n", new_text="return 1\n")
    session.apply(ToolCallUpdate(tool_call_id="c", title="Edit", kind="edit", status="completed", content=[edit]))


def ends(someone: User) -> set[int]:
    """The cells after the last of everything that has a ground; the text in it ends two cells before."""
    screen = someone.conversation
    boxes = [each for each in (screen.plan, screen.composer, screen.parts.questions.permission) if each.region]
    return {each.region.right for each in boxes} | {screen.transcript.viewport.layout.width}


TEXTS = ("ready", "+1 −1", "0 / 1")  # of the header, of a tool call and of the plan, at the right


async def test_everything_ends_at_column_132() -> None:
    async with user((200, 60), prepare=talk) as someone:
        await someone.press("ctrl+x", "b")  # what is in the sidebar ends elsewhere
        await someone.wait_until(lambda: ends(someone) == {132}, "one edge")
        rows = [row.rstrip(" ▁▂▃▄▅▆▇█│┃") for row in someone.rows()]
        assert {len(row) for row in rows for text in TEXTS if row.endswith(text)} == {130}
        assert all(any(row.endswith(text) for row in rows) for text in TEXTS)
        ask_permission(someone.session)
        await someone.wait_until(lambda: someone.conversation.asked, "the question")
        await someone.wait_until(lambda: ends(someone) == {132}, "one edge")
        assert max(len(row.rstrip(" ▁▂▃▄▅▆▇█")) for row in someone.rows()) <= 132


async def test_a_narrow_screen_is_used_whole() -> None:
    async with user((100, 40), prepare=talk) as someone:
        assert ends(someone) == {99}


async def test_the_whole_width_counts_at_once() -> None:
    configure("")
    async with user((200, 60), prepare=talk) as someone:
        someone.conversation.action_command("settings", "width")
        await someone.opened(SettingsScreen)
        await someone.press("enter", "down", "enter")
        await someone.wait_until(lambda: ends(someone) == {199}, "all the width")
        assert own_file().read_text() == 'width = "full"\n'
