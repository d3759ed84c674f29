"""Going back to a message where files have changed since: files and talk, talk alone, files alone."""

from functools import partial

import pytest
from textual import events

from acp_tui.ui.branches.rewind import RewindChoice, RewindPanel
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.answer_rule import NEVER
from acp_tui.ui.undo.undo_panel import TakeBackPanel
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say
from tests.pilot.questions import painted
from tests.pilot.test_take_back import panel_of, turns

pytestmark = pytest.mark.anyio


async def choosing(someone: User) -> RewindPanel:
    """Go back to the first of two messages; what of it comes back is to be chosen."""
    await turns(someone)
    await someone.press("ctrl+x", "g", "down", "enter")
    panel = await someone.opened(RewindPanel)
    await someone.wait_until(lambda: panel.rule.painted < NEVER and bool(panel.list.rows), "its rows")
    return panel


async def test_what_each_way_does_is_said_before() -> None:
    async with user() as someone:
        await choosing(someone)
        assert someone.sees("Go back to message 1 of 2")
        assert someone.sees("1  Files and talk")
        assert someone.sees("Undoes 1 file · New session · Nothing was said before this message")
        assert someone.sees("2  Talk")
        assert someone.sees("Files stay as they are · New session")
        assert someone.sees("3  Files")
        assert someone.sees("Undoes 1 file · The talk stays, and the agent is told")
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        assert someone.draft == ""


async def test_the_ways_and_the_preview_count_alike() -> None:
    async with user() as someone:
        someone.client.work_tree.who = {"a.py": "unknown"}
        await choosing(someone)
        assert someone.sees("Undoes 1 file, 1 probably yours · New session")
        await someone.press("3")
        panel = await panel_of(someone)
        assert someone.sees('Undo all since "make them" · 1 file, 1 probably yours')
        assert panel.chosen == [False]


async def test_files_and_talk() -> None:
    async with user() as someone:
        await choosing(someone)
        await someone.press("1")
        await panel_of(someone)
        assert someone.sees('Undo all since "make them" · 1 file')
        assert someone.draft == ""
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert someone.client.work_tree.files == {"kept.txt": b"kept\n"}
        assert someone.sees("Edit message 1 of 2")
        assert someone.sees("Nothing was said before this message · 1 file is back as it was then")
        assert not someone.sees("will be told")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("branch")), "the branch")
        assert someone.acts("branch") == [("u1", "make them")]
        await someone.press("ctrl+x", "1")
        await someone.wait_for("The agent will be told: files were undone (a.py)")


async def test_nothing_goes_back_where_the_preview_is_left() -> None:
    async with user() as someone:
        await choosing(someone)
        await someone.press("1")
        await panel_of(someone)
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        assert someone.draft == ""
        assert someone.client.work_tree.taken_back == []


async def test_talk() -> None:
    async with user() as someone:
        await choosing(someone)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert someone.sees("Files stay as they are")
        assert someone.client.work_tree.taken_back == []
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("branch")), "the branch")


async def test_files() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.type("half a thought")
        await someone.press("ctrl+x", "g", "down", "enter")
        panel = await someone.opened(RewindPanel)
        await someone.wait_until(lambda: panel.rule.painted < NEVER and bool(panel.list.rows), "its rows")
        await someone.press("3")
        await panel_of(someone)
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert not someone.sees("Edit message")
        assert "half a thought" in someone.conversation.history.entries
        assert someone.sees("The agent will be told: files were undone (a.py)")
        await someone.press("enter")
        assert someone.acts("branch") == []
        assert str(someone.acts("submit")[-1][0]).endswith("make them")


async def test_where_no_file_changed_nothing_is_asked() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("only talk")
        someone.client.work_tree.turn("only talk", {})
        say(someone.session, "well", "a9")
        end_turn(someone.session)
        await someone.press("ctrl+x", "g", "enter")
        await someone.wait_until(lambda: someone.draft == "only talk", "the message")
        assert someone.sees("No files changed since then")


@pytest.mark.parametrize(
    ("off", "said"),
    [
        ("Snapshots are switched off", "Files stay as they are: snapshots are switched off"),
        ("", "Files stay as they are: no snapshot of that moment"),
    ],
)
async def test_why_files_cannot_go_back_is_said_before_anything_is_sent(off: str, said: str) -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("unseen")
        say(someone.session, "well", "a9")
        end_turn(someone.session)
        someone.client.work_tree.off = off
        await someone.press("ctrl+x", "g", "enter")
        assert someone.draft == "unseen"
        assert someone.sees(said)


async def test_while_the_agent_works_files_wait_for_the_end_of_its_turn() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("go on")
        await someone.press("ctrl+x", "g", "down", "down", "enter")
        panel = await someone.opened(RewindPanel)
        await someone.wait_until(lambda: panel.rule.painted < NEVER and bool(panel.list.rows), "its rows")
        assert someone.sees("Undoes 1 file · after this turn")
        await someone.press("3")
        await someone.wait_for("Going back to message 1: waits for the end of the turn")
        say(someone.session, "done", "a9")
        end_turn(someone.session)
        await someone.opened(TakeBackPanel)


async def test_what_was_taken_back_of_earlier_turns_is_told_to_the_branch() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.press("ctrl+x", "u")
        await panel_of(someone)
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.client.work_tree.taken_back), "the taking back")
        await someone.send("third")
        someone.client.work_tree.turn("third", {})
        say(someone.session, "well", "a9")
        end_turn(someone.session)
        await someone.press("ctrl+x", "g", "down", "enter")
        await someone.wait_until(lambda: someone.draft == "change them", "the message")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("branch")), "the branch")
        assert someone.acts("branch") == [("u2", "change them")]


async def test_a_branch_is_not_told_of_the_undoing_of_what_it_does_not_know() -> None:
    async with user() as someone:
        tree = someone.client.work_tree

        def done(count: int) -> bool:
            return len(tree.taken_back) == count

        await turns(someone)
        for key, count in (("u", 1), ("r", 2)):
            await someone.press("ctrl+x", key)
            await panel_of(someone)
            await someone.press("enter")
            await someone.wait_until(partial(done, count), key)
        await someone.press("ctrl+x", "g", "down", "enter")
        panel = await someone.opened(RewindPanel)
        await someone.wait_until(lambda: panel.rule.painted < NEVER and bool(panel.list.rows), "its rows")
        await someone.press("2")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert not someone.sees("The agent will be told")


WAYS = [RewindChoice("both", ["2 files"]), RewindChoice("talk", ["files stay"]), RewindChoice("files", ["2 files"])]


async def test_what_came_before_the_answers_were_painted_does_nothing() -> None:
    """A key that answers nothing by the rule, and a click, count for what was on the screen when they came."""
    async with user() as someone:
        panel = RewindPanel("message 1", WAYS)
        someone.app.push_screen(panel)
        await painted(someone)
        for earlier, expected in ((1.0, "both"), (-1.0, "files")):
            key = events.Key("pagedown", None)
            key.time = panel.rule.painted - earlier
            panel._forward_event(key)
            await someone.pilot.pause()
            assert panel.list.value is not None
            assert panel.list.value.way == expected
        panel.rule.painted = NEVER
        await someone.pilot.click(panel.list, offset=(3, 0))
        assert someone.app.screen is panel
        assert someone.toasts() == ["Too early: click again"]
