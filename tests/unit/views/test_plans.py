"""Plans in words: their steps, the one at hand, and what is told of each."""

import pytest

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry
from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork
from acp_tui.session.state import Turn
from acp_tui.views.formatting import plain
from acp_tui.views.plans import AT_HAND, at_rest, heading, is_done, plan_notes, plan_title, step_rows
from tests.rows import each_of


@pytest.mark.parametrize(
    ("at_hand", "rows", "first"), [(0, 201, "○ 0"), (5_000, 202, "… 4,900"), (9_999, 201, "… 9,800")]
)
def test_of_a_plan_of_thousands_the_steps_around_the_one_at_hand_are_shown(at_hand: int, rows: int, first: str) -> None:
    entries = [PlanEntry(content=str(number)) for number in range(10_000)]
    if at_hand:
        entries[at_hand] = PlanEntry(content="now", status="in_progress")
    shown = [plain(row) for row in step_rows(entries)]
    assert len(shown) == rows
    assert shown[0].startswith(first)
    assert not at_hand or "◐ now" in shown


@each_of(
    "status, priority, row",
    [
        ("pending", "medium", [("○ ", "muted"), ("Do it", "")]),
        ("pending", "high", [("○ ", "muted"), ("Do it", ""), ("  ! high", "warning")]),
        ("in_progress", "low", [(AT_HAND, "agent"), ("Do it", "bold")]),
        ("completed", "high", [("✓ ", "success"), ("Do it", "muted")]),
        ("cancelled", "high", [("⊘ ", "muted"), ("Do it", "muted strike")]),
        ("blocked", "low", [("○ ", "muted"), ("Do it", ""), ("  blocked", "muted")]),
    ],
)
def test_a_step_as_a_row(status: str, priority: str, row: list[tuple[str, str]]) -> None:
    assert list(step_rows([PlanEntry(content="Do\x1b[2J it ", status=status, priority=priority)])) == [row]


@each_of(
    "statuses, folded, text",
    [
        (["completed", "pending", "in_progress"], True, "▸ Plan  ◐ 2"),
        (["completed", "pending"], True, "▸ Plan  ○ 1"),
        (["completed"], True, "▸ Plan"),
        (["in_progress"], False, "▾ Plan"),
    ],
)
def test_the_heading_has_the_step_at_hand_where_the_plan_is_folded(
    statuses: list[str], folded: bool, text: str
) -> None:
    plan = Plan(entries=[PlanEntry(content=str(at), status=status) for at, status in enumerate(statuses)])
    assert plain(heading([plan], "Plan", folded=folded)) == text
    assert plain(heading([plan, plan], "Plans", folded=False)) == "▾ Plans"


@each_of(
    "turn, status",
    [
        (Turn(), "in_progress"),
        (Turn("running", started_at=1), "in_progress"),
        (Turn(ended_at=2, background=[BackgroundWork(type="terminal", terminal_id="t")]), "in_progress"),
        (Turn(ended_at=2), "pending"),
        (Turn(ended_at=2, stop_reason="cancelled"), "pending"),
    ],
)
def test_after_the_turn_no_step_is_at_hand(turn: Turn, status: str) -> None:
    plan = Plan(entries=[PlanEntry(content="a", status="completed"), PlanEntry(content="b", status="in_progress")])
    assert [entry.status for each in at_rest([plan], turn) for entry in each.entries] == ["completed", status]


def test_one_of_several_plans_is_named_with_what_is_done_of_it() -> None:
    done = Plan(plan_id="first", entries=[PlanEntry(content="a", status="completed")])
    assert plain(plan_title(done)) == "first  ✓ 1 / 1"
    assert plain(plan_title(Plan(plan_id="text"))) == "text"
    assert is_done(done)
    assert not is_done(Plan())


def test_where_it_is_kept_and_that_its_kind_is_unknown() -> None:
    plan = read(Plan, {"type": "drawing", "id": "p", "uri": "file:///plan.md"})
    assert [plain(row) for row in plan_notes(plan)] == ["file:///plan.md", "Unknown plan type: drawing"]
    assert list(plan_notes(Plan())) == []
