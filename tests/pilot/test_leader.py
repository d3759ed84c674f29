"""The leader and the key after it: a command wherever the focus is, never an answer, and a menu of what may follow."""

from collections.abc import Iterator

import pytest
from textual import events
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.commands.key_table import rebind
from acp_tui.ui.commands.leader_menu import LeaderMenu
from acp_tui.ui.transcript.transcript_view import TranscriptView
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def bound_as_before() -> Iterator[None]:
    """What a test binds is gone after it."""
    yield
    rebind({})


async def asked(someone: User) -> None:
    ask_permission(someone.session)
    await someone.wait_for("Permission required")
    await someone.wait_until(lambda: someone.focused == "permission", "the focus")


async def read(someone: User) -> None:
    someone.conversation.query_one(TranscriptView).focus()
    await someone.wait_until(lambda: someone.focused == "transcript", "the focus")


async def menu(someone: User) -> LeaderMenu:
    """Press the leader and wait for what may follow."""
    await someone.press("ctrl+x")
    shown = someone.conversation.query_one(LeaderMenu)
    await someone.wait_until(lambda: shown.display and bool(shown.size), "the menu")
    return shown


async def test_after_the_leader_no_key_is_an_answer() -> None:
    async with user() as someone:
        await asked(someone)
        for key in ("r", "a", "y", "N", "1", "2", "v", "escape"):
            await someone.press("ctrl+x", key)
            assert someone.acts("answer") == [], key
            assert len(someone.session.permissions) == 1, key
            someone.conversation.parts.questions.permission.focus()
            await someone.wait_until(lambda: someone.focused == "permission", "the focus")
        await someone.press("y")
        assert someone.acts("answer") == [(1, "once")]


async def test_nor_is_it_where_the_question_came_in_between() -> None:
    async with user() as someone:
        await someone.press("ctrl+x")
        await asked(someone)
        await someone.press("y")
        assert (someone.acts("answer"), someone.conversation.leader.waiting) == ([], False)


async def test_commands_run_from_anywhere() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("ctrl+x", "D")
        await someone.wait_for("Agent stderr")
        await someone.press("escape")
        await read(someone)
        await someone.press("ctrl+x", "D")
        await someone.wait_for("Agent stderr")


async def test_a_key_that_means_nothing_is_told_and_goes_nowhere() -> None:
    async with user() as someone:
        for where in (None, read, asked):
            if where is not None:
                await where(someone)
            await someone.press("ctrl+x", "h")
            await someone.wait_for("^X h is not assigned")
            assert someone.draft == ""
            someone.app.clear_notifications()
            await someone.wait_until(lambda: not someone.sees("is not assigned"), "the end of the toast")


async def test_keys_act_in_the_order_in_which_they_are_typed() -> None:
    async with user() as someone:
        for key in ("a", "b", "ctrl+x", "z", "c", "ctrl+x", "f12", "d"):
            someone.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await someone.wait_until(lambda: someone.draft == "cd", "the last letters after the undo")


async def test_what_was_undone_is_done_again() -> None:
    async with user() as someone:
        await someone.type("words")
        await someone.press("ctrl+x", "z")
        assert someone.draft == ""
        await someone.press("ctrl+x", "Z")
        assert someone.draft == "words"


async def test_no_key_waits_for_the_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.ui.commands.leader_menu.DELAY", 3600.0)
    async with user() as someone:
        await someone.press("ctrl+x", "D")
        await someone.wait_for("Agent stderr")
        assert not someone.conversation.query_one(LeaderMenu).children


async def test_a_second_key_with_a_modifier() -> None:
    rebind({"help": ["ctrl+x ctrl+s"]})
    async with user() as someone:
        shown = await menu(someone)
        assert someone.sees("^S  help")
        await someone.press("ctrl+s")
        await someone.wait_for("Type to filter")
        assert not shown.display


async def test_ctrl_x_q_asks_as_ctrl_q_does() -> None:
    async with user() as someone:
        await someone.send("go")
        await someone.press("ctrl+x", "q")
        await someone.wait_for("The agent is still working. Press ^X q again to quit.")
        await someone.press("ctrl+x", "q")
        assert someone.acts("close") == [()]


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 12)])
async def test_the_menu_lies_over_the_conversation_and_moves_nothing(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        screen = someone.conversation
        before = [each.region for each in (screen.transcript, screen.editor, screen.footer)]
        footer = someone.rows()[screen.footer.region.y]
        shown = await menu(someone)
        assert [each.region for each in (screen.transcript, screen.editor, screen.footer)] == before
        assert (shown.region.bottom, screen.focused) == (screen.composer.region.y, screen.editor)
        assert someone.rows()[screen.footer.region.y] == footer
        assert someone.sees("Prompt")
        assert someone.sees("esc close")
        await someone.press("escape")
        assert not shown.display
        assert not someone.sees("esc close")


async def test_what_does_not_fit_is_reached_by_keys_and_by_the_wheel() -> None:
    async with user((40, 12)) as someone:
        await menu(someone)
        assert not someone.sees("restart agent")
        for _ in range(10):
            await someone.press("pagedown")
        await someone.wait_for("q   quit")
        for _ in range(40):
            someone.app.post_message(events.MouseScrollUp(None, 5, 3, 0, -1, 0, False, False, False, 5, 3))
        await someone.wait_for("rewind to message")
        await someone.press("D")
        await someone.wait_for("Agent stderr")


async def test_a_click_on_a_row_runs_it() -> None:
    async with user() as someone:
        shown = await menu(someone)
        y = next(y for y, row in enumerate(someone.rows()) if "agent stderr" in row)
        await someone.pilot.click(offset=(someone.rows()[y].index("agent stderr") + 2, y))
        await someone.wait_for("Agent stderr")
        assert not shown.display


async def test_a_click_on_none_leaves_it_and_one_beside_it_closes_it() -> None:
    async with user() as someone:
        shown = await menu(someone)
        await someone.pilot.click("#leader", offset=(3, 0))
        assert shown.display
        await someone.pilot.click("#transcript", offset=(5, 2))
        assert not shown.display
        await someone.type("no key after it")
        assert someone.draft == "no key after it"


async def test_what_opens_over_it_closes_it() -> None:
    async with user() as someone:
        shown = await menu(someone)
        someone.conversation.action_command("help")
        await someone.wait_for("Type to filter")
        await someone.press("escape")
        assert (shown.display, someone.conversation.leader.waiting) == (False, False)


async def test_it_follows_the_size_of_the_terminal() -> None:
    async with user() as someone:
        shown = await menu(someone)
        await someone.pilot.resize_terminal(60, 20)
        await someone.wait_until(lambda: shown.region.width == 59, "the menu in its new size")
        assert shown.region.bottom == someone.conversation.composer.region.y


@pytest.mark.parametrize(("size", "above"), [((120, 60), True), ((60, 20), False)])
async def test_over_a_question_it_shows_the_same(size: tuple[int, int], *, above: bool) -> None:
    async with user(size) as someone:
        await asked(someone)
        panel = someone.conversation.parts.questions.permission
        shown = await menu(someone)
        assert someone.sees("rewind to message")
        assert (shown.region.bottom <= panel.region.y) is above
        assert shown.region.bottom <= size[1]
        await someone.press("escape")
        assert (shown.display, someone.focused) == (False, "permission")


async def test_a_question_that_comes_meanwhile_gets_its_place() -> None:
    async with user((120, 60)) as someone:
        shown = await menu(someone)
        await asked(someone)
        panel = someone.conversation.parts.questions.permission
        await someone.wait_until(lambda: shown.region.bottom <= panel.region.y, "the menu above the question")
        await someone.press("escape")
        assert not shown.display


async def test_in_a_field_the_leader_cuts_what_is_selected() -> None:
    async with user() as someone:
        await someone.press("ctrl+f")
        await someone.type("words")
        line = someone.conversation.query_one("#find", Widget).query_one(Input)
        line.select_all()
        await someone.press("ctrl+x")
        assert (line.value, someone.app.clipboard, someone.conversation.leader.waiting) == ("", "words", False)
        await someone.press("ctrl+x", "D")
        await someone.wait_for("Agent stderr")
