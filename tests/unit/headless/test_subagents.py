"""What a run without a screen tells of subagents: to programs everything, to people who works, asks and has ended."""

import json
from typing import Any

from acp_tui.console import AsideTone, Output
from acp_tui.headless.json_report import JsonReport
from acp_tui.headless.text_report import TextReport
from acp_tui.protocol.vocabulary.session_updates import SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    TerminalOutputChunk,
)
from acp_tui.session.facts import AgentGone, PermissionAnswered, PermissionReceived, SubagentEvent
from acp_tui.session.state import Event
from tests.unit.session.speech import Told, idle, running, say, told, tool, user


class Written(Output):
    """Output that only remembers."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.asides: list[str] = []

    def answer(self, text: str) -> None:
        self.answers.append(text)

    def aside(self, text: str, tone: AsideTone = "plain") -> None:
        self.asides.append(text.removesuffix("\n"))

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.answers]


def as_json() -> tuple[Told, Written]:
    one, written = told(), Written()
    one.session.subscribe(JsonReport(written, one.session).changed)
    return one, written


def as_text() -> tuple[Told, Written]:
    one, written = told(), Written()
    one.session.subscribe(TextReport(written, one.session, safe=False).changed)
    return one, written


def inside(child_id: str, *events: Event) -> list[SubagentEvent]:
    return [SubagentEvent(child_id, event) for event in events]


ASKED = PermissionRequest(
    session_id="kid",
    title="Edit x?",
    options=[PermissionOption(option_id="y", name="Yes", kind="allow_once")],
    subject=PermissionSubject(type="tool_call", tool_call=tool("t", title="Edit x")),
)


def test_a_subagent_is_told_of_before_what_happens_in_it_which_names_it() -> None:
    one, written = as_json()
    one.apply(say("mine"), SubagentUpdate(session_id="kid", title="Explore"), *inside("kid", say("found"), tool("t")))
    mine, kid, *rest = written.lines
    assert "session_id" not in mine
    assert (kid["type"], kid["id"], "session_id" in kid) == ("subagent", "kid", False)
    assert [line["type"] for line in rest if line["type"] != "subagent"] == ["message_chunk", "tool_call"]
    assert {line["session_id"] for line in rest if line["type"] != "subagent"} == {"kid"}


def test_all_that_happens_in_subagents_of_subagents_is_told() -> None:
    one, written = as_json()
    one.apply(SubagentUpdate(session_id="kid"), *inside("kid", SubagentUpdate(session_id="deep")))
    one.apply(*inside("deep", running(), TerminalOutputChunk(terminal_id="t", data=b"x"), say("a"), say("b"), idle()))
    deep = [line for line in written.lines if line.get("session_id") == "deep"]
    assert {line["type"] for line in deep} == {"turn", "terminal_output", "terminal", "message_chunk"}
    assert [line["content"]["text"] for line in deep if line["type"] == "message_chunk"] == ["a", "b"]
    assert {line["session_id"] for line in written.lines if line.get("id") == "deep"} == {"kid"}


def test_a_row_that_says_nothing_new_is_not_told_again() -> None:
    one, written = as_json()
    one.apply(SubagentUpdate(session_id="kid"), *inside("kid", *[tool(str(number)) for number in range(9)]))
    assert len([line for line in written.lines if line["type"] == "subagent"]) == 1


def test_a_request_names_the_subagent_that_asks() -> None:
    one, written = as_json()
    one.apply(SubagentUpdate(session_id="kid"), PermissionReceived(1, ASKED))
    one.apply(PermissionReceived(2, ASKED.model_copy(update={"session_id": "s"})))
    asked = [line for line in written.lines if line["type"] == "permission_asked"]
    assert [line.get("session_id") for line in asked] == ["kid", None]


def test_one_that_was_known_before_this_run_is_told_of_once_it_does_something() -> None:
    one = told()
    one.apply(SubagentUpdate(session_id="kid"), *inside("kid", SubagentUpdate(session_id="deep")))
    written = Written()
    one.session.subscribe(JsonReport(written, one.session).changed)
    one.apply(*inside("deep", running(), say("now")))
    assert [line["type"] for line in written.lines if line.get("session_id") == "deep"][-1] == "message_chunk"


def test_people_see_that_subagents_begin_and_end_and_not_their_words() -> None:
    one, written = as_text()
    one.apply(user("go"), SubagentUpdate(session_id="kid", title="Explore\x1b[2J", state=running()))
    one.apply(*inside("kid", say("mine alone"), tool("t", status="completed"), SubagentUpdate(session_id="deep")))
    one.apply(*inside("kid", SubagentUpdate(session_id="deep", state=running())), *inside("deep", idle("cancelled")))
    one.apply(SubagentUpdate(session_id="kid", state=idle()))
    assert written.answers == []
    assert written.asides == [
        "[subagent Explore: started]",
        "[subagent deep: started]",
        "[subagent deep: cancelled]",
        "[subagent Explore: done]",
    ]


def test_people_see_who_asks() -> None:
    one, written = as_text()
    one.apply(SubagentUpdate(session_id="kid", title="Explore"), *inside("kid", tool("t", title="Edit x")))
    one.apply(PermissionReceived(1, ASKED), PermissionAnswered(1, "y"))
    assert written.asides == ["[permission: subagent Explore: Edit x?: allowed once]"]


def test_those_that_still_work_when_the_run_ends_are_named_once() -> None:
    one, written = told(), Written()
    text, lines = TextReport(written, one.session, safe=False), JsonReport(written, one.session)
    one.session.subscribe(text.changed)
    for name in ("a", "b"):
        one.apply(SubagentUpdate(session_id=name, title=name.upper(), state=running()))
    left = list(one.session.family.values())
    text.left(left[:1])
    text.left(left)
    one.apply(AgentGone("left"))
    assert written.asides[2:4] == [
        "[1 subagent was still working when the turn ended: A]",
        "[2 subagents were still working when the turn ended: A, B]",
    ]
    assert not [line for line in written.asides[4:] if "subagent" in line]
    lines.left(left)
    told_of = [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]
    assert written.lines == [{"type": "left_working", "subagents": told_of}]
