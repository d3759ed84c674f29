"""Fixtures of tests that run the program, or parts of it that keep something; their folders' conftest.py takes them."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from acp_tui.host.agent.agent_services import ClientChanges, Retain

__all__ = ["looked_first", "own_home"]

Serve = Callable[[ClientChanges, Callable[[], Awaitable[None]], Retain], Awaitable[None]]


@pytest.fixture(autouse=True)
def own_home(private_folders: Path) -> Path:
    """Each test has a home of its own."""
    return private_folders


def look_first() -> Serve:
    """An agent starts once the folders are kept: no machine is too slow for what a test's agent writes at once."""
    serve = ClientChanges.serve

    async def looking(self: ClientChanges, act: Callable[[], Awaitable[None]], retain: Retain) -> None:
        async def acts() -> None:
            for changes in self:
                await changes.turns.moments.settled()
            await act()

        await serve(self, acts, retain)

    return looking


@pytest.fixture(autouse=True)
def looked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `look_first`."""
    monkeypatch.setattr(ClientChanges, "serve", look_first())
