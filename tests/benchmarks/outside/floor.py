"""The least client that there can be: reads notifications with `json` and prints their text above a line for typing.

    python floor.py SESSIONS AGENT [ARG ...]

No framework, no Markdown, no wrapping but the terminal's; what it costs is what the same work costs at least. With
more than one session it opens them all, sends each the prompt, and shows the last.
"""

import codecs
import json
import os
import select
import subprocess
import sys
import termios
import tty
from typing import IO, Any, cast


def text_of(update: dict[str, Any]) -> str:
    """What there is to read in an update."""
    content = update.get("content")
    if isinstance(content, dict):
        return str(content.get("text", ""))
    title = f"\n[{update['title']}]\n" if "title" in update else ""
    parts = (part.get("newText") or part.get("content", {}).get("text", "") for part in content or ())
    return title + "".join(parts)


class Floor:
    """One agent, its sessions, and a terminal whose last row is the prompt."""

    def __init__(self, sessions: int, command: list[str]) -> None:
        self._agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._output = cast("IO[bytes]", self._agent.stdout).fileno()
        self._rows = os.get_terminal_size(0).lines
        self._wanted, self._sessions = sessions, list[str]()
        self._asked, self._typed, self._rest = 0, "", b""
        self._keys = codecs.getincrementaldecoder("utf-8")("replace")

    def run(self) -> None:
        """Until the agent or the terminal ends."""
        self._print(f"\x1b[2J\x1b[1;{self._rows - 1}r\x1b[{self._rows - 1};1H")
        self._ask("initialize", protocolVersion=1, clientCapabilities={})
        for _ in range(self._wanted):
            self._ask("session/new", cwd=str(os.getcwd()), mcpServers=[])  # noqa: PTH109  # as little as there can be
        self._show_prompt()
        while True:
            for ready in select.select([0, self._output], [], [])[0]:
                data = os.read(ready, 1 << 20)
                if not data:
                    return
                self._key(self._keys.decode(data)) if ready == 0 else self._read(data)

    def _key(self, text: str) -> None:
        for character in text:
            if character != "\r":
                self._typed += character
                continue
            for session in self._sessions:
                self._ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": self._typed}])
            self._typed = ""
        self._show_prompt()

    def _read(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        text = []
        for line in lines:
            message = json.loads(line)
            if "method" not in message:
                self._sessions += [result["sessionId"] for result in [message["result"]] if "sessionId" in result]
            elif message["params"]["sessionId"] == self._sessions[-1]:
                text.append(text_of(message["params"]["update"]))
        self._print("".join(text).replace("\n", "\r\n"))

    def _ask(self, method: str, **params: object) -> None:
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        pipe = cast("IO[bytes]", self._agent.stdin)
        pipe.write(json.dumps(message).encode() + b"\n")
        pipe.flush()

    def _show_prompt(self) -> None:
        self._print(f"\x1b7\x1b[{self._rows};1H\x1b[2K> {self._typed}\x1b8")

    def _print(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(1, data) :]


if __name__ == "__main__":
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        Floor(int(sys.argv[1]), sys.argv[2:]).run()
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)
