"""Taking a turn's files back by keys: the preview, what is chosen there, doing and undoing it, and who is told."""

from itertools import count

import anyio
import pytest

from acp_tui.host.revert.apply import FileProgress
from acp_tui.host.revert.steps import Outcome
from acp_tui.ui.branches.rewind_panel import RewindPanel
from acp_tui.ui.changes.changes_screen import ChangesScreen
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.undo.undo_panel import LeftAlonePanel, TakeBackPanel
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say, tell_commands
from tests.pilot.questions import painted

pytestmark = pytest.mark.anyio


async def turns(someone: User) -> None:
    """Two turns: the first makes two files, the second changes one and deletes one."""
    tree = someone.client.work_tree
    tree.files = {"kept.txt": b"kept\n"}
    for words, after in (
        ("make them", {"a.py": b"one\n", "b.py": b"two\n"}),
        ("change them", {"a.py": b"one\nmore\n", "b.py": None}),
    ):
        await someone.send(words)
        tree.turn(words, after)
        say(someone.session, f"done: {words}", words)
        end_turn(someone.session)
    await someone.press()


def holds_queue(someone: User) -> bool:
    return someone.client.of(someone.session).holds_queue


async def panel_of(someone: User) -> TakeBackPanel:
    panel = await someone.opened(TakeBackPanel)
    await painted(someone)
    return panel


async def test_the_last_turns_files_are_taken_back_after_the_preview_and_redone() -> None:
    async with user() as someone:
        await turns(someone)
        tree = someone.client.work_tree
        await someone.press("ctrl+x", "u")
        await panel_of(someone)
        assert someone.sees('Undo "change them" · 2 files')
        assert someone.sees("enter undo 2 files")
        assert any("☑ a.py" in row and "restore" in row for row in someone.rows())
        assert any("☑ b.py" in row and "restore (deleted)" in row for row in someone.rows())
        assert tree.files["a.py"] == b"one\nmore\n"
        await someone.press("enter")
        await someone.wait_until(lambda: tree.files.get("b.py") == b"two\n", "the deleted file")
        assert tree.files == {"kept.txt": b"kept\n", "a.py": b"one\n", "b.py": b"two\n"}
        assert someone.toasts() == ["2 files undone (^X r to redo)"]
        await someone.press("ctrl+x", "r")
        await panel_of(someone)
        assert someone.sees('Redo "change them" · 2 files')
        assert any("☑ b.py" in row and "delete again" in row for row in someone.rows())
        await someone.press("enter")
        await someone.wait_until(lambda: "b.py" not in tree.files, "the deletion again")
        assert tree.files["a.py"] == b"one\nmore\n"


async def undo(someone: User) -> None:
    """Take the last turn's files back, all that are chosen beforehand."""
    taken = len(someone.client.work_tree.taken_back)
    await someone.press("ctrl+x", "u")
    await panel_of(someone)
    await someone.press("enter")
    await someone.wait_until(lambda: len(someone.client.work_tree.taken_back) > taken, "the taking back")


async def test_while_many_files_are_written_the_line_counts() -> None:
    async with user() as someone:
        await turns(someone)
        tree, ended = someone.client.work_tree, anyio.Event()

        async def many(progress: FileProgress) -> None:
            progress.done, progress.of = 3_412, 30_000
            await ended.wait()

        tree.writing = many
        for keys, words in (("u", "Undo: 3,412 of 30,000 files"), ("r", "Redo: 3,412 of 30,000 files")):
            ended = anyio.Event()
            await someone.press("ctrl+x", keys)
            await panel_of(someone)
            await someone.press("enter")
            await someone.wait_for(words)
            assert holds_queue(someone), "an agent would begin on files that are half undone"
            ended.set()
            await someone.wait_until(lambda: not someone.sees("of 30,000"), "the end")
            await someone.wait_until(lambda: not holds_queue(someone), "the queue to go on")


def test_of_very_many_files_left_alone_the_last_are_counted_by_their_reason() -> None:
    left = [Outcome(f"f{at}", False, "full" if at % 3 else "changed") for at in range(1_200)]
    rows = LeftAlonePanel(left)._told.plain.split("\n")
    assert sum("skipped" in row for row in rows) == 300
    assert [row for row in rows if "more" in row] == ["… 600 more files: full", "… 300 more files: changed"]


async def test_again_it_is_the_turn_before_and_then_there_is_none() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        await undo(someone)
        assert [taken.words for taken in someone.client.work_tree.taken_back] == ['"change them"', '"make them"']
        assert someone.client.work_tree.files == {"kept.txt": b"kept\n"}
        await someone.send("/undo")
        assert "No files to undo: all turns are already undone" in someone.toasts()


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_where_there_are_few_rows_files_take_no_more_than_theirs_and_the_next_step_is_named(
    size: tuple[int, int],
) -> None:
    async with user(size) as someone:
        await turns(someone)
        await someone.press("ctrl+x", "u")
        await panel_of(someone)
        rows = someone.rows()
        files, hints = (next(at for at, row in enumerate(rows) if word in row) for word in ("☑ b.py", "esc cancel"))
        assert hints - files <= 6, rows
        assert "^X u one more turn" in rows[hints]


async def test_the_same_keys_in_the_panel_go_one_turn_further_back() -> None:
    async with user() as someone:
        await turns(someone)
        tree = someone.client.work_tree
        await someone.press("ctrl+x", "u")
        panel = await panel_of(someone)
        assert someone.sees("^X u one more turn")
        assert someone.sees("The conversation is unchanged. Press ^X g")
        await someone.press("ctrl+x", "u")
        await someone.wait_for('Undo everything since "make them" · 1 file')
        await painted(someone)
        assert not someone.sees("one more turn")
        await someone.press("ctrl+x", "u")
        assert "No earlier turn to undo" in someone.toasts()
        assert someone.app.screen is panel
        await someone.press("enter")
        await someone.wait_until(lambda: tree.files == {"kept.txt": b"kept\n"}, "the undo of both turns")
        assert [taken.turns for taken in tree.taken_back] == [range(1, 3)]


async def test_keys_that_belong_to_the_panel_before_do_nothing_in_the_next_one() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.press("ctrl+x", "u")
        panel = await panel_of(someone)
        await someone.press("ctrl+x")
        await someone.hurry("u", "enter")
        assert someone.app.screen is panel
        assert someone.client.work_tree.taken_back == []
        await someone.press("u")  # without the leader it is a letter as any other
        assert panel.choice.preview.words == 'everything since "make them"'


async def test_a_turn_of_which_nothing_is_chosen_does_not_stand_in_the_way_of_the_one_before() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("look on")
        someone.client.work_tree.turn("look on", {"mine.py": b"mine\n"}, "unknown")
        end_turn(someone.session)
        for words in ("look on", "change them", "change them"):
            await someone.send("/undo")
            await panel_of(someone)
            assert someone.sees(f'Undo "{words}"')
            await someone.press("escape")


async def test_what_nobody_did_and_what_is_refused_is_chosen_by_the_user_only() -> None:
    async with user() as someone:
        tree = someone.client.work_tree
        tree.who, tree.refused = {"b.py": "unknown"}, {"c.py": "It was changed again after the turn"}
        await someone.send("go")
        tree.turn("go", {"a.py": b"1\n", "b.py": b"2\n", "c.py": b"3\n"})
        end_turn(someone.session)
        await someone.press("ctrl+x", "u")
        panel = await panel_of(someone)
        assert panel.choice.chosen == [True, False, False]
        assert someone.sees('Undo "go" · 3 files, 1 probably yours')
        assert someone.sees("Not from a tool call, probably yours")
        assert someone.sees("△ It was changed again after the turn (Space to include it anyway)")
        await someone.press("a", "a")
        assert panel.choice.chosen == [False, False, False]
        await someone.press("enter")
        assert "No files selected. Press Space to select one" in someone.toasts()
        await someone.press("a")
        assert panel.choice.chosen == [True, True, False]
        await someone.press("a", "down", "down", "space")
        assert panel.choice.chosen == [False, False, True]
        assert someone.sees("The current version is saved; /redo restores it")
        await someone.press("enter")
        await someone.wait_until(lambda: "c.py" not in tree.files, "the deletion")
        assert sorted(tree.files) == ["a.py", "b.py"]


async def test_what_was_typed_before_the_panel_came_deletes_nothing() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.press("ctrl+x", "u")
        panel = await panel_of(someone)
        await someone.hurry("a", "space", "enter")
        assert someone.app.screen is panel
        assert panel.choice.chosen == [True, True]
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        assert someone.client.work_tree.taken_back == []


async def test_the_diff_of_a_step_is_what_it_would_change() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.press("ctrl+x", "u")
        panel = await panel_of(someone)
        await someone.press("v")
        await someone.wait_for("− more")
        await someone.press("escape")
        assert someone.app.screen is panel


async def test_where_no_snapshots_are_taken_that_is_said() -> None:
    async with user() as someone:
        someone.client.work_tree.off = "Snapshots are switched off"
        await someone.press("ctrl+x", "u")
        assert someone.toasts() == ["No files to undo: snapshots are switched off"]


async def test_nothing_was_taken_back_that_could_be_redone() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.press("ctrl+x", "r")
        await someone.wait_until(lambda: bool(someone.toasts()), "the words")
        assert someone.toasts() == ["No files to redo"]


async def test_while_the_agent_works_it_waits_and_is_withdrawn() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("go on")
        for keys in (("escape",), ("ctrl+x", "u")):
            await someone.press("ctrl+x", "u")
            assert someone.sees("Undo when the turn ends")
            assert holds_queue(someone)
            await someone.press(*keys)
            assert not someone.sees("when the turn ends"), keys
            assert not holds_queue(someone), keys
        assert someone.acts("cancel") == []
        say(someone.session, "on it", "a9")
        end_turn(someone.session)
        await someone.press()
        assert someone.app.screen is someone.conversation


async def test_at_the_end_of_the_turn_the_preview_comes() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("go on")
        tree = someone.client.work_tree
        tree.mark("prompt", 3, "go on")
        await someone.press("ctrl+x", "u")
        tree.files["new.py"] = b"new\n"
        tree.mark("ended", 3, "go on")
        say(someone.session, "done", "a9")
        end_turn(someone.session)
        await panel_of(someone)
        assert someone.sees('Undo "go on" · 1 file')
        assert holds_queue(someone)
        await someone.press("escape")
        await someone.wait_until(lambda: not holds_queue(someone), "the queue to go on")


async def test_asked_for_in_a_turn_it_means_that_turn() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("go on")
        someone.client.work_tree.mark("prompt", 3, "go on")
        await someone.press("ctrl+x", "u")
        someone.client.work_tree.points.pop()
        say(someone.session, "nothing to do", "a9")
        end_turn(someone.session)
        await someone.wait_until(
            lambda: "No files to undo: this turn changed no files" in someone.toasts(), "the words"
        )
        assert someone.app.screen is someone.conversation


async def test_what_could_not_be_done_has_to_be_read() -> None:
    async with user() as someone:
        await turns(someone)
        someone.client.work_tree.failing = {"a.py": "Its folder is a link now"}
        await undo(someone)
        await someone.opened(LeftAlonePanel)
        assert someone.sees("1 file not fully undone")
        assert someone.sees("✗ skipped  a.py")
        assert someone.sees("Its folder is a link now")
        await someone.press("enter")
        assert someone.app.screen is someone.conversation
        assert "1 file undone, 1 skipped (^X r to redo)" in someone.toasts()


# What the agent is told


NOTE = (
    "Note from the user: since your last turn I undid your changes to these files: a.py, b.py; they are now as they "
    'were before my message "change them". '
    "Do not assume that they still contain what you wrote; read them again before you rely on them."
)


async def test_the_next_prompt_tells_the_agent_once() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        assert someone.sees("The next prompt will mention the undone files: a.py, b.py")
        await someone.send("go on")
        assert someone.acts("submit")[-1] == (f"{NOTE}\n\n\ngo on",)
        assert not someone.sees("next prompt mentions")
        await someone.wait_for("Note from the user")
        say(someone.session, "yes", "a9")
        end_turn(someone.session)
        await someone.send("further")
        assert someone.acts("submit")[-1] == ("further",)


async def test_what_an_earlier_run_has_not_told_stands_above_the_prompt_before_any_key() -> None:
    async with user() as someone:
        tree = someone.client.work_tree
        tree.clock = count(1.0).__next__  # long ago
        tree.turn("make them", {"a.py": b"one\n"})
        found = await tree.between(*tree.points)
        preview = await tree.preview("Turn 1", found, found.files)
        await tree.take_back(preview, preview.steps)
        await someone.wait_for("The next prompt will mention the undone files: a.py")


async def test_several_join_and_what_is_undone_is_not_told() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        await undo(someone)
        assert someone.sees("The next prompt will mention the undone files: a.py, b.py")
        for _ in range(2):
            taken = len(someone.client.work_tree.taken_back)
            await someone.press("ctrl+x", "r")
            await panel_of(someone)
            await someone.press("enter")
            await someone.wait_until(lambda: len(someone.client.work_tree.taken_back) > taken, "the redoing")  # noqa: B023
        await someone.press()
        assert not someone.sees("next prompt mentions")
        await someone.send("go on")
        assert someone.acts("submit")[-1] == ("go on",)


async def test_the_user_leaves_it_out_and_takes_it_in_again() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        await someone.press("ctrl+x", "U")
        assert not someone.sees("The next prompt will mention")
        await someone.press("ctrl+x", "U")
        assert someone.sees("The next prompt will mention")
        await someone.press("ctrl+x", "U")
        await someone.send("go on")
        assert someone.acts("submit")[-1] == ("go on",)
        say(someone.session, "yes", "a9")
        end_turn(someone.session)
        await someone.press()
        assert not someone.sees("The next prompt will mention")


async def test_a_slash_command_of_the_agent_stays_the_first_word() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        tell_commands(someone.session)
        await someone.send("/compact now")
        assert someone.acts("submit")[-1] == ("/compact now",)
        assert someone.sees("The next prompt will mention")


async def test_a_prompt_that_comes_back_has_told_nothing() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        await someone.send("go on")
        end_turn(someone.session, "cancelled")
        await someone.wait_until(lambda: someone.draft == "go on", "the prompt")
        assert someone.sees("The next prompt will mention")


async def test_a_queued_prompt_is_edited_without_the_note() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        someone.client._lifecycle.enter("gone")
        await someone.send("go on")
        await someone.wait_until(lambda: bool(someone.session.queue), "the queue")
        assert not someone.sees("The next prompt will mention")
        await someone.command("Unqueue last prompt")
        await someone.wait_until(lambda: someone.draft == "go on", "the prompt")
        assert someone.sees("The next prompt will mention")


async def test_a_message_is_edited_without_the_note() -> None:
    async with user() as someone:
        await turns(someone)
        await undo(someone)
        await someone.send("go on")
        say(someone.session, "yes", "a9")
        end_turn(someone.session)
        await someone.press("ctrl+x", "g")
        await someone.opened(RewindPanel)
        await painted(someone)
        await someone.press("enter")
        assert someone.draft == "go on"


# In the changes screen


async def test_a_file_all_files_and_a_hunk_are_taken_back_from_the_changes_screen() -> None:
    async with user() as someone:
        await turns(someone)
        tree = someone.client.work_tree
        tree.turn("write", {"c.py": b"new\n", "d.py": b"new\n", "kept.txt": b"kept\nmore\n"})
        tree.who["kept.txt"] = "agent"
        await someone.press("ctrl+x", "d")
        screen = await someone.opened(ChangesScreen)
        await someone.wait_until(lambda: screen.files.current is not None, "the files")
        for key, title in (("u", "Undo a.py · 1 file"), ("U", "Undo ")):
            await someone.press(key)
            await panel_of(someone)
            assert someone.sees(title)
            await someone.press("escape")
            await someone.opened(ChangesScreen)
        assert tree.taken_back == []
        await someone.press("G")
        await someone.wait_until(lambda: screen.files.current is not None and screen.files.current.path == "kept.txt")
        await someone.wait_for("h undo hunk")
        await someone.press("h")
        await panel_of(someone)
        assert someone.sees("restore lines")
        await someone.press("enter")
        await someone.wait_until(lambda: tree.files["kept.txt"] == b"kept\n", "the hunk")
        assert "1 file undone (^X r to redo)" in someone.toasts()


async def test_in_the_changes_screen_it_waits_for_the_turn_too_and_says_so() -> None:
    async with user() as someone:
        await turns(someone)
        await someone.send("go on")
        await someone.press("ctrl+x", "d")
        screen = await someone.opened(ChangesScreen)
        await someone.wait_until(lambda: screen.files.current is not None, "the files")
        await someone.press("u")
        await someone.wait_until(lambda: any("when the turn ends" in toast for toast in someone.toasts()), "the words")
        say(someone.session, "done", "a9")
        end_turn(someone.session)
        await panel_of(someone)


async def test_what_was_typed_before_does_not_close_what_has_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with user() as someone:
        await turns(someone)
        someone.client.work_tree.failing = {"a.py": "Its folder is a link now"}
        await someone.press("ctrl+x", "u")
        await panel_of(someone)
        await someone.press("enter")
        await someone.opened(LeftAlonePanel)
        await painted(someone)
        await someone.hurry("enter", "q")
        assert isinstance(someone.app.screen, LeftAlonePanel)


async def test_nothing_is_said_of_files_that_are_none() -> None:
    async with user() as someone:
        tree = someone.client.work_tree
        tree.turn("go", {".agent/x": b"1\n"}, who="own")
        await someone.press("ctrl+x", "d")
        screen = await someone.opened(ChangesScreen)
        await someone.wait_until(lambda: screen.files.current is not None, "the files")
        await someone.press("U")
        await someone.wait_until(lambda: "No files to undo" in someone.toasts(), "the words")
        assert someone.app.screen is screen
