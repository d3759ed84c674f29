"""Lines edited as in a shell, by keys: in the prompt, and in the fields of one line."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input

from acp_tui.ui.find_bar import FindBar
from acp_tui.ui.questions.elicitation_controls import TextControl
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio
BIG = "line\n" * 300


async def paste(someone: User, text: str) -> None:
    someone.app.post_message(events.Paste(text))
    await someone.pilot.pause()


async def burst(someone: User, *keys: tuple[str, str | None]) -> None:
    """Keys as they come from a terminal, one right after the other."""
    for key in keys:
        someone.app.post_message(events.Key(*key))
    await someone.pilot.pause()


async def test_alt_with_a_letter_types_nothing_whatever_has_the_focus() -> None:
    keys = (("alt+h", "h"), ("alt+shift+h", "H"), ("alt+7", "7"), ("alt+full_stop", "."))
    async with user() as someone:
        await burst(someone, *keys, ("a", "a"))
        assert someone.draft == "a"
        await someone.press("ctrl+x", "up")
        assert someone.focused == "transcript"
        await burst(someone, *keys)
        assert someone.draft == "a"
        await someone.press("escape", "ctrl+p")
        await burst(someone, *keys, ("b", "b"))
        assert someone.app.screen.query_one(Input).value == "b"


async def test_what_altgr_writes_is_written() -> None:
    async with user() as someone:
        await burst(someone, ("at", "@"), ("partial_differential", "∂"), ("ctrl+at", "@"))
        assert someone.draft == "@∂@"


DELETED = [
    (["ctrl+w"], "git add "),
    (["alt+backspace"], "git add src/a."),
    (["ctrl+u"], ""),
    (["home", "alt+d"], " add src/a.py"),
    (["home", "ctrl+k"], ""),
    (["left", "left", "left", "ctrl+k"], "git add src/a"),
]


async def test_what_is_deleted_comes_back() -> None:
    async with user() as someone:
        for keys, left in DELETED:
            someone.conversation.editor.text = ""
            await someone.type("git add src/a.py")
            await someone.press(*keys)
            assert someone.draft == left, keys
            await someone.press("ctrl+y")
            assert someone.draft == "git add src/a.py", keys


async def test_deletions_in_a_row_are_one_and_an_older_one_takes_the_place_of_the_newest() -> None:
    async with user() as someone:
        await someone.type("one two three")
        await burst(someone, ("ctrl+w", None), ("ctrl+w", None), ("x", "x"), ("ctrl+u", None), ("ctrl+y", None))
        assert someone.draft == "one x"
        await someone.press("alt+y")
        assert someone.draft == "two three"
        await someone.press("alt+y")
        assert someone.draft == "one x"
        await someone.type("!")
        await someone.press("alt+y")
        assert someone.draft == "one x!"


async def test_lines_are_deleted_one_by_one() -> None:
    async with user() as someone:
        await paste(someone, "one\ntwo")
        await someone.press("ctrl+u", "ctrl+u", "ctrl+u")
        assert someone.draft == ""
        await someone.press("ctrl+y")
        assert someone.draft == "one\ntwo"
        await someone.press("up", "ctrl+a", "ctrl+k", "ctrl+k")
        assert someone.draft == "two"


@pytest.mark.parametrize(
    ("keys", "left", "back", "then"),
    [
        pytest.param(("ctrl+w", "ctrl+w", "ctrl+underscore"), "one two ", "alt+underscore", "one ", id="undone alone"),
        pytest.param(("shift+left", "shift+left", "ctrl+u"), "one two thr", "ctrl+y", "one two three", id="selection"),
    ],
)
async def test_what_is_deleted_and_what_comes_after_it(keys: Sequence[str], left: str, back: str, then: str) -> None:
    """Each deletion is undone, and done again, by itself; where something is selected, that is what goes."""
    async with user() as someone:
        await someone.type("one two three")
        await someone.press(*keys)
        assert someone.draft == left
        await someone.press(back)
        assert someone.draft == then


async def test_a_chip_is_deleted_whole_and_comes_back_with_its_paste_after_another_prompt() -> None:
    async with user() as someone:
        await someone.type("see ")
        await paste(someone, BIG)
        await someone.press("ctrl+w")
        assert someone.draft == "see "
        await someone.press("enter")
        await paste(someone, "x" * 20_000)
        await someone.press("ctrl+y", "enter")
        assert [act[0] for act in someone.acts("submit")][1:] == ["x" * 20_000 + BIG]


async def test_what_was_written_last_is_what_the_history_goes_on_from() -> None:
    async with user() as someone:
        await someone.send("one two")
        await someone.press("up", "ctrl+w", "up")
        assert someone.draft == "one two"
        await someone.press("down")
        assert someone.draft == "one "


async def test_a_line_has_the_same_keys_and_the_same_ring() -> None:
    async with user() as someone:
        await someone.type("alpha beta")
        await someone.press("ctrl+w", "ctrl+p")
        line = someone.app.screen.query_one(Input)
        await someone.press("ctrl+y")
        assert line.value == "beta"
        await burst(someone, ("space", " "), ("c", "c"), ("alt+backspace", None), ("home", None), ("alt+d", None))
        assert line.value == " "
        await someone.press("ctrl+u", "ctrl+k", "ctrl+y", "alt+y")
        assert line.value == "c"


async def test_a_password_is_not_kept(tmp_path: Path) -> None:
    async with user() as someone:
        await someone.press("ctrl+p")
        line = someone.app.screen.query_one(Input)
        line.password = True
        await someone.type("top secret")
        await someone.press("ctrl+w")
        assert line.value == ""
        await someone.press("ctrl+y")
        assert line.value == ""
        masked = TextControl("", masked=True)
        await someone.app.screen.mount(masked)
        masked.focus()
        await someone.type("a key")
        await someone.press("ctrl+w", "ctrl+u", "ctrl+y")
        assert masked.text == ""


async def test_the_screen_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with user() as someone:
        told: list[str] = []
        monkeypatch.setattr(someone.app, "_tell_terminal", told.append)
        await someone.press("ctrl+l")
        await someone.press("ctrl+p", "ctrl+l")
        assert told == ["\x1b[0m\x1b[2J"] * 2


async def test_a_field_of_a_form_has_the_same_keys() -> None:
    async with user() as someone:
        field = TextControl("")
        await someone.conversation.mount(field)
        field.focus()
        await someone.type("one two")
        await burst(someone, ("ctrl+w", None), ("x", "x"), ("ctrl+y", None))
        assert field.text == "one xtwo"
        await someone.press("ctrl+underscore")
        assert field.text == "one x"
        await someone.press("alt+underscore")
        assert field.text == "one xtwo"


TYPED = {
    "blank of Japanese and Chinese": "\u3000",
    "no-break blank, which is Option+Space": "\u00a0",
    "joiner of Persian": "\u200c",
    "joiner of emoji": "\u200d",
    "soft hyphen": "\u00ad",
    "an icon": "\ue0b0",
    "an emoji newer than Python": "\U0001faea",
}


def key_of(sign: str) -> tuple[str, str]:
    return _character_to_key(sign), sign


@pytest.mark.parametrize("vim", [False, True], ids=["plain", "vim"])
async def test_what_is_no_control_is_typed_and_sent(vim: bool) -> None:
    text = "".join(f"a{sign}" for sign in TYPED.values()) + "b"
    async with user() as someone:
        if vim:
            someone.conversation.action_command("toggle_vim")
        await burst(someone, *map(key_of, text))
        assert someone.draft == text
        await someone.press("enter")
        assert someone.acts("submit") == [(text,)]


async def test_what_is_no_control_is_typed_wherever_one_types() -> None:
    text = f"a{''.join(TYPED.values())}b"
    async with user() as someone:
        await someone.send("one")
        await someone.press("ctrl+p")
        await burst(someone, *map(key_of, text))
        assert someone.app.screen.query_one(Input).value == text
        await someone.press("escape", "ctrl+f")
        await burst(someone, *map(key_of, text))
        assert someone.conversation.query_one(FindBar).query_one(Input).value == text
        await someone.press("escape")
        await burst(someone, key_of("\x1f"), key_of("\x9b"))
        assert someone.draft == ""


FAMILY, FLAG, THUMB, KEYCAP = "👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "1\ufe0f\u20e3"


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        (["backspace"], f"a{FAMILY}{FLAG}{THUMB}"),
        (["left", "backspace"], f"a{FAMILY}{FLAG}{KEYCAP}"),
        (["home", "right", "delete"], f"a{FLAG}{THUMB}{KEYCAP}"),
        (["left", "left", "left", "x"], f"a{FAMILY}x{FLAG}{THUMB}{KEYCAP}"),
        (["home", "right", "right", "x"], f"a{FAMILY}x{FLAG}{THUMB}{KEYCAP}"),
        (["shift+left", "shift+left", "x"], f"a{FAMILY}{FLAG}x"),
        (["home", "right", "shift+right", "delete"], f"a{FLAG}{THUMB}{KEYCAP}"),
        (["left", "alt+d"], f"a{FAMILY}{FLAG}{THUMB}"),
    ],
)
@pytest.mark.parametrize("in_line", [False, True], ids=["prompt", "line"])
async def test_an_emoji_is_moved_over_and_deleted_as_one(keys: Sequence[str], left: str, in_line: bool) -> None:
    async with user() as someone:
        if in_line:
            await someone.press("ctrl+p")
        await burst(someone, *map(key_of, f"a{FAMILY}{FLAG}{THUMB}{KEYCAP}"))
        await someone.press(*keys)
        assert (someone.app.screen.query_one(Input).value if in_line else someone.draft) == left


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ("x", f"a{FAMILY}{FLAG}{THUMB}"),
        ("hx", f"a{FAMILY}{FLAG}{KEYCAP}"),
        ("0lx", f"a{FLAG}{THUMB}{KEYCAP}"),
        ("0llx", f"a{FAMILY}{THUMB}{KEYCAP}"),
        ("X", f"a{FAMILY}{FLAG}{KEYCAP}"),
        ("0l2x", f"a{THUMB}{KEYCAP}"),
        ("0lrx", f"ax{FLAG}{THUMB}{KEYCAP}"),
        ("0lax", f"a{FAMILY}x{FLAG}{THUMB}{KEYCAP}"),
        ("0lxp", f"a{FLAG}{FAMILY}{THUMB}{KEYCAP}"),
        ("0ldw", "a"),
    ],
)
async def test_vim_takes_an_emoji_as_one(keys: str, left: str) -> None:
    async with user() as someone:
        someone.conversation.action_command("toggle_vim")
        someone.conversation.editor.insert(f"a{FAMILY}{FLAG}{THUMB}{KEYCAP}")
        await someone.press("escape")
        await someone.type(keys)
        assert someone.draft == left


async def test_the_cursor_never_rests_within_an_emoji_of_another_line() -> None:
    async with user() as someone:
        someone.conversation.editor.insert(f"xxxxx\n{FAMILY}{FAMILY}")
        someone.conversation.editor.move_cursor((0, 3))
        await someone.press("down")
        assert someone.conversation.editor.cursor_location == (1, 0)
