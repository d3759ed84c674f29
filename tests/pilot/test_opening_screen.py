"""What an agent tells while the screen is not whole yet."""

from collections.abc import Callable, Mapping

import pytest

from acp_tui.ui.screen import ConversationScreen
from tests.pilot.driver import person
from tests.pilot.fake_client import tell_options

pytestmark = pytest.mark.anyio


async def test_options_that_come_before_the_last_panels_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    completed = ConversationScreen.completed

    def told_meanwhile(screen: ConversationScreen, actions: Mapping[str, Callable[[], object]]) -> None:
        tell_options(screen.session)
        completed(screen, actions)

    monkeypatch.setattr(ConversationScreen, "completed", told_meanwhile)
    async with person() as someone:
        await someone.wait_for("Mode Ask shift+tab")
