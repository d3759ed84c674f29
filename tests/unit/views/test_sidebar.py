"""Sections of the sidebar: which rows they have, in which order, and what has no row."""

from acp_tui.protocol.vocabulary.tool_calls import TerminalExitStatus, TerminalReference, TerminalUpdate, ToolCallUpdate
from acp_tui.session.state import Session, Terminal
from acp_tui.session.tools.patches import ChangedFile
from acp_tui.views.formatting import plain
from acp_tui.views.session_facts import FILES_SHOWN, SUBAGENTS_SHOWN, FactSection, files, subagents, terminals
from tests.unit.views.test_subagents import RUNNING, child


def said(section: FactSection) -> list[str]:
    rows = [f"{plain(row.lead)}{row.text} {plain(row.right)}" for row in section.rows]
    return [f"{section.name} {section.total}", *rows, *([section.more] if section.more else [])]


def test_files_stand_with_the_last_changed_one_first() -> None:
    changed = [ChangedFile("/p/a.py", 12, 3), ChangedFile("/p/b", 0, 0, "deleted"), ChangedFile("/q/c", 0, 0)]
    assert said(files(changed, "/p")) == ["Changed files 3", "/q/c changed", "b deleted", "a.py +12 −3"]
    many = said(files([ChangedFile(f"/p/{at}", 1, 0) for at in range(FILES_SHOWN + 2)], "/p"))
    assert (len(many), many[-1]) == (FILES_SHOWN + 2, "… 2 more")


def test_the_section_says_how_many_work_and_how_many_more_there_are() -> None:
    session = Session("root", "/project", clock=lambda: 0.0)
    for number in range(SUBAGENTS_SHOWN + 5):
        session.apply(child(str(number), state=RUNNING))
    heading, *rows, last = said(subagents(session, "^X a"))
    assert heading == "Subagents 17 working"
    assert len(rows) == SUBAGENTS_SHOWN
    assert last == "… 5 more (^X a)"


def test_terminals_that_run_come_first() -> None:
    ended = Terminal("1", command="make", exit_status=TerminalExitStatus(exit_code=2))
    running = Terminal("2", command="sleep 100 \x1b]0;x\x07")
    session = Session("s", "/p", terminals={"2": running, "1": ended})
    assert said(terminals(session)) == ["Terminals 1 running", "◐ sleep 100 ␛]0;x␇ running", "✗ make exit 2"]


def test_a_terminal_that_does_not_say_what_runs_in_it_has_the_command_of_its_call() -> None:
    session = Session("s", "/p")
    for identity, raw in (("known", {"command": "make all"}), ("titled", None)):
        session.apply(
            ToolCallUpdate(
                tool_call_id=f"of {identity}",
                title="Compile",
                kind="execute",
                raw_input=raw,
                content=[TerminalReference(terminal_id=identity)],
            )
        )
        session.apply(TerminalUpdate(terminal_id=identity))
    session.apply(TerminalUpdate(terminal_id="toolu_39c4e6c22f9"))
    rows = [f"{plain(row.lead)}{row.text}" for row in terminals(session).rows]
    assert rows == ["◐ toolu_39c4e6c22f9", "◐ Compile", "◐ make all"]


def test_how_a_command_ended_that_its_agent_does_not_say_is_no_failure() -> None:
    session = Session("s", "/p", terminals={"1": Terminal("1", command="make", exit_status=TerminalExitStatus())})
    assert said(terminals(session)) == ["Terminals 1", "· make exited"]
