"""What the agent asks fits beside everything else, follows its tool call, and is told once."""

import pytest
from textual.color import Color

from acp_tui.protocol.vocabulary.session_updates import Plan, PlanEntry, PlanUpdate, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session.facts import PermissionReceived
from acp_tui.session.state import Session
from acp_tui.ui.questions.subject_screen import SubjectScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import tell_options
from tests.pilot.questions import answerable

pytestmark = pytest.mark.anyio

LONG = "".join(f"line {number}\n" for number in range(60))
SIZES = [(120, 40), (80, 24), (60, 20)]


def diff(text: str) -> Diff:
    return Diff(path="/home/someone/project/login.py", new_text=text)


def call(session: Session, text: str | None = None) -> ToolCallUpdate:
    content = [] if text is None else [diff(text)]
    update = ToolCallUpdate(tool_call_id="t1", title="Write login.py", kind="edit", status="pending", content=content)
    session.apply(update)
    return update


def ask(session: Session, text: str | None = LONG) -> None:
    session.apply(StateUpdate(state="running"))
    subject = PermissionSubject(type="tool_call", tool_call=call(session, text), tool_call_id="t1")
    kinds = ("allow_once", "allow_always", "reject_once", "reject_always")
    options = [PermissionOption(option_id=kind, name=f"Answer {kind}", kind=kind) for kind in kinds]
    request = PermissionRequest(session_id="s1", title="Write login.py", subject=subject, options=options)
    session.apply(PermissionReceived(1, request))


def plan(session: Session) -> None:
    entries = [PlanEntry(content=f"Step {number}", status="pending", priority="medium") for number in range(4)]
    session.apply(PlanUpdate(plan=Plan(plan_id="plan", entries=entries)))


def whole(someone: User) -> bool:
    """Whether the options have all of their rows; the status line, which would repeat the title, has none."""
    screen, panel = someone.conversation, someone.conversation.parts.questions.permission
    return 0 < panel.region.height <= panel.region.bottom <= screen.size.height and not screen.status.region.height


@pytest.mark.parametrize("size", SIZES)
async def test_the_panel_leaves_its_neighbours_their_rows(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        tell_options(someone.session)
        plan(someone.session)
        await someone.pilot.pause()
        ask(someone.session)
        await someone.wait_for("Answer reject_always")
        await someone.wait_until(lambda: whole(someone), "everything within the screen")
        assert someone.sees("line 0")
        assert someone.conversation.transcript.size.height > 1
        await answerable(someone)
        await someone.press("escape")
        await someone.type("a draft")
        await someone.press("shift+enter", "shift+enter", "shift+enter", "alt+a")
        await someone.wait_for("Answer reject_always")
        await someone.wait_until(lambda: whole(someone), "everything within the screen")


async def test_the_plan_is_one_row_while_the_agent_asks() -> None:
    async with user((120, 40)) as someone:
        someone.session.apply(StateUpdate(state="running"))
        plan(someone.session)
        await someone.wait_for("Step 3")
        ask(someone.session)
        await someone.wait_until(lambda: not someone.sees("Step 3"), "a folded plan")
        assert someone.sees("Step 0")
        await someone.press("ctrl+t")
        await someone.wait_for("Step 3")
        await someone.wait_until(lambda: whole(someone), "everything within the screen")


async def test_the_diff_is_shown_in_one_place_at_a_time() -> None:
    async with user((120, 40)) as someone:
        ask(someone.session, "only here\n")
        await someone.wait_for("Permission required")
        assert sum("only here" in row for row in someone.rows()) == 1
        await someone.wait_until(
            lambda: someone.conversation.parts.questions.permission.has_focus, "the focus, which holds keys up"
        )
        await answerable(someone)
        await someone.press("y")
        await someone.wait_until(lambda: not someone.conversation.parts.questions.permission.display, "the answer")
        assert sum("only here" in row for row in someone.rows()) == 1


async def test_a_diff_that_comes_later_is_shown_and_keys_wait_for_a_moment() -> None:
    async with user((120, 40)) as someone:
        ask(someone.session, None)
        await someone.wait_for("Answer allow_once")
        await answerable(someone)
        panel = someone.conversation.parts.questions.permission
        before = panel.rule.painted
        someone.app.answer_keys.clock.advance(1.0)  # type: ignore[attr-defined]
        call(someone.session, "came later\n")
        await someone.wait_for("came later")
        assert panel.rule.painted > before


async def test_v_shows_the_diff_of_a_block_on_the_full_screen() -> None:
    async with user((120, 40)) as someone:
        call(someone.session, LONG)
        await someone.wait_for("login.py")
        someone.conversation.action_command("focus_transcript")
        await someone.press("v")
        assert isinstance(someone.app.screen_stack[-1], SubjectScreen)
        await someone.wait_for("line 30")
        assert not someone.sees("side by side")
        await someone.press("s")
        rows = [row.rstrip() for row in someone.rows()]
        assert any(row.endswith("line 30") and "│" not in row for row in rows)  # a new file has one side only
        await someone.press("escape")
        assert len(someone.app.screen_stack) == 1


async def test_a_panel_that_was_put_aside_is_one_row_again() -> None:
    async with user((120, 40)) as someone:
        ask(someone.session)
        await someone.wait_for("Answer reject_always")
        panel = someone.conversation.parts.questions.permission
        await someone.wait_until(lambda: panel.has_focus and panel.region.height > 10, "the open panel")
        await answerable(someone)
        await someone.press("escape")
        await someone.wait_until(lambda: panel.region.height == 1, "the banner")
        assert not someone.rows()[panel.region.y - 1].strip()


async def test_in_the_terminals_own_colours_the_highlight_hides_no_key() -> None:
    async with user((80, 24)) as someone:
        someone.app.theme = "ansi-dark"
        ask(someone.session)
        await someone.wait_for("❯ 1 y")
        row = someone.conversation.parts.questions.permission.query_one("OptionRow.-highlighted")
        warning = Color.parse(someone.app.theme_variables["warning"])
        await someone.wait_until(lambda: row.styles.text_style.bold is True, "the highlight")
        assert row.styles.background != warning
        assert row.styles.background == Color.parse("ansi_default")


async def test_v_says_where_there_is_no_diff() -> None:
    async with user((120, 40)) as someone:
        call(someone.session)
        await someone.wait_for("login.py")
        someone.conversation.action_command("focus_transcript")
        await someone.press("v")
        assert someone.toasts() == ["No diff here"]
