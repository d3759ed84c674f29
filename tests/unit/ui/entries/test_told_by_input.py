"""Calls that only their input tells: subagents and todo lists."""

from typing import Any

from acp_tui.protocol.vocabulary.session_updates import Plan
from acp_tui.session.state import Session
from acp_tui.ui.entries.base_units import named
from tests.rows import each_of
from tests.unit.ui.entries.test_tool_call import Scene, rows, text

STEPS = [{"content": "Look", "status": "completed"}, {"content": "Do", "status": "in_progress"}, {"content": "Rest"}]


def shown(status: str = "completed", *, unfolded: bool = False, **members: Any) -> list[str]:
    call = Scene().call(status=status, **members)
    if unfolded:
        call.toggle()
    return [" ".join(row.split()) for row in rows(call) if row]


@each_of(
    ("members", "row"),
    [
        (
            {"title": "look around", "kind": "think", "raw_input": {"prompt": "Look", "subagent_type": "general"}},
            "● Subagent general: look around",
        ),
        ({"title": "task", "raw_input": {"agent": "coder", "prompt": "Do it\nall"}}, "● Subagent coder: Do it"),
        ({"title": "x", "raw_input": {"agentName": "coder", "task": "y", "description": "z"}}, "● Subagent coder: z"),
        (
            {"title": "Launching coder agent: fake", "raw_input": {"subagent_type": "coder", "prompt": "p"}},
            "● Subagent Launching coder agent: fake",
        ),
        ({"title": "spawn_agent", "raw_input": {"message": "Look"}}, "● Subagent Look"),
        ({"title": "Find it", "name": "Task", "kind": "think"}, "● Subagent Find it"),
        (
            {"title": "look", "kind": "think", "raw_input": {"prompt": "no sort of agent"}},
            "✻ Think no sort of agent look",
        ),
        ({"title": "task", "kind": "execute", "raw_input": {"command": "make"}}, "$ make"),
        ({"title": "TaskUpdate", "raw_input": {"id": 7}}, "● Tool TaskUpdate id: 7"),
        ({"title": "task", "raw_input": {"id": 7}}, "● Tool task id: 7"),
        ({"title": "task", "raw_input": {"description": "Look"}}, "● Subagent Look"),
        ({"title": "Send it", "raw_input": {"agent": "bob", "message": "hi"}}, "● Tool Send it"),
        ({"title": "x", "raw_input": {"agent_type": "coder", "message": "hi"}}, "● Subagent coder: hi"),
    ],
)
def test_a_subagent_that_comes_as_a_plain_call_is_one(members: dict[str, Any], row: str) -> None:
    assert shown(**members)[0] == row


@each_of(
    ("result", "last"),
    [
        ("one\ntwo", ["│ one", "│ two"]),
        ("one\ntwo\n\nthree\n<task_result>\nfour\n</task_result>\n", ["│ two", "│ three", "│ four"]),
        ("", []),
    ],
)
def test_the_last_lines_of_its_result_are_shown(result: str, last: list[str]) -> None:
    raw = {"prompt": "Look", "subagent_type": "general"}
    assert shown(raw_input=raw, content=[text(result)])[1:] == last
    assert shown(raw_input=raw, raw_output=result)[1:] == last


@each_of(
    "raw",
    [
        {"todos": STEPS},
        {"plan": [{"step": step["content"], "status": step.get("status", "pending")} for step in STEPS]},
        {"items": [{"title": "Look", "done": True}, {"title": "Do", "state": "in-progress"}, {"title": "Rest"}]},
        {"tasks": [{"text": "Look", "completed": True}, {"text": "Do", "status": "Active"}, {"text": "Rest"}]},
        {"todo_list": "- [x] Look\n- [-] Do\n- [ ] Rest"},
        {"input": {"steps": [{**step, "status": step.get("status", "TODO")} for step in STEPS]}},
    ],
)
@each_of("status", ["in_progress", "completed"])
@each_of("kind", ["other", "think"])
@each_of("unfolded", [False, True])
def test_a_todo_list_is_shown_as_a_list(raw: dict[str, Any], status: str, kind: str, unfolded: bool) -> None:
    told = shown(status, unfolded=unfolded, title="3 todos", kind=kind, raw_input=raw)
    assert told[0].split()[1:7] == ["Todos", "1", "/", "3", "·", "Do"]
    assert told[1:] == (["✓ Look", "◐ Do", "○ Rest"] if unfolded else [])  # which the panel shows


def test_where_no_panel_shows_it_the_last_list_is_shown_and_earlier_ones_are_a_row() -> None:
    scene = Scene()
    scene.session.plans["p"] = Plan(plan_id="p", content="# Another plan")
    first = scene.call(title="t", raw_input={"todos": STEPS})
    assert len([row for row in rows(first) if row]) == 4
    before = first.units
    scene.call("t2", title="t", raw_input={"todos": STEPS})
    first.update()
    assert first.units is not before
    assert len([row for row in rows(first) if row]) == 1


def test_a_subagents_last_list_is_shown() -> None:
    scene = Scene()
    scene.session.parent = Session("parent", "/")
    assert len([row for row in rows(scene.call(title="t", raw_input={"todos": STEPS})) if row]) == 4


@each_of(
    "raw",
    [
        {"items": [{"title": "a", "url": "b"}]},
        {"tasks": ["a", "b"]},
        {"todos": [{"status": "pending"}]},
        {"todos": "call mother"},
        {"plan": "# Words"},
        {"todos": []},
        {"items": [{"title": "A bug", "state": "open"}, {"title": "Another", "state": "closed"}]},
        {"steps": [{"name": "build", "status": "failed"}]},
    ],
)
def test_other_lists_are_no_todo_lists(raw: dict[str, Any]) -> None:
    assert "Todos" not in shown(title="x", raw_input=raw)[0]


def test_a_long_list_is_shown_around_the_step_at_hand_until_it_is_unfolded() -> None:
    todos = [{"content": f"step {n}", "status": "in_progress" if n == 30 else "pending"} for n in range(40)]
    scene = Scene()
    scene.session.parent = Session("parent", "/")
    told = [row.strip() for row in rows(scene.call(title="t", raw_input={"todos": todos})) if row]
    assert "◐ step 30" in told
    assert told[-1] == "… 30 more lines"
    assert len(shown(unfolded=True, title="t", raw_input={"todos": todos})) == 41


@each_of(
    ("members", "told"),
    [
        ({"title": "look around", "raw_input": {"prompt": "p", "agent": "coder"}}, "Subagent coder: look around"),
        ({"title": "t", "raw_input": {"todos": STEPS}}, "Todos 1 / 3 · Do"),
        ({"title": "launch"}, "launch"),
        ({"title": "`make`", "kind": "execute"}, "make"),
        ({"title": "x", "kind": "edit", "raw_input": {"path": "a.py"}}, "Edit a.py"),
    ],
)
def test_other_lines_tell_what_it_is_too(members: dict[str, Any], told: str) -> None:
    scene = Scene()
    scene.call(**members)
    assert named(scene.session.index.tool_calls["1"], scene.session) == told
