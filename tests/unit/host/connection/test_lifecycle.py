import anyio
import pytest

from acp_tui.errors import AgentFault
from acp_tui.host.connection import lifecycle
from acp_tui.host.connection.lifecycle import Lifecycle, Login
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.vocabulary.initialization import Implementation, Initialized

pytestmark = pytest.mark.anyio


def listened() -> tuple[Lifecycle, list[str]]:
    life, heard = Lifecycle(), list[str]()
    life.subscribe(lambda: heard.append(f"{life.connection.phase}: {life.connection.step}"))
    return life, heard


def test_each_step_is_told() -> None:
    life, heard = listened()
    life.wait_for("one")
    life.enter("ready")
    life.enter("ready")
    life.enter("closed")
    assert heard == ["starting: one", "ready: ", "closed: "]


def test_who_left_is_told_no_more() -> None:
    life, heard = Lifecycle(), list[int]()
    leave = life.subscribe(lambda: heard.append(1))
    life.wait_for("one")
    leave()
    leave()
    life.wait_for("two")
    assert heard == [1]


def test_the_first_fault_counts() -> None:
    life, heard = listened()
    first = AgentFault("first")
    life.fail(first)
    life.fail(AgentFault("second"))
    assert life.connection.fault is first
    assert len(heard) == 1


def test_the_agent_is_known_once_it_was_introduced() -> None:
    life, heard = listened()
    agent = Implementation(name="a")
    life.introduced(Initialized(agent, AgentCapabilities(load_session=True), (), {}), "ACP 2")
    assert (life.connection.agent, life.connection.spoken) == (agent, "ACP 2")
    assert life.connection.capabilities.load_session
    assert len(heard) == 1


async def test_silence_is_told_once_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "PATIENCE", 0.01)
    life, _ = listened()
    told = [anyio.Event(), anyio.Event()]
    late: list[str] = []

    def listen() -> None:
        if life.connection.late:
            late.append(life.connection.step)
            told[life.connection.step == "two"].set()

    life.subscribe(listen)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(life.watch)
        for step, event in zip(("one", "two"), told, strict=True):
            life.wait_for(step)
            with anyio.fail_after(60):
                await event.wait()
        life.wait_for("three")
        assert not life.connection.late
        life.enter("ready")
    assert late == ["one", "two"]


async def test_nobody_is_late_while_the_user_is_asked_to_log_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "PATIENCE", 0)
    life, _ = listened()
    late = anyio.Event()
    life.subscribe(lambda: late.set() if life.connection.late else None)
    async with anyio.create_task_group() as tasks:
        life.ask_login(Login((), "first log in"))
        tasks.start_soon(life.watch)
        for _ in range(20):  # turns of the loop; it would be late in the third
            await anyio.lowlevel.checkpoint()
        assert not life.connection.late
        life.ask_login(None)
        life.wait_for("two")
        with anyio.fail_after(60):
            await late.wait()
        life.enter("ready")
