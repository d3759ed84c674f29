"""What an empty transcript says."""

from acp_tui.protocol.vocabulary.session_updates import AvailableCommand
from acp_tui.session.state import Session
from acp_tui.ui.render.wrap import text_of
from acp_tui.ui.status.header_footer import Welcome
from tests.transcript_fakes import palette


def session(*commands: str) -> Session:
    made = Session("s", "/work")
    made.agent_name = "Agent [/]\x1b[2J"
    made.commands = [AvailableCommand(name=name, description=f"Does {name}\x9b2J") for name in commands]
    return made


def rows(made: Session, width: int = 80, height: int = 20) -> list[str]:
    return [text_of(row).rstrip() for row in Welcome(made).rows(width, height, palette())]


def test_it_says_who_is_ready_and_what_one_can_do() -> None:
    told = rows(session("fix", "plan"))
    assert told[0] == "   Agent [/] is ready"
    assert any(row.split() == ["/fix", "Does", "fix\ufffd2J"] for row in told)
    assert any(row.startswith("   ?") for row in told)
    assert any(row.startswith("   @") for row in told)
    assert told[-1].startswith("   ^P")


def test_below_a_header_without_margin_it_begins_with_a_blank_row_if_there_is_room() -> None:
    told = rows(session("fix"))
    below = Welcome(session("fix"), lambda: True)
    assert [text_of(row).strip() for row in below.rows(80, len(told) + 1, palette())] == ["", *map(str.strip, told)]
    assert len(below.rows(80, len(told), palette())) == len(told)


def test_of_many_commands_the_first_are_shown_and_the_rest_counted() -> None:
    told = rows(session(*"abcdef"))
    assert sum(row.startswith("   /") for row in told) == 4
    assert any("All commands (6)" in row for row in told)


def test_those_that_most_agents_have_come_first_and_those_that_a_row_cannot_explain_last() -> None:
    made = session("long", "a", "review", "b", "init")
    made.commands[0] = AvailableCommand(name="long", description="Use ONLY when " * 9)
    assert [row.split()[0] for row in rows(made)[2:5]] == ["/init", "/review", "/a"]
    made.commands = made.commands[:2]
    assert [row.split()[0] for row in rows(made)[2:4]] == ["/a", "/long"]


def test_a_command_that_is_not_the_agents_when_it_is_typed_is_not_named() -> None:
    told = rows(session("help", "fix"))
    assert not any("/help" in row for row in told)
    assert any("/fix" in row for row in told)


def test_it_is_silent_before_the_agent_is_ready_and_without_room() -> None:
    waiting = session("fix")
    waiting.id = ""
    assert rows(waiting) == []
    assert rows(session("fix"), height=2) == []


def test_with_few_rows_it_has_what_is_needed_most() -> None:
    assert [row.split()[0] for row in rows(session("fix", "plan"), height=5)[2:]] == ["/", "@", "?"]
    assert [row.split()[0] for row in rows(session("fix", "plan"), height=8)[2:]] == ["/fix", "/", "@", "!", "?", "^P"]
    for height in range(12):
        assert len(rows(session("fix", "plan"), height=height)) <= height


def test_no_row_is_wider_than_the_view() -> None:
    for width in (24, 40, 80):
        assert all(len(row) <= width for row in rows(session("x" * 60), width=width))
