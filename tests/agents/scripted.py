"""An agent that does exactly what a small script says: as an executable, or in the test's own process.

In a test, write the script and give it to the client, `as_process` where that matters:

    script = write_script(tmp_path, '''
        agent.initialize()
        session = agent.new_session(config_options=[...])
        prompt = agent.expect("session/prompt")
        agent.update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}})
        agent.say("more text")
        content = agent.request("fs/read_text_file", {"sessionId": session, "path": "/x"})
        agent.answer(prompt, {"stopReason": "end_turn"})
        agent.serve()
    ''')
    async with connected(script, tmp_path) as driver:             # in this process (`tests/agents/in_process.py`)
    async with connected(script.as_process, tmp_path) as driver:  # a process, and real pipes
    script.received()      # every message that the agent has read, in order

The script is Python; `agent` (a `ScriptedAgent`) and `json` are there already, and `os`, `signal` and `sys` where it is
a process. What it can do:

- read: `expect(method)` takes the next message of that method (others wait for their own `expect`),
  `receive()` the very next message, `answer_to(id)` the answer to a request of ours.
- write: `answer(request, result)`, `fail(request, code, message)`, `update(update)`, `say(text)`, `think(text)`,
  `notify(method, params)`, `ask(method, params)` (a request, not waited for; gives its id),
  `request(method, params)` (waited for; gives the result or raises `Refused`), `permission(tool_call)` (an `ask`),
  `send(value)` (any JSON), `raw(bytes)`.
- shortcuts: `initialize()`, `new_session()`, `turn(*texts)` (expect a prompt, say, end the turn), `end_turn(prompt)`.
- misbehave: `exit(code)`, `kill_self(signal)`, `close_stdout()`, `stderr(text)`, `hang()`; only a process can
  `ignore_signals()`.
- `life` counts the lives of this script, from 1, for scripts that are restarted; `folder` is where it was started.
- `serve()` reads until the client closes its input; a script that waits for more than comes ends there too.
- `wait_for(gate)` blocks until the test opens the `Gate`; no sleeps on either side.

Standard library only; it must not import the package that it tests.
"""

import json
import os
import signal
import sys
import textwrap
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Protocol

Message = dict[str, Any]

_ROOT = Path(__file__).resolve().parents[2]
_PROLOGUE = """\
import json, os, signal, sys
sys.path.insert(0, {root!r})
from tests.agents.scripted import Refused, ScriptedAgent
agent = ScriptedAgent(record={record!r})
"""
HEAD_LINES = 1 + _PROLOGUE.count("\n")
"""Lines of the file that stand before what the test has written."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script on disk: how to run it, and what it has read so far."""

    path: Path
    record: Path
    body: str = ""
    own_process: bool = False

    @property
    def argv(self) -> list[str]:
        """The argument vector that starts it."""
        return [sys.executable, "-E", str(self.path)]

    @property
    def as_process(self) -> "Script":
        """The same, for a test that wants a process and its pipes."""
        return replace(self, own_process=True)

    def received(self, method: str | None = None) -> list[Message]:
        """The messages that the agent has read, in order; only those of `method` if it is given."""
        if not self.record.exists():
            return []
        whole = self.record.read_text(encoding="utf-8").rpartition("\n")[0]  # the agent may be writing the next line
        messages = [json.loads(line) for line in whole.splitlines()]
        return [message for message in messages if method is None or message.get("method") == method]


def write_script(folder: Path, body: str, name: str = "agent") -> Script:
    """Write `body` (dedented Python) as an executable agent into `folder`."""
    script = Script(folder / f"{name}.py", folder / f"{name}.received.jsonl", textwrap.dedent(body))
    prologue = _PROLOGUE.format(root=str(_ROOT), record=str(script.record))
    script.path.write_text(f"#!{sys.executable}\n{prologue}{script.body}", encoding="utf-8")
    script.path.chmod(0o755)
    return script


class Gate:
    """A door between a test and its agent: the script waits at `agent.wait_for(path)` until the test opens it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        # Read-write, so that neither side's opening waits for the other.
        self._descriptor = os.open(path, os.O_RDWR)

    def open(self) -> None:
        """Let one waiting agent through."""
        os.write(self._descriptor, b"!")

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)


class Refused(Exception):
    """The client answered a request with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        self.code, self.message, self.data = error.get("code"), error.get("message"), error.get("data")
        super().__init__(f"{self.code}: {self.message}")


class Surroundings(Protocol):
    """What a script lives in: where its bytes come from and go to, and how it waits and ends."""

    folder: str

    def read_line(self) -> bytes:
        """The next line of the client's; empty when it has closed its end."""

    def write(self, data: bytes) -> None: ...

    def write_error(self, text: str) -> None: ...

    def close_output(self) -> None:
        """Nothing that is written from now on is read."""

    def end(self, code: int) -> NoReturn:
        """End at once, with this exit code."""

    def end_by(self, number: int) -> None:
        """End by a signal."""

    def ignore_signals(self) -> None: ...

    def hang(self) -> NoReturn: ...

    def wait_for(self, gate: str) -> None: ...


class OwnProcess:
    """A script is a process: its standard streams, signals and exit code."""

    def __init__(self) -> None:
        self.folder = str(Path.cwd())
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer

    def read_line(self) -> bytes:
        return self._in.readline()

    def write(self, data: bytes) -> None:
        self._out.write(data)
        self._out.flush()

    def write_error(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def close_output(self) -> None:
        self._out.flush()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)

    def end(self, code: int) -> NoReturn:
        os._exit(code)

    def end_by(self, number: int) -> None:
        os.kill(os.getpid(), number)

    def ignore_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)

    def hang(self) -> NoReturn:
        while True:
            signal.pause()

    def wait_for(self, gate: str) -> None:
        with Path(gate).open("rb", buffering=0) as waiting:
            waiting.read(1)


class ScriptedAgent:
    """The agent's end of the protocol, one blocking step at a time; what it has read is appended to `record`."""

    def __init__(self, record: str | None = None, surroundings: Surroundings | None = None) -> None:
        self.session_id = "session-1"
        self._surroundings = surroundings or OwnProcess()
        self.folder = self._surroundings.folder
        self._record = Path(record) if record else None
        self.life = 1
        if self._record is not None and self._record.exists():
            self.life += self._record.read_text(encoding="utf-8").count('"initialize"')
        self._waiting: deque[Message] = deque()
        self._next_id = 0

    def receive(self) -> Message:
        """The very next message from the client; the script ends when the client closes its input."""
        if self._waiting:
            return self._waiting.popleft()
        return self._read()

    def expect(self, method: str) -> Message:
        """The next message of that method; messages of other methods wait."""
        return self._take(lambda message: message.get("method") == method)

    def answer_to(self, request_id: int | str) -> Message:
        """The whole answer to a request of ours."""
        return self._take(lambda message: "method" not in message and message.get("id") == request_id)

    def send(self, value: Any) -> None:
        """Write any JSON value as one line."""
        self.raw(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        self._surroundings.write(data)

    def answer(self, request: Message, result: Any) -> None:
        """Answer a request."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def fail(self, request: Message, code: int, message: str = "refused", data: Any = None) -> None:
        """Answer a request with an error."""
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any, request_id: int | str | None = None) -> int | str:
        """Send a request and do not wait; gives its id."""
        if request_id is None:
            request_id = self._next_id
            self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result; raises `Refused` for an error."""
        answer = self.answer_to(self.ask(method, params))
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def update(self, update: Mapping[str, Any], session_id: str | None = None) -> None:
        """Send one `session/update`."""
        self.notify("session/update", {"sessionId": session_id or self.session_id, "update": dict(update)})

    def say(self, text: str) -> None:
        """Send a chunk of the agent's message."""
        self.update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})

    def think(self, text: str) -> None:
        """Send a chunk of thought."""
        self.update({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}})

    def permission(self, tool_call: Mapping[str, Any], options: Sequence[Mapping[str, str]] | None = None) -> int | str:
        """Ask for permission and do not wait; gives the request's id (see `answer_to`)."""
        default = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        params = {"sessionId": self.session_id, "toolCall": dict(tool_call), "options": list(options or default)}
        return self.ask("session/request_permission", params)

    def initialize(self, result: Mapping[str, Any] | None = None) -> Message:
        """Take `initialize` and answer it (protocol 1, no capabilities, unless `result` says otherwise)."""
        request = self.expect("initialize")
        default = {
            "protocolVersion": 1,
            "agentCapabilities": {},
            "agentInfo": {"name": "scripted", "title": "Scripted", "version": "1"},
            "authMethods": [],
        }
        self.answer(request, dict(result) if result is not None else default)
        return request

    def new_session(self, session_id: str | None = None, **members: Any) -> str:
        """Take `session/new` and answer it; `config_options`, `modes` and `models` go into the result."""
        request = self.expect("session/new")
        self.session_id = session_id or self.session_id
        if "config_options" in members:
            members["configOptions"] = members.pop("config_options")
        self.answer(request, {"sessionId": self.session_id, **members})
        return self.session_id

    def end_turn(self, prompt: Message, stop_reason: str = "end_turn") -> None:
        """Answer a prompt, which ends its turn."""
        self.answer(prompt, {"stopReason": stop_reason})

    def turn(self, *texts: str, stop_reason: str = "end_turn") -> Message:
        """Take one prompt, say the texts, end the turn; gives the prompt."""
        prompt = self.expect("session/prompt")
        for text in texts:
            self.say(text)
        self.end_turn(prompt, stop_reason)
        return prompt

    def serve(self) -> NoReturn:
        """Read until the client closes its input, then end with exit code 0; what it says goodbye to is answered."""
        while True:
            message = self.receive()
            if message.get("method") == "session/close":  # else the client would wait for a while
                self.answer(message, {})

    def stderr(self, text: str) -> None:
        """Write text to standard error."""
        self._surroundings.write_error(text)

    def exit(self, code: int = 0) -> NoReturn:
        """End at once with this exit code."""
        self._surroundings.end(code)

    def kill_self(self, number: int = signal.SIGKILL) -> None:
        """End by a signal."""
        self._surroundings.end_by(number)

    def close_stdout(self) -> None:
        """Close standard output and live on."""
        self._surroundings.close_output()

    def ignore_signals(self) -> None:
        """Outlive everything but SIGKILL."""
        self._surroundings.ignore_signals()

    def hang(self) -> NoReturn:
        """Do nothing, read nothing, until a signal ends the agent."""
        self._surroundings.hang()

    def wait_for(self, gate: str) -> None:
        """Block until the test opens the `Gate` at this path."""
        self._surroundings.wait_for(gate)

    def _take(self, wanted: Any) -> Message:
        for message in self._waiting:
            if wanted(message):
                self._waiting.remove(message)
                return message
        while not wanted(message := self._read()):
            self._waiting.append(message)
        return message

    def _read(self) -> Message:
        line = self._surroundings.read_line()
        if not line:
            raise SystemExit(0)
        message: Message = json.loads(line)
        if self._record is not None:
            with self._record.open("a", encoding="utf-8") as record:
                record.write(json.dumps(message) + "\n")
        return message
