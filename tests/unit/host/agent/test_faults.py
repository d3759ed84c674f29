from types import SimpleNamespace
from typing import Any, cast

import pytest

from acp_tui.host.agent.faults import AgentFaults, login_reason, useful_lines
from acp_tui.host.connection.agent_process import AgentProcess, StderrRing
from acp_tui.wire.jsonrpc import Error
from tests.rows import each_of


def process(returncode: int | None = None, stderr: bytes = b"") -> AgentProcess:
    ring = StderrRing()
    ring.feed(stderr)
    return cast("AgentProcess", SimpleNamespace(returncode=returncode, stderr=ring))


def test_an_agent_that_ended_is_told_with_its_last_words() -> None:
    fault = AgentFaults(process(2, b"no key\n"), ["agent", "a b"]).gone(ready=False, input_closed=False)
    assert fault.title == "The agent exited during start-up"
    assert fault.message == "Exit code 2. On stderr:\nno key"
    assert fault.hint.endswith("agent 'a b'")


def test_without_last_words_there_is_only_the_ending() -> None:
    fault = AgentFaults(process(0), ["agent"], attended=True).gone(ready=True, input_closed=False)
    assert not fault.hint  # the key is in the status line
    fault = AgentFaults(process(0), ["agent"]).gone(ready=True, input_closed=False)
    assert fault.hint == "Run the command again."
    assert (fault.title, fault.message) == ("The agent exited", "Exit code 0.")


@pytest.mark.parametrize(("input_closed", "pipe"), [(True, "stdin"), (False, "stdout")])
def test_an_agent_that_hung_up_is_told_by_its_pipe(input_closed: bool, pipe: str) -> None:
    fault = AgentFaults(process(), ["agent"]).gone(ready=True, input_closed=input_closed)
    assert fault.title == "The agent closed the connection"
    assert f"closed its {pipe} but" in fault.message


def test_a_long_last_line_says_how_long_it_was() -> None:
    fault = AgentFaults(process(stderr=b"x" * 5000), []).clogged()
    assert fault.message.endswith("x… (5,000 characters)")
    assert len(fault.message) < 500


@each_of("data", [None, [], [1], {}, {"authMethods": 5}, {"authMethods": [{}, 1]}])
def test_a_log_in_without_known_ways_is_told_all_the_same(data: Any) -> None:
    fault = AgentFaults(process(), ["agent"]).session_refused(Error(-32000, "", data), ())
    assert fault.title == "The agent requires a login"
    assert fault.message == "Login required."
    assert fault.hint.startswith("Log in with")


@each_of("data", [{"details": "run tool login"}, "run tool login", {"a": {"b": "run tool login", "authMethods": []}}])
@each_of("message", ["", "Authentication required"])
def test_the_reason_for_a_log_in_is_told_whatever_its_key(data: Any, message: str) -> None:
    told = login_reason(Error(-32000, message, data), "Log in.").splitlines()
    assert told[0] == (message or "Log in.")
    assert told[1].endswith("run tool login")


def test_lines_that_say_the_same_are_counted_and_the_others_seen() -> None:
    lines = [f"2026-01-02T03:04:0{second}.5Z skip compaction" for second in range(8)]
    stderr = "\n".join(["first", *lines[:5], "", "between", *lines[5:], "", "last"])
    fault = AgentFaults(process(1, stderr.encode()), []).gone(ready=True, input_closed=False)
    assert fault.message.splitlines()[1:] == ["first", "between", f"{lines[-1]}  × 8", "last"]


def test_no_advice_to_try_what_was_tried() -> None:
    error = Error(-32022, "")
    assert "--protocol auto" in AgentFaults(process(), ["agent"]).not_introduced(error, "1").hint
    assert "--protocol" not in AgentFaults(process(), ["agent"], tried_both=True).not_introduced(error, "1").hint


NODE = ["Error: no config", "    at load (config.js:1:2) {", "  errno: -2,", "  code: 'ENOENT',", "}", ""]


@each_of(
    ("lines", "useful"),
    [
        ([], []),
        (["starting", *NODE], ["Error: no config"]),
        (["Traceback (most recent call last):", '  File "a.py", line 1', "KeyError: 'x'"], ["KeyError: 'x'"]),
        (["ready", "      [Object ...]", "    },", "  ]", "}"], ["ready"]),
        (["{", "  [Object ...]", "}"], ["{", "  [Object ...]", "}"]),
        (["connection failed", "bye"], ["connection failed", "bye"]),
        ([f"line {n}" for n in range(12)], [f"line {n}" for n in range(2, 12)]),
    ],
)
def test_of_the_last_lines_those_count_that_say_why(lines: list[str], useful: list[str]) -> None:
    assert list(useful_lines(lines)) == useful


def test_a_script_gets_all_of_the_last_lines() -> None:
    stderr = "\n".join(["starting", *NODE]).encode()
    script = AgentFaults(process(-9, stderr), ["agent"]).gone(ready=True, input_closed=False)
    user = AgentFaults(process(-9, stderr), ["agent"], attended=True).gone(ready=True, input_closed=False)
    assert script.message.split("\n")[1:] == ["starting", *NODE[:-1]]
    assert user.message == "Killed by SIGKILL. On stderr:\n  Error: no config"
