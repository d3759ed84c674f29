"""Keys from the config file, pressed."""

from collections.abc import Iterator

import pytest

from acp_tui.ui.commands.key_table import rebind
from tests.pilot.driver import user
from tests.pilot.fake_client import ask_permission, tell_options

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Other tests want the commands' own keys."""
    yield
    rebind({})


async def test_the_new_key_works_and_the_old_one_does_not() -> None:
    rebind({"pick_model": ["alt+m"], "palette": ["f17"], "submit": ["f18"], "new_line": ["enter"]})
    async with user(prepare=tell_options) as someone:
        assert someone.sees("alt+m model")
        assert someone.sees("f17 commands")
        await someone.press("alt+p")
        assert someone.app.screen is someone.conversation
        await someone.press("alt+m")
        assert any("Sonnet 5" in row for row in someone.picker_rows())
        await someone.press("escape", "ctrl+p")
        assert someone.app.screen is someone.conversation
        await someone.type("one")
        await someone.press("enter")
        await someone.type("two")
        await someone.press("f18")
        assert someone.acts("submit") == [("one\ntwo",)]


async def test_another_leader() -> None:
    rebind({"leader": ["ctrl+k"], "pick_model": ["ctrl+k Z"]})
    async with user(prepare=tell_options) as someone:
        await someone.press("ctrl+x", "m")
        assert someone.draft == "m"
        await someone.press("backspace", "ctrl+k")
        await someone.wait_for("^K then a key")
        await someone.press("Z")
        assert any("Sonnet 5" in row for row in someone.picker_rows())


async def test_keys_count_where_the_transcript_has_the_focus() -> None:
    rebind({"focus_transcript": ["f16"], "help": ["f18"], "next_block": ["z"]})
    async with user() as someone:
        await someone.send("one")
        await someone.press("f16")
        assert someone.focused == "transcript"
        await someone.press("f18")
        assert someone.sees("First steps")
        await someone.press("escape", "z")
        assert someone.focused == "editor"
        assert someone.draft == ""


async def test_help_and_hints_show_the_keys_that_count() -> None:
    rebind({"answer_permission": ["f19"], "palette": [], "toggle_plan": ["f20"]})
    async with user(size=(140, 60)) as someone:
        await someone.type("a draft")
        ask_permission(someone.session)
        await someone.wait_for("needs an answer (f19)")
        assert not someone.sees("palette")
        await someone.press("f1")
        await someone.type("collapse the plan")
        await someone.wait_for("F20")
        assert not someone.sees("Ctrl+T ")
