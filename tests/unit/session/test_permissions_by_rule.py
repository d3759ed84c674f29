"""Requests that the user's rules answer: nothing waits, the call says which rules, and everyone hears of it once."""

from acp_tui.protocol.vocabulary.tool_calls import PermissionOption, PermissionRequest, PermissionSubject
from acp_tui.session.changes import EntryAdded, PermissionAsked, PermissionRuled, PermissionSettled
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.facts import PermissionAnsweredByRule
from tests.rows import each_of
from tests.unit.session.speech import Told, running, told, tool

OPTIONS = [PermissionOption(option_id=kind, name=kind, kind=kind) for kind in ("allow_once", "reject_once")]
REASON = "cargo test … (this project)"


def ruled(one: Told, call_id: str | None, option: str) -> None:
    subject = PermissionSubject(type="tool_call", tool_call=tool(call_id)) if call_id else None
    asked = PermissionRequest(session_id="s", title="Run it?", subject=subject, options=OPTIONS)
    one.apply(PermissionAnsweredByRule(1, asked, option, REASON, ("r1",)))


@each_of(("option", "status"), [("allow_once", "in_progress"), ("reject_once", "cancelled")])
def test_its_call_has_the_words_of_the_rules_and_goes_on_or_is_over(option: str, status: str) -> None:
    one = told()
    one.apply(running(), tool("a", status="pending"))
    ruled(one, "a", option)
    call = one.session.index.tool_calls["a"]
    assert (call.status, call.rule_reason, call.rules) == (status, REASON, ("r1",))


def test_it_joins_no_queue_and_is_heard_of_once() -> None:
    one = told()
    one.apply(running(), tool("a", status="pending"))
    ruled(one, "a", "allow_once")
    assert not one.session.permissions
    assert not one.all(PermissionAsked)
    assert not one.all(PermissionSettled)
    [change] = one.all(PermissionRuled)
    assert (change.request.tool_call_id, change.option_id, change.reason) == ("a", "allow_once", REASON)


@each_of(("option", "title"), [("allow_once", "Allowed by a rule"), ("reject_once", "Rejected by a rule")])
def test_without_a_call_a_notification_says_it(option: str, title: str) -> None:
    one = told()
    one.apply(running())
    ruled(one, None, option)
    [notice] = [change.entry for change in one.all(EntryAdded) if isinstance(change.entry, NoticeEntry)]
    assert (notice.title, notice.message) == (title, f"Run it?: {REASON}")
    assert len(one.all(PermissionRuled)) == 1
