"""Terminals on display: output, caps, ends, and the tool calls that show them."""

from acp_tui.protocol.vocabulary.tool_calls import (
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalReference,
    TerminalUpdate,
)
from acp_tui.session.changes import TerminalChanged
from acp_tui.session.state import DISPLAY_CAP, SMALL, Terminal
from tests.unit.session.speech import running, told, tool


def output(data: bytes, terminal_id: str = "t") -> TerminalOutputChunk:
    return TerminalOutputChunk(terminal_id=terminal_id, data=data)


def test_output_grows_and_may_come_first() -> None:
    one = told()
    one.apply(output(b"a"), output(b"b"), TerminalUpdate(terminal_id="t", command="ls"))
    terminal = one.session.terminals["t"]
    assert (terminal.chunks, terminal.size, terminal.command, terminal.generation) == ([b"ab"], 2, "ls", 0)
    assert one.changes == [TerminalChanged("t")] * 3


def test_given_output_replaces() -> None:
    one = told()
    one.apply(output(b"old"), TerminalUpdate(terminal_id="t", output=b"new"))
    terminal = one.session.terminals["t"]
    assert (terminal.chunks, terminal.size, terminal.generation) == ([b"new"], 3, 1)


def test_null_output_clears() -> None:
    one = told()
    one.apply(output(b"old"), TerminalUpdate(terminal_id="t", output=None))
    assert one.session.terminals["t"].chunks == []


def test_an_update_patches_only_what_it_names() -> None:
    one = told()
    one.apply(TerminalUpdate(terminal_id="t", command="ls", cwd="/"), output(b"x"))
    one.apply(TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus(exit_code=0)), after=2)
    one.apply(TerminalUpdate(terminal_id="t", released=True), after=2)
    terminal = one.session.terminals["t"]
    assert (terminal.command, terminal.cwd, terminal.chunks) == ("ls", "/", [b"x"])
    assert terminal.exit_status == TerminalExitStatus(exit_code=0)
    assert (terminal.released, terminal.finished_at) == (True, 102)


def test_output_is_one_change_however_many_tool_calls_show_it() -> None:
    one = told()
    one.apply(running(), *(tool(str(number), content=[TerminalReference(terminal_id="t")]) for number in range(50)))
    one.changes.clear()
    one.apply(output(b"x"))
    assert one.changes == [TerminalChanged("t")]


def test_the_tool_calls_that_show_it_are_found() -> None:
    one = told()
    shown = [TerminalReference(terminal_id="t"), TerminalReference(terminal_id="t")]
    one.apply(running(), tool("1", content=shown), tool("2", content=shown), tool("1", content=[]))
    assert list(one.session.index.terminal_references["t"]) == ["2"]


def test_output_byte_by_byte_is_held_in_few_chunks() -> None:
    terminal = Terminal("t")
    for number in range(3 * SMALL):
        terminal.append(bytes([number % 256]))
    assert len(terminal.chunks) == 3
    assert b"".join(terminal.chunks) == bytes(number % 256 for number in range(3 * SMALL))
    assert terminal.size == 3 * SMALL


def test_terminal_output_is_no_sign_of_life_from_the_agent() -> None:
    one = told()
    one.apply(running())
    one.apply(output(b"x"), after=9)
    assert one.session.turn.last_heard_at == 100


def test_a_full_terminal_drops_its_oldest_output_and_says_so() -> None:
    terminal = Terminal("t")
    block = b"x" * 1024 * 1024
    for _ in range(DISPLAY_CAP // len(block)):
        terminal.append(block)
    assert terminal.dropped == 0
    terminal.append(b"last")
    assert terminal.dropped + terminal.size == DISPLAY_CAP + 4
    assert terminal.size == sum(map(len, terminal.chunks)) <= DISPLAY_CAP
    assert terminal.chunks[-1] == b"last"
    assert terminal.generation == 0


def test_one_chunk_that_is_too_large_keeps_its_end_from_a_whole_character() -> None:
    terminal = Terminal("t")
    terminal.append("€".encode() * (DISPLAY_CAP // 2))
    assert b"".join(terminal.chunks).decode().strip("€") == ""
    assert terminal.dropped + terminal.size == DISPLAY_CAP // 2 * 3


def test_dropping_is_rare() -> None:
    terminal = Terminal("t")
    dropped = set()
    for _ in range(40):
        terminal.append(b"x" * (DISPLAY_CAP // 16))
        dropped.add(terminal.dropped)
    assert len(dropped) <= 8


def test_a_replaced_terminal_has_dropped_nothing() -> None:
    terminal = Terminal("t")
    terminal.append(b"x" * (DISPLAY_CAP + 1))
    terminal.replace(b"new")
    assert (terminal.dropped, terminal.size) == (0, 3)
