"""`acp-tui --hand-over SESSION -- AGENT`, as far as the screen: which record, which folder, what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui import cli
from acp_tui.arguments.suggestions import wanted
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.config.config import own_file
from acp_tui.host.records.records import Records


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would be shown, without an agent that starts."""
    found: list[tuple[Any, ...]] = []

    def show(*given: Any, **_more: Any) -> int:
        found.append(given)
        return 0

    monkeypatch.setattr(cli, "_on_screen", show)
    return found


def recorded(session_id: str, cwd: Path) -> None:
    folder = Records().folder
    folder.mkdir(parents=True, exist_ok=True)
    head = {"kind": "record", "session_id": session_id, "agent": "First", "cwd": str(cwd), "title": "Fix it"}
    (folder / f"20261123-120000-{session_id}.jsonl").write_text(json.dumps(head) + "\n")


def test_another_agent_gets_the_record_in_the_folder_of_its_session(
    tmp_path: Path, shown: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    recorded("abcdef", project)
    assert cli.main(["--hand-over", "abc", "--", "true"]) == 0
    what, launch, *_ = shown[0]
    assert what == "run_screen"
    assert isinstance(launch, LaunchPlan)
    assert launch.handed is not None
    assert (launch.handed.session_id, launch.cwd) == ("abcdef", project)
    assert cli.main(["--hand-over", "abc", "-C", str(tmp_path), "--", "true"]) == 0
    assert shown[1][1].cwd == tmp_path
    monkeypatch.chdir(project)
    assert cli.main(["--hand-over", "latest", "--", "true"]) == 0
    assert shown[2][1].handed.session_id == "abcdef"


def test_without_an_agent_it_is_chosen_and_a_named_one_works_too(tmp_path: Path, shown: list[tuple[Any, ...]]) -> None:
    own_file().parent.mkdir(parents=True, exist_ok=True)
    own_file().write_text('default_agent = "mine"\n[agents.mine]\ncommand = "true"\n')
    recorded("abcdef", tmp_path)
    assert cli.main(["--hand-over", "abcdef"]) == 0
    what, agent_list, chosen, scoped, *_ = shown[0]
    assert (what, chosen, agent_list.folder) == ("choose_on_screen", "", tmp_path)
    assert cli.main(["--hand-over", "abcdef", "--agent", "mine"]) == 0
    assert shown[1][2] == "mine"
    assert scoped(LaunchPlan(AgentCommand(("true",)), tmp_path)).handed.session_id == "abcdef"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--hand-over", "nobody", "--", "true"), "No recorded session has an ID that starts with nobody"),
        (("--hand-over", "ab", "--", "true"), "Several recorded sessions have an ID that starts with ab"),
        (("--hand-over", " ", "--", "true"), "needs the ID of a session"),
        (("--hand-over", "latest", "--", "true"), "No recorded session in this folder"),
        (("--hand-over", "gone", "--", "true"), "This session's folder no longer exists"),
        (("--hand-over", "abc", "-c"), "cannot be combined with"),
        (("run", "--hand-over", "abc", "hi"), "Unknown option: --hand-over"),
    ],
)
def test_what_is_wrong_is_said_before_an_agent_starts(
    tmp_path: Path,
    shown: list[tuple[Any, ...]],
    arguments: tuple[str, ...],
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    recorded("abc-1", tmp_path)
    recorded("abd-2", tmp_path)
    recorded("gone", tmp_path / "gone")
    assert cli.main(list(arguments)) == 2
    assert told in capsys.readouterr().err
    assert shown == []


def test_tab_completes_sessions() -> None:
    assert wanted(["--hand-over", "a"]).kind == "sessions"
