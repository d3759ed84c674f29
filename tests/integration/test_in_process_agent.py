"""A scripted agent in the test's process is what a process is: its bytes come in pieces, a full pipe waits, it ends."""

import signal
from pathlib import Path

import anyio
import pytest

from acp_tui.host.connection.agent_process import AgentProcess, InputClosed
from tests.agents.in_process import CAPACITY, in_process
from tests.agents.scripted import Gate, write_script
from tests.integration.driver import BOUND

pytestmark = pytest.mark.anyio

LINES = "for number in range(200):\n    agent.raw(b'%d ' % number * 50 + b'\\n')\n"


async def started(folder: Path, body: str) -> AgentProcess:
    return await in_process(write_script(folder, body))((), {}, str(folder))


async def pieces(process: AgentProcess) -> list[bytes]:
    """All that it says, as it comes."""
    found = []
    while data := await process.receive():
        found.append(data)
    await process.stop()
    return found


async def test_writes_come_whole_cut_and_joined_and_the_same_each_time(tmp_path: Path) -> None:
    first = await pieces(await started(tmp_path, LINES))
    assert b"".join(first) == b"".join(b"%d " % number * 50 + b"\n" for number in range(200))
    assert len({piece.count(b"\n") for piece in first}) > 2
    assert {piece[-1:] == b"\n" for piece in first} == {True, False}
    assert await pieces(await started(tmp_path, LINES)) == first
    assert await pieces(await started(tmp_path, f"{LINES}# another seed\n")) != first


async def test_who_writes_waits_while_the_pipe_is_full(tmp_path: Path) -> None:
    process = await started(tmp_path, "agent.raw(b'x' * 1_000_000)\nagent.stderr('through')\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(process.drain_stderr)
        await anyio.wait_all_tasks_blocked()
        assert process.stderr.tail(1) == []
        found = await pieces(process)
        assert process.stderr.tail(1) == ["through"]
    assert (len(b"".join(found)), process.returncode) == (1_000_000, 0)
    assert max(len(piece) for piece in found) == CAPACITY


async def test_what_is_sent_waits_until_the_script_reads(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    process = await started(tmp_path, f"agent.wait_for({str(gate.path)!r})\nagent.send(len(agent.receive()))\n")
    sent = anyio.Event()

    async def send() -> None:
        await process.send(b"[" + b" " * 1_000_000 + b"1]\n")
        sent.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        await anyio.wait_all_tasks_blocked()
        assert not sent.is_set()
        gate.open()
        with anyio.fail_after(BOUND):
            assert b"".join(await pieces(process)) == b"1\n"
        assert sent.is_set()
    with pytest.raises(InputClosed):
        await process.send(b"too late\n")
    gate.close()


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("agent.stderr('bye')", 0, "bye"),
        ("agent.exit(3)", 3, ""),
        ("raise SystemExit(4)", 4, ""),
        ("raise SystemExit('no')", 1, "no"),
        ("agent.kill_self()", -signal.SIGKILL, ""),
        ("agent.kill_self(11)", -signal.SIGSEGV, ""),
        ("agent.raw(b'x')\n1 / 0\n", 1, "ZeroDivisionError: division by zero"),
        ("agent.say('unended)", 1, "SyntaxError: unterminated string literal (detected at line 6)"),
        ("agent.wait_for('/no/gate')", 1, "FileNotFoundError: [Errno 2] No such file or directory: '/no/gate'"),
        ("try:\n    agent.serve()\nfinally:\n    agent.stderr('out')", 0, "out"),
        ("agent.ignore_signals()", 1, "NotImplementedError: only a process has signals"),
    ],
)
async def test_it_ends_as_a_process_does(tmp_path: Path, body: str, code: int, words: str) -> None:
    process = await started(tmp_path, body)
    await process.stop()
    assert process.returncode == code
    assert process.stderr.tail(1) == ([words] if words else [])
    assert (await process.receive(), process.stderr_ended.is_set()) == (b"", True)


async def test_a_mistake_is_shown_with_its_line(tmp_path: Path) -> None:
    process = await started(tmp_path, "\nagent.exit(nobody)\n")
    await process.stop()
    assert process.stderr.tail(1) == ["NameError: name 'nobody' is not defined"]
    assert "    agent.exit(nobody)" in process.stderr.tail(5)


@pytest.mark.parametrize(
    "waits", ["agent.receive()", "agent.hang()", "agent.raw(b'x' * 1_000_000)", "agent.wait_for(GATE)", ""]
)
async def test_it_is_killed_wherever_it_waits(tmp_path: Path, waits: str) -> None:
    gate = Gate(tmp_path / "gate")
    process = await started(tmp_path, waits.replace("GATE", repr(str(gate.path))) + "\nagent.exit(7)\n")
    if waits:
        await anyio.wait_all_tasks_blocked()
    process.kill()
    with anyio.fail_after(BOUND):
        await process.exited()
    assert process.returncode == -signal.SIGKILL
    await process.stop()
    gate.close()


async def test_who_does_not_end_with_its_input_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentProcess, "grace", 0.01)
    process = await started(tmp_path, "agent.hang()")
    await process.stop()
    assert process.returncode == -signal.SIGTERM


async def test_it_closes_its_output_and_lives_on(tmp_path: Path) -> None:
    process = await started(tmp_path, "agent.close_stdout()\nagent.say('unheard')\nagent.serve()\n")
    assert (await process.receive(), process.returncode) == (b"", None)
    await process.stop()
    assert process.returncode == 0


async def test_it_knows_its_folder_and_its_lives(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize({'life': agent.life, 'folder': agent.folder})")
    for life in (1, 2):
        process = await in_process(script)((), {}, "/somewhere")
        await process.send(b'{"id": 0, "method": "initialize"}\n')
        said = b"".join(await pieces(process))
        assert said == b'{"jsonrpc": "2.0", "id": 0, "result": {"life": %d, "folder": "/somewhere"}}\n' % life
    assert len(script.received("initialize")) == 2
