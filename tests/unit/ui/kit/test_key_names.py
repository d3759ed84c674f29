"""Keys as people write them."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.kit.theme import MODIFIERS, is_typed, key_name
from tests.rows import each_of


@each_of(
    ("written", "name"),
    [
        ("ctrl+p", "ctrl+p"),
        ("Ctrl+P", "ctrl+p"),
        (" Control+P ", "ctrl+p"),
        ("shift+ctrl+Left", "ctrl+shift+left"),
        ("alt+T", "alt+t"),
        ("Esc", "escape"),
        ("PgUp", "pageup"),
        ("Return", "enter"),
        ("F12", "f12"),
        ("a", "a"),
        ("A", "A"),
        ("shift+a", "A"),
        ("?", "question_mark"),
        ("question_mark", "question_mark"),
        ("{", "left_curly_bracket"),
        ("ctrl+/", "ctrl+slash"),
        ("/", "slash"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("-", "minus"),
        ("ctrl+minus", "ctrl+minus"),
        ("ctrl+\\", "ctrl+backslash"),
        ("space", "space"),
        (" space", "space"),
        ("↑", "up"),
        ("ctrl+1", "ctrl+1"),
        ("ü", "ü"),
    ],
)
def test_names(written: str, name: str) -> None:
    assert key_name(written) == name


@each_of(
    "written",
    ["", " ", "ctrl", "ctrl+", "strg+a", "nonsense", "banana", "ctrl+banana", "alt+nonsense", "f99", "ab", "\x07"],
)
def test_what_is_no_key_is_told(written: str) -> None:
    with pytest.raises(ValueError, match="is not a key"):
        key_name(written)


@pytest.mark.parametrize("written", ["ctrl+i", "Ctrl+M", "ctrl+["])
def test_keys_that_terminals_cannot_tell_apart(written: str) -> None:
    with pytest.raises(ValueError, match="terminals cannot tell"):
        key_name(written)


def test_every_key_of_a_command_is_one() -> None:
    keys = [key for command in COMMANDS for key in command.keys]
    assert [key_name(key) for key in keys] == keys


@given(st.sets(st.sampled_from(MODIFIERS)), st.sampled_from(["up", "f3", "p", "7", "question_mark", "enter"]))
def test_names_are_names_of_themselves(modifiers: set[str], base: str) -> None:
    try:
        name = key_name("+".join([*modifiers, base]))
    except ValueError:
        return
    assert key_name(name) == name


@given(st.text(max_size=12))
def test_nothing_else_than_a_complaint_is_raised(written: str) -> None:
    with contextlib.suppress(ValueError):
        assert key_name(written)


def test_keys_that_write_something() -> None:
    assert [key for key in ("a", "A", "space", "question_mark", "ü", "7") if not is_typed(key)] == []
    assert [
        key for key in ("f1", "ctrl+a", "alt+a", "escape", "up", "enter", "tab", "shift+tab") if is_typed(key)
    ] == []
