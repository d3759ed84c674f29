"""The prompt: writing, sending, pasting, history, completion, and what Esc and Ctrl+C mean."""

import pytest
from textual import events

from acp_tui.host.config.choices import PromptHistory
from acp_tui.session.changes import PromptReturned
from acp_tui.ui.branches.rewind_panel import RewindPanel
from acp_tui.ui.prompt.draft import Draft, EditorExtension
from acp_tui.ui.prompt.editor import LeaderExtension
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, end_turn, say, tell_commands

pytestmark = pytest.mark.anyio


async def test_enter_sends_and_empties_the_prompt() -> None:
    async with user() as someone:
        await someone.send("fix it")
        assert someone.acts("submit") == [("fix it",)]
        assert someone.draft == ""


@pytest.mark.parametrize(
    ("columns", "words"), [(60, "@ for files, ! for shell"), (40, "/ for commands"), (20, "anything")]
)
async def test_the_empty_prompt_says_no_more_than_fits(columns: int, words: str) -> None:
    async with user((columns, 20)) as someone:
        row = next(row for row in someone.rows() if "Ask anything" in row)
        assert row.rstrip().endswith(words)


async def test_an_empty_prompt_is_not_sent() -> None:
    async with user() as someone:
        await someone.send("   ")
        assert someone.acts("submit") == []


async def test_a_burst_of_keys_acts_in_its_order() -> None:
    async with user() as someone:
        for key in ("a", "b", "enter", "c", "backspace", "d"):
            someone.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await someone.pilot.pause()
        await someone.wait_until(lambda: someone.draft == "d", "the last letter")
        assert someone.acts("submit") == [("ab",)]


class Probe(EditorExtension):
    """Takes the letters that it is made of, pastes that begin with one of them, and drafts that end with one."""

    def __init__(self, letters: str) -> None:
        self.letters, self.taken = letters, list[str]()

    def takes_key(self, event: events.Key) -> bool:
        return self._take(event.key)

    def takes_paste(self, text: str) -> bool:
        return self._take(text[0])

    def holds_back(self, draft: Draft) -> bool:
        return self._take(draft.text[-1])

    def piece_before(self, line: str, column: int) -> int:
        return 2 if self._take(line[column - 1]) else 0

    def emptied(self) -> None:
        self.taken.append("emptied")

    def _take(self, sign: str) -> bool:
        self.taken += [sign] if sign in self.letters else []
        return sign in self.letters


async def test_the_first_extension_of_the_editor_that_takes_something_has_it() -> None:
    async with user() as someone:
        editor, first, second = someone.conversation.editor, Probe("ax"), Probe("abxy")
        editor.extensions += (first, second)
        await someone.press("a", "b", "c")
        await paste(someone, "xyz")
        await paste(someone, "yz")
        assert (someone.draft, first.taken, second.taken) == ("c", ["a", "x"], ["b", "y"])
        editor.insert("cy")
        await someone.press("enter")
        assert someone.draft == "ccy"
        await someone.press("backspace", "enter")
        assert (someone.acts("submit"), second.taken[2:]) == ([("c",)], ["y", "y", "emptied"])


async def test_the_extensions_of_the_editor_are_asked_in_this_order() -> None:
    async with user() as someone:
        parts, editor = someone.conversation.parts, someone.conversation.editor
        late = [parts.vim, parts.completions, parts.completions.mentions, parts.attaching, parts.commands]
        assert isinstance(editor.extensions[0], LeaderExtension)
        assert editor.extensions[1:] == [editor.chips, *late]


async def test_new_line_keys() -> None:
    async with user() as someone:
        await someone.press("a", "ctrl+j", "b", "shift+enter", "c", "alt+enter", "d", "enter")
        assert someone.acts("submit") == [("a\nb\nc\nd",)]


async def test_a_backslash_before_enter_begins_a_new_line() -> None:
    async with user() as someone:
        await someone.type("a\\")
        await someone.press("enter", "b")
        assert someone.draft == "a\nb"
        assert someone.acts("submit") == []


async def test_the_editor_grows_with_its_text_and_no_further_than_ten_rows() -> None:
    async with user() as someone:
        assert someone.conversation.editor.size.height == 1
        await someone.press("a", "ctrl+j", "b")
        assert someone.conversation.editor.size.height == 2
        await someone.press(*["ctrl+j"] * 12)
        assert someone.conversation.editor.size.height == 10


async def paste(someone: User, text: str) -> None:
    someone.app.post_message(events.Paste(text))
    await someone.pilot.pause()


async def test_a_paste_loses_escapes_and_controls() -> None:
    async with user() as someone:
        await paste(someone, "a\x1b]52;c;eA==\x07b\x00c\r\nd\re\u202ef")
        assert someone.draft == "a]52;c;eA==bc\nd\nef"


async def test_a_big_paste_is_a_chip_that_is_sent_whole() -> None:
    big = "x" * 1_000_000
    async with user() as someone:
        await someone.type("see ")
        await paste(someone, big)
        assert someone.draft == "see [Pasted 1 line, 1.0 MB #1]"
        await someone.type("!")
        await someone.press("enter")
        assert someone.acts("submit") == [(f"see {big}!",)]


async def test_backspace_takes_a_chip_as_one_piece() -> None:
    async with user() as someone:
        await paste(someone, "line\n" * 300)
        await someone.press("backspace")
        assert someone.draft == ""


async def test_up_and_down_walk_the_history_and_come_back_to_the_draft() -> None:
    history = PromptHistory(None)
    history.add("first")
    history.add("second")
    async with user(history=history) as someone:
        await someone.type("draft")
        await someone.press("up")
        assert someone.draft == "second"
        await someone.press("up", "up")
        assert someone.draft == "first"
        await someone.press("down", "down")
        assert someone.draft == "draft"


async def test_up_inside_the_text_moves_the_cursor() -> None:
    history = PromptHistory(None)
    history.add("old")
    async with user(history=history) as someone:
        await someone.press("a", "ctrl+j", "b", "up")
        assert someone.draft == "a\nb"
        await someone.press("up")
        assert someone.draft == "old"


async def test_history_search_finds_an_old_prompt() -> None:
    history = PromptHistory(None)
    history.add("fix the login")
    history.add("write docs")
    async with user(history=history) as someone:
        await someone.type("half a thought")
        await someone.press("ctrl+r")
        await someone.type("login")
        await someone.press("enter")
        assert someone.draft == "fix the login"
        assert history.entries[-1] == "half a thought"


async def test_sent_prompts_are_remembered() -> None:
    history = PromptHistory(None)
    async with user(history=history) as someone:
        await someone.send("remember")
        assert history.entries == ["remember"]


async def test_commands_alone_are_in_no_history_neither_run_nor_cleared() -> None:
    history = PromptHistory(None)
    async with user(history=history) as someone:
        await someone.type("/")
        await someone.press("ctrl+c")
        await someone.send("/rename Mine")
        await someone.send("/vim")
        await someone.send("quit")
    assert history.entries == ["/rename Mine"]


async def test_a_prompt_sent_while_the_agent_works_is_seen_in_the_queue() -> None:
    async with user() as someone:
        await someone.send("one")
        await someone.send("two")
        await someone.wait_for("queued  two")
        assert len(someone.session.queue) == 1


async def test_a_queued_prompt_comes_back_to_the_editor() -> None:
    async with user() as someone:
        await someone.send("one")
        await someone.send("two")
        await someone.command("unqueue last")
        assert someone.draft == "two"
        assert someone.session.queue == []


async def test_slash_opens_the_completion_and_tab_accepts() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.type("/rev")
        await someone.wait_for("/review")
        assert someone.sees("<commit or branch>")
        assert "/review" in next(row for row in someone.rows() if row.startswith(" ▌ /"))
        assert someone.sees("/rev ")
        await someone.press("tab")
        assert someone.draft == "/review "
        assert not someone.conversation.parts.completions.commands.is_open


async def test_the_completion_is_as_wide_as_the_prompt() -> None:
    async with user((80, 24), prepare=tell_commands) as someone:
        await someone.press("slash")
        prompt = someone.conversation.query_one("#prompt").region
        completion = someone.conversation.parts.completions.commands.region
        assert (completion.x, completion.right, completion.bottom) == (prompt.x, prompt.right, prompt.y)


async def test_a_list_of_commands_leaves_the_welcome_where_it_is() -> None:
    async with user(prepare=tell_commands) as someone:
        someone.conversation.transcript.refresh_welcome()
        await someone.wait_for("is ready")
        await someone.press("slash")
        await someone.wait_for("tab complete  esc close")
        assert someone.sees("is ready")
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("tab complete"), "the footer of the prompt")
        assert someone.sees("is ready")


async def test_enter_completes_a_name_that_is_begun_and_runs_one_that_is_written_out() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.send("/comp")
        assert (someone.draft, someone.acts("submit")) == ("/compact ", [])
        await someone.press("enter")
        assert (someone.draft, someone.acts("submit")) == ("", [("/compact",)])


async def test_enter_sends_the_command_that_was_moved_to() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.type("/")
        await someone.press("down", "down", "enter")
        assert someone.acts("submit") == [("/compact",)]


async def test_enter_only_completes_a_command_that_nobody_named() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.send("/")
        assert someone.draft == "/init "
        await someone.press("ctrl+c")
        await someone.send("/ini")
        assert someone.draft == "/init "
        await someone.press("ctrl+c")
        await someone.send("/analyse")
        assert someone.draft == "/analyse"  # which is in the description of /init
        await someone.press("tab")
        assert someone.draft == "/init "
        assert someone.acts("submit") == []


async def test_a_command_that_wants_words_is_completed_and_sent_by_a_second_enter() -> None:
    async with user(prepare=tell_commands) as someone:
        for typed in ("/rev", "/review"):
            someone.conversation.editor.text = ""
            await someone.send(typed)
            assert someone.draft == "/review ", typed
            await someone.wait_for("<commit or branch>")
            assert someone.acts("submit") == []
        await someone.press("enter")
        assert someone.acts("submit") == [("/review",)]


async def test_arrows_choose_in_the_completion_and_enter_accepts() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.type("/")
        await someone.press("down", "enter")
        assert someone.draft == "/review "
        assert someone.acts("submit") == []


async def test_a_command_that_is_written_out_is_sent_by_enter() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.send("/init")
        assert someone.acts("submit") == [("/init",)]


async def test_what_may_follow_a_command_is_shown_while_it_is_written() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.type("/review ")
        await someone.wait_for("<commit or branch>")
        assert not someone.conversation.parts.completions.commands.is_open
        await someone.send("main")
        assert someone.acts("submit") == [("/review main",)]
        assert not someone.sees("<commit or branch>")


async def test_escape_closes_the_completion_first_then_cancels() -> None:
    async with user(prepare=tell_commands) as someone:
        await someone.send("work")
        await someone.type("/")
        assert someone.conversation.parts.completions.commands.is_open
        await someone.press("escape")
        assert not someone.conversation.parts.completions.commands.is_open
        assert someone.acts("cancel") == []
        await someone.press("escape")
        assert someone.acts("cancel") == [()]


async def test_escape_clears_the_selection_before_it_cancels() -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.type("draft")
        await someone.press("shift+left", "escape")
        assert someone.conversation.editor.selection.is_empty
        assert someone.acts("cancel") == []


async def test_escape_without_a_turn_cancels_nothing() -> None:
    async with user() as someone:
        await someone.press("escape")
        assert someone.acts("cancel") == []


async def test_a_prompt_that_comes_back_stands_before_the_draft() -> None:
    async with user() as someone:
        await someone.type("next")
        someone.session.publish(PromptReturned("first"))
        await someone.wait_until(lambda: someone.draft == "first\nnext", "the prompt in front")


async def test_ctrl_c_clears_the_draft_into_the_history() -> None:
    history = PromptHistory(None)
    async with user(history=history) as someone:
        await someone.type("draft")
        await someone.press("ctrl+c")
        assert someone.draft == ""
        assert history.entries == ["draft"]


async def test_ctrl_c_cancels_where_nothing_is_written() -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.press("ctrl+c")
        assert someone.acts("cancel") == [()]
        assert someone.acts("close") == []


async def test_ctrl_c_copies_a_selection_and_that_press_does_not_count() -> None:
    async with user() as someone:
        await someone.type("word")
        await someone.press("shift+left", "shift+left", "ctrl+c")
        assert someone.app.clipboard == "rd"
        assert any("Copied the selection" in toast for toast in someone.toasts())
        await someone.press("escape", "ctrl+c")
        assert someone.acts("close") == []


async def test_ctrl_c_twice_quits_whatever_the_first_did() -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.type("draft")
        await someone.press("ctrl+c", "ctrl+c")
        assert someone.acts("close") == [()]


async def test_ctrl_c_twice_means_twice_in_a_row() -> None:
    async with user() as someone:
        for between in (("up", "x"), ("x",), ("ctrl+x", "z"), ("f1", "escape"), ("ctrl+x", "up")):
            await someone.type("draft")
            await someone.press("ctrl+c", *between)
            someone.app.clear_notifications()
            await someone.press("ctrl+c")
            assert someone.acts("close") == [], between
            assert "Press ^C again to quit" in someone.toasts(), between
        await someone.press("ctrl+c")
        assert someone.acts("close") == [()]


async def test_ctrl_c_twice_in_a_panel_means_twice_in_a_row() -> None:
    async with user() as someone:
        ask_permission(someone.session)
        await someone.wait_until(lambda: someone.focused == "permission", "the focus")
        await someone.press("ctrl+c", "down", "ctrl+c")
        assert someone.acts("close") == []
        await someone.press("ctrl+c")
        assert someone.acts("close") == [()]


async def test_esc_twice_means_twice_in_a_row() -> None:
    async with user() as someone:
        await someone.send("earlier")
        end_turn(someone.session)
        await someone.press("escape", "x", "backspace", "escape")
        assert someone.app.screen is someone.conversation
        await someone.press("escape")
        await someone.opened(RewindPanel)
        assert someone.sees("earlier")


async def test_ctrl_d_quits_on_an_empty_prompt_only() -> None:
    async with user() as someone:
        await someone.press("a", "left", "ctrl+d")
        assert someone.draft == ""
        assert someone.acts("close") == []
        await someone.press("ctrl+d")
        assert someone.acts("close") == [()]


async def test_quitting_while_the_agent_works_asks_first() -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.press("ctrl+q")
        assert someone.acts("close") == []
        assert someone.toasts() == ["The agent is still working. Press ^Q again to quit."]
        await someone.press("x", "backspace", "ctrl+d")
        assert someone.acts("close") == []
        assert "The agent is still working. Press ^D again to quit." in someone.toasts()
        await someone.press("ctrl+q")
        assert someone.acts("close") == [()]


async def test_what_is_written_when_the_agent_is_gone_is_not_lost() -> None:
    async with user() as someone:
        someone.client._lifecycle.enter("closed")
        await someone.send("too late")
        assert someone.draft == "too late"
        assert someone.acts("submit") == []
        assert any("The prompt was not sent" in toast for toast in someone.toasts())


async def test_copy_of_the_last_answer_and_its_code() -> None:
    async with user() as someone:
        await someone.send("show")
        say(someone.session, "Here:\n\n```python\nprint(1)\n```\n")
        end_turn(someone.session)
        await someone.press("ctrl+x", "y")
        assert someone.app.clipboard.startswith("Here:")
        await someone.press("ctrl+x", "Y")
        assert someone.app.clipboard == "print(1)"


async def test_many_lines_are_undone_and_done_again_wherever_the_cursor_is() -> None:
    """Textual looks for the cursor in the new text before it has moved it there, if the scrollbar comes or goes."""
    lines = "\n".join(f"line {number}" for number in range(14))
    async with user() as someone:
        editor = someone.conversation.editor
        editor.paste(lines)
        await someone.pilot.pause()
        await someone.press("ctrl+underscore")
        assert someone.draft == ""
        editor.redo()
        await someone.pilot.pause()
        editor.replace("", (0, 0), editor.document.end, maintain_selection_offset=False)
        editor.undo()
        editor.move_cursor(editor.document.end)
        await someone.pilot.pause()
        assert someone.draft == lines
        editor.redo()
        assert someone.draft == ""
