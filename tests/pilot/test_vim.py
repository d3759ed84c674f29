"""Vim's keys in the prompt: modes, what other keys mean in each, undo, chips, and that it is off by default."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest
from textual import events

from acp_tui.host.config.choices import PromptHistory
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.text_panels import HelpScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import say, tell_options

pytestmark = pytest.mark.anyio
KEYS = "acp_tui.ui.prompt.vim_keyboard"
BIG = "\n".join(f"line {number}" for number in range(300))


@asynccontextmanager
async def vim(text: str = "", *, history: PromptHistory | None = None) -> AsyncIterator[User]:
    """Someone who edits with vim's keys, with this text, in normal mode if there is any."""
    async with user(history=history) as someone:
        someone.conversation.action_command("toggle_vim")
        someone.conversation.editor.insert(text)
        if text:
            await someone.press("escape")
        yield someone


def place(someone: User) -> tuple[int, int]:
    return someone.conversation.editor.cursor_location


def mode(someone: User) -> str:
    return next((word for word in ("NORMAL", "INSERT", "VISUAL", "V-LINE") if someone.sees(word)), "")


async def test_it_is_off_by_default_and_not_loaded() -> None:
    sys.modules.pop(KEYS, None)
    async with user() as someone:
        await someone.type("one")
        assert mode(someone) == ""
        await someone.press("escape", "x")
        assert someone.draft == "onex"
        assert KEYS not in sys.modules


async def test_it_is_switched_on_and_off_and_stays_so() -> None:
    async with user() as someone:
        someone.conversation.action_command("toggle_vim")
        await someone.wait_for("INSERT")
        assert someone.app.preferences.get("editing", str) == "vim"
    async with user() as someone:
        await someone.wait_for("INSERT")
        await someone.type("one")
        await someone.press("escape")
        await someone.wait_for("NORMAL")
        someone.conversation.action_command("toggle_vim")
        await someone.wait_until(lambda: mode(someone) == "", "no mode")
        await someone.press("x")
        assert someone.draft == "onxe"


async def test_another_session_has_it_too() -> None:
    async with user() as someone:
        await someone.press("ctrl+n")
        await someone.wait_for("2 new session")
        await someone.wait_until(lambda: someone.conversation.complete, "all parts")
        someone.conversation.action_command("toggle_vim")
        await someone.press("ctrl+x", "1")
        await someone.wait_until(lambda: mode(someone) == "INSERT", "the mode")


async def test_it_is_on_as_soon_as_the_setting_says_so() -> None:
    async with user() as someone:
        someone.app.preferences.set("editing", "vim")
        await someone.press("x")
        await someone.wait_until(lambda: mode(someone) == "INSERT", "the mode")
        await someone.press("escape")
        someone.app.preferences.set("editing", "default")
        await someone.press("y")
        await someone.wait_until(lambda: mode(someone) == "", "no mode")
        assert someone.draft == "yx"


async def test_each_mode_is_shown() -> None:
    async with vim("one two") as someone:
        assert mode(someone) == "NORMAL"
        await someone.press("v")
        assert mode(someone) == "VISUAL"
        await someone.press("V")
        assert mode(someone) == "V-LINE"
        await someone.press("escape", "i")
        assert mode(someone) == "INSERT"


async def test_keys_edit() -> None:
    async with vim("one two") as someone:
        await someone.press("0", "d", "w")
        assert (someone.draft, place(someone)) == ("two", (0, 0))
        await someone.press("c", "i", "w")
        await someone.type("a b")
        await someone.press("escape")
        assert (someone.draft, place(someone)) == ("a b", (0, 2))
        await someone.press("f", "space", "F", "a", "x")
        assert someone.draft == " b"


async def test_a_burst_of_keys_acts_in_its_order() -> None:
    async with vim("one two") as someone:
        for key in "0dwix":
            someone.app.post_message(events.Key(key, key))
        await someone.pilot.pause()
        await someone.wait_until(lambda: someone.draft == "xtwo", "what was typed")


async def test_enter_sends_in_both_modes_and_then_it_is_insert_mode() -> None:
    async with vim("one") as someone:
        await someone.press("enter")
        assert someone.acts("submit") == [("one",)]
        assert mode(someone) == "INSERT"
        await someone.send("two")
        assert someone.acts("submit") == [("one",), ("two",)]


async def test_what_is_typed_right_after_enter_is_typed() -> None:
    async with vim("one") as someone:
        for key, character in (("enter", None), ("x", "x")):
            someone.app.post_message(events.Key(key, character))
        await someone.pilot.pause()
        await someone.wait_until(lambda: someone.draft == "x", "the next prompt")


async def test_a_command_that_is_not_finished_is_cancelled_and_nothing_sent() -> None:
    async with vim("one") as someone:
        await someone.press("d", "enter")
        assert (someone.draft, someone.acts("submit")) == ("one", [])
        await someone.press("2", "escape", "x")
        assert someone.draft == "on"
        assert someone.acts("cancel") == []


async def test_escape_cancels_the_turn_in_normal_mode_only() -> None:
    async with vim() as someone:
        await someone.send("work")
        await someone.type("next")
        await someone.press("escape")
        assert someone.acts("cancel") == []
        await someone.press("escape")
        assert len(someone.acts("cancel")) == 1


async def test_escape_in_insert_mode_closes_a_list_too() -> None:
    async with vim() as someone:
        someone.session.apply(
            AvailableCommandsUpdate(available_commands=[AvailableCommand(name="plan", description="Plans")])
        )
        await someone.type("/pl")
        await someone.wait_until(lambda: someone.conversation.parts.completions.commands.is_open, "the list")
        await someone.press("escape")
        assert not someone.conversation.parts.completions.commands.is_open
        assert mode(someone) == "NORMAL"
        assert someone.draft == "/pl"


async def test_letters_of_other_meaning_act_in_insert_mode_only() -> None:
    async with vim() as someone:
        await someone.press("escape", "question_mark", "slash", "exclamation_mark")
        await someone.type("@")
        assert someone.draft == ""
        assert not isinstance(someone.app.screen, HelpScreen)
        await someone.press("i", "question_mark")
        await someone.opened(HelpScreen)


async def test_ctrl_r_is_redo_in_normal_mode_and_history_in_insert_mode() -> None:
    async with vim("one two", history=PromptHistory(None)) as someone:
        await someone.press("0", "d", "w", "u")
        assert (someone.draft, place(someone)) == ("one two", (0, 0))
        await someone.press("ctrl+r")
        assert someone.draft == "two"
        conversation = someone.app.screen
        await someone.press("i", "ctrl+r")
        await someone.wait_until(
            lambda: someone.app.screen is not conversation or bool(someone.toasts()), "the history"
        )


async def test_one_change_is_undone_at_once() -> None:
    async with vim("one") as someone:
        await someone.press("A")
        await someone.type(" two three")
        await someone.press("backspace", "backspace", "ctrl+j", "x", "escape")
        assert someone.draft == "one two thr\nx"
        await someone.press("x", "u")
        assert someone.draft == "one two thr\nx"
        await someone.press("u")
        assert someone.draft == "one"
        await someone.press("ctrl+r")
        assert someone.draft == "one two thr\nx"
        await someone.press("ctrl+r")
        assert someone.draft == "one two thr\n"
        await someone.press("2", "u")
        assert someone.draft == "one"


async def test_a_change_of_many_lines_is_undone() -> None:
    async with vim("a\nb\nc\nd") as someone:
        await someone.press("g", "g", "2", "d", "d", "p", "u", "u")
        assert someone.draft == "a\nb\nc\nd"
        await someone.press("c", "j")
        await someone.type("x")
        await someone.press("ctrl+j", "y", "escape", "u")
        assert someone.draft == "a\nb\nc\nd"
        assert someone.conversation.editor.wrapped_document.height == 4


async def test_up_and_down_walk_the_history_at_the_edges() -> None:
    history = PromptHistory(None)
    history.add("first\nsecond")
    async with vim("now", history=history) as someone:
        await someone.press("k")
        assert (someone.draft, place(someone)) == ("first\nsecond", (1, 5))
        await someone.press("k")
        assert place(someone)[0] == 0
        await someone.press("j", "down")
        assert someone.draft == "now"
        await someone.press("up", "x")
        assert someone.draft == "first\nsecon"
        await someone.press("j")
        assert someone.draft == "first\nsecon"


async def test_the_cursor_stands_on_a_character_in_normal_mode() -> None:
    async with vim("abc\nd\nefg") as someone:
        assert place(someone) == (2, 2)
        await someone.press("k")
        assert place(someone) == (1, 0)
        await someone.press("k")
        assert place(someone) == (0, 2)


async def test_what_is_selected_is_shown_and_copied_whole() -> None:
    async with vim("one two") as someone:
        editor = someone.conversation.editor
        await someone.press("0", "v", "e")
        assert editor.selected_text == "on"  # and the cursor is on the last
        await someone.press("ctrl+c")
        assert editor.selected_text == "one"
        await someone.press("d")
        assert someone.draft == " two"
        await someone.press("V")
        assert editor.selected_text == " two"
        await someone.press("escape")
        assert editor.selection.is_empty


async def test_what_the_mouse_selects_is_selected() -> None:
    async with vim("one two") as someone:
        editor = someone.conversation.editor
        await someone.pilot.mouse_down("#editor", offset=(1, 0))
        await someone.pilot.hover("#editor", offset=(3, 0))
        await someone.pilot.mouse_up("#editor", offset=(3, 0))
        assert editor.selected_text == "ne"
        await someone.press("d")
        assert someone.draft == "o two"


async def test_a_chip_is_one_piece_and_outlives_the_prompt() -> None:
    async with vim() as someone:
        editor = someone.conversation.editor
        await someone.type("see ")
        editor.paste(BIG)
        await someone.press("escape")
        assert place(someone) == (0, 4)
        await someone.press("x")
        assert someone.draft == "see "
        await someone.press("p", "p", "0", "w")
        assert editor.draft == f"see {BIG}{BIG}"
        await someone.press("d", "w", "enter")
        assert someone.acts("submit") == [("see ",)]
        await someone.press("escape", "p")
        assert editor.draft == BIG * 2


async def test_what_is_typed_beside_the_prompt_is_a_key_too() -> None:
    async with vim("one") as someone:
        say(someone.session, "hello")
        await someone.press("ctrl+x", "up", "x")
        assert someone.focused == "editor"
        assert someone.draft == "on"


async def test_ctrl_c_clears_the_prompt_and_begins_in_insert_mode() -> None:
    async with vim("one") as someone:
        await someone.press("ctrl+c", "x")
        assert someone.draft == "x"


async def test_a_paste_in_normal_mode_goes_in_at_the_cursor() -> None:
    async with vim("one") as someone:
        someone.conversation.editor.paste("x")
        await someone.press("u")
        assert someone.draft == "one"


@pytest.mark.parametrize(
    ("key", "draft", "shown"),
    [("alt+x", "on", "NORMAL"), ("alt+shift+v", "one", "V-LINE"), ("alt+dollar_sign", "one", "NORMAL")],
)
async def test_a_key_right_after_escape_is_not_alt_and_that_key(key: str, draft: str, shown: str) -> None:
    async with vim() as someone:
        await someone.type("one")
        await someone.press(key)
        assert (someone.draft, mode(someone)) == (draft, shown)


async def test_keys_with_alt_that_mean_something_still_do() -> None:
    async with vim() as someone:
        tell_options(someone.session)
        await someone.press("alt+p")
        await someone.opened(Picker)
        await someone.press("escape")
        assert mode(someone) == "INSERT"


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_is_typed_can_be_undone_and_done_again(seed: int) -> None:
    choice, original = Random(seed).choice, "one (two) 'three'\n\n  four 你好 five\nsix"
    keys = "wbeWBE0^$ggGftFT;,%hldcyiaIAoOxXsSDCYpPr~Jvv..23\"'()[w\x1b\x1bzq "
    async with vim(original) as someone:
        editor, modes = someone.conversation.editor, someone.conversation.parts.vim
        editor.insert(f" {editor.chips.fold(BIG)}")
        before = editor.text
        for _ in range(1500):
            character = choice(keys)
            event = events.Key("escape" if character == "\x1b" else character.replace(" ", "space"), character)
            if not modes.takes_key(event) and character != "\x1b":
                editor.insert_typed(character)
        modes.takes_key(events.Key("escape", "\x1b"))
        while len(editor.text) > 20_000:
            modes.takes_key(events.Key("u", "u"))
        after, rows = editor.text, editor.wrapped_document.height
        undone = len(editor.history.undo_stack)
        for _ in range(undone):
            modes.takes_key(events.Key("u", "u"))
        if undone < editor.history.max_checkpoints:
            assert editor.text == before
        for _ in range(undone):
            modes.takes_key(events.Key("ctrl+r", None))
        assert (editor.text, editor.wrapped_document.height) == (after, rows)
