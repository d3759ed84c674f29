"""What an agent tells while the screen is not whole yet."""

from typing import Any

import pytest

from acp_tui.ui.conversation_screen import ConversationScreen
from tests.pilot.driver import user
from tests.pilot.fake_client import tell_options

pytestmark = pytest.mark.anyio


async def test_options_that_come_before_the_last_panels_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    completed = ConversationScreen.completed

    def told_meanwhile(screen: ConversationScreen, *parts: Any) -> None:
        tell_options(screen.session)
        completed(screen, *parts)

    monkeypatch.setattr(ConversationScreen, "completed", told_meanwhile)
    async with user() as someone:
        await someone.wait_for("Mode Ask   Model")
        await someone.wait_for("shift+tab mode")
