"""Replays a recorded stream into a session, the way a host does; run as a script it writes what is expected.

A recording has one JSON-RPC message per line, of both sides, in the order in which they went over the wire.
Requests of the agent have string ids, those of the client numbers, so that an answer tells whose it is. A line
`{"display": {...}}` is output of a terminal of this machine, `{"choose": [id, value]}` what a user chose.
"""

import json
from pathlib import Path
from typing import Any

from acp_tui.protocol.base import read
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalUpdate
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.facts import (
    CancelRequested,
    ConfigOptionRequested,
    ConfigOptionSettled,
    PermissionAnswered,
    PermissionReceived,
)
from acp_tui.session.state import Session

RECORDINGS = sorted((Path(__file__).parent / "v1").glob("*.jsonl"))


class Replay:
    """One recording on its way into a session whose clock stands still."""

    def __init__(self, name: str, dialect: Dialect | None = None) -> None:
        self.dialect: Dialect = dialect or Version1Dialect()
        self.session = Session("", "/project", agent_name=name, clock=lambda: 0.0)
        self._calls: dict[int, Call] = {}
        self._keys: dict[str, int] = {}

    def take(self, message: dict[str, Any]) -> None:
        """Fold one line."""
        if "display" in message:
            self._display(message["display"])
        elif "choose" in message:
            self.session.apply(ConfigOptionRequested(*message["choose"]))
        elif "method" not in message:
            self._answer(message)
        elif isinstance(message.get("id"), int) or message["method"] == "session/cancel":
            self._sent(message)
        elif message["method"] == "session/update":
            self._apply(self.dialect.read_update(message["params"])[1])
        elif message["method"] == "session/request_permission":
            self._asked(message)

    def _sent(self, message: dict[str, Any]) -> None:
        method, params = message["method"], message["params"]
        if method == "session/cancel":
            self.dialect.cancel(params["sessionId"])
            self.session.apply(CancelRequested())
            return
        call = self._calls[message["id"]] = Call(method, params)
        if method == "session/prompt":
            blocks = [read(TextContent, block) for block in params["prompt"]]
            self._apply(self.dialect.prompt_sent(call, list(blocks)))

    def _asked(self, message: dict[str, Any]) -> None:
        asked = self.dialect.read_permission(message["params"])
        self._apply(asked.updates)
        key = self._keys[message["id"]] = len(self._keys) + 1
        self.session.apply(PermissionReceived(key, asked.request))

    def _answer(self, message: dict[str, Any]) -> None:
        if isinstance(message["id"], str):
            if message["id"] in self._keys:
                outcome = message["result"]["outcome"]
                self.session.apply(PermissionAnswered(self._keys[message["id"]], outcome.get("optionId")))
            return
        call = self._calls.pop(message["id"])
        error = message.get("error")
        if call.method == "session/prompt":
            self._apply(
                self.dialect.prompt_failed(call, error["code"], error["message"], error.get("data"))
                if error
                else self.dialect.prompt_answered(call, message["result"])
            )
        elif call.method.startswith("session/set_"):
            self._apply([] if error else self.dialect.config_option_set(call, message["result"]))
            option_id = next(iter(self.session.config_in_flight))
            self.session.apply(ConfigOptionSettled(option_id, error["message"] if error else ""))
        else:
            setup = self.dialect.read_session_setup(call, message["result"])
            self.session.id = setup.session_id
            self._apply(setup.updates)

    def _display(self, told: dict[str, Any]) -> None:
        if "data" in told:
            chunk = TerminalOutputChunk(terminal_id=told["terminalId"], data=told["data"].encode())
            self.session.apply(chunk)
        else:
            self.session.apply(read(TerminalUpdate, {"sessionUpdate": "terminal_update", **told}))

    def _apply(self, updates: list[Update]) -> None:
        for update in updates:
            self.session.apply(update)


def replay(recording: Path, dialect: Dialect | None = None) -> Session:
    """The session after all lines of a recording, in protocol 1 or another dialect."""
    run = Replay(recording.stem, dialect)
    for line in recording.read_text(encoding="utf-8").splitlines():
        run.take(json.loads(line))
    return run.session


def option(session: Session, option_id: str) -> ConfigOption:
    """One config option of a session."""
    return next(each for each in session.config_options if each.id == option_id)


def expected(session: Session) -> dict[str, str]:
    """What lies beside a recording, by suffix."""
    data = json.dumps(to_json(session), indent=1, ensure_ascii=False) + "\n"
    return {".md": to_markdown(session), ".json": data}


if __name__ == "__main__":
    for each in RECORDINGS:
        for suffix, text in expected(replay(each)).items():
            each.with_suffix(suffix).write_text(text, encoding="utf-8")
