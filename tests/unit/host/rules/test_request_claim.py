"""What a request claims, as its call is merged: by agents' inputs, joined calls, terminals, and both protocols."""

from pathlib import Path
from typing import Any

from acp_tui.host.rules.request_claim import RequestClaim, claim_of
from acp_tui.protocol.base import read
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.session_updates import StateUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest, PermissionSubject, TerminalUpdate
from acp_tui.session.facts import PendingPermission, PermissionReceived, SubagentEvent
from acp_tui.session.state import Session
from tests.rows import each_of
from tests.rule_requests import Asked, call_of, options, running


def claimed(session: Session, request: PermissionRequest, *more: str) -> RequestClaim:
    scope = SessionScope(session.root.cwd, more)
    return claim_of(PendingPermission(1, request), session, scope, "Claude", "/usr/bin:/bin")


def of_call(folder: Path, **members: Any) -> RequestClaim:
    asked = Asked(folder)
    return claimed(asked.session, asked.request(**members))


CODEX = {"call_id": "c", "turn_id": "t", "command": ["bash", "-lc", "ls"], "cwd": ".", "reason": None, "parsed_cmd": []}
INPUTS: list[tuple[dict[str, Any], Any]] = [
    ({"command": "ls", "description": "List", "timeout": 9}, "ls"),
    (CODEX, ("bash", "-lc", "ls")),
    ({"cmd": "ls", "workdir": ".", "yield_time_ms": 1000, "max_output_tokens": 9, "tty": False}, "ls"),
    ({"commands": ["ls"]}, "ls"),
    ({"command": "ls", "commands": [" ls "]}, " ls "),
    ({"command": "bash -lc ls", "cmd": "ls"}, "bash -lc ls"),
    ({"command": "git status", "cmd": ["git", "status"]}, ("git", "status")),
    ({"arguments": '{"command": "ls"}'}, "ls"),
    ({"command": "ls", "dangerouslyDisableSandbox": False, "env": {}, "stdin": None}, "ls"),
]


@each_of(("raw", "command"), INPUTS)
def test_a_command_is_found_by_the_names_that_agents_use(tmp_path: Path, raw: dict[str, Any], command: Any) -> None:
    claim = of_call(tmp_path, kind="execute", raw_input=raw)
    assert (claim.command, claim.folder, claim.problem) == (command, str(tmp_path), "")


PROBLEMS: list[tuple[dict[str, Any], str]] = [
    (running("ls", strange=1), "it has a detail acp-tui doesn't know: strange"),
    (running("ls", **{"a b\n": 1}), "it has a detail acp-tui doesn't know"),
    (running("ls", timeout="9"), "it has a detail acp-tui doesn't know: timeout"),
    (running("ls", cwd="/"), "it works outside the project"),
    (running("ls", cwd="/", workdir="."), "it names more than one folder"),
    (running("ls", cmd="rm x"), "it names more than one command"),
    (running("ls") | {"title": "`rm x`"}, "its title shows a different command"),
    (running("ls") | {"kind": "delete"}, "it runs a command, but claims to change files"),
    (running("ls") | {"kind": "edit"}, "it runs a command, but claims to change files"),
    ({"kind": "edit", "raw_input": {"path": "a", "command": {}, "patch": ["x"]}}, "know: patch"),
    ({"kind": "edit", "raw_input": {"path": "a", "diff": {"x": 1}}}, "know: diff"),
    ({"kind": "read", "title": "read (x MCP Server)", "locations": [{"path": "a"}]}, "it is an MCP server's tool"),
    (running("ls", url="https://x.org"), "it asks for more than its command"),
    ({"kind": "execute", "title": "ls"}, "its command appears only in its title"),
    ({"kind": "execute", "raw_input": '{"command": "l'}, "acp-tui can't read its details"),
    (running("ls") | {"kind": "newer"}, "acp-tui doesn't know this kind of request"),
    ({"kind": "edit", "locations": [{"path": "a" * 20_000}]}, "it names too much to be checked"),
    ({"kind": "edit", "locations": [{"path": "a\0"}]}, "it contains an invalid path"),
]


@each_of(("call", "problem"), PROBLEMS)
def test_what_is_odd_is_left_to_the_user_with_the_reason(tmp_path: Path, call: dict[str, Any], problem: str) -> None:
    assert of_call(tmp_path, **call).problem.endswith(problem)


def test_a_list_of_words_beside_a_path_is_a_command(tmp_path: Path) -> None:
    claim = of_call(tmp_path, kind="execute", raw_input={"path": "a", "command": ["view"]})
    assert (claim.command, claim.places) == (("view",), (f"{tmp_path}/a",))


TITLES = ["ls -la", "`ls -la`", "$ ls -la", "Shell: ls -la", "Run ls -la", "ls -la [in /a] (List files)", "ls -l…",
          "List all files", "bash", "Terminal", ""]  # fmt: skip


@each_of("title", TITLES)
def test_a_title_may_say_the_command_in_its_own_way(tmp_path: Path, title: str) -> None:
    claim = of_call(tmp_path, kind="execute", title=title, raw_input={"command": "ls -la"})
    assert claim.problem == ""


def test_the_open_call_that_the_request_would_join_counts_and_nothing_is_changed(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path))
    session.apply(StateUpdate(state="running"))
    session.apply(call_of("one", kind="execute", title="Shell", raw_input={"command": "pytest -q"}))
    subject = PermissionSubject(type="tool_call", tool_call=call_of("two", title="`pytest -q`"), tool_call_id="two")
    session.apply(call_of("two", title="`pytest -q`", kind="execute"))
    request = PermissionRequest(session_id="s", title="`pytest -q`", subject=subject, options=options("allow_once"))
    before = claimed(session, request)
    assert (before.command, before.kind, before.problem) == ("pytest -q", "execute", "")
    assert [entry.id for entry in session.entries] == ["one", "two"]
    session.apply(PermissionReceived(1, request))
    pending = session.permissions[0]
    assert pending.call_id == "one"
    assert claim_of(pending, session, SessionScope(str(tmp_path)), "Claude", "/usr/bin:/bin") == before


def test_the_joined_call_may_not_say_more_than_the_request(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path))
    session.apply(StateUpdate(state="running"))
    session.apply(call_of("one", kind="execute", raw_input={"command": "ls", "env": {"LD_PRELOAD": "x"}}))
    call = call_of("two", kind="execute", raw_input={"command": "ls"})
    session.apply(call)
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id="two")
    request = PermissionRequest(session_id="s", title="ls", subject=subject, options=[])
    assert claimed(session, request).problem == "it has a detail acp-tui doesn't know: env"


def test_a_terminal_that_the_call_shows_runs_the_same_command(tmp_path: Path) -> None:
    asked = Asked(tmp_path)
    call = running("ls") | {"content": [{"type": "terminal", "terminal_id": "t"}]}
    asked.session.apply(TerminalUpdate(terminal_id="t", command="ls", cwd=str(tmp_path)))
    assert claimed(asked.session, asked.request(**call)).problem == ""
    asked.session.apply(TerminalUpdate(terminal_id="t", command="rm x"))
    assert claimed(asked.session, asked.request(**call)).problem == "it names more than one command"


def test_a_command_of_protocol_2_is_its_subject(tmp_path: Path) -> None:
    session = Session("s", str(tmp_path))
    subject = PermissionSubject(type="command", command="ls", cwd=str(tmp_path))
    request = PermissionRequest(session_id="s", title="May I?", subject=subject, options=[])
    assert claimed(session, request).command == "ls"
    assert (
        claimed(session, request.model_copy(update={"title": "`rm x`"})).problem
        == "its title shows a different command"
    )
    assert claimed(session, request.model_copy(update={"session_id": "other"})).problem == "it is from another session"


def test_a_subagent_s_request_is_read_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    session = Session("s", str(tmp_path))
    for child, folder in (("inside", tmp_path / "sub"), ("outside", tmp_path.parent)):
        session.apply(read(SubagentUpdate, {"sessionId": child, "state": {"state": "running"}}))
        session.family[child].session.cwd = str(folder)
        session.apply(SubagentEvent(child, call_of("c", **running("ls"))))
    subject = PermissionSubject(type="tool_call", tool_call=call_of("c", **running("ls")), tool_call_id="c")
    request = PermissionRequest(session_id="inside", title="ls", subject=subject, options=[])
    assert (claimed(session, request).folder, claimed(session, request).problem) == (str(tmp_path / "sub"), "")
    outside = request.model_copy(update={"session_id": "outside"})
    assert claimed(session, outside).problem == "it works outside the project"
    assert claimed(session, outside, str(tmp_path.parent)).problem == ""


def test_all_paths_that_a_call_names_count(tmp_path: Path) -> None:
    claim = of_call(
        tmp_path,
        kind="edit",
        locations=[{"path": "/l"}],
        content=[{"type": "diff", "changes": [{"operation": "move", "path": "/n", "oldPath": "/o"}]}],
        raw_input={"file_path": "f", "edits": [{"old_string": "a", "new_string": "b"}], "replace_all": True},
    )
    assert claim.places == ("/l", "/n", "/o", f"{tmp_path}/f")
    assert (claim.removes, claim.problem) == (True, "")


def test_of_several_reasons_the_one_that_users_know_is_told(tmp_path: Path) -> None:
    claim = of_call(tmp_path, **running("cat /etc/hosts", directories=["/etc"]), locations=[{"path": "/etc"}])
    assert claim.problem == "it reaches outside the project"
