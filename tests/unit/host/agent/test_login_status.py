"""Who is logged in is told to those who look, and not as often as an agent says it."""

import anyio
import anyio.lowlevel
import pytest

from acp_tui.host.agent import logins
from tests.pilot.fake_client import FakeClient

pytestmark = pytest.mark.anyio


async def test_a_flood_is_told_now_and_then() -> None:
    client, told = FakeClient(), list[str]()
    client.subscribe(lambda: told.append(repr(client.connection.auth_status)))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client._parts.logins.status.tell)
        for number in range(500):
            account = {"label": f"ann {number}"}
            client._parts.logins.status.told("auth/status_update", {"state": "authenticated", "accounts": [account]})
            for _ in range(4):
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert 1 <= len(told) < 50
    assert client.connection.auth_status is not None
    assert client.connection.auth_status.accounts[0].label == "ann 499"


async def test_the_same_again_is_no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins, "BREATH", 0.0)
    client, told = FakeClient(), list[None]()
    client.subscribe(lambda: told.append(None))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client._parts.logins.status.tell)
        for _ in range(3):
            client._parts.logins.status.told("_auth/status_update", {"authStatus": {"kind": "none"}})
            for _ in range(4):
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert len(told) == 1
