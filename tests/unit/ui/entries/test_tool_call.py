"""Tool calls as rows: the heading of every state, what folds and what stays open, terminals and their growth."""

import pytest
from textual.content import Content

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.content import Annotations, ImageContent, TextContent
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, FormElicitation
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    Patch,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalReference,
    TerminalSize,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import (
    CancelRequested,
    EditFound,
    ElicitationReceived,
    FileWritten,
    PermissionAnswered,
    PermissionReceived,
)
from acp_tui.session.state import DISPLAY_CAP, Session
from acp_tui.ui.entries.diff_units import DiffPreview
from acp_tui.ui.entries.tool_call_drawing import ToolCallDrawing
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import FOLD, text_of
from acp_tui.ui.transcript.row_painter import lines_of
from tests.rows import each_of

PALETTE: Palette = palette_for(DARK)
WIDTH = 60


class Scene:
    """A session with one running turn, a clock that is set by hand, and drawings of its calls."""

    def __init__(self) -> None:
        self.now = 100.0
        self.session = Session("s", "/home/me/project", clock=lambda: self.now)
        self.session.apply(StateUpdate(state="running"))

    def call(self, call_id: str = "1", **members: object) -> ToolCallDrawing:
        self.session.apply(ToolCallUpdate.model_validate({"tool_call_id": call_id, **members}))
        entry = self.session.index.tool_calls[call_id]
        return ToolCallDrawing(entry, self.session)

    def change(self, drawing: ToolCallDrawing, call_id: str = "1", **members: object) -> None:
        self.session.apply(ToolCallUpdate.model_validate({"tool_call_id": call_id, **members}))
        drawing.update()

    def output(self, data: bytes, terminal_id: str = "t") -> None:
        self.session.apply(TerminalOutputChunk(terminal_id=terminal_id, data=data))


def rows(drawing: ToolCallDrawing, width: int = WIDTH) -> list[str]:
    return [text_of(row).rstrip() for unit in drawing.units for row in unit.rows(width, PALETTE)]


def heading(drawing: ToolCallDrawing, width: int = WIDTH) -> str:
    return rows(drawing, width)[0]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def text(value: str) -> ContentItem:
    return ContentItem(content=TextContent(text=value))


def terminal(terminal_id: str = "t") -> TerminalReference:
    return TerminalReference(terminal_id=terminal_id)


@pytest.mark.parametrize(
    ("kind", "title", "expected"),
    [
        ("read", "Read src/a.py", " ● Read     src/a.py"),
        ("read", "/home/me/project/src/a.py", " ● Read     src/a.py"),
        ("search", "grep 'x'", " ● Search   x"),
        ("edit", "Edit `a.py`", " ✎ Edit     a.py"),
        ("delete", "Delete a.py", " − Delete   a.py"),
        ("move", "Move a to b", " → Move     a → b"),
        ("execute", "`ls -la`", " $ ls -la"),
        ("execute", "Running: ls", " ● Run      ls"),
        ("think", "Thinking", " ✻ Think    Thinking"),
        ("fetch", "https://x.org", " ↓ Fetch    https://x.org"),
        ("switch_mode", "Plan mode", " ⇄ Mode     Plan mode"),
        ("other", "todo", " ● Tool     todo"),
        ("newer", "todo", " ● Tool     todo"),
        ("read", "Reader settings", " ● Read     Reader settings"),
    ],
)
def test_a_done_call_is_its_icon_its_verb_and_its_subject(scene: Scene, kind: str, title: str, expected: str) -> None:
    assert rows(scene.call(kind=kind, title=title, status="completed")) == [expected]


@pytest.mark.parametrize(
    ("status", "sign", "word"),
    [
        ("pending", "○", "pending"),
        ("in_progress", "◐", "running"),
        ("failed", "✗", "failed"),
        ("cancelled", "⊘", "cancelled"),
        ("paused", "◑", "paused"),
        ("newer", "◌", "newer"),
    ],
)
def test_every_other_state_has_a_sign_and_a_word(scene: Scene, status: str, sign: str, word: str) -> None:
    line = heading(scene.call(kind="read", title="a", status=status))
    assert line.startswith(f" {sign} Read     a ")
    assert line.endswith(f" {word}")
    assert len(line) == WIDTH - 2
    command = heading(scene.call("2", kind="execute", title="List all", status=status, raw_input={"command": "ls"}))
    assert command.startswith(" $ ls  List all ")
    assert command.endswith(f" {word}")


def test_a_call_that_was_never_ended_says_so(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="a", status="in_progress")
    scene.session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
    drawing.update()
    assert heading(drawing).startswith(" ◌ Read")
    assert heading(drawing).endswith("not finished")


def test_an_edit_that_was_never_ended_shows_its_diff_where_the_file_did_change(scene: Scene) -> None:
    drawing = scene.call(kind="edit", title="a", content=[Diff(path="/p/a", old_text="one", new_text="two")])
    scene.session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
    drawing.update()
    assert [row for row in rows(drawing) if row] == [heading(drawing)]
    scene.session.apply(EditFound("1"))
    drawing.update()
    assert heading(drawing).endswith("not finished · +1 −1")
    assert any("two" in row for row in rows(drawing))


@pytest.mark.parametrize("stopped", ["rejected", "cancelled"])
def test_what_the_user_stopped_says_that_and_no_more(scene: Scene, stopped: str) -> None:
    drawing = scene.call(kind="execute", raw_input={"command": "make"}, content=[terminal()])
    scene.session.apply(TerminalUpdate(terminal_id="t"))
    if stopped == "rejected":
        options = [PermissionOption(option_id="no", name="No", kind="reject_once")]
        subject = PermissionSubject(type="tool_call", tool_call_id="1")
        request = PermissionRequest(session_id="s", title="?", subject=subject, options=options)
        scene.session.apply(PermissionReceived(1, request))
        scene.session.apply(PermissionAnswered(1, "no"))
    else:
        scene.session.apply(CancelRequested())
    scene.session.apply(TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus()))
    scene.change(drawing, status="failed")
    assert heading(drawing).split("  ")[-1].strip() == f"⊘ {stopped}"
    assert [row for row in rows(drawing) if row] == [heading(drawing)]


def test_a_command_of_which_the_agent_does_not_say_how_it_ended_has_not_failed(scene: Scene) -> None:
    drawing = scene.call(kind="execute", raw_input={"command": "make"}, content=[terminal()])
    scene.session.apply(TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus()))
    scene.change(drawing, status="completed")
    assert heading(drawing).endswith("  exited · 0.0 s")


@pytest.mark.parametrize("status", ["paused", "newer"])
def test_what_an_agent_says_that_a_call_is_stays_after_the_turn(scene: Scene, status: str) -> None:
    drawing = scene.call(kind="read", title="a", status=status)
    scene.session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
    drawing.update()
    assert heading(drawing).endswith(status)


def test_the_end_of_a_heading_is_never_cut(scene: Scene) -> None:
    line = heading(scene.call(kind="read", title="x" * 500, status="failed"))
    assert line.endswith("…  failed")
    assert len(line) == WIDTH - 2
    wide = heading(scene.call("2", kind="read", title="漢" * 500, status="failed"))
    assert Content(wide).cell_length <= WIDTH - 2


def test_figures_and_diffs_end_at_the_edge_of_the_view(scene: Scene) -> None:
    drawing = edit(scene)
    assert len(rows(drawing, 250)[0]) == 248
    assert max(len(text_of(row)) for unit in drawing.units for row in unit.rows(250, PALETTE)) == 248


def test_what_a_command_printed_has_all_the_width(scene: Scene) -> None:
    line = "x" * 200
    assert any(row.endswith(line) for row in rows(run(scene, line.encode()), 250))


def test_locations_are_told_where_the_title_does_not(scene: Scene) -> None:
    places = [ToolCallLocation(path="/home/me/project/a.py", line=7), ToolCallLocation(path="/b")]
    assert heading(scene.call(kind="read", title="Look", status="completed", locations=places)) == (
        " ● Read     a.py:7 +1 more"
    )
    assert heading(scene.call("2", kind="read", title="Read a.py", status="completed", locations=places[:1])) == (
        " ● Read     a.py:7"
    )


@pytest.mark.parametrize("title", ["", "Read", "read", "Tool call", "…"])
def test_a_title_that_says_nothing_gives_way(scene: Scene, title: str) -> None:
    places = [ToolCallLocation(path="/home/me/project/a.py")]
    assert heading(scene.call(kind="read", title=title, status="completed", locations=places)) == " ● Read     a.py"
    told = scene.call("2", kind="read", title=title, status="completed", raw_input={"limit": 3, "filePath": "b.py"})
    assert heading(told) == " ● Read     b.py"


def test_a_quick_call_does_not_tell_its_duration_and_a_slow_one_does(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="a", status="in_progress")
    scene.now += 12.3
    scene.change(drawing, status="completed")
    assert heading(drawing).endswith("  12 s")
    scene.call("2", kind="read", title="a", status="completed")


def test_hostile_titles_are_shown_and_do_nothing(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="[@click=app.quit]a[/]\x1b[2J\x1b]52;c;x\x07\u202e\nb", status="completed")
    (line,) = rows(drawing)
    assert "[@click=app.quit]a[/]" in line
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "⏎ b" in line


def test_what_was_read_folds_to_a_count_and_unfolds(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="a", status="completed", content=[text("one\ntwo\n")])
    assert rows(drawing) == [" ● Read     a" + " " * (WIDTH - 15 - 7) + "2 lines"]
    assert drawing.folded is True
    assert drawing.toggle() == 0
    assert rows(drawing)[1:] == ["   │ one", "   │ two", ""]
    assert drawing.folded is False
    assert drawing.toggle() == 0
    assert len(rows(drawing)) == 1


def test_a_picture_has_its_line_even_when_the_call_is_folded(scene: Scene) -> None:
    picture = ContentItem(content=ImageContent(data="AAAA", mime_type="image/png"))
    drawing = scene.call(kind="other", title="a", status="completed", content=[text("one"), picture])
    assert rows(drawing)[1:] == ["   │ ▣ image  image/png · 3 B", ""]


def test_what_is_for_the_agent_only_is_counted_and_unfolds(scene: Scene) -> None:
    block = TextContent(text="one\ntwo", annotations=Annotations(audience=["assistant"]))
    drawing = scene.call(kind="read", title="a", status="failed", content=[ContentItem(content=block)])
    assert rows(drawing)[1:] == ["   │ ⋯ text  2 lines · for the agent only", ""]
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ one", "   │ two", ""]


def test_without_anything_more_nothing_folds(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="a", status="completed")
    assert drawing.folded is None
    assert drawing.toggle() is None


def test_a_running_call_shows_a_few_lines_and_how_many_more(scene: Scene) -> None:
    drawing = scene.call(kind="search", title="a", status="in_progress", content=[text("\n".join("abcdefghij"))])
    assert rows(drawing)[1:] == [*(f"   │ {letter}" for letter in "abcdef"), "   … 4 more lines", ""]


def test_content_in_chunks_shows_as_it_comes(scene: Scene) -> None:
    drawing = scene.call(status="in_progress", content=[text("one")])
    scene.session.apply(ToolCallContentChunk(tool_call_id="1", content=text("two")))
    drawing.update()
    assert [row for row in ("one", "two") if any(row in told for told in rows(drawing))] == ["one", "two"]


def test_a_failed_call_stays_open(scene: Scene) -> None:
    drawing = scene.call(kind="fetch", title="a", status="failed", content=[text("```\n404\n```")])
    assert rows(drawing)[1:] == ["   │ 404", ""]


def test_a_failed_call_without_content_shows_its_raw_output(scene: Scene) -> None:
    drawing = scene.call(kind="fetch", title="a", status="failed", raw_output={"error": "no\nway", "code": 7})
    assert rows(drawing)[1:] == ["   │ error:", "   │     no", "   │     way", "   │ code: 7", ""]


def test_raw_input_shows_where_nothing_else_tells(scene: Scene) -> None:
    raw = {"command": "ls\npwd", "timeout": 3}
    drawing = scene.call(kind="other", title="bash", name="bash", status="pending", raw_input=raw)
    assert heading(drawing).startswith(" $ ls ⏎ pwd  ")
    assert heading(drawing).endswith("○ pending")
    assert rows(drawing)[1:] == ["   │ timeout: 3", ""]
    silent = scene.call("2", kind="read", title="a", status="pending", raw_input={"path": "a"})
    assert len(rows(silent)) == 1


def test_raw_input_and_output_show_when_unfolded(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="a", status="completed", raw_input={"a": [1]}, raw_output="done")
    drawing.toggle()
    assert rows(drawing)[1:] == ["   Input", "   │ a: 1", "   Output", "   │ done", ""]


def test_blocks_that_are_no_text_are_told_in_a_line(scene: Scene) -> None:
    image = ContentItem(content=ImageContent(data="aGVsbG8=", mime_type="image/png"))
    drawing = scene.call(kind="read", title="a", status="failed", content=[image])
    assert "image" in rows(drawing)[1]
    assert "5 B" in rows(drawing)[1]


def edit(scene: Scene, status: str = "completed", old: str | None = None, lines: int = 30) -> ToolCallDrawing:
    new = "".join(f"line {number}\n" for number in range(lines))
    return scene.call(
        kind="edit", title="a.py", status=status, content=[Diff(path="/a.py", old_text=old, new_text=new)]
    )


def test_a_finished_edit_shows_ten_lines_and_the_rest_unfolds(scene: Scene) -> None:
    drawing = edit(scene)
    shown = rows(drawing)
    assert shown[0].endswith("  +30")
    assert shown[1] == "     1 + line 0"
    assert shown[11:] == ["   … 20 more lines", ""]
    drawing.toggle()
    assert rows(drawing)[1:] == [*(f"    {n:2} + line {n - 1}" for n in range(1, 31)), ""]


def test_an_edit_of_a_few_lines_shows_them_all(scene: Scene) -> None:
    shown = rows(edit(scene, old="line 0\nold\n", lines=2))
    assert shown[0].endswith("+1 −1")
    assert shown[1:] == ["    1   line 0", "    2 − old", "    2 + line 1", ""]


def test_a_cancelled_edit_folds(scene: Scene) -> None:
    shown = rows(edit(scene, status="cancelled"))
    assert len(shown) == 1
    assert shown[0].endswith("cancelled · not written")


def test_a_cancelled_edit_that_was_written_is_not_called_unwritten(scene: Scene) -> None:
    drawing = edit(scene, status="in_progress")
    drawing._entry.applied = True
    scene.change(drawing, status="cancelled")
    assert "not written" not in heading(drawing)


def test_copied_lines_have_no_numbers_and_no_signs(scene: Scene) -> None:
    drawing = edit(scene, old="line 0\nold\n", lines=2)
    copied = [line for unit in drawing.units[1:2] for _, line in lines_of(unit.rows(WIDTH, PALETTE))]
    assert copied == ["line 0", "old", "line 1"]


def run(scene: Scene, output: bytes) -> ToolCallDrawing:
    scene.output(output)
    raw = {"command": "make"}
    return scene.call(kind="execute", title="make", status="in_progress", content=[terminal()], raw_input=raw)


def test_a_running_command_shows_the_end_of_its_output(scene: Scene) -> None:
    drawing = run(scene, b"".join(b"%d\r\n" % number for number in range(25)))
    assert rows(drawing)[1:] == ["   … 15 earlier lines", *(f"   │ {number}" for number in range(15, 25)), ""]


def test_output_grows_without_new_units(scene: Scene) -> None:
    drawing = run(scene, b"one\n")
    units = list(drawing.units)
    version = units[1].version
    scene.output(b"two\n")
    drawing.update()
    assert list(drawing.units) == units
    assert units[1].version > version
    assert rows(drawing)[1:] == ["   │ one", "   │ two", ""]


def test_a_finished_command_folds_to_its_exit_code(scene: Scene) -> None:
    drawing = run(scene, b"\x1b[32mfine\x1b[0m\n2\n3\n4\n")
    scene.now += 3.2
    scene.session.apply(TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus(exit_code=0)))
    scene.change(drawing, status="completed")
    assert rows(drawing) == [" $ make" + " " * (WIDTH - 9 - 16) + "✓ exit 0 · 3.2 s"]
    scene.session.apply(TerminalUpdate(terminal_id="t", released=True))
    drawing.update()
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ fine", "   │ 2", "   │ 3", "   │ 4", ""]


@pytest.mark.parametrize("printed", [b"fine\n", b"1\n2\n3", b"1\n2\n3\n"])
def test_a_few_lines_of_a_command_do_not_fold(scene: Scene, printed: bytes) -> None:
    drawing = run(scene, printed)
    scene.session.apply(TerminalUpdate(terminal_id="t", exit_status=TerminalExitStatus(exit_code=0)))
    scene.change(drawing, status="completed")
    assert rows(drawing)[1:] == [*(f"   │ {line}" for line in printed.decode().splitlines()), ""]
    drawing.toggle()
    assert rows(drawing)[1:] == [*(f"   │ {line}" for line in printed.decode().splitlines()), ""]


@pytest.mark.parametrize("raw", ["out-42\n", {"stdout": "out-42", "exit_code": 0}, {"output": "out-42\n"}, None])
@pytest.mark.parametrize("lines", [1, 3, 4])
def test_so_do_they_however_an_agent_tells_them(scene: Scene, raw: object, lines: int) -> None:
    said = "\n".join(["out-42"] * lines)
    output = (
        {name: said if name in ("stdout", "output") else each for name, each in raw.items()}
        if isinstance(raw, dict)
        else raw and said
    )
    content = [] if raw else [text(said)]
    call = scene.call(title="`echo`", kind="execute", status="completed", raw_output=output, content=content)
    assert rows(call)[1:] == (["   │ out-42"] * lines + [""] if lines <= 3 else [])


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        (TerminalExitStatus(exit_code=2), "✗ exit 2 · 0.0 s"),
        (TerminalExitStatus(signal="SIGKILL"), "✗ terminated by SIGKILL · 0.0 s"),
    ],
)
def test_a_command_that_ended_badly_stays_open(scene: Scene, status: TerminalExitStatus, ending: str) -> None:
    drawing = run(scene, b"oops\n")
    scene.session.apply(TerminalUpdate(terminal_id="t", exit_status=status))
    scene.change(drawing, status="completed")
    assert heading(drawing).endswith(ending)
    assert rows(drawing)[1:] == ["   │ oops", ""]


def test_a_long_output_unfolds_in_stretches_of_which_only_the_last_changes(scene: Scene) -> None:
    drawing = run(scene, b"".join(b"%d\n" % number for number in range(120)))
    drawing.toggle()
    assert len(rows(drawing)) == 1 + 120 + 1
    units = list(drawing.units)
    versions = [unit.version for unit in units]
    scene.output(b"more\n")
    drawing.update()
    assert list(drawing.units) == units
    assert [unit.version for unit in drawing.units][3:5] == versions[3:5]
    assert rows(drawing)[-2] == "   │ more"


def test_output_that_was_replaced_is_shown_anew(scene: Scene) -> None:
    drawing = run(scene, b"old\n")
    assert rows(drawing)[1] == "   │ old"
    scene.session.apply(TerminalUpdate(terminal_id="t", output=b"new\n"))
    drawing.update()
    assert rows(drawing)[1:] == ["   │ new", ""]


def test_a_snapshot_is_never_mixed_with_what_stood_there_before(scene: Scene) -> None:
    drawing = run(scene, b"before\n")
    scene.output(b"a")
    assert rows(drawing)[1:] == ["   │ before", "   │ a", ""]
    scene.session.apply(TerminalUpdate(terminal_id="t", output=b"a"))  # one and the same object as the chunk before
    drawing.update()
    assert rows(drawing)[1:] == ["   │ a", ""]


def test_unfolded_stretches_of_a_snapshot_are_new_ones(scene: Scene) -> None:
    drawing = run(scene, b"old\n" * 120)
    drawing.toggle()
    before = {id(unit): unit.version for unit in drawing.units[3:5] if rows(drawing)}
    scene.session.apply(TerminalUpdate(terminal_id="t", output=b"new\n" * 120))
    drawing.update()
    assert not before.keys() & {id(unit) for unit in drawing.units}
    assert {*rows(drawing)[1:-1]} == {"   │ new"}


def test_what_a_terminal_dropped_is_not_read_twice(scene: Scene) -> None:
    drawing = run(scene, b"one\n")
    scene.output(b"two\n")
    assert rows(drawing)[1:3] == ["   │ one", "   │ two"]
    found = scene.session.terminals["t"]
    found.chunks, found.size, found.dropped = [b"two\n"], 4, 4
    scene.output(b"three\n")
    drawing.update()
    assert rows(drawing)[1:4] == ["   │ one", "   │ two", "   │ three"]


def test_where_output_was_dropped_that_nobody_saw_a_terminal_begins_again(scene: Scene) -> None:
    drawing = run(scene, b"one\n")
    assert rows(drawing)[1:] == ["   │ one", ""]
    scene.output(b"x" * (DISPLAY_CAP + 1) + b"\nlast\n")
    drawing.update()
    assert rows(drawing)[-2] == "   │ last"
    assert "   │ one" not in rows(drawing)


def test_a_terminal_that_nobody_made_does_no_harm(scene: Scene) -> None:
    drawing = scene.call(kind="execute", title="ls", status="in_progress", content=[terminal("nowhere")])
    assert len(rows(drawing)) == 1


def test_unfolded_a_terminal_says_what_its_heading_does_not(scene: Scene) -> None:
    drawing = scene.call(kind="execute", title="make", status="in_progress", content=[terminal("t")])
    scene.output(b"hi\n")
    drawing.update()
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ hi", ""]
    assert heading(drawing).startswith(" ◐ Run      make ")
    told = TerminalUpdate(terminal_id="t", command="make", cwd="/home/me/project/", size=TerminalSize(cols=80, rows=24))
    scene.session.apply(told)
    drawing.update()
    assert heading(drawing).startswith(" $ make ")
    assert rows(drawing)[1:] == ["   terminal 80 × 24", "   │ hi", ""]
    scene.session.apply(
        TerminalUpdate(terminal_id="t", command="make\n-j2\x1b[2J", cwd="/home/me/project/src", size=None)
    )
    drawing.update()
    assert heading(drawing).startswith(" $ make ⏎ -j2  ")
    assert rows(drawing)[1:] == ["   $ make", "   -j2", "   in src", "   │ hi", ""]
    assert rows(drawing, 20)[1:] == ["   $ make", "   -j2", "   in src", "   │ hi", ""]
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ hi", ""]


def test_of_several_terminals_each_says_its_command(scene: Scene) -> None:
    both = [terminal("t"), terminal("u")]
    drawing = scene.call(kind="execute", title="build", status="in_progress", content=both)
    for name in "tu":
        scene.session.apply(TerminalUpdate(terminal_id=name, command=f"make {name}", cwd="/home/me/project"))
    drawing.update()
    drawing.toggle()
    assert heading(drawing).startswith(" $ make t  $ make u  ")
    assert rows(drawing)[1:] == ["   $ make t", "   $ make u", "   $ make t", "   $ make u", ""]


def test_calls_stand_together_and_apart_from_messages(scene: Scene) -> None:
    first = scene.call("1", kind="read", title="a", status="completed")
    scene.call("2", kind="read", title="b", status="completed")
    first.update()
    assert len(rows(first)) == 1
    second = ToolCallDrawing(scene.session.index.tool_calls["2"], scene.session)
    assert len(rows(second)) == 1
    chunk = MessageChunk(session_update="agent_message_chunk", message_id="m", content=TextContent(text="hi"))
    scene.session.apply(chunk)
    second.update()
    assert rows(second)[1:] == [""]


def test_every_part_of_a_heading_folds_when_clicked(scene: Scene) -> None:
    drawing = scene.call(kind="read", title="a", status="completed", content=[text("x")])
    (row,) = drawing.units[0].rows(WIDTH, PALETTE)
    assert any(FOLD in (segment.style.meta if segment.style else {}) for segment in row.segments)


@pytest.mark.parametrize("width", [24, 61, 200])
def test_no_row_is_wider_than_there_is_room(scene: Scene, width: int) -> None:
    drawing = edit(scene, old="old 漢字 text that is long enough to be wrapped at most widths\n")
    for _ in range(2):
        for unit in drawing.units[1:]:
            assert unit.estimate(width) >= 0
            for row in unit.rows(width, PALETTE):
                assert sum(segment.cell_length for segment in row.segments) <= width
        drawing.toggle()


def test_an_entry_of_its_own_kind_is_drawn_even_outside_a_session() -> None:
    drawing = ToolCallDrawing(ToolCallEntry("x", title="a", status="completed"), Session("s", "/"))
    assert heading(drawing).startswith(" ● Tool     a")


SMALL = Diff(path="/home/me/project/a.py", old_text="old\n", new_text="new\n")


def test_the_diff_that_a_result_replaces_is_the_finished_edits(scene: Scene) -> None:
    drawing = scene.call(kind="edit", title="Edit", status="in_progress", content=[SMALL])
    scene.change(drawing, status="completed", content=[text("Replaced 1 occurrence")])
    assert heading(drawing) == " ✎ Edit     a.py" + " " * (WIDTH - 16 - 7) + "+1 −1"
    assert rows(drawing)[1:] == ["    1 − old", "    1 + new", ""]
    drawing.toggle()
    assert rows(drawing)[1:] == ["    1 − old", "    1 + new", "   │ Replaced 1 occurrence", ""]


def test_a_refused_edit_shows_the_reason_and_no_diff(scene: Scene) -> None:
    drawing = scene.call(kind="edit", title="a.py", status="in_progress", content=[SMALL])
    scene.change(drawing, status="failed", content=[text("The user said no")])
    assert heading(drawing).endswith("  failed")
    assert rows(drawing)[1:] == ["   │ The user said no", ""]


def test_a_failed_command_says_so_beside_its_duration(scene: Scene) -> None:
    drawing = scene.call(kind="execute", title="`ls`", status="in_progress")
    scene.now += 1
    scene.change(drawing, status="failed", content=[text("rejected")])
    assert heading(drawing).endswith("  ✗ failed · 1.0 s")


def test_an_edit_does_not_tell_how_long_the_user_thought(scene: Scene) -> None:
    drawing = scene.call(kind="edit", title="a.py", status="in_progress")
    scene.now += 40
    scene.change(drawing, status="completed", content=[text("Wrote 5 bytes")])
    assert rows(drawing) == [" ✎ Edit     a.py"]


def ask(scene: Scene, call_id: str = "1") -> None:
    call = ToolCallUpdate(tool_call_id=call_id)
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id=call_id)
    scene.session.apply(PermissionReceived(7, PermissionRequest(session_id="s", title="", subject=subject, options=[])))


def test_what_waits_for_the_user_is_one_row(scene: Scene) -> None:
    drawing = scene.call(kind="edit", title="a.py", status="pending", content=[SMALL])
    ask(scene)
    drawing.update()
    assert rows(drawing) == [" △ Edit     a.py" + " " * (WIDTH - 16 - 7) + "+1 −1"]
    drawing.toggle()
    assert rows(drawing)[1:] == ["    1 − old", "    1 + new", ""]
    drawing.toggle()
    scene.session.apply(PermissionAnswered(7, "once"))
    drawing.update()
    assert heading(drawing).startswith(" ○ Edit")
    assert rows(drawing)[1:] == ["    1 − old", "    1 + new", ""]


def test_a_command_that_waits_says_so_by_its_sign(scene: Scene) -> None:
    drawing = scene.call(kind="execute", title="Bash", status="in_progress", raw_input={"command": "ls -la"})
    ask(scene)
    drawing.update()
    assert rows(drawing) == [" △ ls -la"]


def test_the_same_diffs_are_not_compared_again(scene: Scene) -> None:
    drawing = scene.call(kind="edit", title="a.py", status="in_progress", content=[SMALL])
    before = drawing.units[1]
    scene.change(drawing, status="completed", content=[text("done")])
    assert isinstance(before, DiffPreview)
    assert isinstance(drawing.units[1], DiffPreview)
    assert drawing.units[1]._diffs is before._diffs


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/me/project/src/a.py", "src/a.py:7"),
        ("/home/me/other/a.py", "~/other/a.py:7"),
        ("/etc/a.py", "/etc/a.py:7"),
        ("/home/merry/a.py", "/home/merry/a.py:7"),
    ],
)
def test_paths_are_told_from_where_the_user_is(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, path: str, shown: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    where = [ToolCallLocation(path=path, line=7)]
    drawing = scene.call(kind="read", title="Look", status="completed", locations=where)
    assert heading(drawing) == f" ● Read     {shown}"


def test_a_long_path_keeps_its_end(scene: Scene) -> None:
    where = [ToolCallLocation(path="/" + "very/" * 20 + "deep.py", line=3)]
    line = heading(scene.call(kind="read", title="Look", status="completed", locations=where))
    assert line.startswith(" ● Read     …")
    assert line.endswith("/deep.py:3")
    assert len(line) <= WIDTH - 2


def test_the_folder_of_the_session_is_no_place_worth_telling(scene: Scene) -> None:
    where = [ToolCallLocation(path="/home/me/project")]
    assert heading(scene.call(kind="execute", title="ls", status="completed", locations=where)) == " ● Run      ls"


def test_a_title_that_is_the_path_without_its_slash_is_the_path(scene: Scene) -> None:
    where = [ToolCallLocation(path="/home/me/project/a.py")]
    drawing = scene.call(kind="read", title="home/me/project/a.py", status="completed", locations=where)
    assert heading(drawing) == " ● Read     a.py"


def test_raw_output_that_is_the_text_above_is_not_told_twice(scene: Scene) -> None:
    content = [text("one\ntwo")]
    drawing = scene.call(
        kind="read", title="a", status="completed", content=content, raw_output={"output": "one\ntwo\n"}
    )
    drawing.toggle()
    assert rows(drawing)[1:] == ["   │ one", "   │ two", ""]


def test_changes_without_text_have_no_counts_but_what_is_known(scene: Scene) -> None:
    new = FileChange(operation="add", path="/home/me/project/pic.png", file_type="binary")
    assert rows(scene.call(kind="edit", title="a", status="completed", content=[Diff(changes=[new])])) == [
        " ✎ Edit     pic.png                      new file · binary",
        "",
    ]


def test_many_files_are_counted_and_told_by_their_paths_in_the_folder(scene: Scene) -> None:
    changes = [FileChange(operation="delete", path=f"/home/me/project/{number}") for number in range(30)]
    diff = Diff(changes=changes, patch=Patch(format="_other", text="?"))
    lines = rows(scene.call(kind="edit", title="a", status="completed", content=[diff]))
    assert lines[0].endswith(" 30 files")
    assert lines[1:3] == [f"   {number}  deleted · content not provided" for number in (0, 1)]
    assert lines[10:] == ["   9  deleted · content not provided", "   … 21 more lines", ""]


def write(scene: Scene, old: str | None, new: str) -> None:
    path = "/home/me/project/a.txt"
    scene.session.apply(FileWritten(path, 1, 1, 1, diff=Diff(path=path, old_text=old, new_text=new)))


def test_what_was_written_here_is_shown_and_said_to_be_that(scene: Scene) -> None:
    drawing = scene.call(title="/home/me/project/a.txt", kind="edit", status="in_progress")
    write(scene, "one\ntwo\n", "one\nTWO\n")
    drawing.update()
    assert "    2 + TWO" in rows(drawing)
    scene.change(drawing, status="completed")
    heading, *below = rows(drawing)
    assert heading.endswith("+1 −1 · written to disk")
    assert below == ["    1   one", "    2 − two", "    2 + TWO", ""]
    assert drawing.folded


def test_diffs_of_the_agent_are_shown_instead_of_what_was_written_here(scene: Scene) -> None:
    drawing = scene.call(title="/home/me/project/a.txt", kind="edit", status="in_progress")
    write(scene, None, "one\ntwo\n")
    drawing.update()
    assert rows(drawing)[0].endswith("+2 · written to disk")
    scene.change(drawing, status="completed", content=[Diff(path="/home/me/project/a.txt", new_text="one\n")])
    assert rows(drawing)[0].endswith("  +1")


def test_a_file_too_long_to_be_shown_is_told_to_have_changed_and_not_to_be_shown(scene: Scene) -> None:
    drawing = scene.call(title="/home/me/project/a.txt", kind="edit", status="in_progress")
    changed = Diff(changes=[FileChange(operation="modify", path="/home/me/project/a.txt")])
    scene.session.apply(FileWritten("/home/me/project/a.txt", 9, 9, 1, diff=changed))
    scene.change(drawing, status="completed")
    assert rows(drawing)[0].endswith("changed · written to disk, diff incomplete")


QUESTION = "Which colour do you want?"


@each_of("told", [{"title": QUESTION}, {"title": "ask"}, {"title": "Asking", "name": "ask"}])
def test_a_question_that_a_call_asks_stands_where_it_is_answered_and_not_here(told: dict[str, str]) -> None:
    scene = Scene()
    said = ContentItem(type="content", content=TextContent(text=f'{{"questions": ["{QUESTION}"]}}'))
    raw = {"questions": [{"question": QUESTION}]}
    drawing = scene.call(kind="other", status="in_progress", content=[said], raw_input=raw, **told)
    assert QUESTION in "".join(rows(drawing, 120))
    schema = read(ElicitationSchema, {"properties": {"c": {"type": "string"}}})
    form = FormElicitation(mode="form", message=QUESTION, session_id="s", tool_call_id="1", requested_schema=schema)
    scene.session.apply(ElicitationReceived(1, form))
    drawing.update()
    assert QUESTION not in "".join(rows(drawing, 120))
    assert "questions" not in "".join(rows(drawing, 120))
