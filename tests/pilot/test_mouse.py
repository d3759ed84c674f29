"""The mouse: what can be clicked, what a drag does, what is copied, and that it can be given back."""

import pytest
from textual import events

from acp_tui.host.config.preferences import Preferences
from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry, PlanUpdate
from acp_tui.session.state import Session
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.sessions.browser import SessionBrowser
from tests.pilot.driver import User, user
from tests.pilot.fake_client import say, tell_options

pytestmark = pytest.mark.anyio


def plan(session: Session) -> None:
    entries = [PlanEntry(content="Read the tests", status="in_progress"), PlanEntry(content="Fix the code")]
    session.apply(PlanUpdate(plan=Plan(plan_id="plan", entries=entries)))


async def drag(someone: User, start: tuple[int, int], end: tuple[int, int] | None = None) -> None:
    """Press the mouse, move it and let it go, as a terminal tells it; without an `end` it is a click."""
    end = end or start
    pressed = (
        (events.MouseDown, start, 1),
        *([(events.MouseMove, end, 1)] if end != start else []),
        (events.MouseUp, end, 1),
    )
    for kind, (x, y), button in pressed:
        someone.app.post_message(kind(None, x, y, 0, 0, button, False, False, False, x, y))
        await someone.pilot.pause()


def place(someone: User, text: str) -> tuple[int, int]:
    """Where a text begins on the screen."""
    return next((row.index(text), y) for y, row in enumerate(someone.rows()) if text in row)


async def test_a_click_on_more_below_follows_again() -> None:
    async with user() as someone:
        say(someone.session, "\n\n".join(f"line {n}" for n in range(200)))
        await someone.wait_for("line 199")
        await someone.press("pageup")
        await someone.wait_for("more below")
        await drag(someone, place(someone, "more below"))
        await someone.wait_for("line 199")
        assert not someone.sees("more below")
        assert someone.focused == "editor"


async def test_a_click_on_the_plan_folds_and_unfolds_it() -> None:
    async with user() as someone:
        plan(someone.session)
        await someone.wait_for("▾ Plan")
        await drag(someone, place(someone, "Plan"))
        await someone.wait_for("▸ Plan")
        await drag(someone, place(someone, "Plan"))
        await someone.wait_for("▾ Plan")
        await drag(someone, place(someone, "Fix the code"))
        await someone.wait_for("▸ Plan")
        assert someone.focused == "editor"


async def test_a_drag_over_the_plan_selects_and_folds_nothing() -> None:
    async with user() as someone:
        plan(someone.session)
        await someone.wait_for("▾ Plan")
        x, y = place(someone, "Read the tests")
        await drag(someone, (x, y), (x + 3, y))
        await someone.wait_until(lambda: someone.app.clipboard == "Read", "what was selected")
        assert someone.sees("▾ Plan")


async def test_a_click_on_the_state_lists_sessions() -> None:
    async with user() as someone:
        await drag(someone, place(someone, "● ready"))
        await someone.opened(SessionBrowser)


@pytest.mark.parametrize("words", ["OpenCode", "project"])
async def test_a_click_on_agent_or_folder_lists_sessions(words: str) -> None:
    async with user() as someone:
        await drag(someone, place(someone, words))
        await someone.opened(SessionBrowser)


async def test_a_click_beside_the_state_does_nothing() -> None:
    async with user() as someone:
        x, y = place(someone, "● ready")
        await drag(someone, (x - 3, y))
        assert isinstance(someone.app.screen, ConversationScreen)


async def test_a_click_on_a_tab_shows_it_also_where_no_key_has_its_number() -> None:
    async with user((200, 30)) as someone:
        for number in range(2, 11):
            await someone.press("ctrl+n")
            await someone.wait_for(f"{number} new")
            await someone.wait_until(lambda: someone.conversation.complete, "all parts")
        tenth = someone.conversation.session
        x, y = place(someone, "2 new")
        await drag(someone, (x + 2, y))
        await someone.wait_until(lambda: someone.conversation.session is not tenth, "the second")
        x, y = place(someone, "10 ")
        await drag(someone, (x + 1, y))
        await someone.wait_until(lambda: someone.conversation.session is tenth, "the tenth")


async def test_a_click_on_the_tabs_that_are_left_out_lists_them() -> None:
    async with user((60, 20)) as someone:
        for _ in range(9):
            await someone.press("ctrl+n")
            await someone.wait_until(lambda: someone.conversation.complete, "all parts")
        await someone.wait_for("+")
        await drag(someone, place(someone, "+"))
        await someone.opened(Picker)


async def test_after_a_click_on_a_row_of_a_list_the_prompt_has_the_focus() -> None:
    async with user() as someone:
        tell_options(someone.session)
        await someone.press("alt+p")
        await someone.opened(Picker)
        row = someone.app.screen.query_one("RowList").region
        await drag(someone, (row.x + 4, row.y + 1))
        await someone.opened(ConversationScreen)
        assert someone.focused == "editor"


@pytest.mark.parametrize("wanted", [True, False])
async def test_copying_what_is_selected_is_an_option(wanted: bool) -> None:
    async with user() as someone:
        someone.app.preferences = Preferences(given={"copy_on_select": wanted})
        say(someone.session, "pelican words")
        await someone.wait_for("pelican words")
        x, y = place(someone, "pelican")
        await drag(someone, (x, y), (x + 6, y))
        assert someone.app.screen.get_selected_text() == "pelican"
        assert someone.app.clipboard == ("pelican" if wanted else "")
        await someone.press("ctrl+c")
        assert someone.app.clipboard == "pelican"


async def test_it_is_toggled_and_stays_so() -> None:
    async with user() as someone:
        someone.conversation.action_command("toggle_mouse")
        await someone.wait_until(lambda: someone.toasts() == ["Mouse off · the terminal selects text"], "what is said")
        assert Preferences().get("mouse", bool) is False
        someone.conversation.action_command("toggle_mouse")
        assert Preferences().get("mouse", bool) is True
