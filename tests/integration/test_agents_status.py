"""`acp-tui agents status`: agents are started, asked, and ended; a row for each, and nothing is kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui import cli
from acp_tui.headless import agent_commands
from acp_tui.host.records.records import Records
from tests.agents.scripted import Script, write_script
from tests.own_config import write_own_config

ANN = {
    "state": "authenticated",
    "accounts": [{"label": "Claude Max", "email": "ann@example.com\x1b[2J"}, {"label": "Two"}],
}
ASKED = {"protocolVersion": 1, "agentCapabilities": {"auth": {"status": {}}}}
TELLS = {"protocolVersion": 1, "agentCapabilities": {"_meta": {"authStatus": {}}}}


def agent(folder: Path, name: str, answer: dict[str, Any], body: str) -> Script:
    return write_script(folder, f"agent.initialize({answer!r})\nANN = {ANN!r}\n{body}\nagent.serve()", name)


def configured(**scripts: Script) -> None:
    write_own_config("".join(table_of(name, script) for name, script in scripts.items()))


def table_of(name: str, script: Script) -> str:
    program, *arguments = script.argv
    return f"[agents.{name}]\ncommand = {json.dumps(program)}\nargs = {json.dumps(arguments)}\n"


@pytest.fixture(autouse=True)
def no_known_agents(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None of those that this machine may have is started."""
    monkeypatch.setenv("PATH", str(tmp_path))


def test_each_agent_says_who_is_logged_in_and_no_session_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = agent(tmp_path, "asked", ASKED, 'agent.answer(agent.expect("auth/status"), ANN)')
    none = '{"authStatus": {"kind": "none", "label": "Not logged in"}}'
    tells = agent(tmp_path, "tells", TELLS, f'agent.notify("_auth/status_update", {none})')
    silent = agent(tmp_path, "silent", {"protocolVersion": 1}, "")
    configured(asked=asked, tells=tells, silent=silent)
    assert cli.main(["agents", "status", "-C", str(tmp_path)]) == 0
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "asked   Logged in as Claude Max · ann@example.com and 1 more account",
        "        Two",
        "tells   Not logged in",
        "silent  Does not report who is logged in",
    ]
    assert [message["method"] for message in asked.received()] == ["initialize", "auth/status"]
    assert [message["method"] for message in silent.received()] == ["initialize"]
    assert not Records().folder.exists()


def test_one_of_them_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = agent(tmp_path, "one", ASKED, 'agent.answer(agent.expect("auth/status"), {"state": "not_required"})')
    other = agent(tmp_path, "other", ASKED, "")
    configured(one=one, other=other)
    assert cli.main(["agents", "status", "one", "-C", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "one  No login needed\n"
    assert other.received() == []


def test_a_command_that_was_written_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = agent(tmp_path, "one", ASKED, 'agent.answer(agent.expect("auth/status"), {"state": "_odd"})')
    assert cli.main(["agents", "status", "-C", str(tmp_path), "--", *script.argv]) == 0
    assert capsys.readouterr().out == f"{script.argv[0]}  Login state unknown\n"


def test_what_cannot_be_asked_is_told_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dead = write_script(tmp_path, "agent.exit(3)", "dead")
    configured(dead=dead)
    assert cli.main(["agents", "status", "-C", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "dead  The agent exited during start-up\n" in told
    assert "Exit code 3." in told
    assert cli.main(["agents", "status", "claude", "-C", str(tmp_path)]) == 1
    assert (
        "claude  Claude Agent is not installed\n        claude-agent-acp: command not found" in capsys.readouterr().out
    )


def test_nobody_waits_for_ever(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_commands, "START_WITHIN", 0.0)
    monkeypatch.setattr(agent_commands, "TELL_WITHIN", 0.0)
    configured(mute=write_script(tmp_path, "agent.serve()", "mute"))
    assert cli.main(["agents", "status", "-C", str(tmp_path)]) == 1
    assert capsys.readouterr().out == "mute  Not started within 0 s\n"


def test_what_is_given_beside_it_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["agents", "status", "-C", str(tmp_path)]) == 0
    assert "No agents are installed" in capsys.readouterr().out
    assert cli.main(["agents", "status", "one", "--", "two"]) == 2
    assert "Use only one of NAME and -- COMMAND" in capsys.readouterr().err
    assert cli.main(["agents", "update", "one"]) == 2
    assert "Unexpected word: one" in capsys.readouterr().err
    assert cli.main(["agents", "status", "nobody", "-C", str(tmp_path)]) == 2
    assert "Unknown agent: nobody" in capsys.readouterr().err
