"""What a run tells of answers by rule: one event for programs, and one line for people."""

from acp_tui.protocol.vocabulary.session_updates import SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionOption, PermissionRequest, PermissionSubject
from acp_tui.session.facts import PermissionAnsweredByRule
from tests.rows import each_of
from tests.unit.headless.test_subagents import as_json, as_text, inside
from tests.unit.session.speech import Told, running, tool

OPTIONS = [PermissionOption(option_id=kind, name=kind, kind=kind) for kind in ("allow_once", "reject_once")]
REASON = "cargo test … (this project)"
GO = PermissionRequest(session_id="s", title="Go?", options=OPTIONS)


def ruled(one: Told, option: str = "allow_once", rule: str = "r1", session_id: str = "s") -> None:
    subject = PermissionSubject(type="tool_call", tool_call=tool("t", title="Edit x"))
    asked = PermissionRequest(session_id=session_id, title="Edit x?", options=OPTIONS, subject=subject)
    reason = REASON if rule == "r1" else rule
    one.apply(PermissionAnsweredByRule(1, asked, option, reason, (rule,)))


@each_of(
    ("option", "rule", "line"),
    [
        ("allow_once", "r1", f"[Edit x: done, allowed by rule {REASON}]"),
        ("allow_once", "everything", "[Edit x: done, allowed by --yolo]"),
        ("allow_once", "read-only", "[Edit x: done, allowed by rule: read-only]"),
        ("reject_once", "r1", f"[Edit x: rejected by rule {REASON}]"),
    ],
)
def test_the_line_of_a_call_says_which_rule(option: str, rule: str, line: str) -> None:
    one, written = as_text()
    one.apply(running(), tool("t", title="Edit x", status="pending"))
    ruled(one, option, rule)
    one.apply(tool("t", status="completed"))
    assert written.asides == [line]


def test_a_call_in_a_subagent_has_a_line_of_its_own() -> None:
    one, written = as_text()
    one.apply(running(), SubagentUpdate(session_id="kid", title="Tests", state=running()))
    one.apply(*inside("kid", tool("t", title="Edit x", status="pending")))
    ruled(one, session_id="kid")
    assert written.asides[-1] == f"[permission: subagent Tests: Edit x?: allowed by rule {REASON}]"


def test_without_a_call_there_is_one_line() -> None:
    one, written = as_text()
    one.apply(running(), PermissionAnsweredByRule(1, GO, "x", REASON))
    assert written.asides == ["[info: Allowed by a rule]", f"[  Go?: {REASON}]"]


def test_programs_get_one_event_with_the_words_of_the_rules() -> None:
    one, written = as_json()
    one.apply(running(), tool("t", title="Edit x", status="pending"))
    ruled(one)
    [event] = [line for line in written.lines if line["type"].startswith("permission_")]
    told = {name: event[name] for name in ("type", "key", "option_id", "reason", "rules")}
    answer = {"option_id": "allow_once", "reason": REASON, "rules": ["r1"]}
    assert told == {"type": "permission_ruled", "key": 1, **answer}
    assert event["request"]["title"] == "Edit x?"
    assert "session_id" not in event


def test_an_event_of_a_subagent_names_it() -> None:
    one, written = as_json()
    one.apply(running(), SubagentUpdate(session_id="kid", title="Tests", state=running()))
    ruled(one, session_id="kid")
    [event] = [line for line in written.lines if line["type"] == "permission_ruled"]
    assert event["session_id"] == "kid"


def test_the_line_of_a_call_says_that_its_agent_denied_it() -> None:
    one, written = as_text()
    one.apply(running(), tool("t", title="Edit x", status="pending"))
    one.apply(tool("t", status="failed", _meta={"claudeCode": {"nonExecutionKind": "permission-rule"}}))
    assert written.asides == ["[Edit x: failed, denied by the agent itself]"]
