"""What the row of a tool call says, for the calls of many agents: its subject first, whatever the title is."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    FileChange,
    Patch,
    TerminalReference,
    TerminalUpdate,
    ToolCallLocation,
)
from acp_tui.session.tools.input import EDITOR_COMMANDS, inner_command
from acp_tui.ui.entries.base_units import named
from tests.examples import THOROUGH
from tests.rows import each_of
from tests.unit.ui.entries.test_tool_call import Scene, rows, text

CWD = "/home/me/project"
ALL = 100  # cells


def at(*paths: str, line: int | None = None) -> list[ToolCallLocation]:
    return [ToolCallLocation(path=path if path.startswith("/") else f"{CWD}/{path}", line=line) for path in paths]


def diff(path: str, old: str | None = "a\n", new: str = "b\n") -> Diff:
    return Diff(path=f"{CWD}/{path}", old_text=old, new_text=new)


def row(width: int = ALL, **members: Any) -> str:
    drawing = Scene().call(status="completed", **members)
    return " ".join(rows(drawing, width)[0].split("   ")).strip() if width == ALL else rows(drawing, width)[0]


COMMANDS: list[tuple[str, dict[str, Any], str]] = [
    ("other", {"title": "bash", "raw_input": {"command": "echo hi"}}, "$ echo hi"),
    ("other", {"title": "exec_command", "raw_input": {"cmd": "echo hi"}}, "$ echo hi"),
    ("other", {"title": "exec_command", "raw_input": {"cmd": ["bash", "-lc", "echo hi && ls"]}}, "$ echo hi && ls"),
    (
        "execute",
        {"title": "fake shell", "raw_input": {"command": "echo hi", "description": "fake shell"}},
        "$ echo hi  fake shell",
    ),
    ("execute", {"title": "Bash", "raw_input": {"command": "ls", "description": "List all"}}, "$ ls  List all"),
    ("execute", {"title": "`ls -la`", "raw_input": {"command": "ls -la"}}, "$ ls -la"),
    ("execute", {"title": "Running: ls -la", "raw_input": {"command": "ls -la"}}, "$ ls -la"),
    ("execute", {"title": "Shell: ls…", "raw_input": {"command": "ls -la"}}, "$ ls -la"),
    ("execute", {"title": "x", "raw_input": {"argv": ["git", "commit", "-m", "a b"]}}, "$ git commit -m 'a b'"),
    ("execute", {"title": "npm", "raw_input": {"command": "npm", "args": ["run", "test all"]}}, "$ npm run 'test all'"),
    ("execute", {"title": "Shell", "raw_input": {"commands": [{"command": "ls"}, {"cmd": ["pwd"]}]}}, "$ ls  $ pwd"),
    ("execute", {"title": "Shell", "raw_input": {"commands": ["ls", "pwd", "ls"]}}, "$ ls  $ pwd"),
    ("execute", {"title": "sh", "raw_input": {"script": "set -e\nmake\n"}}, "$ set -e ⏎ make"),
    ("execute", {"title": "sh", "raw_input": "ls -la"}, "$ ls -la"),
    ("execute", {"title": "sh", "raw_input": '{"command": "ls -la"}'}, "$ ls -la"),
    ("other", {"title": "sh", "raw_input": {"input": {"command": "ls -la"}}}, "$ ls -la"),
    ("other", {"title": "sh", "raw_input": {"arguments": '{"command": "ls -la"}'}}, "$ ls -la"),
    ("execute", {"title": "List them", "raw_input": {"command": "ls", "cmd": "id"}}, "$ ls  $ id  List them"),
    ("execute", {"title": "$ ls", "raw_input": {"command": "rm -rf ~"}}, "$ rm -rf ~  ls"),
    ("execute", {"title": "", "raw_input": {"command": ["bash", "-c", "a", "b"]}}, "$ bash -c a b"),
    ("execute", {"title": "", "raw_input": {"command": 'bash -c "echo $HOME"'}}, '$ bash -c "echo $HOME"'),
    # A command that stands beside what the kind says that it is.
    (
        "read",
        {"title": "Read 'old.txt'", "locations": at("old.txt"), "raw_input": {"command": ["bash", "-lc", "rm *"]}},
        "● Read old.txt  $ rm *",
    ),
    ("execute", {"title": "`ls -la`"}, "$ ls -la"),
    ("execute", {"title": "Build the whole project"}, "● Run Build the whole project"),
    ("execute", {"title": "Running: npm test"}, "● Run npm test"),
    ("execute", {"title": "bash", "locations": at(CWD), "raw_input": {"cwd": CWD}}, "● Run bash"),
]

FILES: list[tuple[str, dict[str, Any], str]] = [
    ("read", {"title": "ReadFile: old.txt", "locations": at("old.txt")}, "● Read old.txt"),
    ("read", {"title": "ReadFile: old.txt"}, "● Read old.txt"),
    ("read", {"title": "Read 'old.txt'", "locations": at("old.txt")}, "● Read old.txt"),
    ("read", {"title": "Viewing old.txt", "raw_input": {"path": f"{CWD}/old.txt"}}, "● Read old.txt"),
    ("read", {"title": "README.md"}, "● Read README.md"),
    ("read", {"title": "read", "raw_input": {"abs_path": "/etc/hosts"}}, "● Read /etc/hosts"),
    ("read", {"title": "read", "raw_input": {"files": [{"path": "a"}, {"path": "./b"}]}}, "● Read a +1 more"),
    (
        "read",
        {"title": f"Read {CWD}/a.py (1 - 9)", "raw_input": {"file_path": "a.py"}},
        "● Read a.py  (1 - 9)",
    ),
    ("read", {"title": '{"path": "src/a.py"}'}, "● Read src/a.py"),
    ("read", {"title": "Read lines 1–9", "locations": at("a.py", line=1)}, "● Read a.py:1  Read lines 1–9"),
    ("edit", {"title": "Edit files", "content": [diff("old.txt")]}, "✎ Edit old.txt +1 −1"),
    ("edit", {"title": "Editing files", "content": [diff("a"), diff("b")]}, "✎ Edit a +1 more +2 −2 · 2 files"),
    ("edit", {"title": "Edit: old.txt", "content": [diff("old.txt")]}, "✎ Edit old.txt +1 −1"),
    ("edit", {"title": "WriteFile: Writing to new.txt", "locations": at("new.txt")}, "✎ Edit new.txt"),
    ("edit", {"title": "Writing to new.txt", "content": [diff("new.txt", None)]}, "✎ Create new.txt +1"),
    ("edit", {"title": "Writing to new.txt"}, "✎ Edit new.txt"),
    ("edit", {"title": "Creating new.txt", "raw_input": {"path": "new.txt", "text": "x"}}, "✎ Edit new.txt"),
    ("edit", {"title": "Create file new.txt", "raw_input": {"path": "new.txt"}}, "✎ Edit new.txt"),
    ("edit", {"title": "write_text_file", "content": [diff("new.txt", None)]}, "✎ Create new.txt +1"),
    ("edit", {"title": "Write then read", "content": [diff("old.txt")]}, "✎ Edit old.txt  Write then read +1 −1"),
    ("edit", {"title": "Write then read"}, "✎ Edit Write then read"),
    ("edit", {"title": "editor", "raw_input": {"command": "create", "path": "new.txt"}}, "✎ Edit new.txt"),
    (
        "edit",
        {"title": "patch", "content": [Diff(changes=[FileChange(operation="delete", path=f"{CWD}/a")])]},
        "✎ Edit a deleted",
    ),
    (
        "edit",
        {"title": "", "content": [Diff(changes=[], patch=Patch(format="git_patch", text="--- a/x\n+++ b/x\n"))]},
        "✎ Edit x",
    ),
    ("delete", {"title": "Delete b.txt", "locations": at("b.txt")}, "− Delete b.txt"),
    ("delete", {"title": "Delete", "locations": at(CWD)}, f"− Delete {CWD}"),
    ("move", {"title": "mv", "raw_input": {"source": "a", "destination": "b"}}, "→ Move a → b"),
    ("move", {"title": "Move a.txt to b.txt", "locations": at("a.txt", "b.txt")}, "→ Move a.txt → b.txt"),
    ("move", {"title": "Move a.txt to b.txt"}, "→ Move a.txt → b.txt"),
    ("other", {"title": "Reading a.py", "raw_input": {"path": "a.py"}}, "● Read a.py"),
    ("other", {"title": "mcp__files__stat", "raw_input": {"path": "a.py"}}, "● Tool a.py  mcp__files__stat"),
]

SEARCHES: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"title": "grep", "locations": at(CWD), "raw_input": {"pattern": "hello"}}, "● Search hello"),
    ("search", {"title": "grep", "raw_input": {"pattern": "hello", "path": "src"}}, "● Search hello  in src"),
    ("search", {"title": "Grep: 'hello' in .", "raw_input": {"pattern": "hello", "path": "."}}, "● Search hello"),
    ("search", {"title": "Grep: 'hello' in ."}, "● Search 'hello' in ."),
    ("read", {"title": "Searching for 'hello'", "raw_input": {"pattern": "hello"}}, "● Search hello"),
    ("read", {"title": "Searching for 'hello'"}, "● Search hello"),
    ("search", {"title": "find", "raw_input": {"pattern": "x"}, "locations": at("a", line=3)}, "● Search x  a:3"),
    ("fetch", {"title": "webfetch", "raw_input": {"url": "https://x.org"}}, "↓ Fetch https://x.org"),
    ("fetch", {"title": "WebSearch", "raw_input": {"query": "acp spec"}}, "↓ Fetch acp spec"),
    ("other", {"title": "Fetching: https://x.org", "raw_input": {"url": "https://x.org"}}, "↓ Fetch https://x.org"),
]

WORDS: list[tuple[str, dict[str, Any], str]] = [
    ("other", {"title": "todowrite", "raw_input": {"todos": [{"content": "x"}]}}, "≡ Todos 0 / 1 · x"),
    (
        "other",
        {"title": "mcp__github__create_issue", "raw_input": {"owner": "octo", "issue": 7}},
        "● Tool mcp__github__create_issue  owner: octo · issue: 7",
    ),
    (
        "other",
        {"title": "task", "raw_input": {"description": "Find the bug", "prompt": "Look"}},
        "● Subagent Find the bug",
    ),
    ("think", {"title": "Find the bug", "raw_input": {"description": "Find the bug"}}, "✻ Think Find the bug"),
    ("other", {"title": "", "raw_input": {}}, "● Tool 1"),
    ("other", {"title": "", "name": "lookup"}, "● Tool lookup"),
    ("switch_mode", {"title": "Ready to code?", "raw_input": {"plan": "# Plan"}}, "⇄ Mode Ready to code?"),
]


@each_of(("kind", "members", "expected"), [*COMMANDS, *FILES, *SEARCHES, *WORDS])
def test_a_row_names_its_subject(kind: str, members: dict[str, Any], expected: str) -> None:
    assert " ".join(row(kind=kind, **members).split()) == " ".join(expected.split())


def test_what_stands_beside_the_subject_never_takes_its_place() -> None:
    line = row(50, kind="execute", title="Say hello to everybody", raw_input={"command": "echo " + "x" * 30})
    assert line == " $ echo " + "x" * 30 + "  …"
    cut = row(40, kind="execute", title="Say hello to everybody", raw_input={"command": "echo " + "x" * 60})
    assert cut == " $ echo " + "x" * 29 + "…"


def test_unfolded_the_whole_subject_is_told() -> None:
    raw = {"commands": ["ls", "pwd\nid"], "path": "src/a.py", "cwd": "/tmp/x"}
    drawing = Scene().call(kind="execute", title="Look around a bit", status="completed", raw_input=raw)
    drawing.toggle()
    assert rows(drawing, 40)[0] == " $ ls  $ pwd ⏎ id  src/a.py  …"
    assert rows(drawing, 40)[1:] == [
        "   $ ls",
        "   $ pwd",
        "   id",
        "   in /tmp/x",
        "   Look around a bit",
        "",
    ]


def test_unfolded_a_shell_around_the_command_is_shown() -> None:
    drawing = Scene().call(kind="execute", title="", status="completed", raw_input={"command": ["sh", "-c", "a && b"]})
    drawing.toggle()
    assert rows(drawing)[:2] == [" $ a && b", "   $ sh -c 'a && b'"]


def test_what_runs_in_a_terminal_stands_before_what_the_input_says() -> None:
    scene = Scene()
    shown = [TerminalReference(terminal_id="t")]
    drawing = scene.call(kind="execute", title="List", status="in_progress", content=shown, raw_input={"command": "ls"})
    scene.session.apply(TerminalUpdate(terminal_id="t", command="rm -rf x", cwd=CWD))
    drawing.update()
    assert rows(drawing)[0].startswith(" $ rm -rf x  $ ls ")


@pytest.mark.parametrize("folder", [f"cd '{CWD}' && ", f"cd {CWD} && ", ""])
def test_a_shell_that_goes_where_it_is_adds_nothing(folder: str) -> None:
    scene = Scene()
    shown = [TerminalReference(terminal_id="t")]
    scene.session.apply(TerminalUpdate(terminal_id="t", command=f"{folder}ls", cwd=CWD))
    drawing = scene.call(kind="execute", title="", status="completed", content=shown, raw_input={"command": "ls"})
    assert rows(drawing)[0] == " $ ls"


def test_input_that_is_still_streamed_names_the_subject() -> None:
    streamed = text('{"path": "src/a.py", "content": "x"}')
    drawing = Scene().call(kind="edit", title="Write", status="in_progress", content=[streamed])
    assert rows(drawing)[0].startswith(" ◐ Edit     src/a.py ")


def test_other_lines_name_the_same() -> None:
    scene = Scene()
    for number, (kind, raw) in enumerate([("other", {"command": "make all"}), ("read", {"path": "a.py"})]):
        scene.call(str(number), kind=kind, title="tool_name", raw_input=raw)
    scene.call("2", kind="other", title="Index the world")
    calls = scene.session.index.tool_calls.values()
    assert [named(call, scene.session) for call in calls] == ["make all", "Read a.py", "Index the world"]


@pytest.mark.parametrize(
    "deep", [{"input": {"input": {"command": "ls"}}}, {"env": {"PATH": "/bin"}}, [[[[["ls"]]]]], 7]
)
def test_what_is_no_usual_input_is_left_alone(deep: Any) -> None:
    assert " ".join(row(kind="other", title="look_up", raw_input=deep).split()) == "● Tool look_up"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["command", "cmd", "path", "args", "url", "input", "type", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@THOROUGH
@given(raw=JSON, title=st.text(max_size=20), kind=st.sampled_from(["read", "execute", "move", "other", "switch_mode"]))
def test_whatever_the_input_is_no_command_in_it_is_lost(raw: Any, title: str, kind: str) -> None:
    drawing = Scene().call(kind=kind, title=title, status="completed", raw_input=raw, raw_output=raw)
    drawing.toggle()
    assert rows(drawing, 30)
    command = raw.get("command") if isinstance(raw, dict) else None
    if isinstance(command, str) and command.strip():
        commands = drawing._heading.subject.commands
        assert any(each.startswith(command.strip()) for each in commands) or command in EDITOR_COMMANDS


@pytest.mark.parametrize("inner", ["make", "make all", "echo 'a' \"b\"", "'", "x" * 1_000_000, "it's " * 100_000])
def test_what_a_shell_is_given_is_read_in_time_that_grows_with_its_length(inner: str) -> None:
    for shell in ("bash -lc", "/bin/sh -c"):
        assert inner_command(f"{shell} {shlex.quote(inner)}") == inner


@pytest.mark.parametrize(
    "command",
    ["bash -c", "bash -c ''", "bash -c make all", "bash -c 'a", 'bash -c "a b"', "bash -c 'a' b", "make -c a"],
)
def test_what_a_shell_is_given_otherwise_stays_as_it_is(command: str) -> None:
    assert inner_command(command) == command


def test_of_a_todo_list_the_lines_are_not_counted() -> None:
    todos = {"todos": [{"content": "x"}]}
    told = row(kind="other", title="todowrite", raw_input=todos, content=[text("[\n{\n}\n]")])
    assert " ".join(told.split()) == "≡ Todos 0 / 1 · x"
