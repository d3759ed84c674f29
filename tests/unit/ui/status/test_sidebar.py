"""What the sidebar says: files with counts, terminals, usage, the place where the agent works."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_tui.errors import UserFault
from acp_tui.host.config.preferences import remember, remembered
from acp_tui.host.prompts.mentions import Excerpt, file_inside, read_excerpt
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, Cost, Plan, PlanEntry, SubagentUpdate, UsageUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import FileWritten
from acp_tui.session.state import Session
from acp_tui.session.tools.patches import ChangedFile
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.diff_files import ChangedFiles
from acp_tui.ui.render.text import cut_left, sanitise_line
from acp_tui.ui.status.follow_pane import WorkPlace, excerpt_text, first_changed, newest_place, place_of
from acp_tui.ui.status.sidebar import plan_section, rows_of, usage_section
from acp_tui.views.session_facts import SUBAGENTS_SHOWN, files, subagents, terminals
from tests.transcript_fakes import message

PALETTE = palette_for(DARK)
WIDTH = 38
LONG = 60.0  # seconds, more than any count takes


def edit(path: str, old: str | None, new: str, status: str = "completed") -> ToolCallEntry:
    content = [Diff(path=path, old_text=old, new_text=new)]
    return ToolCallEntry("t", kind="edit", status=status, content=list(content))


def changed(*entries: ToolCallEntry) -> list[ChangedFile]:
    files = ChangedFiles()
    files.look(entries)
    assert not files.count(LONG)
    return files.files({})


def test_changes_to_one_file_are_added_up_and_the_last_changed_stands_last() -> None:
    first = edit("/p/a.py", "x\n", "y\n")
    other = edit("/p/b.py", None, "1\n2\n")
    again = edit("/p/a.py", "y\n", "y\nz\n")
    assert changed(first, other, again) == [
        ChangedFile("/p/b.py", 2, 0, "new file"),
        ChangedFile("/p/a.py", 2, 1),
    ]


@pytest.mark.parametrize("status", ["pending", "in_progress", "failed", "cancelled"])
def test_what_did_not_happen_changed_nothing(status: str) -> None:
    assert changed(edit("/p/a.py", "x\n", "y\n", status)) == []


def test_a_call_that_changes_is_counted_anew_and_a_diff_that_is_replaced_still_counts() -> None:
    call = edit("/p/a.py", "x\n", "y\n", "in_progress")
    files = ChangedFiles()
    files.look([call])
    files.count(LONG)
    call.earlier_diffs = [item for item in call.content if isinstance(item, Diff)]
    call.content = [ContentItem(content=TextContent(text="done"))]
    call.status, call.version = "completed", call.version + 1
    files.look([call])
    files.count(LONG)
    writes = {path: FileWritten(path, 5, 2, 1, created=True) for path in ("/p/a.py", "/p/w.py")}
    assert files.files(writes) == [ChangedFile("/p/w.py", 5, 2, "new file"), ChangedFile("/p/a.py", 1, 1)]


def test_of_a_write_too_long_to_be_shown_the_lines_are_still_counted() -> None:
    call = ToolCallEntry("t", kind="edit", status="completed")
    call.written = [Diff(changes=[FileChange(operation="modify", path="/p/long")]), Diff(path="/p/a", new_text="1\n")]
    files = ChangedFiles()
    files.look([call])
    files.count(LONG)
    writes = {path: FileWritten(path, 9_000, 2, 1) for path in ("/p/a", "/p/long")}
    assert files.files(writes) == [ChangedFile("/p/long", 9_000, 2), ChangedFile("/p/a", 1, 0, "new file")]


def test_patches_of_an_input_change_files() -> None:
    session = Session("s", "/p")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n x\n-y\n+z\n*** Add File: b.py\n+1\n*** End Patch"
    session.apply(ToolCallUpdate(tool_call_id="1", status="completed", raw_input={"patch": patch}))
    assert changed(session.index.tool_calls["1"]) == [
        ChangedFile("/p/a.py", 1, 1),
        ChangedFile("/p/b.py", 1, 0, "new file"),
    ]


def test_without_time_the_rest_waits() -> None:
    files = ChangedFiles()
    files.look([edit("/p/a.py", None, "1\n")])
    assert files.count(0.0)
    assert not files.count(LONG)


def test_every_row_fits_and_says_what_matters() -> None:
    paths = ["/p/src/a.py", "/elsewhere/" + "long/" * 20 + "last.py", "/p/\x1b[2Jb.py"]
    rows = [row for row, _ in rows_of(files([ChangedFile(path, 12, 3) for path in paths], "/p"), WIDTH)]
    assert [row.cell_length for row in rows] == [WIDTH] * 4
    said = [row.plain for row in rows]
    assert said[1].startswith("b.py")
    assert said[2].startswith("…")
    assert "last.py" in said[2]
    assert said[3].startswith("src/a.py")
    assert said[3].endswith("+12 −3")


def test_a_section_without_rows_is_not_there() -> None:
    session = Session("s", "/p")
    assert [rows_of(each, WIDTH) for each in (subagents(session, ""), files([], "/p"), terminals(session))] == [[]] * 3


def test_what_has_no_row_stands_below_and_a_click_finds_what_a_row_stands_for() -> None:
    session = Session("s", "/p")
    for number in range(SUBAGENTS_SHOWN + 5):
        session.apply(
            read(SubagentUpdate, {"sessionId": str(number), "title": "日本語 " * 9, "state": {"state": "running"}})
        )
    section = subagents(session, "^X a")
    rows = rows_of(section, WIDTH, gap=1)
    assert [value for _, value in rows] == ["", *(row.value for row in section.rows), ""]
    assert [row.cell_length for row, _ in rows[:-1]] == [WIDTH] * (SUBAGENTS_SHOWN + 1)
    assert rows[-1][0].plain == "… 5 more (^X a)"


def test_plan_and_usage() -> None:
    session = Session("s", "/p")
    assert list(plan_section(session, WIDTH, PALETTE)) == list(usage_section(session, WIDTH)) == []
    steps = [PlanEntry(content="one", status="completed"), PlanEntry(content="two")]
    session.plans["plan"] = Plan(entries=steps)
    session.usage = UsageUpdate(used=50, size=200, cost=Cost(amount=0.5, currency="USD"))
    assert [row.plain.split() for row in plan_section(session, WIDTH, PALETTE)] == [
        ["Plan", "1", "/", "2"],
        ["✓", "one"],
        ["○", "two"],
    ]
    assert [row.plain for row in usage_section(session, WIDTH)] == ["Usage", "━" * WIDTH, "25% of 200 · $0.50"]
    limits = [AccountLimit(kind="seven_day", used=0.3), AccountLimit(kind="five_hour", standing="reached")]
    session.apply(UsageUpdate(used=50, size=200, limits=limits))
    assert [row.plain for row in usage_section(session, WIDTH)][3:] == ["5 h limit reached", "weekly limit 30%"]


def test_a_path_is_cut_at_its_beginning() -> None:
    assert cut_left("src/deep/file.py", 8) == "…file.py"
    assert cut_left("file.py", 8) == "file.py"
    assert cut_left("src/漢字.py", 8) == "…漢字.py"
    assert cut_left("src/漢字.py", 7) == "…字.py"


@given(st.text(), st.integers(2, 30))
def test_a_path_fits_and_ends_as_it_did(path: str, width: int) -> None:
    path = sanitise_line(path, 4096)
    shown = cut_left(path, width)
    assert cell_len(shown) <= width
    assert path.endswith(shown.removeprefix("…"))


def test_the_place_is_the_last_location_else_the_first_changed_line() -> None:
    locations = [ToolCallLocation(path="/p/a.py", line=3), ToolCallLocation(path="/p/b.py")]
    call = ToolCallEntry("t", kind="read", locations=locations, version=4)
    assert place_of(call) == WorkPlace("/p/b.py", None, "read", 4)
    assert place_of(edit("/p/a.py", "1\n2\n3\n", "1\nx\n3\n")) == WorkPlace("/p/a.py", 2, "edit", 0)
    assert place_of(ToolCallEntry("t")) is None
    assert place_of(message(0, "words")) is None
    assert newest_place([call, message(0, ""), ToolCallEntry("t")]) == place_of(call)
    assert newest_place([call, edit("/p/c.py", None, "")]) == WorkPlace("/p/c.py", 1, "edit", 0)


@pytest.mark.parametrize(
    ("old", "new", "line"), [("a\nb", "a\nc", 2), ("a", "a\nb", 2), ("a\nb", "a", 2), ("", "x", 1)]
)
def test_the_first_changed_line(old: str, new: str, line: int) -> None:
    assert first_changed(Diff(path="p", old_text=old, new_text=new)) == line


@pytest.mark.anyio
async def test_excerpts_stay_inside_and_say_why_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("".join(f"line {number}\r\n" for number in range(1, 21)) + "x" * 1000)
    (root / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "outside").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside")
    path = str(root / "a.py")
    assert await read_excerpt(path, [str(root)], -3, 2) == Excerpt(1, ("line 1", "line 2"))
    last = await read_excerpt(path, [str(root)], 20, 9)
    assert last.lines == ("line 20", "x" * 400 + "…")
    assert (await read_excerpt(path, [str(root)], 99, 9)).lines == ()
    for name in ("binary", "link", "../outside", "missing", "."):
        with pytest.raises(UserFault):
            await read_excerpt(str(root / name), [str(root)], 1, 5)
    assert file_inside(path, [str(root)]) == path
    for bad in (str(root / "link"), "a.py", "--help", str(root), str(root / "missing")):
        with pytest.raises(UserFault):
            file_inside(bad, [str(root)])


def test_an_excerpt_has_numbers_and_fits() -> None:
    excerpt = Excerpt(8, ("def f():", "\treturn '\x1b[2J' + '" + "x" * 80 + "'", "", "日本語" * 10))
    text = excerpt_text(excerpt, WorkPlace("/p/a.py", 9, "read", 0), palette_for(DARK), 30)
    rows = text.split("\n")
    assert [row.plain[:4] for row in rows] == ["  8 ", "▸ 9 ", " 10 ", " 11 "]
    assert all(row.cell_len <= 30 for row in rows)
    assert "\x1b" not in text.plain


@pytest.mark.usefixtures("private_folders")
def test_what_was_left_open_is_remembered() -> None:
    assert not remembered("sidebar")
    remember("sidebar", True)
    remember("follow", False)
    assert remembered("sidebar")
    assert not remembered("follow")
