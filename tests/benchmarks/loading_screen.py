"""How long a session takes from its agent to the screen, with the whole program on a terminal; run it by hand.

    python -m tests.benchmarks.loading_screen [--smoke] [UPDATES [RUNS]]

An agent tells a session of that many updates (messages, thoughts, tool calls) again, as fast as it can. Prints, for
`--resume ID` and for the session browser, the time from its first line to the last word on the screen, and how long
keys that are typed meanwhile took to be there; medians of all runs, and the slowest.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from functools import partial

from tests.agents.scripted import write_script
from tests.driven_screen import DrivenScreen

AGENT = """
import time
able = {{"loadSession": True, "sessionCapabilities": {{"list": {{}}}}}}
agent.initialize({{"protocolVersion": 1, "agentInfo": {{"name": "old", "version": "1"}}, "agentCapabilities": able}})
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
    tell(text("agent_message_chunk", "And so it is. "))
    tell(text("agent_message_chunk", "And so it is. " if number + 1 < {updates} // 10 else "{last}"))
while True:
    request = agent.receive()
    if request["method"] == "session/new":
        agent.answer(request, {{"sessionId": "fresh"}})
    elif request["method"] == "session/list":
        agent.answer(request, {{"sessions": [{{"sessionId": "old", "cwd": os.getcwd(), "title": "Of long ago"}}]}})
    elif request["method"] == "session/load":
        with open({began!r}, "w") as file:
            file.write(str(time.monotonic()))
        agent.raw("\\n".join(lines).encode() + b"\\n")
        agent.answer(request, {{}})
"""
LAST = "Here it ends."
KEYS = "zxqvkjwybpgfmucdlhrsniotae"
_FRAME = str.maketrans("", "", " ▌")  # of the prompt, around the words


class Watched(DrivenScreen):
    """A screen on which keys are typed one after the other, each as soon as the one before is seen.

    `last_word_at` is when the last word was there, in monotonic seconds; 0 before that.
    """

    last_word_at = 0.0

    def type_meanwhile(self) -> list[float]:
        """How many seconds each key took; ends with the first that is seen after the last word."""
        took: list[float] = []
        typed = ""
        while not self.last_word_at:
            typed += KEYS[len(took) % len(KEYS)]
            pressed = time.monotonic()
            self.press(typed[-1])
            self.wait_until(partial(self._has, typed), typed)
            took.append(time.monotonic() - pressed)
        return took

    def _has(self, typed: str) -> bool:
        if not self.last_word_at and self.shows(LAST):
            self.last_word_at = time.monotonic()
        return typed in "".join(self.recorded.rows()).translate(_FRAME)  # it goes on in the next row of the prompt


def once(folder: Path, updates: int, *, browser: bool) -> tuple[float, list[float]]:
    """Seconds from the agent's first line to the last word on the screen, and those of each key meanwhile."""
    began = folder / "began"
    script = write_script(folder, AGENT.format(updates=updates, last=LAST, began=str(began)))
    project = folder / "project"
    project.mkdir()
    os.environ |= {"HOME": str(folder)} | {f"XDG_{name}_HOME": str(folder / name) for name in ("STATE", "CONFIG")}
    with Watched(*([] if browser else ["--resume", "old"]), "--", *script.argv, cwd=project) as screen:
        if browser:
            screen.wait_for("Ask anything")
            screen.press_until("\x13", lambda: screen.shows("Of long ago"), again=5.0)
            screen.press("\r")
        screen.wait_until(began.exists, "the agent's first line")
        took = screen.type_meanwhile()
        screen.press("\x03\x03")
        screen.wait_for_end()
        return screen.last_word_at - float(began.read_text()), took


def main(arguments: Sequence[str]) -> None:
    """Read how many updates and runs, and print the figures."""
    numbers = [int(argument) for argument in arguments if argument != "--smoke"]
    updates, runs = (numbers + ([200, 1] if "--smoke" in arguments else [10_000, 5])[len(numbers) :])[:2]
    for browser in (False, True):
        whole: list[float] = []
        keys: list[float] = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                seconds, took = once(Path(folder), updates, browser=browser)
            whole.append(seconds)
            keys += took
        print(f"{updates:,} updates, {'from the browser' if browser else 'by --resume ID'}, {runs} runs:")
        for what, times in (("last word on the screen", whole), (f"{len(keys)} keys meanwhile", keys)):
            print(f"  {what}: median {statistics.median(times) * 1000:.0f} ms, slowest {max(times) * 1000:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
