"""The rows of the list of agents, and what is told of one of them in little room."""

from dataclasses import replace
from types import SimpleNamespace

from textual.content import Content

from acp_tui.host.catalog.agent_entries import Agent, Package
from acp_tui.ui.agents.agent_rows import (
    DEMO,
    agent_row,
    command_of,
    details,
    enter_word,
    heading,
    in_rows,
    is_same,
    rows_of_details,
    with_demo,
)
from acp_tui.ui.agents.agents_screen import AgentsScreen, footer_hints
from acp_tui.ui.kit.list_panel import hints_of
from acp_tui.ui.kit.theme import MOVE, Hint, key_hints
from acp_tui.ui.text_panels import help_rows
from tests.rows import each_of

PACKAGE = Package("npm", "some-agent", "1.2.3")
MISSING = Agent(
    "some",
    "Some",
    "An agent",
    ("some", "acp"),
    "known",
    homepage="https://some.example",
    package=PACKAGE,
    licence="MIT",
    publisher="Somebody",
)
THERE = replace(MISSING, program="/bin/some")
PAGE = replace(MISSING, package=None)
NEEDS_NPM = replace(MISSING, needs=("npm", "npm comes with Node.js"))


def told(agent: Agent, width: int = 100, rows: int = 10) -> list[str]:
    return details(agent, width, rows).plain.split("\n")


def test_the_demo_is_behind_what_is_installed() -> None:
    other = replace(MISSING, name="other")
    assert with_demo([THERE, other]) == [THERE, DEMO, other]
    assert with_demo([MISSING]) == [DEMO, MISSING]


def test_an_agent_of_that_name_is_not_the_demo() -> None:
    theirs = replace(MISSING, name="demo")
    assert is_same(theirs, replace(theirs, program="/bin/demo"))
    assert not is_same(theirs, DEMO)
    assert not is_same(DEMO, theirs)
    assert not is_same(None, theirs)


def test_groups() -> None:
    listed = [heading(agent) for agent in (THERE, DEMO, MISSING, replace(MISSING, origin="registry"))]
    assert listed == ["Installed", "Built in", "Not installed", "From the registry"]


def test_everything_is_told_where_there_is_room() -> None:
    assert told(MISSING) == [
        "Some  acp-tui --agent some",
        "install  npm install -g some-agent@1.2.3",
        "MIT · Somebody · https://some.example",
    ]
    assert told(THERE)[1:] == ["start  some acp", "https://some.example"]
    assert told(PAGE)[1:] == ["install from  https://some.example", "MIT · Somebody"]
    assert told(replace(PAGE, homepage=""))[1] == "command not found  some acp"


def test_the_command_stays_longest() -> None:
    assert told(MISSING, rows=2) == ["Some  acp-tui --agent some", "install  npm install -g some-agent@1.2.3"]
    assert told(MISSING, rows=1) == ["install  npm install -g some-agent@1.2.3"]
    assert told(MISSING, width=20, rows=2) == ["install  npm install", "-g some-agent@1.2.3"]
    assert told(MISSING, width=20, rows=1) == ["install  npm instal…"]


@each_of("width", range(10, 90, 7))
@each_of("rows", [1, 3, 5])
def test_it_is_never_larger_than_its_room(width: int, rows: int) -> None:
    agents = [MISSING, THERE, PAGE, DEMO]
    assert rows_of_details(agents, width, rows) <= rows
    for agent in agents:
        assert all(len(line) <= width for line in told(agent, width, rows))


def test_what_is_needed_first_is_told_in_row_and_details() -> None:
    row = agent_row(NEEDS_NPM, 10, 80).plain
    assert row == "  Some        An agent  needs npm"
    assert details(NEEDS_NPM, 80, 10).plain.split("\n")[-1] == "npm comes with Node.js"
    assert "npm" not in agent_row(MISSING, 10, 80).plain


def test_lines_that_are_cut_say_so() -> None:
    lines = [Content(word) for word in ("one", "two", "three")]
    assert in_rows(lines, 3).plain == "one\ntwo\nthree"
    assert in_rows(lines, 2).plain == "one\ntw…"
    assert in_rows([Content(""), Content("b")], 1).plain == "…"


def test_what_is_copied() -> None:
    assert command_of(MISSING) == "npm install -g some-agent@1.2.3"
    assert command_of(replace(THERE, name="a b")) == "acp-tui --agent 'a b'"
    assert command_of(PAGE) == "https://some.example"
    assert command_of(replace(PAGE, homepage="")) == ""
    assert command_of(DEMO) == "acp-tui --demo"


def test_what_enter_does() -> None:
    assert [enter_word(agent) for agent in (DEMO, THERE, MISSING, PAGE)] == ["start", "start", "install", "show page"]
    for agent in (replace(PAGE, homepage=""), replace(PAGE, passed_over="./some")):
        assert enter_word(agent) == "check again"


def keys_of(beside: bool = False, typed: str = "") -> list[Hint]:
    screen = SimpleNamespace(highlighted=MISSING, beside=beside, query_typed=typed)
    return hints_of(screen, AgentsScreen.KEYS)


@each_of(
    "beside, typed, told",
    [
        (False, "", "enter install  ↑↓ move  ^Y copy command  f5 rescan  ^Q quit  ? help"),
        (False, "k", "enter install  ↑↓ move  ^Y copy command  f5 rescan  esc clear  ^Q quit  ? help"),
        (True, "", "enter install  ↑↓ move  ^Y copy command  f5 rescan  esc close  ? help"),
        (True, "k", "enter install  ↑↓ move  ^Y copy command  f5 rescan  esc clear  ? help"),
    ],
)
def test_the_hints_are_of_the_keys_that_do_something(beside: bool, typed: str, told: str) -> None:
    assert key_hints(keys_of(beside, typed)).plain == told


def test_without_an_agent_enter_does_nothing() -> None:
    screen = SimpleNamespace(highlighted=None, beside=False, query_typed="")
    assert hints_of(screen, AgentsScreen.KEYS)[0] == MOVE


@each_of("room", [34, 54, 74, 114])
def test_the_hints_that_matter_fit(room: int) -> None:
    found = key_hints(footer_hints(keys_of(typed="k"), room))
    assert found.cell_length <= room
    for hint in ("enter install", "esc clear", "? help"):
        assert hint in found.plain


def test_the_help_is_of_the_same_keys() -> None:
    assert [(row.keys, row.words) for row in help_rows("Agents", AgentsScreen.KEYS)] == [
        ("Enter", "Start the highlighted agent, install it, or show its page"),
        ("↑, ↓, Tab, PgUp, PgDn", "Select"),
        ("Letters", "Filter by name"),
        ("Esc", "Clear the filter, or close the list"),
        ("Ctrl+Y", "Copy the command that is shown"),
        ("F5", "Rescan for installed agents"),
        ("F1, ?", "Help (? with an empty filter)"),
        ("Ctrl+Q, Ctrl+C, Ctrl+D", "Quit, or close the list over a session"),
    ]
