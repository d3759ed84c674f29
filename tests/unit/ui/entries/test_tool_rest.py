"""Unfolded, nothing is told twice: what raw input and output repeat goes, what is left is words and folds."""

from typing import Any

import pytest

from acp_tui.protocol.vocabulary.tool_calls import Diff, TerminalExitStatus, TerminalUpdate, ToolCallLocation
from acp_tui.session.text.phrases import data_text
from acp_tui.ui.render.diff_files import first_lines
from tests.rows import each_of
from tests.unit.ui.entries.test_tool_call import Scene, heading, rows, terminal, text

FILE = "/home/me/project/old.txt"
EDIT = Diff(path=FILE, old_text="one\ntwo\nthree\n", new_text="one\nTWO\nthree\n")
PATCH = (
    "Index: old.txt\n===================================================================\n--- old.txt\tCurrent\n"
    "+++ old.txt\tProposed\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
)
NUMBERED = "1\tone\n2\ttwo\n3\tthree\n4\t"


def unfolded(width: int = 60, **members: Any) -> list[str]:
    drawing = Scene().call(**{"kind": "other", "title": "Do it now", "status": "completed", **members})
    drawing.toggle()
    return rows(drawing, width)[1:-1]


def test_an_edit_that_comes_four_times_is_shown_once() -> None:
    told = unfolded(
        kind="edit",
        content=[EDIT],
        raw_input={"file_path": FILE, "old_string": "two", "new_string": "TWO"},
        raw_output={
            "fileDiff": PATCH,
            "fileName": "old.txt",
            "originalContent": EDIT.old_text,
            "newContent": EDIT.new_text,
            "diffStat": {"added": 1},
        },
    )
    assert told == [
        *("    1   one", "    2 − two", "    2 + TWO", "    3   three"),
        *("   Output", "   │ fileName: old.txt", "   │ diffStat:", "   │     added: 1"),
    ]


def test_a_patch_that_changes_something_else_is_left() -> None:
    other = PATCH.replace("+TWO", "+rm -rf")
    told = Scene().call(kind="edit", title="", status="completed", content=[EDIT], raw_output={"patch": other})
    told.toggle()
    assert "   … 5 more lines" in rows(told)
    told.toggle()
    assert "   │     +rm -rf" in rows(told)


@each_of(
    "output",
    [
        "one\ntwo\nthree",
        {"output": "one\r\ntwo\r\nthree\r\n"},
        [{"type": "text", "text": NUMBERED}],
        {"content": [{"type": "text", "text": "```\none\ntwo\nthree\n```"}], "error": None, "more": []},
        {"output": "   1→one\n   2→two\n   3→three", "metadata": {"preview": "one\ntwo"}},
        '{"stdout": "one\\ntwo\\nthree\\n", "stderr": ""}',
    ],
)
@each_of("shown", ["one\ntwo\nthree\n", f"```\n{NUMBERED}\n```"])
def test_an_output_that_comes_again_is_left_out(shown: str, output: Any) -> None:
    drawing = Scene().call(kind="read", title="a", status="completed", content=[text(shown)], raw_output=output)
    assert heading(drawing).endswith(" 3 lines")
    drawing.toggle()
    assert len(rows(drawing)) == 5


def test_what_a_terminal_shows_and_its_exit_code_are_not_told_again() -> None:
    scene = Scene()
    raw = {"exit_code": 0, "output": "\x1b[1mhi\x1b[0m\r\n", "signal": None, "duration": 3}
    drawing = scene.call(kind="execute", title="", status="completed", content=[terminal()], raw_output=raw)
    scene.output(b"\x1b[1mhi\x1b[0m\r\n")
    ended = TerminalExitStatus(exit_code=0)
    scene.session.apply(TerminalUpdate(terminal_id="t", command="echo hi", exit_status=ended))
    drawing.update()
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ hi", "   Output", "   │ duration: 3", ""]


def test_of_a_text_that_says_more_the_known_lines_are_counted() -> None:
    body = "\n".join(f"line {number}" for number in range(5))
    numbered = "\n".join(f"{number + 1}: line {number}" for number in range(5))
    told = unfolded(kind="read", content=[text(body)], raw_output=f"<file>\n{numbered}\n</file>\n(end)")
    assert told[-5:] == ["   Output", "   │ <file>", "   │ … 5 lines shown above", "   │ </file>", "   │ (end)"]


def test_what_is_left_beside_something_else_folds_and_unfolds() -> None:
    drawing = Scene().call(
        kind="read", title="a", status="completed", content=[text("x")], raw_output={str(n): n for n in range(20)}
    )
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ x", "   Output", *(f"   │ {n}: {n}" for n in range(6)), "   … 14 more lines", ""]
    drawing.toggle()
    assert rows(drawing)[-2] == "   │ 19: 19"
    drawing.toggle()
    assert len(rows(drawing)) == 1


def test_what_is_all_that_there_is_does_not_fold() -> None:
    assert len(unfolded(raw_output={str(n): n for n in range(20)})) == 21


def test_a_todo_list_in_three_places_is_told_once() -> None:
    todos = [{"content": "Look", "status": "pending"}]
    body = '[{"content": "Look", "status": "pending"}]'
    told = unfolded(title="3 todos", content=[text(body)], raw_input={"todos": todos}, raw_output={"todos": todos})
    assert told == ["   ○ Look"]


@pytest.mark.parametrize(
    ("shown", "below"),
    [
        ('{ "content": [] }', ["   │ limit: 3"]),
        ('{"content": [{"type": "text", "text": "hi"}]}', ["   │ hi"]),
        ('{"command": "ls", "limit": 3}', ["   │ limit: 3"]),  # the input again
        ('{"note": "yes"}', ["   │ note: yes"]),
    ],
)
def test_while_it_runs_no_braces_are_shown(shown: str, below: list[str]) -> None:
    raw = {"limit": 3, "command": "ls"}
    drawing = Scene().call(kind="other", title="bash", status="in_progress", content=[text(shown)], raw_input=raw)
    assert rows(drawing)[1:-1] == below


def test_input_that_is_still_streamed_is_not_shown() -> None:
    drawing = Scene().call(kind="edit", title="Write", status="pending", content=[text('{"path": "/tm')])
    assert len(rows(drawing)) == 1


def test_json_that_was_read_or_printed_stays_as_it_is() -> None:
    for kind in ("read", "execute", "search"):
        assert '   │ {"a": 1}' in unfolded(kind=kind, content=[text('{"a": 1}')])


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"a": 1, "b": "x\ny\n", "c": [1, "z"]}, ["a: 1", "b:", "    x", "    y", "c: 1, z"]),
        ({"a": {"b": {"c": None}}}, ["a:", "    b:", "        c: null"]),
        ([{"a": 1, "b": True}, "x"], ["- a: 1", "  b: true", "- x"]),
        ({"a": [], "b": {}}, ["a: []", "b: {}"]),
        (["x" * 40, "y" * 40], ["- " + "x" * 40, "- " + "y" * 40]),
        ("as it is", ["as it is"]),
    ],
)
def test_data_is_told_in_words(value: Any, lines: list[str]) -> None:
    assert data_text(value).split("\n") == lines


def deep() -> Any:
    value: Any = "x"
    for _ in range(900):
        value = {"a": [value]}
    return value


def test_data_that_is_nested_without_end_does_no_harm() -> None:
    assert data_text(deep()).count("\n") < 20
    members = {"raw_input": deep(), "raw_output": deep(), "content": [text("x")]}
    drawing = Scene().call(kind="other", title="", status="completed", **members)
    drawing.toggle()
    shown = "".join(rows(drawing, 200))
    # How deep the encoder goes is Python's affair: 3.12 and later go deeper.
    assert "… nested too deeply to show" in shown or '{"a": [{"a": [' in shown


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("one\ntwo\nthree", "3 lines"),
        ("one\r\ntwo\r\nthree\r\n", "3 lines"),
        ("```python\none\ntwo\nthree\n```", "3 lines"),
        (f"```\n{NUMBERED}\n```", "3 lines"),
        (NUMBERED, "3 lines"),
        ("     1→one\n     2→", "1 line"),
        ("5", "1 line"),
    ],
)
def test_lines_are_counted_as_they_are_shown(body: str, count: str) -> None:
    drawing = Scene().call(kind="read", title="a", status="completed", content=[text(body)])
    assert heading(drawing).endswith(f"  {count}")
    drawing.toggle()
    assert len(rows(drawing)) == int(count.split(maxsplit=1)[0]) + 2


def at(line: int | None, path: str = FILE) -> ToolCallLocation:
    return ToolCallLocation(path=path, line=line)


@pytest.mark.parametrize(
    ("old", "new", "locations", "start"),
    [
        ("two", "TWO", [at(2)], 2),
        ("two\n", "TWO\n", [at(12)], 12),
        ("one\ntwo\nthree\n", "one\nTWO\nthree\n", [at(2)], 1),  # a whole file
        ("one\n", "one\ntwo\n", [at(2)], 1),  # a line more at its end
        ("two", "TWO", [at(None)], 1),
        ("two", "TWO", [at(7, "/else")], 1),
        (None, "TWO", [at(7)], 1),
    ],
)
def test_an_excerpt_is_numbered_from_where_the_location_says(
    old: str | None, new: str, locations: list[ToolCallLocation], start: int
) -> None:
    assert first_lines([Diff(path=FILE, old_text=old, new_text=new)], locations) == [start]
    drawing = Scene().call(
        kind="edit", title="", status="completed", content=[Diff(path=FILE, old_text=old, new_text=new)]
    )
    drawing._entry.locations = locations
    drawing.update()
    assert any(row.split()[:1] == [str(start)] for row in rows(drawing)[1:])


def test_several_excerpts_of_one_file_take_the_locations_in_order() -> None:
    two = [Diff(path=FILE, old_text=text, new_text="x") for text in "ab"]
    assert first_lines(two, [at(5), at(9)]) == [5, 9]
    assert first_lines(two, [at(5)]) == [1, 1]


def test_the_whole_file_that_was_agreed_to_is_not_replaced_by_an_excerpt() -> None:
    scene = Scene()
    drawing = scene.call(kind="edit", title="", status="pending", content=[EDIT])
    excerpt = Diff(path=FILE, old_text="two", new_text="TWO")
    scene.change(drawing, status="completed", content=[text("Done"), excerpt])
    assert rows(drawing)[1:] == ["    1   one", "    2 − two", "    2 + TWO", "    3   three", ""]
    other = Diff(path=FILE, old_text="two", new_text="2")
    scene.change(drawing, content=[other])
    assert rows(drawing)[1:] == ["    1 − two", "    1 + 2", ""]
