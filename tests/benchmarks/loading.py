"""How long a session takes to be told again; run by hand: `python -m tests.benchmarks.loading [--smoke] [UPDATES]`.

A session of that many updates (messages, thoughts, tool calls) is loaded by a client over a real pipe. Prints
the time from the request to the whole transcript, and the longest that another task (a key press) waited.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import tempfile
import time
from collections.abc import Sequence

import anyio

from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import write_script
from tests.integration.driver import Driver, attended

AGENT = """
named = {{"name": "old", "version": "1"}}
agent.initialize({{"protocolVersion": 1, "agentInfo": named, "agentCapabilities": {{"loadSession": True}}}})
agent.new_session()
lines = []
def tell(update):
    params = {{"sessionId": "old", "update": update}}
    lines.append(json.dumps({{"jsonrpc": "2.0", "method": "session/update", "params": params}}))
def text(kind, words):
    return {{"sessionUpdate": kind, "content": {{"type": "text", "text": words}}}}
for number in range({updates} // 10):
    tell(text("user_message_chunk", f"Question {{number}}"))
    tell(text("agent_thought_chunk", "Let me see. "))
    for _ in range(4):
        tell(text("agent_message_chunk", "Some **words** of an answer. "))
    for status in ("pending", "completed"):
        name = f"call-{{number}}"
        tell({{"sessionUpdate": "tool_call", "toolCallId": name, "title": "Read x", "kind": "read", "status": status}})
    for _ in range(2):
        tell(text("agent_message_chunk", "And so it is. "))
request = agent.expect("session/load")
agent.raw("\\n".join(lines).encode() + b"\\n")
agent.answer(request, {{}})
agent.serve()
"""


async def load(updates: int) -> None:
    """Load the session, and print the figures."""
    waits: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        script = write_script(Path(folder), AGENT.format(updates=updates))
        async with attended(script.argv, Path(folder)) as driver:
            await driver.ready()
            await anyio.sleep(0.5)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(feel, waits)
                began = time.monotonic()
                info = SessionInfo(session_id="old", cwd=folder)
                loaded = Driver(driver.client, driver.client.load_session(info))
                await loaded.until(lambda: loaded.session.agent_name)
                took = time.monotonic() - began
                await anyio.sleep(0.02)  # the other task has slept once, however short the load was
                tasks.cancel_scope.cancel()
            print(f"{updates:,} updates, {len(loaded.session.entries):,} entries: {took * 1000:.0f} ms")
    print(f"longest wait of another task: {max(waits) * 1000:.0f} ms")


async def feel(waits: list[float]) -> None:
    """Measure by how much a sleep of 5 ms is late."""
    while True:
        began = time.monotonic()
        await anyio.sleep(0.005)
        waits.append(time.monotonic() - began - 0.005)


def main(arguments: Sequence[str]) -> None:
    """Read how many updates."""
    numbers = [int(argument) for argument in arguments if argument != "--smoke"]
    anyio.run(load, numbers[0] if numbers else 200 if "--smoke" in arguments else 10_000)


if __name__ == "__main__":
    main(sys.argv[1:])
