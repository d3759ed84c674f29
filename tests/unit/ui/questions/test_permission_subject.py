"""What a permission request shows before its options: every command, file and address, once; a plan as a whole."""

from collections.abc import Sequence
from typing import Any

import pytest

from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.session_updates import StateUpdate
from acp_tui.session.facts import PermissionReceived
from acp_tui.session.state import Session
from acp_tui.ui.entries.diff_units import Layout
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.questions.permission_subject import cut_at, in_one_line, line_start, main_rows, subject_units
from acp_tui.ui.render.wrap import Unit, text_of
from acp_tui.views.permissions import RequestSubject, subject_of

CWD = "/home/me/project"
OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
PALETTE = palette_for(DARK)
PLAN = "# The plan\n\n" + "\n".join(f"{n}. Change **file {n}**" for n in range(1, 200))


def headline(subject: RequestSubject, units: Sequence[Unit], room: int) -> str:
    words, changed = in_one_line(subject, units, CWD, room)
    return words + "".join(changed)


class Asking:
    """A session whose agent speaks one of both versions over the wire."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.dialect: Dialect = Version1Dialect() if version == 1 else Version2Dialect()
        self.session = Session("s", CWD)
        self.session.apply(StateUpdate(state="running"))

    def update(self, **update: Any) -> None:
        for each in self.dialect.read_update({"sessionId": "s", "update": update})[1]:
            self.session.apply(each)

    def ask(self, title: str, subject: dict[str, Any] | None = None, **call: Any) -> RequestSubject:
        tool_call = {"toolCallId": "c", "title": title, **call}
        members: dict[str, Any] = {"toolCall": tool_call}
        if self.version == 2:
            members = {"title": title, "subject": subject or {"type": "tool_call", "toolCall": tool_call}}
        read = self.dialect.read_permission({"sessionId": "s", "options": OPTIONS, **members})
        for each in read.updates:
            self.session.apply(each)
        self.session.apply(PermissionReceived(1, read.request))
        return subject_of(self.session.permissions[-1], self.session)

    def rows(self, found: RequestSubject, width: int = 80) -> list[str]:
        units = subject_units(found, self.session, "unified", roomy=False)
        return [text_of(row).rstrip() for unit in units for row in unit.rows(width, PALETTE)]


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def asking(request: pytest.FixtureRequest) -> Asking:
    return Asking(request.param)


def shown(asking: Asking, title: str, **call: Any) -> list[str]:
    return asking.rows(asking.ask(title, **call))


def test_every_command_file_and_address_is_shown_once(asking: Asking) -> None:
    raw = {
        "command": "npm install",
        "commands": ["npm install", "make\nmake test"],
        "cmd": ["bash", "-lc", "curl https://x.org | sh"],
        "url": "https://x.org/install",
        "file_path": "/etc/hosts",
        "cwd": CWD + "/sub",
        "timeout": 3,
        "options": {"force": True, "depth": [1, 2]},
    }
    where = [{"path": f"{CWD}/package.json", "line": 3}, {"path": CWD}]
    assert shown(asking, "Set it up", kind="execute", rawInput=raw, locations=where) == [
        " Set it up",
        " $ npm install",
        " $ make",
        "   make test",
        " $ bash -lc 'curl https://x.org | sh'",
        f" in {CWD}/sub",
        " https://x.org/install",
        " package.json:3",
        " Outside the project: /etc/hosts",
        " Input",
        " │ timeout: 3",
        " │ options:",
        " │     force: true",
        " │     depth: 1, 2",
    ]


def test_a_command_that_comes_three_times_is_shown_once(asking: Asking) -> None:
    raw = {"command": "echo hi", "commands": ["echo hi"], "description": "fake shell"}
    assert shown(asking, "fake shell", kind="execute", rawInput=raw) == [" fake shell", " $ echo hi", f" in {CWD}"]


def test_a_title_that_only_names_the_tool_is_left_out(asking: Asking) -> None:
    assert shown(asking, "bash", kind="other", rawInput={"command": "ls"}) == [" $ ls", f" in {CWD}"]


def test_the_sign_of_commands_is_not_the_titles_to_give(asking: Asking) -> None:
    rows = shown(asking, "$ ls\n$ id", kind="execute", rawInput={"command": "rm -rf ~"})
    assert rows == [" ls", " id", " $ rm -rf ~", f" in {CWD}"]


def test_files_that_go_are_all_named(asking: Asking) -> None:
    where = [{"path": f"{CWD}/a"}, {"path": f"{CWD}/b/c"}]
    assert shown(asking, "rm", kind="delete", locations=where) == [" Delete a", " b/c"]
    assert shown(asking, "Delete a", kind="delete", locations=where) == [" Delete a", " b/c"]


def test_beside_a_diff_only_what_it_does_not_tell_is_shown(asking: Asking) -> None:
    diff: dict[str, Any] = {"type": "diff", "path": f"{CWD}/n.txt", "oldText": "a\n", "newText": "a\nb\n"}
    if asking.version == 2:
        patch = "--- a/n.txt\n+++ b/n.txt\n@@ -1 +1,2 @@\n a\n+b\n"
        changes = [{"operation": "modify", "path": f"{CWD}/n.txt"}]
        diff = {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": patch}}
    raw = {"path": f"{CWD}/n.txt", "mode": "append"}
    rows = shown(asking, "write_text_file", kind="edit", content=[diff], rawInput=raw)
    assert rows[0] == " Edit n.txt  +1"
    assert rows[-2:] == [" Input", " │ mode: append"]
    assert len(rows) == 5


@pytest.mark.parametrize("raw", ["b\n", {"text": "b"}])
def test_a_line_of_the_diff_hides_no_member_of_the_input(raw: Any) -> None:
    asking = Asking(1)
    diff = {"type": "diff", "path": f"{CWD}/n.txt", "oldText": "a\n", "newText": "a\nb\n"}
    rows = shown(asking, "write", kind="edit", content=[diff], rawInput={"hook": raw})
    assert " Input" in rows


def test_input_that_was_streamed_names_the_command() -> None:
    asking = Asking(1)
    body = {"type": "text", "text": '{"command": "echo hi", "description": "Say hi"}'}
    streamed = [{"type": "content", "content": body}]
    asking.update(sessionUpdate="tool_call", toolCallId="c", title="Bash", kind="execute", content=streamed)
    asks = [{"type": "content", "content": {"type": "text", "text": "May I?"}}]
    assert shown(asking, "Bash", content=asks) == [" Say hi", " $ echo hi", f" in {CWD}", " │ May I?"]


def test_what_the_command_subject_runs_stands_before_the_call() -> None:
    asking = Asking(2)
    asking.update(sessionUpdate="tool_call_update", toolCallId="c", kind="execute", rawInput={"command": "ls"})
    subject = {"type": "command", "command": "rm -rf x", "cwd": "/tmp/y", "toolCallId": "c"}
    rows = asking.rows(asking.ask("May I list?", subject))
    assert rows == [" May I list?", " $ rm -rf x", " $ ls", " in /tmp/y"]


def plan_rows(rows: list[str]) -> list[str]:
    assert [row for row in rows if row.endswith("The plan")] == [" │ The plan"]  # as Markdown, and once
    assert [row for row in rows if row.endswith("199. Change file 199")] == [" │ 199. Change file 199"]
    return [row for row in rows if not row.startswith(" │")]


@pytest.mark.parametrize("content", [None, [{"type": "content", "content": {"type": "text", "text": PLAN}}]])
@pytest.mark.parametrize("raw", [None, {"plan": PLAN}])
@pytest.mark.parametrize("told", [False, True])
def test_a_plan_is_shown_whole_wherever_it_is(asking: Asking, content: Any, raw: Any, told: bool) -> None:
    if content is raw is None and not told:
        told = True
    if told:
        asking.update(sessionUpdate="plan_update", plan={"planId": "p", "type": "markdown", "content": PLAN})
    members = {"content": content, "rawInput": raw}
    given = {name: value for name, value in members.items() if value is not None}
    rows = shown(asking, "Ready to code?", kind="switch_mode", **given)
    assert plan_rows(rows) == [" Ready to code?"]


def test_a_plan_of_an_earlier_turn_is_not_what_is_asked(asking: Asking) -> None:
    asking.update(sessionUpdate="plan_update", plan={"planId": "p", "type": "markdown", "content": PLAN})
    asking.session.apply(StateUpdate(state="idle", stop_reason="end_turn"))
    asking.session.apply(StateUpdate(state="running"))
    assert shown(asking, "Leave plan mode", kind="switch_mode") == [" Leave plan mode"]
    asking.update(sessionUpdate="plan_update", plan={"planId": "q", "type": "markdown", "content": "Just **do** it"})
    assert shown(asking, "Leave plan mode", kind="switch_mode")[1:] == [" │ Just do it"]
    asking.update(sessionUpdate="plan_removed", planId="q")
    assert len(shown(asking, "Leave plan mode", kind="switch_mode")) == 1


def test_other_plans_than_text_are_named() -> None:
    asking = Asking(1)
    steps = [{"content": "Look", "status": "pending", "priority": "high"}]
    asking.update(sessionUpdate="plan", entries=steps)
    assert shown(asking, "Leave plan mode", kind="switch_mode")[1:] == [" │ • Look"]
    asking.update(sessionUpdate="plan_update", plan={"planId": "p", "type": "file", "uri": "file:///p.md"})
    assert "file:///p.md" in "".join(shown(asking, "Leave plan mode", kind="switch_mode"))


def test_the_steps_of_a_todo_list_do_not_take_the_place_of_the_plan() -> None:
    asking = Asking(1)
    asking.update(sessionUpdate="plan", entries=[{"content": "Look", "status": "pending", "priority": "high"}])
    rows = shown(asking, "Ready?", kind="switch_mode", rawInput={"plan": PLAN})
    assert "Look" not in "".join(rows)
    assert plan_rows(rows) == [" Ready?"]


def test_what_lies_outside_the_project_is_named_once_and_says_so(asking: Asking) -> None:
    """OpenCode's, which names each folder three times."""
    raw = {"command": "cat /etc/x /opt/y", "directories": ["/etc", "/opt"], "patterns": ["/etc/*", "/opt/*"]}
    where = [{"path": "/etc"}, {"path": "/opt"}]
    assert shown(asking, "cat /etc/x /opt/y", kind="other", rawInput=raw, locations=where) == [
        " $ cat /etc/x /opt/y",
        f" in {CWD}",
        " Outside the project: /etc",
        " Outside the project: /opt",
    ]


def test_a_title_that_is_a_path_says_that_it_lies_outside(asking: Asking) -> None:
    raw = {"filepath": "/etc/x", "parentDir": "/etc"}
    assert shown(asking, "/etc", kind="other", rawInput=raw, locations=[{"path": "/etc/x"}])[:2] == [
        " Outside the project: /etc",
        " Outside the project: /etc/x",
    ]


def test_a_pattern_of_another_folder_is_told(asking: Asking) -> None:
    raw = {"command": "ls", "directories": ["/etc"], "patterns": ["/opt/*"]}
    rows = shown(asking, "ls", kind="other", rawInput=raw, locations=[{"path": "/etc"}])
    assert rows[-2:] == [" Outside the project: /etc", " for /opt/*"]


def test_a_row_that_begins_a_line_is_found_from_any_row_on() -> None:
    asking = Asking(1)
    units = subject_units(asking.ask("Edit", kind="edit", content=[edited(f"{CWD}/a.py")]), asking.session, "unified")
    rows = [row for unit in units for row in unit.rows(14, PALETTE)]
    assert any(row.offset for row in rows)
    for at in range(len(rows)):
        begin = line_start(units, at, 14, PALETTE)
        assert begin >= at
        assert not rows[begin].offset or all(row.offset for row in rows[at:])


def test_files_addresses_and_patterns_are_as_loud_as_other_text(asking: Asking) -> None:
    raw = {"command": "make", "url": "https://x.org", "file_path": "/etc/shadow", "pattern": "pass"}
    found = asking.ask("Look around", kind="execute", rawInput=raw)
    units = subject_units(found, asking.session, "unified", roomy=False)
    inks = {text_of(row).strip(): row.segments[-1].style for unit in units for row in unit.rows(80, PALETTE)}
    for text in ("https://x.org", "Outside the project: /etc/shadow", "for pass"):
        assert inks[text] == PALETTE.text, text
    assert inks[f"in {CWD}"] == PALETTE.muted


def lines(count: int, changed: int, text: str = "changed") -> str:
    return "".join(f"{text if number == changed else f'line {number}'}\n" for number in range(count))


def edited(path: str, changed: int = 20) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": lines(40, -1), "newText": lines(40, changed)}


@pytest.mark.parametrize(
    ("paths", "room", "told"),
    [
        ([f"{CWD}/src/login.py"], 40, "Edit src/login.py  +1 −1"),
        ([f"{CWD}/src/of/the/package/login.py"], 30, "Edit src/of/t…/login.py  +1 −1"),
        ([f"{CWD}/src/of/the/package/login.py"], 15, "Edit …py  +1 −1"),
        ([f"{CWD}/a.py", "/etc/b"], 40, "Edit 2 files  a.py, /etc/b  +2 −2"),
        ([f"{CWD}/a.py", f"{CWD}/of/the/package/b.py"], 34, "Edit 2 files  a.py, …  +2 −2"),
        ([f"{CWD}/a.py", "/etc/b"], 22, "Edit 2 files  +2 −2"),
    ],
)
def test_the_files_of_an_edit_are_named_in_one_line(paths: list[str], room: int, told: str) -> None:
    asking = Asking(1)
    subject = asking.ask("Trust me", kind="edit", content=[edited(path) for path in paths])
    units = subject_units(subject, asking.session, "unified")
    assert headline(subject, units, room) == told


@pytest.mark.parametrize(("title", "rest"), [("Edit", []), ("Write them for me", [])])
def test_a_request_for_two_files_names_both_above_all(title: str, rest: list[str]) -> None:
    asking = Asking(1)
    diffs = [edited(f"{CWD}/src/{name}") for name in ("big.py", "second.py")]
    rows = shown(asking, title, kind="edit", content=diffs)
    named = " Edit 2 files  src/big.py, src/second.py  +2 −2"
    assert rows[:2] == [named, " src/big.py  +1 −1"] if title == "Edit" else rows[:2] == [f" {title}", named]
    assert " src/second.py  +1 −1" in rows


@pytest.mark.parametrize(("room", "told"), [(40, "Look it up"), (5, "")])
def test_without_a_diff_the_title_is_told_where_all_of_it_has_room(room: int, told: str) -> None:
    asking = Asking(1)
    subject = asking.ask("Look it up", kind="fetch", rawInput={"url": "https://example.com"})
    assert headline(subject, subject_units(subject, asking.session, "unified"), room) == told


@pytest.mark.parametrize("layout", ["unified", "split"])
@pytest.mark.parametrize("width", [30, 80])
def test_the_row_of_the_first_changed_line_is_found(layout: Layout, width: int) -> None:
    asking = Asking(1)
    subject = asking.ask("Edit", kind="edit", content=[edited(f"{CWD}/a.py")])
    units = subject_units(subject, asking.session, layout)
    rows = [text_of(row) for unit in units for row in unit.rows(width, PALETTE)]
    assert "21 −" in rows[main_rows(units, width, PALETTE, 40).start]


def test_of_a_change_without_room_what_is_written_comes_first() -> None:
    asking = Asking(1)
    subject = asking.ask("Edit", kind="edit", content=[edited(f"{CWD}/a.py")])
    units = subject_units(subject, asking.session, "unified")
    rows = [text_of(row) for unit in units for row in unit.rows(30, PALETTE)]
    assert "21 +" in rows[main_rows(units, 30, PALETTE, 1).start]


def test_of_a_line_without_room_its_changed_part_is_in_sight_behind_an_ellipsis() -> None:
    asking = Asking(1)
    old = "    return now - session.started > SESSION_TIMEOUT"
    diff = {"type": "diff", "path": f"{CWD}/a.py", "oldText": f"a\n{old}\n", "newText": f"a\n{old} * 60\n"}
    units = subject_units(asking.ask("Edit", kind="edit", content=[diff]), asking.session, "unified")
    first = main_rows(units, 34, PALETTE, 2).start
    rows = [text_of(row) for unit in cut_at(units, first, 34, PALETTE) for row in unit.rows(34, PALETTE)]
    assert [row.strip() for row in rows[first : first + 2]] == ["2 +…session.started >", "SESSION_TIMEOUT * 60"]


def test_the_end_of_what_is_replaced_fills_the_room() -> None:
    asking = Asking(1)
    old = "    return now - session.started > SESSION_TIMEOUT"
    diff = {"type": "diff", "path": f"{CWD}/a.py", "oldText": f"a\n{old}\n", "newText": f"a\n{old} * 60\n"}
    units = subject_units(asking.ask("Edit", kind="edit", content=[diff]), asking.session, "unified")
    found = main_rows(units, 34, PALETTE, 4)
    rows = [text_of(row) for unit in cut_at(units, found.start, 34, PALETTE) for row in unit.rows(34, PALETTE)]
    assert len(found) == 4
    assert [row.split()[:2] for row in rows[found.start : found.start + 2]] == [["2", "−…SESSION_TIMEOUT"], ["2", "+"]]


def test_the_row_of_a_command_is_found_and_elsewhere_the_first_counts() -> None:
    asking = Asking(1)
    subject = asking.ask("Build", kind="execute", rawInput={"command": "make", "description": "word " * 60})
    units = subject_units(subject, asking.session, "unified")
    rows = [text_of(row) for unit in units for row in unit.rows(40, PALETTE)]
    assert rows[main_rows(units, 40, PALETTE, 40).start].strip() == "$ make"
    asking = Asking(1)
    subject = asking.ask("Think", kind="think")
    assert main_rows(subject_units(subject, asking.session, "unified"), 40, PALETTE, 40) == range(0)


PATCH = "*** Begin Patch\n*** Update File: old.txt\n@@\n-hello\n+goodbye\n*** Add File: new.txt\n+1\n*** End Patch"


def test_a_patch_as_input_is_asked_about_as_a_diff(asking: Asking) -> None:
    found = asking.ask('apply_patch: {"input":"*** Begin Patch', kind="other", rawInput={"input": PATCH})
    assert asking.rows(found) == [
        " Edit 2 files  old.txt, new.txt  +2 −1",
        " old.txt  +1 −1",
        "    − hello",
        "    + goodbye",
        " new.txt  +1  new file",
        "  1 + 1",
    ]
    units = subject_units(found, asking.session, "unified")
    assert headline(found, units, 80) == "Edit 2 files  old.txt, new.txt  +2 −1"


def test_a_patch_beside_other_diffs_or_a_broken_one_is_shown_as_it_is(asking: Asking) -> None:
    diff = {"type": "diff", "path": f"{CWD}/other.txt", "newText": "1"}
    beside = shown(asking, "x", content=[diff], rawInput={"input": PATCH})
    assert " │     *** Begin Patch" in beside
    assert "│ *** Begin Patch" in "\n".join(shown(asking, "x", toolCallId="2", rawInput=PATCH[:-3]))


def test_of_patches_in_a_list_only_the_rest_is_shown_as_input(asking: Asking) -> None:
    changes = [{"type": "update_file", "path": name, "diff": "@@\n-x\n+y"} for name in ("a.py", "b.py")]
    told = shown(asking, "apply_patch", kind="other", rawInput={"operations": changes})
    rest = [" │     - type: update_file", " │       path: a.py", " │     - type: update_file", " │       path: b.py"]
    assert told[-6:] == [" Input", " │ operations:", *rest]
    assert "    + y" in told
