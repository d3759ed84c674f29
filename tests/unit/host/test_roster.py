"""The roster: what is fetched when, and whose consent is remembered."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host import roster as room
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.host.registry import Registry, RegistryAgent
from acp_tui.host.roster import Roster

EXTRA = RegistryAgent("extra", "Extra", "words", ("npx", "extra"), {}, "", "", True)
ADDRESS = "https://me:pass@example.com/registry.json"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was fetched; nothing leaves this machine."""
    asked: list[str] = []

    def fetch(source: str) -> Registry:
        asked.append(source)
        return Registry((EXTRA,))

    monkeypatch.setattr(room, "fetch_registry", fetch)
    own_file().parent.mkdir(parents=True)
    own_file().write_text(f"registry = '{ADDRESS}'")
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
