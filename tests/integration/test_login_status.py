"""Who is logged in, as agents of both versions and of both forms tell it: shown, never in the way, written nowhere."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.records.records import Records
from acp_tui.host.records.wire_record import WireRecord, read_wire_record
from acp_tui.host.wire_replay import WireReplay
from acp_tui.protocol.capabilities import Offer
from acp_tui.protocol.vocabulary.initialization import AuthStatus
from acp_tui.session.export import to_json
from acp_tui.session.text.secret_names import CONCEALED
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.driver import Driver, connected, driven, start_of

pytestmark = pytest.mark.anyio

ANSWERS: dict[Offer, dict[str, Any]] = {
    "1": {"protocolVersion": 1, "agentCapabilities": {"auth": {"status": {}, "logout": {}}}},
    "2": {
        "protocolVersion": 2,
        "info": {"name": "s", "version": "1"},
        "capabilities": {"session": {}, "auth": {"status": {}}},
    },
}
WAYS: dict[str, Any] = {"authMethods": [{"type": "agent", "id": "web", "methodId": "web", "name": "Web"}]}
ANN = {"state": "authenticated", "accounts": [{"label": "Claude Max", "email": "ann@example.com"}]}


def script_of(folder: Path, body: str, offer: Offer = "1", **more: Any) -> Script:
    return write_script(folder, f"answer = { ({**ANSWERS[offer], **more})!r}\nANN = {ANN!r}\n{body}")


@asynccontextmanager
async def talking(script: Script, folder: Path, offer: Offer = "1") -> AsyncIterator[Driver]:
    command = AgentCommand(tuple(script.argv), protocol=offer)
    async with driven(Driver(Client(LaunchPlan(command, folder), attended=True, start=start_of(script)))) as driver:
        yield driver


def status_of(driver: Driver) -> AuthStatus | None:
    return driver.client.connection.auth_status


@pytest.mark.parametrize("offer", ["1", "2"])
async def test_it_is_asked_for_after_the_session(tmp_path: Path, offer: Offer) -> None:
    body = """
        agent.initialize(answer)
        agent.new_session()
        agent.answer(agent.expect("auth/status"), ANN)
        agent.notify("auth/status_update", {"state": "unauthenticated"})
        agent.serve()
    """
    script = script_of(tmp_path, "\n".join(line.strip() for line in body.splitlines()), offer)
    async with talking(script, tmp_path, offer) as driver:
        await driver.until(lambda: status_of(driver) == AuthStatus("unauthenticated"))
        await driver.ready()
    assert [message["method"] for message in script.received()][:3] == ["initialize", "session/new", "auth/status"]
    assert script.received("auth/status")[0]["params"] == {}


@pytest.mark.parametrize("offer", ["1", "2"])
async def test_what_claude_and_codex_push_is_taken_and_nothing_is_asked(tmp_path: Path, offer: Offer) -> None:
    member = "agentCapabilities" if offer == "1" else "capabilities"
    told: dict[str, Any] = {member: {"session": {}, "_meta": {"authStatus": {}}}}
    body = """
agent.initialize(answer)
agent.notify("_auth/status_update", {"authStatus": {"kind": "none", "label": "Not logged in"}})
agent.new_session()
agent.turn()
agent.serve()
"""
    script = script_of(tmp_path, body, offer, **told)
    async with talking(script, tmp_path, offer) as driver:
        await driver.until(lambda: status_of(driver) == AuthStatus("unauthenticated"))
        await driver.ready()
        assert driver.client.connection.capabilities.tells_auth_status
    assert script.received("auth/status") == []


async def test_nobody_waits_for_it_and_an_error_says_nothing(tmp_path: Path) -> None:
    body = """
agent.initialize(answer)
agent.new_session()
asked = agent.expect("auth/status")
agent.turn("hello")
agent.fail(asked, -32603, "ann is locked")
agent.turn("again")
agent.serve()
"""
    async with talking(script_of(tmp_path, body), tmp_path) as driver:
        driver.submit("one")
        await driver.idle()
        driver.submit("two")
        await driver.idle(2)
        assert driver.said() == ["hello", "again"]
        assert status_of(driver) is None
        assert driver.noticed() == ""


async def test_without_a_user_nobody_asks(tmp_path: Path) -> None:
    body = 'agent.initialize(answer)\nagent.new_session()\nagent.turn("hello")\nagent.serve()'
    script = script_of(tmp_path, body)
    async with connected(script, tmp_path) as driver:
        driver.submit("one")
        await driver.idle()
    assert script.received("auth/status") == []


@pytest.mark.parametrize("offer", ["1", "2"])
async def test_it_is_asked_for_again_after_a_log_in_and_a_log_out(tmp_path: Path, offer: Offer) -> None:
    in_, out = ("authenticate", "logout") if offer == "1" else ("auth/login", "auth/logout")
    body = f"""
agent.initialize(answer)
agent.fail(agent.expect("session/new"), -32000, "Who are you?")
agent.answer(agent.expect("auth/status"), {{"state": "unauthenticated"}})
agent.answer(agent.expect("{in_}"), {{}})
agent.new_session()
agent.answer(agent.expect("auth/status"), ANN)
agent.answer(agent.expect("{out}"), {{}})
agent.answer(agent.expect("auth/status"), {{"state": "not_required"}})
agent.serve()
"""
    async with talking(script_of(tmp_path, body, offer, **WAYS), tmp_path, offer) as driver:
        await driver.until(lambda: driver.client.connection.login and status_of(driver))
        driver.client.logins.log_in("web")
        await driver.until(lambda: (told := status_of(driver)) and told.state == "authenticated")
        driver.client.logins.log_out()
        await driver.until(lambda: status_of(driver) == AuthStatus("not_required"))


async def test_a_log_in_elsewhere_goes_on_with_what_waited(tmp_path: Path) -> None:
    body = """
agent.initialize(answer)
agent.fail(agent.expect("session/new"), -32000, "Who are you?")
agent.notify("auth/status_update", {"state": "unauthenticated"})
agent.wait_for(GATE)
agent.notify("auth/status_update", ANN)
agent.new_session()
agent.turn("welcome")
agent.serve()
"""
    gate = tmp_path / "gate"
    door = Gate(gate)
    async with talking(script_of(tmp_path, body.replace("GATE", repr(str(gate))), **WAYS), tmp_path) as driver:
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login and status_of(driver))
        door.open()
        await driver.idle()
        assert driver.said() == ["welcome"]
        assert driver.client.connection.login is None
    door.close()


async def test_odd_ones_are_told_without_their_words_and_a_flood_grows_nothing(tmp_path: Path) -> None:
    body = """
agent.notify("auth/status_update", ANN)
agent.initialize(answer)
agent.new_session()
for number in range(10_000):
    agent.notify("auth/status_update", {"state": "authenticated", "accounts": [{"label": f"ann {number}"}]})
    agent.notify("_auth/status_update", {"authStatus": "ann"})
agent.notify("auth/status_update", {"state": "authenticated", "accounts": [{"label": "x" * 1000}] * 5000})
agent.turn("done")
agent.serve()
"""
    async with talking(script_of(tmp_path, body), tmp_path) as driver:
        driver.submit("hello")
        await driver.idle()
        told = status_of(driver)
        assert told is not None
        assert (len(told.accounts), told.more_accounts) == (20, 4980)
        assert "_auth/status_update: " in driver.noticed()
        assert "10,000 times so far" in driver.noticed()
        assert "ann" not in driver.noticed()
        assert len(driver.notices()) < 20
        assert len(driver.steps) < 100


async def test_a_restarted_agent_may_have_another_user(tmp_path: Path) -> None:
    body = """
agent.initialize(answer)
agent.new_session()
if agent.life == 1:
    agent.notify("auth/status_update", ANN)
agent.serve()
"""
    async with talking(script_of(tmp_path, body), tmp_path) as driver:
        await driver.until(lambda: status_of(driver))
        driver.client.restart()
        assert status_of(driver) is None


async def test_accounts_are_written_nowhere(tmp_path: Path) -> None:
    body = r"""
agent.initialize(answer)
agent.new_session()
agent.answer(agent.expect("auth/status"), ANN)
agent.notify("_auth/status_update", {"authStatus": {"kind": "account", "label": "ann", "account": {"email": "ann"}}})
agent.notify("auth/status_update", {"accounts": [{"label": "ann"}]})
agent.raw(b'{"method":"auth\\/status_update","params":{"state":"authenticated","x":"ann"\n')
agent.send({"jsonrpc": "2.0", "id": 77, "result": ANN})
agent.turn("hello")
agent.serve()
"""
    script, records = script_of(tmp_path, body), Records()
    wire = tmp_path / "wire.jsonl"
    client = Client(LaunchPlan(AgentCommand(tuple(script.argv)), tmp_path), attended=True, start=start_of(script))
    client.record_with(records)
    recorder = WireRecord(wire, client.traffic, lambda notice: pytest.fail(str(notice)))
    async with driven(Driver(client)) as driver:
        driver.submit("hi")
        await driver.idle()
        told = status_of(driver)
        assert told is not None
        assert told.shown[0].label == "ann"
        exported = json.dumps(to_json(driver.session), default=str)
    recorder.close()
    records.close()
    kept = [path for path in records.folder.rglob("*") if path.is_file()]
    assert kept
    assert "ann" not in "".join([exported, wire.read_text(), *(path.read_text() for path in kept)]).lower()
    lines = [*filter(None, read_wire_record(wire))]
    assert sum(b'"state":"authenticated"' in line.line for line in lines) == 2
    assert sum(CONCEALED.encode() in line.line for line in lines) >= 2
    assert "hello" in json.dumps(to_json(WireReplay(lines).sessions[0]))
