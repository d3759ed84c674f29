"""The plan panel: what is done of how much, the step at hand, folding, several plans."""

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.protocol.vocabulary.updates import StateUpdate
from acp_tui.session.state import Session
from acp_tui.ui.status.plan import PlanPanel

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

    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s", "/")
        self.panel = PlanPanel(self.session)

    def compose(self) -> ComposeResult:
        yield Static("above")
        yield self.panel

    def plan(self, entries: list[PlanEntry], plan_id: str = "plan") -> None:
        self.session.apply(PlanUpdate(plan=Plan(plan_id=plan_id, entries=entries)))
        self.panel.look()

    def turn(self, state: str) -> None:
        self.session.apply(StateUpdate(state=state))
        self.panel.look()

    def rows(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips(self.size)]

    def sees(self, text: str) -> bool:
        return any(text in row for row in self.rows())


async def test_without_a_plan_nothing_shows() -> None:
    host = Host()
    async with host.run_test() as pilot:
        assert not host.panel.display
        host.plan(STEPS)
        assert host.panel.display
        host.session.apply(PlanRemoved(plan_id="plan"))
        host.panel.look()
        await pilot.pause()
        assert not host.panel.display


async def test_every_step_has_a_sign() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.plan(STEPS)
        await pilot.pause()
        heading = next(row for row in host.rows() if "Plan" in row)
        assert heading.endswith("  1 / 3 · 1 cancelled")
        assert host.sees("✓ Look at the code")
        assert host.sees("◐ [b]Change[/b] it  ! high")
        assert host.sees("○ Run the tests")
        assert host.sees("⊘ Tell")


async def test_with_nothing_left_to_do_it_is_done() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.plan([STEPS[0], STEPS[3]])
        await pilot.pause()
        assert next(row for row in host.rows() if "Plan" in row).endswith("✓ 1 / 1 · 1 cancelled")


async def test_folded_it_shows_the_step_at_hand() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.plan(STEPS)
        host.panel.toggle()
        await pilot.pause()
        assert host.sees("▸ Plan  ◐ [b]Change[/b] it")
        assert not host.sees("Run the tests")
        await pilot.click(host.panel)
        await pilot.pause()
        assert host.sees("Run the tests")


async def test_a_finished_plan_folds_when_the_next_prompt_is_sent() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.turn("running")
        host.plan(STEPS)
        host.plan(DONE)
        host.turn("idle")
        await pilot.pause()
        assert host.sees("✓ Run the tests")
        host.turn("running")
        await pilot.pause()
        assert host.sees("▸ Plan")
        assert not host.sees("✓ Run the tests")
        host.panel.toggle()
        host.turn("idle")
        await pilot.pause()
        assert host.sees("✓ Run the tests")


async def test_a_plan_that_was_unfolded_by_hand_folds_too_once_it_is_past() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        host.turn("running")
        host.plan(STEPS)
        host.panel.toggle()
        host.plan(DONE)
        host.turn("idle")
        await pilot.pause()
        assert host.sees("✓ Run the tests")
        host.turn("running")
        await pilot.pause()
        assert not host.sees("✓ Run the tests")


async def test_whoever_folds_a_plan_by_hand_has_the_next_one_folded_too() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.turn("running")
        host.plan(STEPS)
        host.panel.toggle()
        host.plan(DONE)
        host.turn("idle")
        host.turn("running")
        host.plan(STEPS)
        await pilot.pause()
        assert host.sees("▸ Plan  ◐")


async def test_a_plan_that_is_not_finished_stays_as_it_is() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.turn("running")
        host.plan(STEPS)
        host.turn("idle")
        host.turn("running")
        await pilot.pause()
        assert host.sees("○ Run the tests")


async def test_the_plan_after_a_finished_one_is_shown_whole() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.turn("running")
        host.plan(DONE)
        host.turn("idle")
        host.turn("running")
        host.plan(STEPS)
        await pilot.pause()
        assert host.sees("○ Run the tests")


async def test_a_session_comes_back_with_its_finished_plan_folded_and_it_unfolds() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.plan(DONE)
        await pilot.pause()
        assert not host.sees("✓ Run the tests")
        host.panel.toggle()
        await pilot.pause()
        assert host.sees("✓ Run the tests")


async def test_on_a_very_wide_screen_its_figures_stay_near_its_name() -> None:
    host = Host()
    async with host.run_test(size=(250, 60)) as pilot:
        host.plan(STEPS)
        await pilot.pause()
        heading = next(row for row in host.rows() if "Plan" in row)
        assert heading.endswith("1 / 3 · 1 cancelled")
        assert len(heading) == 133


async def test_on_few_rows_it_begins_folded() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        host.plan(STEPS)
        await pilot.pause()
        assert not host.sees("Run the tests")
        host.panel.toggle()
        await pilot.pause()
        assert host.sees("Run the tests")


async def test_folded_without_a_step_at_hand_the_next_one_shows() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        host.plan([STEPS[0], STEPS[2]])
        await pilot.pause()
        assert host.sees("○ Run the tests")
        host.plan([STEPS[0]])
        await pilot.pause()
        assert host.sees("✓ 1 / 1")


async def test_a_long_plan_scrolls_to_the_step_at_hand() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        steps = [PlanEntry(content=f"step {n}", status="in_progress" if n == 30 else "completed") for n in range(40)]
        host.plan(steps)
        await pilot.pause()
        await pilot.pause()
        assert host.panel.size.height <= 12
        assert host.sees("◐ step 30")


async def test_several_plans_are_told_apart() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.plan(STEPS[:1], "one")
        host.plan(STEPS[2:3], "two")
        await pilot.pause()
        shown = [row[3:] for row in host.rows()[host.panel._steps.region.y :] if row]
        assert shown == ["one  ✓ 1 / 1", "  ✓ Look at the code", "two  0 / 1", "  ○ Run the tests"]
        assert host.sees("▾ Plans")
        assert host.sees("1 / 2")


async def test_a_plan_in_markdown_is_typeset() -> None:
    host = Host()
    async with host.run_test(size=(80, 60)) as pilot:
        text = "## In *words*\n\nFirst **this**, \x1b[31mthen [b]that[/b].\n\n- one\n- two\n\n```sh\nmake it\n```\n"
        host.session.apply(PlanUpdate(plan=Plan(type="markdown", plan_id="a", content=text)))
        host.panel.look()
        await pilot.pause()
        shown = [row[3:] for row in host.rows()[host.panel._steps.region.y :] if row]
        assert shown == ["In words", "", "First this, then [b]that[/b].", "", "• one", "• two", "", "  make it"]


async def test_plans_that_are_a_text_or_a_file_are_shown() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.session.apply(PlanUpdate(plan=Plan(type="markdown", plan_id="a", content="# Do\n" + "x" * 5_000)))
        host.session.apply(PlanUpdate(plan=Plan(type="newer", plan_id="b", uri="file:///plan.md")))
        host.panel.look()
        await pilot.pause()
        assert host.sees("Do")
        assert not host.sees("#")
        host.panel._scroll.scroll_end(animate=False)
        await pilot.pause()
        assert host.sees("1,005 more characters")
        assert host.sees("file:///plan.md")
        assert host.sees("Unknown plan type: newer")


async def test_with_nothing_left_to_do_it_folds_unless_the_user_wants_the_steps() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        host.plan(STEPS)
        await pilot.pause()
        assert host.sees("✓ Look at the code")
        host.plan([STEPS[0], STEPS[3]])
        await pilot.pause()
        assert host.sees("▸ Plan")
        assert not host.sees("Look at the code")
        host.plan([STEPS[2]], "another")
        await pilot.pause()
        assert host.sees("Run the tests")
        host.session.apply(PlanRemoved(plan_id="another"))
        host.panel.look()
        host.panel.toggle()
        await pilot.pause()
        assert host.sees("✓ Look at the code")
