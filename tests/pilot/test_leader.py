"""The leader and the key after it, where the focus is not on the prompt: a command, and never an answer."""

import pytest

from acp_tui.ui.transcript.view import TranscriptView
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def keys_count_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.ui.kit.key_guards.GUARD", 0.0)


async def asked(someone: User) -> None:
    ask_permission(someone.session)
    await someone.wait_for("Permission required")
    await someone.wait_until(lambda: someone.focused == "permission", "the focus")


async def read(someone: User) -> None:
    someone.conversation.query_one(TranscriptView).focus()
    await someone.wait_until(lambda: someone.focused == "transcript", "the focus")


@pytest.mark.parametrize("key", ["r", "a", "y", "n", "1", "2", "v", "escape"])
async def test_after_the_leader_no_key_is_an_answer(key: str) -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("ctrl+x", key)
        assert someone.acts("answer") == []
        assert len(someone.session.permissions) == 1
        someone.conversation.parts.questions.permission.focus()
        await someone.press("y")
        assert someone.acts("answer") == [(1, "once")]


async def test_commands_run_from_anywhere() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("ctrl+x", "d")
        await someone.wait_for("Agent stderr")
        await someone.press("escape")
        await read(someone)
        await someone.press("ctrl+x", "d")
        await someone.wait_for("Agent stderr")


async def test_the_footer_shows_what_can_follow_and_another_key_is_the_end_of_it() -> None:
    async with user() as someone:
        await read(someone)
        await someone.press("ctrl+x")
        await someone.wait_until(lambda: someone.conversation.footer.has_class("-leader"), "the keys that can follow")
        await someone.press("f12")
        assert not someone.conversation.footer.has_class("-leader")
