"""The tree of subagents: its order, what is left out where there are many, its rows; and who works."""

import pytest

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.session_updates import StateUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.session.facts import AgentGone, PermissionReceived, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import is_at_work, speaker, working
from acp_tui.views.formatting import plain
from acp_tui.views.plans import elapsed_of, most_active, standing_of, title_of, tree_of, tree_rows
from tests.rows import each_of

RUNNING, DONE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}


def child(name: str, **members: object) -> SubagentUpdate:
    return read(SubagentUpdate, {"sessionId": name, "title": f"Title {name}", **members})


@pytest.fixture
def session() -> Session:
    return Session("root", "/project", clock=lambda: 0.0)


def ids(session: Session) -> list[tuple[int, str]]:
    return [(depth, each.entry.id) for depth, each in tree_of(session)]


def test_each_stands_before_its_own(session: Session) -> None:
    session.apply(child("a"))
    session.apply(child("b"))
    session.apply(SubagentEvent("a", child("a1")))
    session.apply(SubagentEvent("a1", child("a2")))
    session.apply(SubagentEvent("a", child("a3")))
    assert ids(session) == [(0, "a"), (1, "a1"), (2, "a2"), (1, "a3"), (0, "b")]
    assert ids(session.subagents["a"]) == [(0, "a1"), (1, "a2"), (0, "a3")]


def test_a_long_line_of_children_is_no_deep_recursion(session: Session) -> None:
    session.apply(child("0"))
    for number in range(3_000):
        session.apply(SubagentEvent(str(number), child(str(number + 1))))
    assert ids(session)[-1] == (3_000, "3000")
    assert {len(plain(row.lead)) for row in tree_rows(list(tree_of(session)))} == {2, 4, 6, 8, 10, 12, 14}


def test_of_many_those_are_shown_that_ask_and_work(session: Session) -> None:
    for number in range(100):
        session.apply(child(str(number), state=RUNNING if number % 10 == 9 else DONE))
    session.apply(PermissionReceived(1, read(PermissionRequest, {"sessionId": "50", "title": "?", "options": []})))
    nodes, more = most_active(session, 11)
    assert [node.child.entry.id for node in nodes] == ["9", "19", "29", "39", "49", "50", "59", "69", "79", "89", "99"]
    assert more == 89


def test_it_is_at_work_while_one_of_them_is(session: Session) -> None:
    session.apply(child("a", state=RUNNING))
    session.apply(SubagentEvent("a", child("a1", state=RUNNING)))
    session.apply(StateUpdate(state="idle"))
    session.apply(child("a", state={"state": "unknown"}))
    assert [each.entry.id for each in working(session)] == ["a1"]
    assert is_at_work(session)
    session.apply(AgentGone("gone"))
    assert not is_at_work(session)


def test_those_without_a_title_are_called_by_what_they_are_for(session: Session) -> None:
    session.apply(child("a", title=None, description="Find it\nand mend it"))
    session.apply(child("b", title=None))
    said = [speaker(each, session) for each in ("a", "b", "root", "stranger", None)]
    assert said == ['subagent "Find it"', "a subagent", "", "", ""]


@each_of(
    "members, sign, words",
    [
        ({"state": RUNNING}, "◐", "running"),
        ({"state": {"state": "requires_action"}}, "◑", "waiting"),
        ({"state": DONE}, "✓", "done"),
        ({"state": {"state": "idle"}}, "○", "idle"),
        ({"state": {"state": "idle", "stopReason": "refusal"}}, "✗", "refused"),
        ({"state": {"state": "idle", "stopReason": "new\x1b[2J"}}, "·", "stopped: new"),
        ({}, "◌", "not confirmed"),
    ],
)
def test_how_it_stands(members: dict[str, object], sign: str, words: str) -> None:
    session = Session("root", "/project", clock=lambda: 0.0)
    session.apply(child("a", **members))
    assert standing_of(session.family["a"])[::2] == (sign, words)


def test_a_row_tells_how_long_it_works_or_how_it_stands() -> None:
    now = 10.0
    session = Session("root", "/project", clock=lambda: now)
    session.apply(child("a", state=RUNNING))
    session.apply(child("b", title=None, state=DONE))
    now = 75.0
    rows = [(plain(row.lead), row.text, plain(row.right), row.value) for row in tree_rows(list(tree_of(session)))]
    assert rows == [("◐ ", "Title a", "1 min 05 s", "a"), ("✓ ", "untitled", "done", "b")]
    assert elapsed_of(session.family["b"]) == ""
    assert title_of(session.family["a"].entry, 6) == "Title…"
