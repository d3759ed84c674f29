"""The agent_list: what is fetched when, and whose consent is remembered."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog import agent_list as room
from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.registry import Registry
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
    agent_list = AgentList(tmp_path)
    assert agent_list.to_fetch == "https://example.com/registry.json"
    assert agent_list.find("opencode").name == "opencode"
    assert fetched == []


def test_it_is_fetched_once(tmp_path: Path, fetched: list[str]) -> None:
    agent_list = AgentList(tmp_path)
    agent_list.fetch()
    agent_list.fetch()
    assert fetched == [ADDRESS]
    assert agent_list.to_fetch == ""
    assert agent_list.agents.find("extra").title == "Extra"


def test_a_name_that_is_not_known_is_looked_for_there(tmp_path: Path, fetched: list[str]) -> None:
    assert AgentList(tmp_path).find("extra").name == "extra"
    with pytest.raises(UserFault):
        AgentList(tmp_path).find("nobody")
    assert fetched == [ADDRESS, ADDRESS]


def test_without_a_registry_nothing_is_to_fetch(tmp_path: Path) -> None:
    agent_list = AgentList(tmp_path)
    assert agent_list.to_fetch == ""
    agent_list.fetch()
    with pytest.raises(UserFault):
        agent_list.find("extra")


def propose(folder: Path, name: str, more: str = "", quote: str = "'") -> AgentList:
    (folder / PROJECT_FILE).write_text(f"default_agent = {quote}{name}{quote}\n{more}")
    return AgentList(folder)


def test_a_project_proposes_known_and_own_agents_only(tmp_path: Path, fetched: list[str]) -> None:
    write_own_config(f"registry = '{ADDRESS}'\ndefault_agent = 'goose'\n[agents.mine]\ncommand = 'mine'")
    for name in ("kimi", "mine"):
        assert (propose(tmp_path, name).default_agent, propose(tmp_path, name).ignored) == (name, "")
    theirs = "[agents.theirs]\ncommand = 'sh'"
    for name, more in (("extra", ""), ("theirs", theirs), ("\x1b]0;x\x07", "")):
        agent_list = propose(tmp_path, name.encode("unicode_escape").decode().replace("\\x", "\\u00"), more, '"')
        assert (agent_list.proposed, agent_list.default_agent) == ("", "goose")
        place = f"{tmp_path / PROJECT_FILE}, line 1, default_agent: "
        assert agent_list.ignored.startswith(place)
        assert agent_list.ignored.endswith("neither a known agent nor one of your own, so it is ignored")
        assert agent_list.ignored.isprintable()
    assert fetched == []
    agent_list = propose(tmp_path, "extra")
    agent_list.fetch()
    assert (agent_list.agents.find("extra").origin, agent_list.proposed) == ("registry", "")


def test_the_default_is_the_folder_s_then_the_project_s_then_the_user_s(tmp_path: Path) -> None:
    own, folder = "default_agent = 'goose'\n", f"[folders.'{tmp_path}']\ndefault_agent = 'opencode'\n"
    for text, theirs, named in ((own, "", "goose"), (own, "kimi", "kimi"), (own + folder, "kimi", "opencode")):
        write_own_config(text)
        agent_list = propose(tmp_path, theirs)
        assert (agent_list.default_agent, agent_list.proposed) == (named, theirs if named == theirs else "")
        assert agent_list.ignored == ""


def test_what_a_project_proposes_does_not_come_first(tmp_path: Path) -> None:
    write_own_config("default_agent = 'goose'")
    assert propose(tmp_path, "kimi").agents.listed[0].name == "goose"


def test_what_a_project_proposes_is_agreed_to_once(tmp_path: Path) -> None:
    first = propose(tmp_path, "opencode")
    launch = first.plan(first.find(first.proposed), by_default=True)
    assert not first.is_trusted(launch)
    with pytest.raises(UserFault) as raised:
        first.check_trusted(launch)
    assert "--trust-project" in raised.value.hint
    assert str(tmp_path / PROJECT_FILE) in raised.value.message
    first.trust(launch)
    again = propose(tmp_path, "opencode", "theme = 'nord'")
    assert again.is_trusted(again.plan(again.find("opencode"), by_default=True))
    other = propose(tmp_path, "kimi")
    assert not other.is_trusted(other.plan(other.find("kimi"), by_default=True))
    (tmp_path / "other").mkdir()
    elsewhere = propose(tmp_path / "other", "opencode")
    assert not elsewhere.is_trusted(elsewhere.plan(elsewhere.find("opencode"), by_default=True))


def test_a_program_that_is_in_the_project_only_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "kimi"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    agent_list = AgentList(tmp_path)
    with pytest.raises(UserFault, match="found only inside the project") as raised:
        agent_list.find("kimi").check_installed()
    assert raised.value.hint.endswith(f"acp-tui -- {program} acp")
