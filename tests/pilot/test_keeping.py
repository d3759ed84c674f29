"""What a user chose: offered once to be kept, in one line that disturbs nothing."""

import pytest

from acp_tui.host.config.choices import Choice
from tests.pilot.driver import User, user
from tests.pilot.fake_client import tell_options

pytestmark = pytest.mark.anyio

OPUS = Choice("model", "opus", "Model", "Opus 5")
PLAN = Choice("mode", "plan", "Mode", "Plan")


async def chosen(someone: User, *choices: Choice) -> None:
    someone.client.offered = choices
    tell_options(someone.session)
    await someone.wait_for(f"Use {choices[0].value_name}")


async def test_it_is_offered_and_kept_by_a_key_that_writes_nothing() -> None:
    async with user() as someone:
        await chosen(someone, OPUS)
        await someone.wait_for("Use Opus 5 in new OpenCode sessions?")
        assert someone.sees("^X + yes · ^X - no")
        await someone.type("yn")
        assert someone.draft == "yn"
        await someone.press("ctrl+x", "plus")
        assert someone.acts("keep") == [()]
        await someone.wait_until(lambda: not someone.sees("Use Opus"), "the end of the offer")
        assert any("Saved as defaults: Model=Opus 5" in toast for toast in someone.toasts())
        assert someone.draft == "yn"


async def test_it_can_be_declined() -> None:
    async with user() as someone:
        await chosen(someone, OPUS, PLAN)
        assert someone.sees("Use Opus 5 and Plan in new OpenCode sessions?")
        await someone.press("ctrl+x", "minus")
        assert someone.acts("decline") == [()]
        await someone.wait_until(lambda: not someone.sees("Use Opus"), "the end of the offer")


async def test_going_on_without_an_answer_is_one() -> None:
    async with user() as someone:
        await chosen(someone, OPUS)
        await someone.send("go on")
        await someone.wait_until(lambda: not someone.sees("Use Opus"), "the end of the offer")
        assert someone.acts("decline") == [()]
        someone.client.unkept = (OPUS,)
        await someone.command("save options as")
        assert someone.acts("keep") == [()]


async def test_forgetting_is_a_command() -> None:
    async with user() as someone:
        await someone.command("clear saved")
        assert someone.acts("forget") == [()]


async def test_a_value_that_says_nothing_alone_has_its_option_s_name() -> None:
    async with user() as someone:
        someone.client.offered = OPUS, PLAN, Choice("effort", "high", "Thinking", "High"), Choice("x", True, "X", "On")
        tell_options(someone.session)
        await someone.wait_for("Use Opus 5, Plan, Thinking High and 1 more in new OpenCode sessions?")


async def test_many_and_hostile_names_fit_one_row() -> None:
    async with user((80, 24)) as someone:
        choices = [Choice(str(n), True, f"[/]\x1b[2J{n}", "on" * 40) for n in range(9)]
        await chosen_hostile(someone, choices)
        assert all(len(row) <= 80 for row in someone.rows())


async def chosen_hostile(someone: User, choices: list[Choice]) -> None:
    someone.client.offered = tuple(choices)
    tell_options(someone.session)
    await someone.wait_for("Use [/]")
