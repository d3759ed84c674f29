"""Choosing a theme: seen while one moves, kept by Enter, and the one from before back however else one leaves."""

from collections.abc import Awaitable, Callable

import pytest
from textual import events
from textual.widgets import Input

from acp_tui.host.config.preferences import Preferences
from acp_tui.ui.command_palette import ThemePicker
from acp_tui.ui.sessions.tabs import Opened
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio


async def themes(someone: User, name: str = "") -> ThemePicker:
    someone.conversation.action_command("pick_theme", name)
    return await someone.opened(ThemePicker)


async def shown(someone: User, theme: str) -> None:
    await someone.wait_until(lambda: someone.app.theme == theme, f"{theme}, not {someone.app.theme}")


def kept() -> str:
    return Preferences().get("theme", str)


async def test_each_is_seen_while_one_moves_and_enter_keeps_it() -> None:
    async with user() as someone:
        picker = await themes(someone)
        assert picker.rows.list.value is not None
        assert picker.rows.list.value.value == someone.app.theme == "acp-dark"
        await someone.press("down")
        await shown(someone, "acp-light")
        await someone.press("pageup")
        await shown(someone, "acp-dark")
        assert kept() == ""
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the end of the list")
        await shown(someone, "acp-light")
        assert kept() == "acp-light"


async def test_the_theme_of_the_best_match_is_seen_while_one_types() -> None:
    async with user() as someone:
        await themes(someone)
        await someone.type("nor")
        await shown(someone, "nord")
        await someone.type("x")
        await someone.wait_for("No matches")
        await shown(someone, "acp-dark")


async def press(someone: User, key: str) -> None:
    await someone.press(key)


async def click_beside(someone: User) -> None:
    await someone.pilot.click(offset=(1, 1))


async def show_another_session(someone: User) -> None:
    session = someone.client.open_session()
    someone.app.converse(Opened(someone.client, session, someone.conversation.history))


WAYS: dict[str, Callable[[User], Awaitable[None]]] = {
    "esc": lambda someone: press(someone, "escape"),
    "ctrl+c": lambda someone: press(someone, "ctrl+c"),
    "a click beside it": click_beside,
    "another session": show_another_session,
}


@pytest.mark.parametrize("leave", WAYS.values(), ids=list(WAYS))
async def test_the_one_from_before_comes_back_however_one_leaves(leave: Callable[[User], Awaitable[None]]) -> None:
    async with user() as someone:
        picker = await themes(someone)
        await someone.press("down")
        await shown(someone, "acp-light")
        await leave(someone)
        await someone.wait_until(lambda: picker not in someone.app.screen_stack, "the end of the list")
        await shown(someone, "acp-dark")
        assert kept() == ""


async def test_many_keys_in_a_row_end_at_the_last_one() -> None:
    async with user() as someone:
        picker = await themes(someone)
        for key in (*["down"] * 9, "up", "up"):
            someone.app.post_message(events.Key(key, None))
        await someone.pilot.pause()
        row = picker.rows.list.value
        assert row is not None
        await shown(someone, row.value)
        await someone.press("escape")
        await shown(someone, "acp-dark")


async def test_the_mouse_only_shows_what_it_clicks() -> None:
    async with user() as someone:
        picker = await themes(someone)
        await someone.pilot.hover(picker.rows.list, offset=(4, 3))
        assert someone.app.theme == "acp-dark"
        await someone.pilot.click(picker.rows.list, offset=(4, 1))
        await shown(someone, "acp-light")
        assert kept() == "acp-light"


async def test_by_its_name_it_is_set_at_once_and_what_several_have_in_common_is_the_filter() -> None:
    async with user() as someone:
        someone.conversation.action_command("pick_theme", "dracula")
        await shown(someone, "dracula")
        assert someone.app.screen is someone.conversation
        assert kept() == "dracula"
        picker = await themes(someone, "rose")
        assert picker.query_one(Input).value == "rose"
        await shown(someone, "rose-pine")
        await someone.press("escape")
        await shown(someone, "dracula")


async def test_where_something_else_counts_in_the_next_run_it_is_said() -> None:
    async with user() as someone:
        someone.app.preferences._given["theme"] = "nord"
        await themes(someone)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: bool(someone.toasts()), "what is said")
        assert "command line" in someone.toasts()[0]
        assert someone.app.theme == "acp-light"
        assert kept() == ""


async def test_a_program_that_ends_meanwhile_just_ends() -> None:
    async with user() as someone:
        await themes(someone)
        await someone.press("down")
        await shown(someone, "acp-light")
        someone.app.exit(0)
