"""What commands do: the path in each row leads to a method that takes what the row gives it."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual._context import active_app

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.choices import PromptHistory
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.commands.registry import BY_ID, COMMANDS, action_of
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.deferred_parts import parts_of
from acp_tui.views.command_index import Command
from tests.rows import each_of


@pytest.fixture
def screen() -> Iterator[ConversationScreen]:
    """A conversation with all its parts, of an app that is not started."""
    client, app = Client(LaunchPlan(AgentCommand(("agent",)), Path("/"))), AcpTuiApp()
    before = active_app.set(app)
    screen = ConversationScreen(client, client.open_session(), PromptHistory(None), app.tabs.labels)
    screen.parts = parts_of(screen, app)
    yield screen
    active_app.reset(before)


def mistake(command: Command, screen: ConversationScreen) -> str:
    """What is wrong with the row of a command; empty if nothing."""
    given = [*(["Entry | None"] if command.of_entry else []), *(["str"] if command.argument else [])]
    try:
        act = action_of(command, screen)
        bound = inspect.signature(act.func).bind(*act.args, *given)
    except (AttributeError, TypeError) as error:
        return f"{error}"
    taken = bound.signature.parameters.values()
    types = [inspect.formatannotation(each.annotation).rpartition(".")[2] for each in taken]
    wanted = types[len(act.args) : len(bound.args)]
    return "" if given == wanted else f"it is given {given} and wants {wanted}"


def test_every_row_leads_to_a_method_that_takes_what_it_is_given(screen: ConversationScreen) -> None:
    assert {command.id: told for command in COMMANDS if (told := mistake(command, screen))} == {}


@each_of(
    ("do", "argument", "of_entry", "wrong"),
    [
        ("queue.step(-1)", "", False, ""),
        ("queue.step", "", False, "missing a required argument: 'by'"),
        ("queue.step(-1)", "[words]", False, "too many positional arguments"),
        ("queue.stop", "", False, "'QueueActions' object has no attribute 'stop'"),
        ("editor.submit", "", False, "'Parts' object has no attribute 'editor'"),
        ("screen.editor.submit", "", False, ""),
        ("app.tabs.step(1)", "", False, ""),
        ("screen.transcript.current_entry", "", False, "the first argument must be callable"),
        ("sessions.rename", "<title>", False, ""),
        ("sessions.show_number", "<title>", False, "it is given ['str'] and wants ['int']"),
        ("copies.block", "", True, ""),
        ("copies.block", "", False, "missing a required argument: 'entry'"),
        ("sessions.rename", "", True, "it is given ['Entry | None'] and wants ['str']"),
    ],
)
def test_a_wrong_row_is_found(screen: ConversationScreen, do: str, argument: str, of_entry: bool, wrong: str) -> None:
    found = mistake(Command(f"new = {do}", "New", f"/new {argument}", of_entry=of_entry), screen)
    assert wrong in found if wrong else not found


def test_only_what_begins_at_the_screen_waits_for_nothing() -> None:
    edits = {command.id for command in COMMANDS if command.scope == "prompt"}
    assert not any(BY_ID[each].waits for each in edits)
    assert BY_ID["quit"].waits


def test_a_row_says_by_what_a_command_is_reached() -> None:
    row = Command("name = queue.edit", "Name", "alt+p leader:m f2 leader:slash /name /called [title]")
    assert (row.id, row.do, row.tooltip) == ("name", "queue.edit", "Name")
    assert (row.keys, row.leaders) == (("alt+p", "f2"), ["m", "slash"])
    assert (row.slash, row.argument) == (("name", "called"), "[title]")
