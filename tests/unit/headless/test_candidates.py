"""What is completed from what is kept: nothing that a shell would take for more than a word."""

from pathlib import Path

import pytest

from acp_tui.headless.lists import rows
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from acp_tui.host.config.config import PROJECT_FILE
from acp_tui.host.config.state_files import state_folder
from acp_tui.host.records.event_codec import line_of
from tests.own_config import write_own_config

KNOWN = [agent.name for agent in KNOWN_AGENTS]


def write_records(folder: Path, *sessions: str, run: bool = False) -> None:
    """Records of sessions of a folder, as they begin."""
    records = state_folder() / "records"
    records.mkdir(parents=True, exist_ok=True)
    for session in sessions:
        about = {"session_id": session, "agent": "Demo\x1b[2J", "cwd": str(folder), "title": "Fix: the login"}
        header = {"kind": "record", "version": 1, "started": "2026-11-23T07:00:00+00:00", "run": run, **about}
        (records / f"{len(list(records.iterdir()))}.jsonl").write_bytes(line_of(header))


def names(kind: str, folder: Path) -> list[str]:
    return [word for word, _ in rows(kind, folder)]


def test_agents_that_can_be_started_come_first(tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    write_own_config(f"[agents.zeta]\ncommand = '{program}'\n")
    told = dict(rows("agents", tmp_path))
    assert next(iter(told)) == "zeta"
    assert set(KNOWN) <= set(told)


def test_a_broken_config_leaves_the_known_agents(tmp_path: Path) -> None:
    write_own_config("not toml")
    assert names("agents", tmp_path) == KNOWN


def test_no_name_of_a_project_runs_anything(tmp_path: Path) -> None:
    text = "[agents.\"$(touch x)\"]\ncommand='a'\n[agents.\"-x;ls\"]\ncommand='b'\n"
    (tmp_path / PROJECT_FILE).write_text(f"{text}[agents.theirs]\ncommand='c'\n")
    assert set(names("agents", tmp_path)) == set(KNOWN)
    write_own_config(text)
    assert set(names("agents", tmp_path)) == set(KNOWN)


def test_sessions_of_the_folder(tmp_path: Path) -> None:
    write_records(tmp_path, "one", "`reboot`", "a b", "two")
    write_records(tmp_path / "other", "three")
    assert {*names("sessions", tmp_path)} == {"one", "two"}
    assert dict(rows("sessions", tmp_path))["one"].startswith("Fix: the login · Demo · 2")


def test_runs_come_behind_conversations_and_say_so(tmp_path: Path) -> None:
    write_records(tmp_path, "one")
    write_records(tmp_path, "two", run=True)  # newer
    assert names("sessions", tmp_path) == ["one", "two"]
    assert dict(rows("sessions", tmp_path))["two"].startswith("run · Fix: the login · Demo")


@pytest.mark.parametrize("kind", ["agents", "sessions"])
def test_a_folder_that_is_not_there(kind: str, tmp_path: Path) -> None:
    assert names(kind, tmp_path / "gone") == ([] if kind == "sessions" else KNOWN)
