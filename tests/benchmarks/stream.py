"""What a flood of chunks costs, floor by floor: `python -m tests.benchmarks.stream [--smoke] [CHUNKS] [SIZE]`.

`--newer` tells the same in version 2, `--pulse` looks for the longest wait.

Prints CPU milliseconds of this process (the agent is not counted) for the same notifications read with
`json.loads` alone, then through the wire, then folded by the dialect, then applied to a session, and at
last for the whole client over a real pipe, with its wall time and the longest wait of another task.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import json
import tempfile
import time
from collections.abc import Callable

import anyio
import anyio.lowlevel

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import Notification
from acp_tui.wire.peer import Peer
from tests.agents.scripted import write_script

NEWER = "--newer" in sys.argv
READ = 64 * 1024
REPEATS = 3


def chunk_line(size: int) -> bytes:
    """One `session/update` with a chunk of `size` characters."""
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "x" * size}}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "session-1", "update": update}}
    return json.dumps(message).encode() + b"\n"


def milliseconds(work: Callable[[], object]) -> float:
    """The least CPU time of several runs."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times) * 1000


def floors(data: bytes) -> dict[str, Callable[[], object]]:
    """The same bytes, taken further up the house each time."""
    pieces = [data[start : start + READ] for start in range(0, len(data), READ)]

    def loads() -> None:
        for line in data.splitlines():
            json.loads(line)

    def wire() -> int:
        peer = Peer()
        return sum(1 for piece in pieces for _ in peer.feed(piece))

    def fold(apply: bool) -> None:
        peer, session = Peer(), Session("session-1", "/")
        dialect: Dialect = Version2Dialect() if NEWER else Version1Dialect()
        for piece in pieces:
            for event in peer.feed(piece):
                if isinstance(event, Notification):
                    for update in dialect.read_update(event.params)[1]:
                        if apply:
                            session.apply(update)

    return {
        "json.loads": loads,
        "+ wire": wire,
        "+ dialect": lambda: fold(apply=False),
        "+ session": lambda: fold(apply=True),
    }


async def whole_client(count: int, line: bytes) -> dict[str, float]:
    """The client over a pipe; the agent writes as fast as it is read."""
    with tempfile.TemporaryDirectory() as folder:
        script = write_script(
            Path(folder),
            f"""
            info = {{"name": "a", "version": "1"}}
            newer = {{"protocolVersion": 2, "info": info, "capabilities": {{"session": {{}}}}}}
            agent.initialize(newer if {NEWER} else None)
            agent.new_session()
            prompt = agent.expect("session/prompt")
            if {NEWER}:
                agent.answer(prompt, {{"messageId": "u"}})
            agent.raw({line!r} * {count})
            if {NEWER}:
                agent.update({{"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}})
            else:
                agent.end_turn(prompt)
            agent.serve()
            """,
        )
        client = Client(LaunchPlan(AgentCommand(tuple(script.argv), protocol="2" if NEWER else "1"), Path(folder)))
        session = client.open_session()
        begun, ended, gaps = anyio.Event(), anyio.Event(), [0.0]
        session.subscribe(lambda _: begun.set() if session.turn.active else None)
        session.subscribe(lambda _: ended.set() if begun.is_set() and not session.turn.active else None)

        async def pulse() -> None:
            while not ended.is_set():
                before = time.perf_counter()
                await anyio.lowlevel.checkpoint()
                gaps.append(time.perf_counter() - before)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.run)
            client.of(session).submit([TextContent(text="go")])
            await begun.wait()
            wall, cpu = time.perf_counter(), time.process_time()
            if "--pulse" in sys.argv:
                tasks.start_soon(pulse)
            await ended.wait()
            figures = {"CPU": time.process_time() - cpu, "wall": time.perf_counter() - wall, "longest wait": max(gaps)}
            client.close()
        [_, answer] = [entry for entry in session.entries if isinstance(entry, MessageEntry)]
        text = "".join(part.text for part in answer.parts if isinstance(part, TextPart))
        if text != json.loads(line)["params"]["update"]["content"]["text"] * count:
            raise SystemExit(f"{len(text)} characters of {count} chunks arrived")
        return {name: seconds * 1000 for name, seconds in figures.items()}


def main() -> None:
    """Print the table."""
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    count, size = (numbers + [200 if "--smoke" in sys.argv else 20_000, 24][len(numbers) :])[:2]
    line = chunk_line(size)
    print(f"{count:,} chunks of {size} characters, {len(line) * count:,} bytes")
    for name, work in floors(line * count).items():
        print(f"{name:>14} {milliseconds(work):8.0f} ms CPU")
    for name, figure in anyio.run(whole_client, count, line).items():
        print(f"{'client: ' + name:>22} {figure:8.1f} ms")


if __name__ == "__main__":
    main()
