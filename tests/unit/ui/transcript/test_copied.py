"""What is copied from code, diffs and tool output has the source's own characters: tabs, and blanks at the end."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from acp_tui.ui.entries.diff_units import HunkText
from acp_tui.ui.entries.message import MessageDrawing
from acp_tui.ui.entries.tool_output import ToolOutput, output_rows, output_units
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.ansi import LineEmulator
from acp_tui.ui.render.diff import compare
from acp_tui.ui.render.wrap import Line, Row, copied, expand_tabs, rows_of, tabs_in
from acp_tui.ui.transcript.row_painter import copied_lines
from tests.rows import each_of
from tests.transcript_fakes import message
from tests.unit.ui.render import test_markdown as markdown

PALETTE = palette_for(DARK)
MAKEFILE = ["all:\ta b", "\tcc -c a.c  ", "", "  \t日\tx\t", "x" * 30 + "   "]


def lines(rows: Sequence[Row]) -> list[str]:
    return [copied(text, stand_ins) for _, text, stand_ins in copied_lines(rows)]


@each_of("width", [12, 33, 34, 35, 36, 80])
def test_output_of_a_tool_is_copied_as_it_came(width: int) -> None:
    output = ToolOutput(lambda: "\n".join(MAKEFILE))
    assert lines([row for unit in output_units(output, 3) for row in unit.rows(width, PALETTE)]) == MAKEFILE


@each_of("width", [12, 33, 34, 35, 36, 80])
def test_a_terminal_is_copied_as_it_came(width: int) -> None:
    emulator = LineEmulator()
    emulator.feed("".join(f"{line}\r\n" for line in MAKEFILE[:3]).encode())
    assert lines(output_rows(emulator.tail(9), width, PALETTE, 3)) == MAKEFILE[:3]


def test_a_fence_is_copied_as_it_came() -> None:
    drawing = MessageDrawing(message(0, "```make\n" + "\n".join(MAKEFILE) + "\n```\n"))
    rows = [lines(unit.rows(60, PALETTE)) for unit in drawing.units]
    assert [line for unit in rows for line in unit if line][-4:] == [line for line in MAKEFILE if line]


def test_code_in_a_list_is_copied_as_it_came() -> None:
    rows = rows_of(markdown.lines("- item\n\n  ```make\n  all:\n  \tcc\ta.c\n  ```\n"), 60)
    assert [line.removeprefix("  ") for line in lines(rows)[-2:]] == ["all:", "\tcc\ta.c"]


@each_of("width", [14, 40, 80])
def test_a_diff_is_copied_as_the_file_has_it(width: int) -> None:
    file = compare("Makefile", "all:\n\tcc\ta.c\n", "all:\n\tcc\ta.c b.c \n")
    rows = HunkText(file, file.hunks[0]).unified(range(3), width, PALETTE)
    assert lines(rows) == ["all:", "\tcc\ta.c", "\tcc\ta.c b.c "]


TABBED = st.text(st.sampled_from("a \t日\u0301"), max_size=12)


@given(text=TABBED, width=st.integers(4, 30))
def test_a_line_is_copied_whole_at_every_width(text: str, width: int) -> None:
    line = Line([(expand_tabs(text), Style.null())], stand_ins=tabs_in(text))
    assert lines(rows_of([line], width)) == [text]


@given(text=TABBED, at=st.integers(0, 30))
def test_two_halves_of_a_line_are_the_line(text: str, at: int) -> None:
    drawn, tabs = expand_tabs(text), tabs_in(text)
    at = min(at, len(drawn))
    assert copied(drawn, tabs, 0, at) + copied(drawn, tabs, at) == text


def test_a_tab_goes_with_its_first_cell() -> None:
    assert [copied("    a", tabs_in("\ta"), start, 5) for start in range(5)] == ["\ta", "a", "a", "a", "a"]
