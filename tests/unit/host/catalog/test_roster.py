"""The roster: what is fetched when, and whose consent is remembered."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog import roster as room
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.registry import Registry
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.config.config import PROJECT_FILE
from tests.own_config import write_own_config

EXTRA = Agent("extra", "Extra", "words", ("extra",), "registry")
ADDRESS = "https://me:pass@example.com/registry.json"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was fetched; nothing leaves this machine."""
    asked: list[str] = []

    def fetch(source: str) -> Registry:
        asked.append(source)
        return Registry((EXTRA,))

    monkeypatch.setattr(room, "fetch_registry", fetch)
    write_own_config(f"registry = '{ADDRESS}'")
    return asked


def test_nothing_is_fetched_unasked(tmp_path: Path, fetched: list[str]) -> None:
    roster = Roster(tmp_path)
    assert roster.to_fetch == "https://example.com/registry.json"
    assert roster.find("opencode").name == "opencode"
    assert fetched == []


def test_it_is_fetched_once(tmp_path: Path, fetched: list[str]) -> None:
    roster = Roster(tmp_path)
    roster.fetch()
    roster.fetch()
    assert fetched == [ADDRESS]
    assert roster.to_fetch == ""
    assert roster.agents.find("extra").title == "Extra"


def test_a_name_that_is_not_known_is_looked_for_there(tmp_path: Path, fetched: list[str]) -> None:
    assert Roster(tmp_path).find("extra").name == "extra"
    with pytest.raises(UserFault):
        Roster(tmp_path).find("nobody")
    assert fetched == [ADDRESS, ADDRESS]


def test_without_a_registry_nothing_is_to_fetch(tmp_path: Path) -> None:
    roster = Roster(tmp_path)
    assert roster.to_fetch == ""
    roster.fetch()
    with pytest.raises(UserFault):
        roster.find("extra")


def test_a_consent_is_for_one_start(tmp_path: Path) -> None:
    def roster(command: str) -> Roster:
        (tmp_path / PROJECT_FILE).write_text(f"[agents.mine]\ncommand = '{command}'")
        return Roster(tmp_path)

    first = roster("one")
    launch = first.launch(first.find("mine"))
    assert not first.is_trusted(launch)
    first.trust(launch)
    assert first.is_trusted(launch)
    again = roster("one")
    assert again.is_trusted(again.launch(again.find("mine")))
    changed = roster("two")
    assert not changed.is_trusted(changed.launch(changed.find("mine")))
    assert changed.is_trusted(changed.launch(changed.find("opencode")))


def propose(folder: Path, name: str, more: str = "") -> Roster:
    (folder / PROJECT_FILE).write_text(f"default_agent = '{name}'\n{more}")
    return Roster(folder)


def test_nothing_is_fetched_for_what_a_project_proposes(tmp_path: Path, fetched: list[str]) -> None:
    with pytest.raises(UserFault, match="names an unknown agent: extra") as raised:
        propose(tmp_path, "extra").find_proposed()
    assert str(tmp_path / PROJECT_FILE) in raised.value.message
    assert fetched == []


def test_what_a_project_proposes_does_not_come_first(tmp_path: Path) -> None:
    write_own_config("default_agent = 'goose'")
    assert propose(tmp_path, "kimi").agents.listed[0].name == "goose"


def test_what_a_project_proposes_is_agreed_to_once(tmp_path: Path) -> None:
    first = propose(tmp_path, "opencode")
    launch = first.launch(first.find_proposed(), proposed=True)
    assert not first.is_trusted(launch)
    with pytest.raises(UserFault) as raised:
        first.check_trusted(launch)
    assert "--trust-project" in raised.value.hint
    assert str(tmp_path / PROJECT_FILE) in raised.value.message
    first.trust(launch)
    again = propose(tmp_path, "opencode")
    assert again.is_trusted(again.launch(again.find_proposed(), proposed=True))
    changed = propose(tmp_path, "opencode", "theme = 'nord'")
    assert not changed.is_trusted(changed.launch(changed.find_proposed(), proposed=True))


def test_what_is_too_large_to_be_compared_is_asked_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.host.catalog.launching.MOST", 3)
    (tmp_path / "run.sh").write_text("larger")
    (tmp_path / PROJECT_FILE).write_text("[agents.mine]\ncommand = './run.sh'")
    roster = Roster(tmp_path)
    launch = roster.launch(roster.find("mine"))
    roster.trust(launch)
    assert not roster.is_trusted(launch)


def test_a_program_that_is_in_the_project_only_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "kimi"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    roster = Roster(tmp_path)
    with pytest.raises(UserFault, match="found only inside the project") as raised:
        roster.check_installed(roster.find("kimi"))
    assert raised.value.hint.endswith(f"acp-tui -- {program} acp")
