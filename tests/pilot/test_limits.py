"""A limit of the user's: asked about once, the queue held, and what each answer does; all by keys."""

import pytest

from acp_tui.host.config.preferences import LimitSettings
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, Cost, StateUpdate, UsageUpdate
from acp_tui.ui.kit.picker import AnswerChoice, AskLine
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, end_turn

pytestmark = pytest.mark.anyio

REACHED = "Session cost limit reached: $5.02 of $5.00"


def report(someone: User, amount: float) -> None:
    conversation = someone.client.of(someone.session)
    conversation.limits.limits = LimitSettings(session_cost=5.0)
    conversation.limits.costs.prompted()
    conversation.fold([UsageUpdate(used=1, size=100, cost=Cost(amount=amount, currency="USD"))])


def reached(someone: User) -> bool:
    return someone.client.of(someone.session).limits.reached is not None


async def asked(someone: User) -> AnswerChoice[str]:
    report(someone, 5.02)
    panel: AnswerChoice[str] = await someone.opened(AnswerChoice)
    await someone.wait_for(REACHED)
    return panel


async def test_continue_raises_the_limit_by_its_own_amount() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: not reached(someone), "the raise")
        assert someone.client.of(someone.session).limits.limit("session_cost") == 10.0
        assert any("Session cost limit: $10.00" in toast for toast in someone.toasts())
        await someone.wait_until(lambda: not someone.sees(REACHED), "the end of the row")


async def test_the_first_answer_holds_the_queue_and_enter_or_a_command_asks_again() -> None:
    async with user() as someone:
        await asked(someone)
        assert someone.sees("Stop here")
        assert someone.sees("esc decide later")
        await someone.press("enter")
        await someone.wait_for(f"△ {REACHED}")
        assert not someone.sees("the queue waits"), "nothing is queued"
        assert reached(someone)
        report(someone, 5.03)
        await someone.wait_for("$5.03 of $5.00")
        assert not isinstance(someone.app.screen, AnswerChoice), "asked once"
        for way in ("enter", "command"):
            await (someone.press("enter") if way == "enter" else someone.send("/limit"))
            await someone.opened(AnswerChoice)
            await someone.press("escape")
            await someone.wait_until(lambda: not isinstance(someone.app.screen, AnswerChoice), "the end of the panel")
        assert reached(someone)


async def test_another_limit_can_be_set() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("down", "down", "enter")
        await someone.opened(AskLine)
        await someone.press("ctrl+u")
        await someone.type("nan")
        await someone.press("enter")
        await someone.wait_for("Not a number of 0 or more")
        await someone.press("ctrl+u")
        await someone.type("7.5")
        await someone.press("enter")
        await someone.wait_until(lambda: not reached(someone), "the change")
        assert someone.client.of(someone.session).limits.limit("session_cost") == 7.5


async def test_who_writes_is_not_interrupted() -> None:
    async with user() as someone:
        await someone.type("half a")
        report(someone, 5.02)
        await someone.wait_for(REACHED)
        await someone.type(" sentence")
        assert someone.draft == "half a sentence"
        assert not isinstance(someone.app.screen, AnswerChoice)


async def test_a_question_of_the_agent_comes_first() -> None:
    async with user() as someone:
        ask_permission(someone.session)
        report(someone, 5.02)
        await someone.wait_for("Allow once")
        await someone.press("escape")
        await someone.wait_for(REACHED)
        assert not isinstance(someone.app.screen, AnswerChoice)
        await someone.press("alt+a", "y")
        await someone.opened(AnswerChoice)
        assert not someone.session.permissions


async def test_a_question_that_comes_while_the_panel_is_open_is_asked_when_that_has_left() -> None:
    async with user() as someone:
        await asked(someone)
        ask_permission(someone.session)
        await someone.press("escape")
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the question")
        await someone.wait_for("Allow once")


async def test_without_a_limit_reached_there_is_nothing_to_ask() -> None:
    async with user() as someone:
        await someone.send("/limit")
        await someone.wait_until(
            lambda: any("No limit has been reached" in toast for toast in someone.toasts()), "the word"
        )


async def test_a_turn_that_takes_too_long_can_be_cancelled() -> None:
    async with user() as someone:
        await someone.send("go")
        now = someone.session.clock()
        someone.client.of(someone.session).limits.limits = LimitSettings(turn_minutes=20)
        someone.session.clock = lambda: now + 1201
        someone.session.apply(StateUpdate(state="requires_action"))  # whatever changes in the turn
        await someone.opened(AnswerChoice)
        assert sum("△" in row for row in someone.rows()) == 1
        assert someone.sees("△ Over the turn limit (20 min)")
        assert someone.sees("Finish this turn")
        await someone.press("down", "down", "enter")
        await someone.wait_until(lambda: ("cancel",) in someone.client.acts, "the cancel")
        assert not reached(someone)


RESETS = 4_000_000_000.0


async def account_reached(someone: User) -> AnswerChoice[str]:
    await someone.send("go")
    await someone.send("next")
    limit = AccountLimit(kind="five_hour", standing="reached", resets_at=RESETS)
    conversation = someone.client.of(someone.session)
    conversation.limits.account.wall = lambda: RESETS - 3600
    conversation.fold([UsageUpdate(used=1, size=100, limits=[limit])])
    end_turn(someone.session)
    panel: AnswerChoice[str] = await someone.opened(AnswerChoice)
    return panel


async def test_at_an_account_limit_the_queue_continues_at_the_reset_if_it_is_asked_to() -> None:
    async with user() as someone:
        await account_reached(someone)
        await someone.press("down", "enter")
        await someone.wait_for("The queue continues")
        account = someone.client.of(someone.session).limits.account
        assert account.until == RESETS
        await someone.press("enter")
        await someone.wait_for("the queue waits")
        assert account.until is None, "one key stops it"
        assert someone.client.of(someone.session).limits.holds_queue


async def test_at_an_account_limit_the_queue_can_continue_now() -> None:
    async with user() as someone:
        await account_reached(someone)
        await someone.press("down", "down", "enter")
        await someone.wait_until(lambda: not someone.client.of(someone.session).limits.holds_queue, "the queue")


@pytest.mark.parametrize(("size", "words"), [((120, 40), REACHED), ((40, 12), "Cost limit: $5.02 of $5.00")])
async def test_the_question_is_one_row_and_one_blank_row_at_most_stands_below_it(
    size: tuple[int, int], words: str
) -> None:
    async with user(size) as someone:
        report(someone, 5.02)
        await someone.opened(AnswerChoice)
        rows = [row.replace("▌", "").strip() for row in someone.rows()]
        begin = next(at for at, row in enumerate(rows) if f"△ {words}" in row)
        answer = next(at for at, row in enumerate(rows) if "Stop here" in row)
        assert all(not row for row in rows[begin + 1 : answer])
        assert answer - begin <= 2


@pytest.mark.parametrize(
    ("columns", "words"),
    [(120, f"△ {REACHED} · the queue waits"), (72, f"△ {REACHED}"), (44, "△ Limit: $5.02 of $5.00")],
)
async def test_the_line_above_the_prompt_has_shorter_forms_and_is_never_cut(columns: int, words: str) -> None:
    async with user((columns, 30)) as someone:
        await someone.send("go")
        await someone.send("next")
        await asked_and_left(someone)
        await someone.wait_for(words)
        row = next(row for row in someone.rows() if words in row)
        assert "…" not in row
        assert "L decide" in row


async def asked_and_left(someone: User) -> None:
    report(someone, 5.02)
    await someone.opened(AnswerChoice)
    assert someone.sees("Hold the queue")
    await someone.press("escape")
    await someone.wait_for("decide")
