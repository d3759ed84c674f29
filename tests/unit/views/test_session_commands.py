"""How long a line waits for the agent's list of commands."""

import pytest

from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate
from acp_tui.session.facts import SessionIdentified
from acp_tui.session.state import Session
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.views.command_index import SessionCommands


class Clock:
    """Seconds, as the test says."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def began(*, identified: bool = True) -> tuple[Session, Clock, SessionCommands]:
    clock = Clock()
    session = Session("", "/work", clock=clock)
    if identified:
        session.apply(SessionIdentified("s1"))
    return session, clock, SessionCommands(session, COMMANDS)


def test_a_name_that_may_be_the_agents_waits_for_a_second_after_the_session_began() -> None:
    _, clock, commands = began()
    assert commands.waiting("/copy", clock.now) == 1.0
    clock.now += 0.75
    assert commands.waiting("/copy", clock.now) == 0.25
    clock.now += 0.25
    assert commands.waiting("/copy", clock.now) == 0.0


@pytest.mark.parametrize("line", ["/quit", "/model son", "/client:copy", "plain words", "/etc/hosts is wrong", "!ls"])
def test_what_cannot_be_the_agents_never_waits(line: str) -> None:
    _, clock, commands = began()
    assert commands.waiting(line, clock.now) == 0.0


@pytest.mark.parametrize("line", ["/copy", "/clear", "/export x.md", "/nobody", "/agent:work"])
def test_what_may_be_the_agents_waits(line: str) -> None:
    _, clock, commands = began()
    assert commands.waiting(line, clock.now) > 0


def test_what_is_nobodys_waits_until_own_prompts_are_read() -> None:
    session, clock, _ = began()
    session.apply(AvailableCommandsUpdate(available_commands=[]))
    commands = SessionCommands(session, COMMANDS, are_read=lambda: False)
    assert commands.waiting("/deploy", clock.now) == 1.0
    assert commands.waiting("/copy", clock.now) == commands.waiting("words", clock.now) == 0.0


def test_nothing_waits_once_the_list_has_come_even_an_empty_one() -> None:
    session, clock, commands = began()
    session.apply(AvailableCommandsUpdate(available_commands=[]))
    assert commands.waiting("/copy", clock.now) == 0.0
    assert commands.now.complete


def test_before_the_session_is_there_a_line_waits_for_a_second_after_it_was_sent() -> None:
    _, clock, commands = began(identified=False)
    sent_at = clock.now
    clock.now += 0.5
    assert commands.waiting("/copy", sent_at) == 0.5
    clock.now += 5
    assert commands.waiting("/copy", sent_at) == 0.0
    assert commands.waiting("/copy", clock.now) == 1.0


def test_the_list_is_made_anew_only_when_something_has_changed() -> None:
    session, clock, commands = began()
    first = commands.now
    assert commands.now is first
    clock.now += 1
    second = commands.now
    assert second.complete
    assert not first.complete
    session.apply(AvailableCommandsUpdate(available_commands=[AvailableCommand(name="work")]))
    assert commands.now is not second
    assert commands.now.named("work") is not None
