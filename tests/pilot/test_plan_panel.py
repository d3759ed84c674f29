"""The plan panel: what is done of how much, the step at hand, folding, several plans."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry, PlanRemoved, PlanUpdate, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.state import Session
from acp_tui.ui.status.status_line import PlanPanel

pytestmark = pytest.mark.anyio

STEPS = [
    PlanEntry(content="Look at the code", status="completed"),
    PlanEntry(content="[b]Change[/b] it\x1b[2J", status="in_progress", priority="high"),
    PlanEntry(content="Run the tests"),
    PlanEntry(content="Tell", status="cancelled"),
]
DONE = [STEPS[0], PlanEntry(content="Run the tests", status="completed")]


class Host(App[None]):
    """A panel and nothing else."""

    pilot: Pilot[None]

    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s", "/")
        self.panel = PlanPanel(self.session)

    def compose(self) -> ComposeResult:
        yield Static("above")
        yield self.panel

    async def live(
        self, *acts: str | list[PlanEntry] | PlanUpdate | PlanRemoved | StateUpdate | ToolCallUpdate
    ) -> None:
        """Let these happen and be painted: a state of the turn, a plan, any update, `toggle` by the user."""
        for act in acts:
            if act == "toggle":
                self.panel.toggle()
                continue
            told = plan(act) if isinstance(act, list) else StateUpdate(state=act) if isinstance(act, str) else act
            self.session.apply(told)
            self.panel.look()
        await self.pilot.pause()

    def rows(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips(self.size)]

    def sees(self, text: str) -> bool:
        return any(text in row for row in self.rows())


def plan(entries: list[PlanEntry], plan_id: str = "plan") -> PlanUpdate:
    return PlanUpdate(plan=Plan(plan_id=plan_id, entries=entries))


@asynccontextmanager
async def hosted(size: tuple[int, int] = (80, 40)) -> AsyncIterator[Host]:
    host = Host()
    async with host.run_test(size=size) as host.pilot:
        yield host


async def test_without_a_plan_nothing_shows() -> None:
    async with hosted() as host:
        assert not host.panel.display
        await host.live(STEPS)
        assert host.panel.display
        await host.live(PlanRemoved(plan_id="plan"))
        assert not host.panel.display


async def test_every_step_has_a_sign() -> None:
    async with hosted() as host:
        await host.live(STEPS)
        heading = next(row for row in host.rows() if "Plan" in row)
        assert heading.endswith("  1 / 3 · 1 cancelled")
        assert host.sees("✓ Look at the code")
        assert host.sees("◐ [b]Change[/b] it  ! high")
        assert host.sees("○ Run the tests")
        assert host.sees("⊘ Tell")


async def test_with_nothing_left_to_do_it_is_done() -> None:
    async with hosted() as host:
        await host.live([STEPS[0], STEPS[3]])
        assert next(row for row in host.rows() if "Plan" in row).endswith("✓ 1 / 1 · 1 cancelled")


async def test_folded_it_shows_the_step_at_hand() -> None:
    async with hosted() as host:
        await host.live(STEPS, "toggle")
        assert host.sees("▸ Plan  ◐ [b]Change[/b] it")
        assert not host.sees("Run the tests")
        await host.pilot.click(host.panel)
        await host.pilot.pause()
        assert host.sees("Run the tests")


async def test_a_plan_of_the_last_turn_is_one_row_and_the_next_prompt_takes_it_away() -> None:
    async with hosted() as host:
        for steps, row in ((DONE, "▸ Plan"), (STEPS, "▸ Plan  ○ [b]Change[/b] it")):
            await host.live("running", steps)
            assert host.sees("✓ Look at the code")
            await host.live("idle")
            assert host.sees(row)
            assert host.panel.size.height == 1
            await host.live("running")
            assert not host.panel.display
            await host.live("idle", "running", "idle")
            assert not host.panel.display


async def test_a_plan_that_is_past_is_shown_to_who_asks_for_it() -> None:
    async with hosted() as host:
        await host.live("running", STEPS, "idle", "running", "toggle")
        assert host.sees("✓ Look at the code")
        await host.live("toggle")
        assert not host.panel.display


async def test_of_several_plans_those_of_this_turn_are_shown() -> None:
    async with hosted() as host:
        await host.live("running", plan(STEPS, "old"), "idle", "running", plan([STEPS[2]], "new"))
        assert host.sees("▾ Plan")
        assert host.sees("○ Run the tests")
        assert not host.sees("Look at the code")


async def test_a_plan_that_was_unfolded_by_hand_folds_too_once_it_is_past() -> None:
    async with hosted((80, 24)) as host:
        await host.live("running", STEPS, "toggle", DONE, "idle")
        assert host.sees("✓ Run the tests")
        await host.live("running")
        assert not host.sees("✓ Run the tests")


async def test_whoever_folds_a_plan_by_hand_has_the_next_one_folded_too() -> None:
    async with hosted() as host:
        await host.live("running", STEPS, "toggle", DONE, "idle", "running", STEPS)
        assert host.sees("▸ Plan  ◐")


async def test_the_plan_after_a_finished_one_is_shown_whole() -> None:
    async with hosted() as host:
        await host.live("running", DONE, "idle", "running", STEPS)
        assert host.sees("○ Run the tests")


async def test_a_session_comes_back_with_its_finished_plan_folded_and_it_unfolds() -> None:
    async with hosted() as host:
        await host.live(DONE)
        assert not host.sees("✓ Run the tests")
        await host.live("toggle")
        assert host.sees("✓ Run the tests")


async def test_on_fewer_than_24_rows_a_finished_plan_takes_none_until_it_is_asked_for() -> None:
    async with hosted((80, 23)) as host:
        await host.live("running", STEPS)
        assert host.sees("Plan")
        await host.live(DONE, StateUpdate(state="idle", stop_reason="end_turn"))
        assert not host.sees("Plan")
        await host.live("toggle")
        assert host.sees("✓ Run the tests")
        await host.live("toggle")
        assert not host.sees("Plan")


async def test_on_few_rows_it_begins_folded() -> None:
    async with hosted((80, 24)) as host:
        await host.live(STEPS)
        assert not host.sees("Run the tests")
        await host.live("toggle")
        assert host.sees("Run the tests")


async def test_folded_without_a_step_at_hand_the_next_one_shows() -> None:
    async with hosted((80, 24)) as host:
        await host.live([STEPS[0], STEPS[2]])
        assert host.sees("○ Run the tests")
        await host.live([STEPS[0]])
        assert host.sees("✓ 1 / 1")


async def test_a_long_plan_scrolls_to_the_step_at_hand() -> None:
    async with hosted() as host:
        steps = [PlanEntry(content=f"step {n}", status="in_progress" if n == 30 else "completed") for n in range(40)]
        await host.live(steps)
        assert host.panel.size.height <= 12
        assert host.sees("◐ step 30")


async def test_several_plans_are_told_apart() -> None:
    async with hosted() as host:
        await host.live(plan(STEPS[:1], "one"), plan(STEPS[2:3], "two"))
        shown = [row[3:] for row in host.rows()[host.panel._steps.region.y :] if row]
        assert shown == ["one  ✓ 1 / 1", "  ✓ Look at the code", "two  0 / 1", "  ○ Run the tests"]
        assert host.sees("▾ Plans")
        assert host.sees("1 / 2")


async def test_a_plan_in_markdown_is_typeset() -> None:
    async with hosted((80, 60)) as host:
        text = "## In *words*\n\nFirst **this**, \x1b[31mthen [b]that[/b].\n\n- one\n- two\n\n```sh\nmake it\n```\n"
        await host.live(PlanUpdate(plan=Plan(type="markdown", plan_id="a", content=text)))
        shown = [row[3:] for row in host.rows()[host.panel._steps.region.y :] if row]
        assert shown == ["In words", "", "First this, then [b]that[/b].", "", "• one", "• two", "", "  make it"]


async def test_plans_that_are_a_text_or_a_file_are_shown() -> None:
    async with hosted() as host:
        await host.live(
            PlanUpdate(plan=Plan(type="markdown", plan_id="a", content="# Do\n" + "x" * 5_000)),
            PlanUpdate(plan=Plan(type="newer", plan_id="b", uri="file:///plan.md")),
        )
        assert host.sees("Do")
        assert not host.sees("#")
        host.panel._scroll.scroll_end(animate=False)
        await host.pilot.pause()
        assert host.sees("1,005 more characters")
        assert host.sees("file:///plan.md")
        assert host.sees("Unknown plan type: newer")


async def test_with_nothing_left_to_do_it_folds_unless_the_user_wants_the_steps() -> None:
    async with hosted() as host:
        await host.live(STEPS)
        assert host.sees("✓ Look at the code")
        await host.live([STEPS[0], STEPS[3]])
        assert host.sees("▸ Plan")
        assert not host.sees("Look at the code")
        await host.live(plan([STEPS[2]], "another"))
        assert host.sees("Run the tests")
        await host.live(PlanRemoved(plan_id="another"), "toggle")
        assert host.sees("✓ Look at the code")


def todos(*statuses: str, call: str = "t") -> ToolCallUpdate:
    """A tool call that writes a list of todos."""
    steps = [{"content": f"Step {number}", "status": status} for number, status in enumerate(statuses)]
    return ToolCallUpdate(tool_call_id=call, title="todowrite", raw_input={"todos": steps})


async def test_the_last_list_of_todos_is_the_plan_of_an_agent_that_sends_none() -> None:
    async with hosted() as app:
        await app.live("running", todos("in_progress", "pending"), todos("completed", "in_progress", call="u"))
        assert app.sees("1 / 2")
        assert app.sees("◐ Step 1")
        assert not app.session.plans
        await app.live(StateUpdate(state="idle", stop_reason="end_turn"), StateUpdate(state="running"))
        assert not app.sees("Step 1")  # it is of the turn before
        await app.live([*DONE], todos("pending", call="v"))
        assert app.sees("Look at the code")
        assert not app.sees("Step 0")
