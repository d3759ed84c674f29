"""Rewinding to a message in one dialog: files and conversation, conversation alone, files alone."""

from functools import partial

import anyio
import pytest

from acp_tui.host.changes.snapshot_history import Changes, Point
from acp_tui.ui.branches.rewind_panel import RewindPanel
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.undo.undo_panel import TakeBackPanel
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say
from tests.pilot.questions import painted
from tests.pilot.test_take_back import panel_of, turns

pytestmark = pytest.mark.anyio
ALL_WAYS = "● Files and conversation   ○ Conversation only   ○ Files only   tab what to rewind"


async def rewinding(someone: User, *keys: str) -> RewindPanel:
    """The dialog after these keys, with its preview."""
    await someone.press("ctrl+x", "g")
    panel = await someone.opened(RewindPanel)
    await painted(someone)
    for key in keys:
        await someone.press(key)
        if key != "enter":
            await painted(someone)
    return panel


async def test_messages_have_their_files_and_time_and_what_each_way_does_is_beside_them() -> None:
    async with user() as someone:
        await turns(someone)
        await rewinding(someone, "down")
        assert any("make them" in row and "2 files · now" in row for row in someone.rows())
        assert someone.sees(ALL_WAYS)
        assert someone.sees("Undoes changes to 1 file")
        assert someone.sees("tab what to rewind")
        assert someone.sees("New session")
        assert any("☑ a.py" in row and "delete" in row for row in someone.rows())
        await someone.press("tab")
        assert someone.sees("○ Files and conversation   ● Conversation only   ○ Files only")
        assert someone.sees("Files stay as they are")
        assert not someone.sees("☑ a.py")
        await someone.press("tab")
        assert someone.sees("Keeps the conversation")
        assert someone.sees("Your next prompt tells the agent")
        assert someone.sees("☑ a.py")
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        assert someone.draft == ""
        assert someone.client.work_tree.taken_back == []


@pytest.mark.parametrize(
    ("size", "ways", "does"),
    [
        (
            (200, 60),
            "● Files and conversation   ○ Conversation only   ○ Files only   tab what to rewind",
            "undo 1 file and edit",
        ),
        (
            (120, 40),
            "● Files and conversation   ○ Conversation only   ○ Files only   tab what to rewind",
            "undo 1 file and edit",
        ),
        ((80, 24), "● Files and conversation  ○ Conversation only  ○ Files only  tab change", "undo 1 file and edit"),
        ((60, 20), "● Both  ○ Conversation  ○ Files  tab change", "undo 1 file and edit  → choose files"),
        ((40, 12), "● Both  ○ Conversation  ○ Files  tab", "undo 1 file, edit  esc"),
    ],
)
async def test_messages_ways_and_what_enter_does_have_room_on_every_screen(
    size: tuple[int, int], ways: str, does: str
) -> None:
    async with user(size) as someone:
        await turns(someone)
        await rewinding(someone, "down")
        assert someone.sees("make them")
        assert someone.sees(ways)
        assert someone.sees("☑ a.py")
        assert someone.sees(f"enter {does}")
        assert someone.sees("esc cancel")


async def test_what_rewinding_does_is_wrapped_once() -> None:
    async with user((40, 20)) as someone:
        await turns(someone)
        await rewinding(someone)
        assert someone.sees("New session with the conversation")
        assert any(row.strip(" ▌┃") == "before this message." for row in someone.rows())


async def test_files_that_are_not_chosen_are_selected_in_the_same_dialog() -> None:
    async with user() as someone:
        someone.client.work_tree.who = {"a.py": "unknown"}
        await turns(someone)
        panel = await rewinding(someone, "down")
        assert someone.sees("Undoes changes to 0 of 1 file, 1 probably yours")
        assert not someone.sees("enter ")
        await someone.press("enter")
        assert "No files selected: → selects them, Tab leaves them out" in someone.toasts()
        await someone.press("right", "space")
        assert someone.sees("☑ a.py")
        assert someone.sees("enter undo 1 file and edit")
        await someone.press("v")
        await someone.wait_for("− more")
        await someone.press("escape", "escape")
        assert someone.app.screen is panel
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert someone.client.work_tree.files == {"kept.txt": b"kept\n"}


async def test_keys_that_show_the_other_notes_are_named_only_where_they_do() -> None:
    async with user((40, 12)) as someone:
        someone.client.work_tree.who = dict.fromkeys("abcd", "unknown")
        await someone.send("make them")
        someone.client.work_tree.turn("make them", dict.fromkeys("abcd", b"x\n"))
        end_turn(someone.session)
        await rewinding(someone)
        assert someone.sees("… more: → ?")
        await someone.press("right")
        assert someone.sees("… more: ?")
        await someone.press("question_mark")
        await someone.wait_for("Before you undo")
        assert someone.sees("Undoes changes to 0 of 4 files")
        assert someone.sees("New session")


async def test_files_and_conversation() -> None:
    async with user() as someone:
        await turns(someone)
        await rewinding(someone, "down")
        assert someone.sees("enter undo 1 file and edit")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert someone.client.work_tree.files == {"kept.txt": b"kept\n"}
        assert [taken.words for taken in someone.client.work_tree.taken_back] == ['everything since "make them"']
        assert someone.sees('Edit "make them"')
        assert someone.sees("New session: this is the first message")
        assert not someone.sees("next prompt mentions")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("branch")), "the branch")
        assert someone.acts("branch") == [("u1", "make them")]
        await someone.press("ctrl+x", "1")
        await someone.wait_for("The next prompt will mention the undone files: a.py")


async def test_files_that_were_undone_with_a_message_are_told_of_once() -> None:
    async with user() as someone:
        await turns(someone)
        await rewinding(someone, "down", "enter")
        await someone.wait_for('Edit "make them"')
        assert not any("undone" in toast for toast in someone.toasts())
        assert not someone.sees("Files stay as they are")
        await someone.press("ctrl+x", "r")
        await someone.opened(TakeBackPanel)
        await painted(someone)
        await someone.press("enter")
        await someone.wait_for("Files stay as they are")


async def test_conversation_only() -> None:
    async with user() as someone:
        await turns(someone)
        await rewinding(someone, "down", "tab", "enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert someone.sees("Files stay as they are")
        assert someone.client.work_tree.taken_back == []
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("branch")), "the branch")


async def test_files_only() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.type("half a thought")
        await rewinding(someone, "down", "shift+tab", "enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert not someone.sees("Edit ")
        assert "half a thought" in someone.conversation.history.entries
        assert someone.sees("The next prompt will mention the undone files: a.py")
        await someone.press("enter")
        assert someone.acts("branch") == []
        assert str(someone.acts("submit")[-1][0]).endswith("make them")


async def test_the_filter_finds_a_message_and_previews_it() -> None:
    async with user() as someone:
        await turns(someone)
        panel = await rewinding(someone)
        await someone.type("zzz")
        assert someone.sees("No matches")
        assert not someone.sees("enter ")
        await someone.press("backspace", "backspace", "backspace")
        await someone.type("make")
        await painted(someone)
        assert [row.value.entry.plain() for row in panel.list.rows if row.value] == ["make them"]
        assert someone.sees("☑ a.py")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")


async def test_who_types_on_as_the_dialog_opens_filters_and_rewinds_nothing() -> None:
    async with user() as someone:
        await turns(someone)
        panel = await rewinding(someone)
        await someone.hurry(*"make", "enter")
        assert someone.app.screen is panel
        assert panel.query_typed == "make"
        assert "Too early: press enter again" in someone.toasts()
        await someone.press("right")
        await someone.hurry(*"vain", "enter")
        assert someone.app.screen is panel
        assert someone.client.work_tree.taken_back == []


async def test_enter_before_the_preview_is_there_does_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with user() as someone:
        await turns(someone)
        tree, ready = someone.client.work_tree, anyio.Event()
        between = tree.between

        async def slow(since: Point, until: Point) -> Changes:
            await ready.wait()
            return await between(since, until)

        monkeypatch.setattr(tree, "between", slow)
        await someone.press("ctrl+x", "g")
        panel = await someone.opened(RewindPanel)
        await someone.wait_for("Comparing files…")
        await someone.press("down", "enter")
        assert someone.app.screen is panel
        assert "Too early: press enter again" in someone.toasts()
        panel.action_agree()  # as a key would that was judged by the preview before
        assert someone.app.screen is panel
        ready.set()
        await painted(someone)
        assert someone.sees("☑ a.py")
        await someone.hurry("up", "enter")  # Enter belongs to what was painted when it came
        assert someone.app.screen is panel
        assert tree.taken_back == []


async def test_where_no_file_changed_nothing_is_asked() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("only talk")
        someone.client.work_tree.turn("only talk", {})
        say(someone.session, "well", "a9")
        end_turn(someone.session)
        await rewinding(someone)
        assert someone.sees("No files changed since this message")
        await someone.press("tab", "tab")
        assert not someone.sees("enter ")
        assert not someone.sees("Your next prompt tells the agent")
        await someone.press("enter")
        assert "No files changed since this message" in someone.toasts()
        await someone.press("tab", "enter")
        await someone.wait_until(lambda: someone.draft == "only talk", "the message")


@pytest.mark.parametrize(
    ("off", "said"),
    [
        ("Snapshots are switched off", "Files stay as they are: snapshots are switched off"),
        ("", "Files stay as they are: no snapshot from that time"),
    ],
)
async def test_why_files_cannot_go_back_is_said_before_anything_is_sent(off: str, said: str) -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("unseen")
        say(someone.session, "well", "a9")
        end_turn(someone.session)
        someone.client.work_tree.off = off
        await rewinding(someone)
        assert someone.sees(said)
        assert any("unseen" in row and " now " in row for row in someone.rows())
        await someone.press("shift+tab", "enter")
        assert said in someone.toasts()
        await someone.press("tab", "enter")
        await someone.wait_until(lambda: someone.draft == "unseen", "the message")
        assert someone.sees(said)


async def test_while_the_agent_works_files_wait_for_the_end_of_its_turn_and_the_dialog_returns() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("go on")
        await rewinding(someone, "down", "down", "tab", "tab")
        assert someone.sees("Undoes changes to 1 file when the turn ends")
        await someone.press("enter")
        await someone.wait_for('Rewind to "make them" when the turn ends')
        say(someone.session, "done", "a9")
        end_turn(someone.session)
        panel = await someone.opened(RewindPanel)
        await painted(someone)
        assert (panel.way, panel.list.value and panel.list.value.entry.plain()) == ("files", "make them")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.client.work_tree.taken_back), "the undo")


async def test_enter_on_a_message_in_the_transcript_opens_the_dialog_there() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.press("ctrl+x", "up", "left_curly_bracket", "left_curly_bracket", "enter")
        panel = await someone.opened(RewindPanel)
        await painted(someone)
        assert panel.list.value is not None
        assert panel.list.value.entry.plain() == "make them"


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
        await rewinding(someone, "down", "enter")
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
        await rewinding(someone, "down", "tab", "enter")
        await someone.wait_until(lambda: someone.draft == "make them", "the message")
        assert not someone.sees("The next prompt mentions")
