"""Sessions out of the lines of a wire record."""

from collections.abc import Sequence
from typing import Any

from acp_tui.host.records.wire_record import WireLine
from acp_tui.host.wire_replay import WireReplay
from acp_tui.session.entries import Entry, MessageEntry, NoticeEntry
from acp_tui.session.folds.file_changes import TurnEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from tests.rows import each_of
from tests.unit.host.wire_lines import INTRODUCED, LINES, chunk, ended, line, opened, prompt, update


def sessions(*lines: WireLine | None) -> list[Session]:
    return WireReplay([*INTRODUCED, *lines]).sessions


def only(*lines: WireLine | None) -> Session:
    [session] = sessions(*lines)
    return session


def words(entry: Entry) -> str:
    if isinstance(entry, MessageEntry):
        return f"{entry.role}: {text_of(entry.parts)}"
    return f"! {entry.title}: {entry.message}".removesuffix(": ") if isinstance(entry, NoticeEntry) else ""


def said(session: Session) -> list[str]:
    return [*filter(None, map(words, session.entries))]


def test_a_conversation_is_there_as_it_ended() -> None:
    [session] = WireReplay(LINES).sessions
    assert (session.id, session.cwd, session.agent_name) == ("s", "/somewhere/else", "Recorded")
    assert said(session) == ["user: hi", "agent: one two three"]
    assert all(entry.sealed for entry in session.entries)
    [turn] = [entry for entry in session.entries if isinstance(entry, TurnEntry)]
    assert turn.seconds == 4000


@each_of(
    ("lines", "told"),
    [
        ([], ["! The session was not opened"]),
        (
            [line(0, "->", id=1, method="session/new", params={"cwd": "/"}),
             line(0, "<-", id=1, error={"code": -32603, "message": "no room"})],
            ["! The session was not opened: no room (code -32603)"],
        ),
        (
            [line(0, "->", id=1, method="session/load", params={"cwd": "/", "sessionId": "x"}),
             line(0, "<-", id=1, error={"code": -32002, "message": "gone"}), *opened(0, 2), chunk(1, "new")],
            ["agent: new"],
        ),
    ],
)  # fmt: skip
def test_a_session_that_was_not_opened(lines: Sequence[WireLine], told: list[str]) -> None:
    assert said(only(*lines)) == told


def test_an_agent_that_did_not_introduce_itself() -> None:
    refused = line(0, "<-", id=0, error={"code": -32603, "message": "not today"})
    [session] = WireReplay([*INTRODUCED[:2], refused]).sessions
    assert said(session) == ["! The session was not opened: not today (code -32603)"]
    assert session.agent_name == ""


@each_of(
    ("count", "told"), [(1, "Line 5"), (2, "Lines 5, 6"), (9, "Lines 5, 6, 7, 8, 9, 10, 11, 12, 1 more")]
)  # fmt: skip
def test_lines_that_cannot_be_read_are_named(count: int, told: str) -> None:
    """The header is line 1; the client's own are broken where they are no messages of a client."""
    bad = [None, WireLine(0, "->", b"no message"), line(0, "->", id=7, method="session/prompt", params=[1])]
    damaged = [bad[number % 3] for number in range(count)]
    expected = ["agent: all the same", f"! Parts of this recording could not be read: {told}"]
    assert said(only(*damaged, *opened(0, 1), chunk(1, "all the same"))) == expected


@each_of(
    ("noise", "told"),
    [
        (WireLine(0, "<-", b"npm warn"), "! Non-protocol line on the agent's stdout: npm warn\n(not JSON)"),
        (WireLine(0, "<-", b"", 12_345), "! Message from the agent too large: 12,345 bytes"),
        (line(0, "<-", id=9, result={}), "! Unexpected answer from the agent: "),
        (chunk(0, "x", "nobody"), "! Update from the agent for an unknown session: 'nobody'"),
        (line(0, "<-", id="p", method="session/request_permission", params={}), "! Invalid request from the agent: "),
        (update(0, "tool_call"), "! Invalid update from the agent: "),
        (update(0, "tool_call", "s", toolCallId=[]), "! Invalid update from the agent: "),
    ],
)
def test_what_an_agent_should_not_have_said_is_told_as_it_was_then(noise: WireLine, told: str) -> None:
    [heard] = said(only(*opened(0, 1), noise))
    assert heard.startswith(told)


def test_a_restarted_agent_goes_on_with_the_same_session() -> None:
    """What it tells again of it is there once, and what it was at is over."""
    again = [WireLine(9, "start", b""), *INTRODUCED[1:]]
    load = opened(9, 1, "load")
    session = only(
        *opened(0, 1), prompt(1, 2, "hi"), chunk(2, "half"), *again, load[0], chunk(9, "half"), load[1],
        prompt(10, 2, "more"), chunk(10, "whole"), ended(10, 2),
    )  # fmt: skip
    told = said(session)
    assert [one for one in told if not one.startswith("!")] == [
        "user: hi", "agent: half", "user: more", "agent: whole",
    ]  # fmt: skip
    assert "! Disconnected during a turn" in told


def test_sessions_of_one_recording_stand_beside_each_other() -> None:
    first, second = sessions(*opened(0, 1, session_id="a"), *opened(0, 2, session_id="b"), chunk(1, "x", "b"))
    assert [said(first), said(second)] == [[], ["agent: x"]]


def test_a_session_that_was_closed_stays_and_hears_no_more() -> None:
    close = line(2, "->", id=2, method="session/close", params={"sessionId": "s"})
    session = only(*opened(0, 1), chunk(1, "x"), close, line(2, "<-", id=2, result={}), chunk(3, "y"))
    assert said(session) == ["agent: x"]
    assert session.entries[0].sealed


def test_a_session_that_was_resumed_says_what_is_not_there() -> None:
    assert said(only(*opened(0, 1, "resume"))) == [
        "! Earlier messages are not shown: The agent remembers them but does not send them again."
    ]


def test_a_prompt_that_wanted_a_log_in_is_there_once() -> None:
    refused = line(1, "<-", id=2, error={"code": -32000, "message": "log in"})
    session = only(*opened(0, 1), prompt(1, 2, "hi"), refused, prompt(2, 3, "hi"), chunk(3, "hello"), ended(3, 3))
    assert [one for one in said(session) if not one.startswith("!")] == ["user: hi", "agent: hello"]
    assert not session.queue


@each_of(
    ("answer", "told"),
    [
        ({"result": {"outcome": "injected"}}, ["user: hi", "agent: x", "user: and", "! Added to the current turn"]),
        ({"result": {"outcome": "promptRequired"}}, ["user: hi", "agent: x", "! This prompt was never sent: and"]),
        ({"error": {"code": -1, "message": "no"}}, ["user: hi", "agent: x", "! This prompt was never sent: and"]),
    ],
)
def test_a_prompt_that_was_sent_into_a_turn(answer: dict[str, Any], told: list[str]) -> None:
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "and"}]}
    steer = line(1, "->", id=3, method="_session/steering", params=params)
    turn = [prompt(1, 2, "hi"), chunk(1, "x"), steer, line(1, "<-", id=3, **answer), ended(2, 2)]
    session = only(*opened(0, 1), *turn)
    assert said(session) == told


SELECT = {
    "type": "select", "id": "m", "name": "Model", "category": "model", "currentValue": "a",
    "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}],
}  # fmt: skip
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}


@each_of(
    ("begins", "method", "params", "answer", "value"),
    [
        ({"configOptions": [SELECT]}, "set_config_option", {"configId": "m", "value": "b"},
         {"result": {"configOptions": [{**SELECT, "currentValue": "b"}]}}, "b"),
        ({"configOptions": [SELECT]}, "set_config_option", {"configId": "m", "value": "b"},
         {"error": {"code": -32603, "message": "no"}}, "a"),
        ({"modes": MODES}, "set_mode", {"modeId": "code"}, {"result": {}}, "code"),
    ],
)  # fmt: skip
def test_options_that_were_chosen(
    begins: dict[str, Any], method: str, params: dict[str, Any], answer: dict[str, Any], value: str
) -> None:
    choose = line(1, "->", id=2, method=f"session/{method}", params={"sessionId": "s", **params})
    session = only(*opened(0, 1, **begins), choose, line(1, "<-", id=2, **answer))
    assert [getattr(option, "current_value", "") for option in session.config_options] == [value]
    assert not session.config_in_flight


def test_a_form_that_was_answered_and_one_that_was_taken_back() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    asks = [
        line(1, "<-", id=number, method="elicitation/create",
             params={"mode": "form", "sessionId": "s", "message": f"Form {number}", "requestedSchema": schema})
        for number in (1, 2, 3)
    ]  # fmt: skip
    answer = line(2, "->", id=1, result={"action": "accept", "content": {"name": "x"}})
    withdrawn = line(2, "<-", method="$/cancel_request", params={"requestId": 2})
    session = only(*opened(0, 1), *asks, answer, withdrawn)
    assert [getattr(entry, "action", None) for entry in session.entries[:3]] == ["accept", "cancel", "cancel"]
    assert not session.elicitations


def test_in_version_2() -> None:
    two = [
        line(0, "->", id=0, method="initialize", params={"protocolVersion": 2}),
        line(0, "<-", id=0, result={"protocolVersion": 2, "info": {"name": "New", "version": "1"}, "capabilities": {}}),
        *opened(0, 1), prompt(1, 2, "hi"), line(1, "<-", id=2, result={}),
        update(1, "agent_message_chunk", messageId="m", content={"type": "text", "text": "hello"}),
        update(2, "state_update", state="idle", stopReason="end_turn"),
    ]  # fmt: skip
    replay = WireReplay(two)
    assert (replay.connection.spoken, said(replay.sessions[0])) == ("ACP 2", ["user: hi", "agent: hello"])
