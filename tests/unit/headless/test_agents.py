"""`acp-tui agents`: the table."""

from pathlib import Path

import pytest

from acp_tui.headless.lists import WIDE, agents_table, show_agents
from acp_tui.host.catalog.agent_entries import Agent, Package
from tests.own_config import write_own_config

AGENTS = [
    Agent("one", "One", "words", ("one", "acp mode"), "known", program="/bin/one"),
    Agent("mine", "Mine", "", ("mine",), "own", program="/bin/mine"),
    Agent("two", "Two", "words", ("two",), "registry", package=Package("npm", "two", "1.0.0")),
    Agent("three", "Thre\x07", "words", ("three",), "known", package=Package("npm", "three", "3.0.0")),
    Agent("four", "Four", "", ("four",), "own"),
    Agent("five", "Five", "", ("five",), "known", homepage="https://example.com/five"),
]


def test_the_table_groups_by_what_it_takes() -> None:
    assert agents_table(AGENTS, 90) == [
        "Installed",
        " ✓  one    One    one 'acp mode'",
        " ✓  mine   Mine   mine (configured)",
        "",
        "Not installed",
        "    two    Two    two@1.0.0 (npm): install it from the list in acp-tui (registry)",
        "    three  Thre␇  npm install -g three@3.0.0",
        "    four   Four   four (configured, not found)",
        "    five   Five   https://example.com/five",
        "",
        "Start an agent: acp-tui NAME",
        "Choose or install one: acp-tui",
        "Try the demo: acp-tui --demo",
        "See who is logged in: acp-tui agents status",
    ]


def test_with_room_there_are_descriptions() -> None:
    assert agents_table(AGENTS, WIDE)[1] == " ✓  one    One    words  one 'acp mode'"


def test_a_command_that_would_run_over_the_edge_has_a_row_of_its_own() -> None:
    lines = agents_table(AGENTS, 80)
    assert lines[5:9] == [
        "    two    Two",
        "      two@1.0.0 (npm): install it from the list in acp-tui (registry)",
        "    three  Thre␇  npm install -g three@3.0.0",
        "    four   Four   four (configured, not found)",
    ]


def test_what_is_wrong_is_told_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_own_config("registry = 'none.json'\nthem = 1\n[agents.x]\ntitle = 'x'\n")
    assert show_agents(tmp_path) == 0
    told = capsys.readouterr().out
    assert "opencode" in told
    assert "none.json cannot be read: No such file or directory" in told
    assert "line 2, them: unknown setting" in told
    assert "line 3, agents.x: needs a command" in told
