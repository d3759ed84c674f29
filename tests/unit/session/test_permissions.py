"""The queue of permission requests."""

from typing import Any

import pytest

from acp_tui.protocol.vocabulary.tool_calls import Diff, PermissionOption, PermissionRequest, PermissionSubject
from acp_tui.session.changes import PermissionAsked, PermissionSettled
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.export import to_markdown
from acp_tui.session.facts import PermissionAnswered, PermissionAnsweredByRule, PermissionReceived
from acp_tui.session.folds.tool_calls import rule_words
from tests.rows import each_of
from tests.unit.session.speech import Told, idle, running, told, tool


def request(subject: PermissionSubject | None = None) -> PermissionRequest:
    return PermissionRequest(session_id="s", title="May I?", subject=subject, options=[])


def test_requests_wait_in_order() -> None:
    one = told()
    one.apply(PermissionReceived(1, request()), PermissionReceived(2, request()))
    assert [pending.key for pending in one.session.permissions] == [1, 2]
    assert one.changes == [PermissionAsked(1), PermissionAsked(2)]


def test_an_answer_settles_once() -> None:
    one = told()
    one.apply(PermissionReceived(1, request()), PermissionAnswered(1, "yes"), PermissionAnswered(1, "no"))
    assert one.session.permissions == []
    assert one.all(PermissionSettled) == [PermissionSettled(1, "yes")]


def test_any_of_them_may_be_answered_first() -> None:
    one = told()
    one.apply(PermissionReceived(1, request()), PermissionReceived(2, request()), PermissionAnswered(2, None))
    assert [pending.key for pending in one.session.permissions] == [1]


def test_a_request_names_its_tool_call() -> None:
    one = told()
    one.apply(
        PermissionReceived(1, request(PermissionSubject(type="tool_call", tool_call=tool("7")))),
        PermissionReceived(2, request(PermissionSubject(type="command", tool_call_id="8"))),
        PermissionReceived(3, request()),
    )
    assert [pending.tool_call_id for pending in one.session.permissions] == ["7", "8", None]


def test_a_request_is_a_sign_of_life() -> None:
    one = told()
    one.apply(PermissionReceived(1, request()), after=4)
    assert one.session.turn.last_heard_at == 104


EDIT: dict[str, Any] = {"kind": "edit", "title": "Edit a.py", "raw_input": {"file_path": "/project/a.py"}}
RUN: dict[str, Any] = {"kind": "execute", "title": "`make all`"}
OPTIONS = [PermissionOption(option_id=kind, name=kind, kind=kind) for kind in ("allow_once", "reject_once")]


def ask(one: Told, call_id: str, key: int = 1, **members: Any) -> None:
    """As a dialect tells it: the call of a request is an update like any other."""
    call = tool(call_id, **members)
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id=call_id)
    one.apply(
        call, PermissionReceived(key, PermissionRequest(session_id="s", title="", subject=subject, options=OPTIONS))
    )


def calls(one: Told) -> list[tuple[str, str]]:
    return [(entry.id, entry.status) for entry in one.session.entries if isinstance(entry, ToolCallEntry)]


@each_of(
    ("announced", "asked"),
    [
        (EDIT, {**EDIT, "title": "Allow the edit?"}),
        (RUN, {"kind": "execute", "title": "Execute: make all", "raw_input": {"command": "make all"}}),
        ({"title": "launch"}, {"title": "launch"}),
    ],
)
@each_of(("answer", "end"), [("allow_once", "in_progress"), ("reject_once", "cancelled")])
def test_a_request_of_an_unknown_id_belongs_to_the_call_that_it_is_about(
    announced: dict[str, Any], asked: dict[str, Any], answer: str, end: str
) -> None:
    one = told()
    one.apply(running(), tool("a", status="pending", **announced))
    ask(one, "b", **asked)
    assert calls(one) == [("a", "pending")]
    assert one.session.permissions[0].tool_call_id == "a"
    one.apply(PermissionAnswered(1, answer))
    assert calls(one) == [("a", end)]
    one.apply(tool("b", status="completed"), idle())  # by either id
    assert calls(one) == [("a", "completed" if answer == "allow_once" else "cancelled")]


def test_what_the_request_says_more_is_said_of_the_call() -> None:
    one, diff = told(), Diff(path="/project/a.py", old_text="a", new_text="b")
    one.apply(running(), tool("a", **EDIT))
    ask(one, "b", content=[diff], **EDIT)
    assert one.session.index.tool_calls["a"].content == [diff]


@each_of(
    "asked",
    [
        {**EDIT, "raw_input": {"file_path": "/project/b.py"}},
        {**EDIT, "kind": "delete"},
        RUN,
    ],
)
def test_a_request_about_something_else_is_a_call_of_its_own(asked: dict[str, Any]) -> None:
    one = told()
    one.apply(running(), tool("a", **EDIT))
    ask(one, "b", **asked)
    assert [name for name, _ in calls(one)] == ["a", "b"]
    assert one.session.permissions[0].tool_call_id == "b"


@pytest.mark.parametrize("before", ["finished", "asked about", "allowed", "announced"])
def test_calls_that_are_taken_are_not_meant(before: str) -> None:
    one = told()
    one.apply(running(), tool("a", **EDIT))
    if before == "finished":
        one.apply(tool("a", status="completed"))
    elif before == "announced":
        one.apply(tool("b", **EDIT))
    else:
        ask(one, "a", 7, **EDIT)
        one.apply(*([PermissionAnswered(7, "allow_once")] if before == "allowed" else []))
    ask(one, "b", **EDIT)
    assert [name for name, _ in calls(one)] == ["a", "b"]


def test_a_command_that_is_asked_about_without_an_id_is_the_call_that_runs_it() -> None:
    one = told()
    one.apply(running(), tool("a", **RUN))
    subject = PermissionSubject(type="command", command="make all", cwd="/project")
    one.apply(PermissionReceived(1, request(subject)))
    assert one.session.permissions[0].tool_call_id == "a"


@each_of(
    "kind, reason, rules, words",
    [
        ("allow_once", "cargo test … (this project)", ("r",), "✓ allowed by rule cargo test … (this project)"),
        ("reject_once", "git push\n(everywhere)", ("r",), "✗ rejected by rule git push (everywhere)"),
        ("allow_once", "read-only", ("read-only",), "✓ allowed by rule: read-only"),
        ("allow_once", "everything", ("everything",), "✓ allowed by --yolo"),
    ],
)
def test_a_call_says_which_rule_answered_for_it(kind: str, reason: str, rules: tuple[str, ...], words: str) -> None:
    one = told()
    one.apply(running(), tool("1", status="pending", **RUN))
    subject = PermissionSubject(type="tool_call", tool_call=tool("1"), tool_call_id="1")
    asked = PermissionRequest(session_id="s", title="May I?", subject=subject, options=OPTIONS)
    one.apply(PermissionAnsweredByRule(1, asked, kind, reason, rules))
    assert one.session.permissions == []
    [entry] = one.session.entries
    assert isinstance(entry, ToolCallEntry)
    assert rule_words(entry) == words
    assert words in to_markdown(one.session)


def test_an_answer_by_a_rule_without_a_call_is_a_notification() -> None:
    one = told()
    asked = PermissionRequest(session_id="s", title="May I?", options=OPTIONS)
    one.apply(PermissionAnsweredByRule(1, asked, "allow_once", "x (everywhere)", ("r",)))
    assert "x (everywhere)" in to_markdown(one.session)


def test_a_call_that_its_agent_denied_says_so_also_after_a_rule_allowed_it() -> None:
    one = told()
    one.apply(running(), tool("1", status="pending", **RUN))
    asked = PermissionRequest(
        session_id="s",
        title="May I?",
        subject=PermissionSubject(type="tool_call", tool_call=tool("1"), tool_call_id="1"),
        options=OPTIONS,
    )
    one.apply(PermissionAnsweredByRule(1, asked, "allow_once", "cargo test …", ("r",)))
    denied = {"claudeCode": {"nonExecutionKind": "permission-rule"}}
    one.apply(tool("1", status="failed", _meta=denied))
    [entry] = one.session.entries
    assert isinstance(entry, ToolCallEntry)
    assert rule_words(entry).startswith("Denied by the agent itself")
    one.apply(tool("1", _meta={"claudeCode": "later"}))
    assert rule_words(entry) == "✓ allowed by rule cargo test …"
