"""The queue of permission requests."""

from acp_tui.protocol.vocabulary.permissions import PermissionRequest, PermissionSubject
from acp_tui.session.changes import PermissionAsked, PermissionSettled
from acp_tui.session.facts import PermissionAnswered, PermissionReceived
from tests.unit.session.speech import told, tool


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
