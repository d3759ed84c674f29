"""An agent that ended, or does not answer: what is said, and the ways out."""

import pytest

from acp_tui.session import facts
from acp_tui.views.status import QUIT, RESTART, STDERR, StatusHint, status_of
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, tell_options

pytestmark = pytest.mark.anyio


def die(someone: User, code: int | None = 1) -> None:
    someone.client.connection.exit_code = code
    someone.session.apply(facts.AgentGone("The agent exited", "with code 1"))
    someone.client._lifecycle.enter("gone")


async def test_enter_on_an_empty_prompt_starts_it_again() -> None:
    async with user() as someone:
        die(someone)
        await someone.wait_for("enter restart · ^X D stderr")
        assert not someone.sees("✗ Agent exited (code 1)")  # a notice that is in sight says it
        assert someone.sees("No agent")
        await someone.pilot.resize_terminal(46, 20)
        assert someone.sees("enter restart")
        await someone.press("enter")
        assert someone.acts("restart") == [()]
        await someone.wait_for("Starting the agent")


async def test_its_options_are_shown_again_once_one_can_change_them() -> None:
    async with user() as someone:
        tell_options(someone.session)
        await someone.wait_for("Mode Ask")
        someone.client._lifecycle.enter("gone")
        await someone.wait_for("agent exited")
        assert not someone.sees("Mode Ask")
        assert not someone.sees("shift+tab mode")
        someone.client._lifecycle.enter("ready")
        await someone.wait_for("Mode Ask")


async def test_a_draft_is_queued_and_stays_for_the_next_agent() -> None:
    async with user() as someone:
        die(someone)
        await someone.type("half a thought")
        await someone.press("ctrl+x", "R")
        assert someone.acts("restart") == [()]
        assert someone.draft == "half a thought"


async def test_a_prompt_for_an_agent_that_ended_starts_it_again() -> None:
    async with user() as someone:
        die(someone)
        await someone.send("go on")
        await someone.wait_until(lambda: someone.acts("restart") == [()], "the restart")
        await someone.wait_for("queued  go on")
        assert not someone.sees("send now (interrupts)")


async def test_restarting_an_agent_at_work_asks_first() -> None:
    async with user() as someone:
        await someone.send("go")
        await someone.press("ctrl+x", "R")
        assert someone.acts("restart") == []
        assert any("still working" in toast for toast in someone.toasts())
        await someone.press("ctrl+x", "R")
        assert someone.acts("restart") == [()]


async def test_restarting_one_that_does_not_confirm_a_cancel_asks_nothing() -> None:
    async with user() as someone:
        await someone.send("go")
        await someone.press("escape")
        await someone.press("ctrl+x", "R")
        assert someone.acts("restart") == [()]


async def test_one_that_is_gone_for_good_is_not_started() -> None:
    async with user() as someone:
        someone.client._lifecycle.enter("closed")
        await someone.press("ctrl+x", "R")
        assert someone.acts("restart") == []
        assert any("has been shut down" in toast for toast in someone.toasts())


async def test_standard_error_is_shown_without_its_escapes() -> None:
    async with user() as someone:
        someone.client.errors = [f"line {n}" for n in range(100)]
        someone.client.errors.append("\x1b[31mred\x1b]52;c;eA==\x07 [@click=app.quit]x[/]")
        await someone.press("ctrl+x", "D")
        await someone.wait_for("Agent stderr")
        await someone.wait_for("[@click=app.quit]x[/]")
        assert someone.sees("line 99")
        assert not someone.sees("line 1 ")
        await someone.press(*["up"] * 3)
        someone.client.errors.append("one more")
        await someone.press("y")
        assert "line 99" in someone.app.clipboard
        assert "\x1b" not in someone.app.clipboard
        await someone.press("escape")
        assert someone.app.screen is someone.conversation


async def test_no_standard_error_is_said() -> None:
    async with user((80, 24)) as someone:
        await someone.command("agent stderr")
        await someone.wait_for("No output yet.")


async def test_what_takes_long_says_what_one_can_do() -> None:
    async with user() as someone:
        session, connection = someone.session, someone.client.connection
        now = 1000.0  # sums of whole seconds are exact
        connection.phase, connection.step, connection.since = "starting", "waiting for the agent", now
        assert status_of(session, connection, now + 2).hints == (QUIT,)
        late = status_of(session, connection, now + 7)
        assert (late.text, late.hints) == ("Waiting for the agent · 7 s", (RESTART, STDERR))
        connection.phase = "ready"
        silent = status_of(session, connection, now + 9, unsent_since=now)
        assert (silent.text, silent.hints) == ("Agent is not reading its input · 9 s", (RESTART, STDERR))
        someone.client.of(session).submit([])
        someone.client.of(session).cancel()
        now = session.clock()
        assert status_of(session, connection, now + 1).text == "Cancelling… · 1 s"
        unheard = status_of(session, connection, now + 6)
        assert unheard.text == "Cancelling… agent has not confirmed · 6 s"
        assert unheard.hints == (RESTART, StatusHint("interrupt", "quit", times=2))
        end_turn(session, "error")
        assert status_of(session, connection, now).hints == (STDERR,)


async def test_one_that_exits_before_it_speaks_is_no_agent_to_ask() -> None:
    async with user() as someone:
        connection = someone.client.connection
        connection.spoken, connection.exit_code = "", 3
        someone.client._lifecycle.enter("gone")
        await someone.wait_for("No agent")
        assert not someone.sees("Ask anything")
