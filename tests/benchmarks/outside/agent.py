"""An agent that needs nothing but the standard library and writes a workload as fast as it is read, or at a rate.

    python agent.py LOG PROMPTS RATE WORKLOAD [NUMBER ...]

It answers every prompt with the workload once `PROMPTS` of them have come, to all sessions in turns. `LOG` gets a
line for each event: its name, the number of the session (from 1) and the time in nanoseconds of `time.monotonic_ns`,
which is one clock for all processes on Linux and macOS. The first chunk of a session holds `begin_mark`, its last
`end_mark`.
"""

import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Update = dict[str, Any]

SAID = (
    "a reader of small pieces keeps what it has not yet shown and paints rows once they are whole because painting is "
    "what costs most while the terminal only ever sees the last state of each row naïve café 文字 über"
)
WORDS = SAID.split()
CODE = ("def total(prices):", "    return sum(price for price in prices if price)", "", "print(total([1, 2, None]))")
LINES_OF_OUTPUT = 8
PROSE = 200_000  # characters that are made; a longer stream says them again


def begin_mark(session: int) -> str:
    return f"BEGINS-{session:03d}"


def end_mark(session: int) -> str:
    return f"ENDS-{session:03d}"


def sentence(chance: random.Random) -> str:
    words = chance.choices(WORDS, k=chance.randint(5, 16))
    if chance.random() < 0.3:
        words[chance.randrange(len(words))] = "`render(row)`"
    if chance.random() < 0.2:
        words[chance.randrange(len(words))] = "**measured**"
    return " ".join(words).capitalize() + "."


def block(chance: random.Random) -> str:
    """A block of Markdown with the blank line behind it: mostly paragraphs, then lists, code, headings and tables."""
    kind = chance.random()
    if kind < 0.5:
        return " ".join(sentence(chance) for _ in range(chance.randint(2, 4))) + "\n\n"
    if kind < 0.7:
        return "".join(f"- {sentence(chance)}\n" for _ in range(chance.randint(2, 6))) + "\n"
    if kind < 0.88:
        return "```python\n" + "\n".join(CODE) + "\n```\n\n"
    if kind < 0.95:
        return f"## {sentence(chance)}\n\n"
    return "| what | how many |\n|---|---:|\n" + "".join(f"| {word} | {len(word)} |\n" for word in WORDS[:4]) + "\n"


def prose(length: int, seed: int = 1) -> str:
    """Markdown of `length` characters, the same for the same seed."""
    chance, parts, made = random.Random(seed), list[str](), 0
    while made < min(max(length, 1), PROSE):
        parts.append(block(chance))
        made += len(parts[-1])
    text = "".join(parts)
    return (text * (length // len(text) + 1))[:length]


def chunk(text: str, kind: str = "agent_message_chunk") -> Update:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}}


def chunks(text: str, size: int, kind: str = "agent_message_chunk") -> Iterator[Update]:
    return (chunk(text[start : start + size], kind) for start in range(0, len(text), size))


def stream(count: int, size: int = 24) -> Iterator[Update]:
    """One answer in `count` chunks of `size` characters."""
    return chunks(prose(count * size), size)


def tools(count: int) -> Iterator[Update]:
    """Tool calls that begin and end, with a few lines of output each."""
    chance = random.Random(2)
    for number in range(count):
        path, identity = f"/project/part_{number}.py", f"call-{number}"
        kind = ("read", "search", "execute")[number % 3]
        started = {"sessionUpdate": "tool_call", "toolCallId": identity, "kind": kind, "status": "in_progress"}
        yield started | {"title": f"{kind.title()} {path}", "rawInput": {"path": path}, "locations": [{"path": path}]}
        output = "\n".join(f"{path}:{line}: {sentence(chance)}" for line in range(LINES_OF_OUTPUT))
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        yield {"sessionUpdate": "tool_call_update", "toolCallId": identity, "status": "completed", "content": content}


def diffs(count: int, lines: int) -> Iterator[Update]:
    """Edits of files of `lines` lines, of which about every tenth is changed or gone."""
    chance = random.Random(3)
    for number in range(count):
        old = [f"value_{line} = compute({chance.randrange(10_000)})" for line in range(lines)]
        new = [line + "  # checked" if chance.random() < 0.1 else line for line in old if chance.random() > 0.04]
        path, identity = f"/project/module_{number}.py", f"edit-{number}"
        started = {"sessionUpdate": "tool_call", "toolCallId": identity, "kind": "edit", "status": "in_progress"}
        yield started | {"title": f"Edit {path}", "locations": [{"path": path}]}
        diff = {"type": "diff", "path": path, "oldText": "\n".join(old) + "\n", "newText": "\n".join(new) + "\n"}
        yield {"sessionUpdate": "tool_call_update", "toolCallId": identity, "status": "completed", "content": [diff]}


def turns(count: int) -> Iterator[Update]:
    """What `count` turns of a coding agent say, one behind the other: thoughts, text, tool calls, an edit at times."""
    for number in range(count):
        yield from chunks(prose(200, number), 40, "agent_thought_chunk")
        yield from chunks(f"Turn {number}. " + prose(600, number), 32)
        for update in itertools.chain(tools(3), diffs(number % 3 == 0, 30)):
            yield update | {"toolCallId": f"turn-{number}-{update['toolCallId']}"}
        yield from chunks("\n\n" + prose(200, number + 1), 32)


def line(characters: int) -> Iterator[Update]:
    """One chunk, which is one line of JSON, of as many characters."""
    yield chunk(prose(characters))


def subagents(children: int, count: int = 2, size: int = 24) -> Iterator[Update]:
    """So many subagents, each of which streams an answer of `count` chunks, all in turns."""
    names = [f"kid-{number:03d}" for number in range(children)]
    for name in names:
        state = {"state": "running"}
        yield {"sessionUpdate": "subagent_update", "sessionId": name, "title": f"Work on {name}", "state": state}
    for updates in zip(*(stream(count, size) for _ in names), strict=True):
        for name, update in zip(names, updates, strict=True):
            yield {OF: name, **update}
    for name in names:
        yield {"sessionUpdate": "subagent_update", "sessionId": name, "state": {"state": "idle"}}


OF = "of"
"""Names, in what a workload gives, the subagent that an update is of."""
WORKLOADS = {
    "stream": stream,
    "tools": tools,
    "diffs": diffs,
    "turns": turns,
    "line": line,
    "subagents": subagents,
}


def played(name: str, numbers: list[int], session: int) -> Iterator[Update]:
    """A workload between its marks."""
    yield chunk(f"{begin_mark(session)}\n\n")
    yield from WORKLOADS[name](*numbers)  # type: ignore[operator]  # each takes its own numbers
    yield chunk(f"\n\n```\n```\n\n{end_mark(session)}\n")


def encoded(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Agent:
    """Reads requests, answers them, and plays once there are enough prompts."""

    def __init__(self, log: Path, prompts: int, rate: float, name: str, numbers: list[int]) -> None:
        self._log, self._prompts, self._rate = log.open("a", encoding="utf-8"), prompts, rate
        self._name, self._numbers = name, numbers
        self._sessions = 0
        self._waiting: list[tuple[object, str]] = []

    def serve(self) -> None:
        for text in sys.stdin.buffer:
            message = json.loads(text)
            if "id" in message and "method" in message:
                self._answer(message["id"], message["method"], message.get("params") or {})

    def _note(self, event: str, session: int) -> None:
        self._log.write(f"{event} {session} {time.monotonic_ns()}\n")
        self._log.flush()

    def _answer(self, identity: object, method: str, params: dict[str, Any]) -> None:
        if method == "session/prompt":
            self._waiting.append((identity, params["sessionId"]))
            self._note("prompt", int(params["sessionId"]))
            if len(self._waiting) == self._prompts:
                self._play()
            return
        result: dict[str, Any] = {}
        if method == "initialize":
            result = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}
        elif method == "session/new":
            self._sessions += 1
            result = {"sessionId": str(self._sessions)}
        self._write(encoded({"id": identity, "result": result}))
        if method == "session/new":
            self._note("session", self._sessions)

    def _play(self) -> None:
        parts = [self._lines(session) for _, session in self._waiting]
        began = None
        for number, lines in enumerate(itertools.zip_longest(*parts)):
            now = time.monotonic()
            began = now if began is None else began
            if self._rate and (early := began + number / self._rate - now) > 0:
                time.sleep(early)
            for (_, session), text in zip(self._waiting, lines, strict=True):
                if number == 0:
                    self._note("first", int(session))
                self._write(text or b"")
        for identity, session in self._waiting:
            self._write(encoded({"id": identity, "result": {"stopReason": "end_turn"}}))
            self._note("last", int(session))
        self._waiting.clear()

    def _lines(self, session: str) -> Iterator[bytes]:
        for update in played(self._name, self._numbers, int(session)):
            params = {"sessionId": update.pop(OF, session), "update": update}
            yield encoded({"method": "session/update", "params": params})

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]


if __name__ == "__main__":
    log, prompts, rate, name, *numbers = sys.argv[1:]
    Agent(Path(log), int(prompts), float(rate), name, [int(number) for number in numbers]).serve()
