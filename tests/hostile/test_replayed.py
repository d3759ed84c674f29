"""Records of the wire that somebody else made: they are shown, and nothing that they name is read, written or run."""

import json
import sys
from pathlib import Path
from typing import Any

from acp_tui.host.records.wire_record import read_wire_record
from acp_tui.host.wire_replay import WireReplay
from acp_tui.session.export import to_json
from tests.driven_screen import ESCAPE, DrivenScreen


def line(direction: str, at: object = 0, **message: Any) -> str:
    return json.dumps({"t": at, "dir": direction, "line": json.dumps({"jsonrpc": "2.0", **message})})


def record(folder: Path) -> list[str]:
    """A conversation in which all that can touch this machine is asked for, and said to be granted."""
    mine, run = folder / "mine", f"touch {folder}/owned"
    login = {"type": "terminal", "id": "shell", "name": "Log in", "args": ["-c", run]}
    touching: list[tuple[str, dict[str, Any], Any]] = [
        ("fs/write_text_file", {"path": str(mine), "content": "OWNED"}, {}),
        ("fs/write_text_file", {"path": str(folder / "owned"), "content": "OWNED"}, {}),
        ("fs/read_text_file", {"path": str(mine)}, {"content": "x"}),
        ("terminal/create", {"command": "sh", "args": ["-c", run]}, {"terminalId": "1"}),
        ("terminal/wait_for_exit", {"terminalId": "1"}, {"exitCode": 0}),
    ]
    lines = [
        json.dumps({"t": 0, "dir": "start", "line": "acp-tui wire record", "version": 1}),
        line("->", id=0, method="initialize", params={"protocolVersion": 1}),
        line("<-", id=0, result={"protocolVersion": 1, "authMethods": [login]}),
        line("->", id=2, method="session/new", params={"cwd": str(folder), "mcpServers": []}),
        line("<-", id=2, result={"sessionId": "s"}),
        line("->", id=3, method="session/prompt", params={"sessionId": "s", "prompt": said("!" + run)}),
    ]
    for number, (method, params, result) in enumerate(touching):
        lines += [line("<-", id=number, method=method, params={"sessionId": "s", **params})]
        lines += [line("->", id=number, result=result)]
    end = {"sessionUpdate": "agent_message_chunk", "content": said("READ TO ITS END")[0]}
    garbage = ["", "{", "[" * 5_000, '{"t": 1e999, "dir": "<-", "line": "{}"}', '{"t": NaN, "dir": "->", "line": 5}']
    lines += [*garbage, json.dumps({"t": 1, "dir": "err", "line": "\x1b]0;OWNED\x07"})]
    lines += [line("<-", 1, method="session/update", params={"sessionId": "s", "update": end})]
    return [*lines, line("<-", 1, id=3, result={"stopReason": "end_turn"}), '{"t": 2, "di']


def said(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def test_nothing_that_a_record_names_is_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("my own")
    wire = tmp_path / "wire.jsonl"
    wire.write_text("\n".join(record(tmp_path)))
    with DrivenScreen("replay", str(wire), cwd=tmp_path) as screen:
        screen.wait_for("READ TO ITS END")
        screen.wait_for("Lines 17, 18, 19, 21, 25")
        screen.press("\x1b[24~")  # F12
        screen.wait_for("Inspector")
        screen.press(ESCAPE)
        screen.wait_until_gone("Inspector")
        assert screen.quit() == 0
    assert screen.recorded.foreign == []
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path != wire} == {"mine": "my own"}


def test_no_process_is_started_and_no_folder_looked_at(tmp_path: Path) -> None:
    """Folders and files of the record may be on a disk that hangs, and looking at them would tell that it was read."""
    touched: list[str] = []

    def audited(event: str, given: tuple[object, ...]) -> None:
        if watching and (event in ("subprocess.Popen", "os.posix_spawn", "os.fork") or str(tmp_path) in repr(given)):
            touched.append(f"{event} {given!r}")

    watching = False
    sys.addaudithook(audited)
    (tmp_path / "wire.jsonl").write_text("\n".join(record(tmp_path / "named")))
    lines = read_wire_record(tmp_path / "wire.jsonl")
    watching = True
    replay = WireReplay(lines)
    watching = False
    assert touched == []
    assert "READ TO ITS END" in json.dumps(to_json(replay.sessions[0]))
