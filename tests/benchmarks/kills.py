"""The agent is killed from outside, again and again: `python -m tests.benchmarks.kills [--smoke] [KILLS] [SEED]`.

One client goes through all of it. After each kill -9 at a random moment the agent is restarted, the session
resumed, and a prompt answered. Prints how often something was wrong (lost entries, a turn that goes on, a process
that is left) and how long it took from the kill to the notice, and from the restart to a session that is usable.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Sequence

import anyio

from tests.agents.scripted import write_script
from tests.integration.driver import Driver, attended
from tests.processes import processes_of_group

AGENT = """
import subprocess, time
helper = subprocess.Popen(["sleep", "600"])
agent.initialize({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}})
opening = agent.receive()
agent.answer(opening, {"sessionId": "session-1"})
while True:
    prompt = agent.expect("session/prompt")
    agent.update({"sessionUpdate": "tool_call", "toolCallId": f"t{time.time()}", "title": "T", "status": "in_progress"})
    for number in range(200):
        agent.say(f"{number} ")
        time.sleep(0.0005)
    agent.end_turn(prompt)
"""


async def kills(count: int, seed: int) -> None:
    """Do it all, and print the figures."""
    chance, wrong = random.Random(seed), 0
    noticed: list[float] = []
    usable: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        script = write_script(Path(folder), AGENT)
        async with attended(script.argv, Path(folder)) as driver:
            for _ in range(count):
                wrong += not await one(driver, chance.random() * 0.3, noticed, usable)
    print(f"{count} kills (seed {seed}): {wrong} went wrong")
    for what, times in (("kill to notice", noticed), ("restart to usable", usable)):
        median, slowest = statistics.median(times) * 1000, max(times) * 1000
        print(f"{what}: median {median:.0f} ms, slowest {slowest:.0f} ms")


async def one(driver: Driver, delay: float, noticed: list[float], usable: list[float]) -> bool:
    """Kill the agent `delay` seconds after a prompt, bring it back; whether all was as it should be."""
    client, session = driver.client, driver.session
    await driver.until(lambda: client._supervisor.process is not None)
    process = client._supervisor.process
    if process is None:
        return False
    driver.submit("before")
    await anyio.sleep(delay)
    killed_at = time.monotonic()
    os.kill(process.pid, signal.SIGKILL)
    await driver.until(lambda: client.connection.phase == "gone")
    noticed.append(time.monotonic() - killed_at)
    before = [entry.id for entry in session.entries]
    fine = not session.turn.active and all(call.sealed for call in driver.tool_calls())
    restarted_at = time.monotonic()
    client.restart()
    await driver.until(lambda: client.connection.phase == "ready" and not session.closed)
    usable.append(time.monotonic() - restarted_at)
    await driver.until(lambda: not session.queue and not session.turn.active)
    driver.submit("after")
    await driver.until(lambda: not session.queue and not session.turn.active and driver.said("user")[-1] == "after")
    kept = [entry.id for entry in session.entries][: len(before)] == before
    return fine and kept and not processes_of_group(process.pid)


def main(arguments: Sequence[str]) -> None:
    """Read how many kills and which seed."""
    numbers = [int(argument) for argument in arguments if argument != "--smoke"]
    count, seed = (numbers + [1 if "--smoke" in arguments else 100, 1][len(numbers) :])[:2]
    anyio.run(kills, count, seed)


if __name__ == "__main__":
    main(sys.argv[1:])
