"""The demo agent as a process: what stands on its standard output, and when it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agents.demo_version2 import ARGV

COMMAND = [sys.executable, "-m", "acp_tui.demo"]
BOUND = 60  # seconds that nothing here takes
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
NEW = {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": str(Path.cwd()), "mcpServers": []}}


def prompt(text: str) -> dict[str, Any]:
    params = {"sessionId": "demo-1", "prompt": [{"type": "text", "text": text}]}
    return {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params}


def spoken(lines: list[str], command: Sequence[str] = COMMAND) -> subprocess.CompletedProcess[str]:
    """What the agent says to these lines and the end of its input."""
    return subprocess.run(
        command,
        input="".join(f"{line}\n" for line in lines),
        env={**os.environ, "ACP_TUI_DEMO_PACE": "0"},
        capture_output=True,
        encoding="utf-8",
        timeout=BOUND,
        check=False,
    )


def test_it_answers_and_ends_with_its_input() -> None:
    done = spoken([json.dumps(INITIALIZE), json.dumps(NEW), json.dumps(prompt("hello"))])
    heard = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [message["id"] for message in heard if "id" in message] == [1, 2, 3]
    assert heard[-1]["result"]["stopReason"] == "end_turn"
    assert heard[-1]["result"]["usage"].keys() == {"inputTokens", "outputTokens", "totalTokens"}


def test_the_answer_to_a_new_session_comes_before_its_updates() -> None:
    heard = [json.loads(line) for line in spoken([json.dumps(INITIALIZE), json.dumps(NEW)]).stdout.splitlines()]
    assert heard[1]["result"]["sessionId"] == "demo-1"
    assert heard[2]["params"]["update"]["sessionUpdate"] == "available_commands_update"


@pytest.mark.parametrize(
    "line",
    [
        "noise",
        "",
        "[]",
        "7",
        "null",
        '{"id": 9, "result": {}}',
        '{"method": "$/unknown"}',
        '{"method": "session/cancel", "params": [1]}',
    ],
)
def test_lines_that_make_no_sense_are_passed_over(line: str) -> None:
    done = spoken([line, json.dumps(INITIALIZE)])
    (answer,) = [json.loads(each) for each in done.stdout.splitlines()]
    assert (done.returncode, done.stderr, answer["id"]) == (0, "", 1)


def test_a_prompt_can_be_cancelled_in_the_same_breath() -> None:
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "demo-1"}}
    done = spoken([json.dumps(message) for message in (INITIALIZE, NEW, prompt("/long 5000"), cancel)])
    assert json.loads(done.stdout.splitlines()[-1])["result"]["stopReason"] == "cancelled"


def test_it_ends_in_the_middle_of_a_turn_too() -> None:
    done = spoken([json.dumps(INITIALIZE), json.dumps(NEW), json.dumps(prompt("/requests"))])
    assert (done.returncode, done.stderr) == (0, "")


def test_it_crashes_on_request() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        for message in (INITIALIZE, NEW, prompt("/fail crash")):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(BOUND) == 3
        assert process.stderr.read() == b"demo agent: crashed on request\n"


@pytest.mark.parametrize("version", [1, 2])
def test_a_fork_has_the_options_of_its_root(version: int) -> None:
    begins: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version}}
    begins["params"] |= {"info": {"name": "test", "version": "1"}} if version == 2 else {}
    chosen = {"sessionId": "demo-1", "configId": "mode", "value": "code", "type": "id"}
    chooses = {"jsonrpc": "2.0", "id": 3, "method": "session/set_config_option", "params": chosen}
    scope = {"sessionId": "demo-1", "cwd": str(Path.cwd()), "mcpServers": []}
    forks = {"jsonrpc": "2.0", "id": 4, "method": "session/fork", "params": scope}
    heard = [
        json.loads(line)
        for line in spoken(
            [json.dumps(each) for each in (begins, NEW, chooses, forks)], ARGV if version == 2 else COMMAND
        ).stdout.splitlines()
    ]
    answers = {message["id"]: message.get("result", message) for message in heard if "id" in message}
    assert answers[1]["protocolVersion"] == version
    assert answers[4]["sessionId"] == "demo-2"
    assert answers[4]["configOptions"] == answers[3]["configOptions"] != answers[2]["configOptions"]
