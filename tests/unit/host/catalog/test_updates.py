"""Which newer versions there are for what was installed from here."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.host.catalog import agent_entries
from acp_tui.host.catalog import installation as room
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, Agent, Package
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.installation import Update, agents_folder, find_updates, remove_older
from acp_tui.host.config.config import PROJECT_FILE
from tests.own_config import write_own_config


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Agent:
    """OpenCode as the only known agent, at a version that stays."""
    agent = next(agent for agent in KNOWN_AGENTS if agent.name == "opencode")
    agent = replace(agent, package=Package("npm", "opencode-ai", "1.10.0"), registry="oc")
    monkeypatch.setattr(room, "KNOWN_AGENTS", (agent,))
    monkeypatch.setattr("acp_tui.host.catalog.agent_list.KNOWN_AGENTS", (agent,))
    assert agent_entries.KNOWN_AGENTS is KNOWN_AGENTS
    return agent


def pinned(name: str, package: str, more: str = "", version: str = "1.0.0") -> str:
    program = agents_folder() / name / version / "bin" / "x"
    return f"[agents.{name}]\ncommand = '{program}'\npackage = '{package}'\n{more}\n"


def updates(folder: Path, own: str, *entries: tuple[str, str], args: tuple[str, ...] = ()) -> list[Update]:
    listed = [{"id": name, "name": name, "distribution": {"npx": {"package": p, "args": args}}} for name, p in entries]
    registry = folder / "registry.json"
    registry.write_text(json.dumps({"agents": listed}))
    write_own_config(f"registry = '{registry}'\n{own}")
    return find_updates(AgentList(folder))


def offered(folder: Path, own: str, *entries: tuple[str, str]) -> str:
    """The version that is offered for the only agent; empty for none."""
    (update,) = updates(folder, own, *entries)
    return update.package.version if update.package else ""


def test_a_known_agent_has_the_version_that_is_known(tmp_path: Path) -> None:
    assert offered(tmp_path, pinned("opencode", "npm:opencode-ai@1.9.0")) == "1.10.0"
    assert offered(tmp_path, pinned("opencode", "npm:opencode-ai@1.10.0")) == ""
    assert offered(tmp_path, pinned("opencode", "npm:opencode-ai@1.11.0")) == ""


def test_or_a_newer_one_that_a_registry_has_of_the_same_package(tmp_path: Path) -> None:
    own = pinned("opencode", "npm:opencode-ai@1.9.0")
    assert offered(tmp_path, own, ("oc", "opencode-ai@1.12.0")) == "1.12.0"
    assert offered(tmp_path, own, ("oc", "opencode-ai@1.2.0")) == "1.10.0"
    assert offered(tmp_path, own, ("oc", "evil@9.0.0")) == "1.10.0"
    assert offered(tmp_path, own, ("opencode", "opencode-ai@9.0.0")) == "1.10.0"  # which is not its id there


def test_an_agent_of_a_registry_has_the_version_that_is_there(tmp_path: Path) -> None:
    own = pinned("extra", "npm:extra@1.5.0")
    assert offered(tmp_path, own, ("extra", "extra@1.6.0")) == "1.6.0"
    assert offered(tmp_path, own, ("extra", "extra@1.5.0")) == ""
    assert offered(tmp_path, own) == ""
    (older,) = updates(tmp_path, own, ("extra", "extra@1.4.0"))
    assert older.is_older


def test_another_package_under_the_same_id_is_not_taken(tmp_path: Path) -> None:
    (update,) = updates(tmp_path, pinned("extra", "npm:extra@1.5.0"), ("extra", "@evil/extra@1.6.0"))
    assert update.package is None
    assert "different package" in update.note
    assert "@evil/extra@1.6.0" in update.note


def test_other_arguments_are_told_and_not_taken(tmp_path: Path) -> None:
    own = pinned("extra", "npm:extra@1.5.0", "args = ['acp']")
    (update,) = updates(tmp_path, own, ("extra", "extra@1.6.0"), args=("--acp",))
    assert (update.agent.argv[1:], "yours are unchanged" in update.note) == (("acp",), True)
    (update,) = updates(tmp_path, own, ("extra", "extra@1.6.0"), args=("acp",))
    assert update.note == ""


def test_what_was_not_installed_from_here_is_left_alone(tmp_path: Path) -> None:
    own = "[agents.extra]\ncommand = '/usr/bin/extra'\npackage = 'npm:extra@1.5.0'\n"
    (update,) = updates(tmp_path, own, ("extra", "extra@1.6.0"))
    assert (update.package, update.note.startswith("skipped")) == (None, True)
    assert updates(tmp_path, "[agents.extra]\ncommand = 'extra'", ("extra", "extra@1.6.0")) == []
    assert updates(tmp_path, "[agents.opencode]\ntitle = 'x'") == []


def test_a_project_has_no_say(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text("[agents.extra]\ncommand = 'x'\npackage = 'npm:extra@1.0.0'\n")
    assert updates(tmp_path, "", ("extra", "extra@1.6.0")) == []
    own = pinned("extra", "npm:extra@1.5.0")
    assert offered(tmp_path, own, ("extra", "extra@1.6.0")) == "1.6.0"


def test_older_versions_are_removed_and_nothing_else(tmp_path: Path) -> None:
    place = agents_folder() / "extra"
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        (place / version / "bin").mkdir(parents=True)
    (tmp_path / "else").mkdir()
    (place / "link").symlink_to(tmp_path / "else")
    (place / "file").write_text("")
    (agents_folder() / "other" / "1.0.0").mkdir(parents=True)
    remove_older("extra", Package("npm", "extra", "1.2.0"), Package("npm", "extra", "1.1.0"))
    assert sorted(path.name for path in place.iterdir()) == ["1.1.0", "1.2.0", "file", "link"]
    assert (tmp_path / "else").is_dir()
    assert (agents_folder() / "other" / "1.0.0").is_dir()
    remove_older("none", Package("npm", "extra", "1.2.0"))
