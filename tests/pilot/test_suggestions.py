"""What an agent suggests, in the prompt, by keys."""

import pytest

from acp_tui.host.config.preferences import Preferences
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.updates import PromptSuggestion, PromptSuggestionsUpdate
from acp_tui.session.state import Session
from acp_tui.ui.app import AppSettings
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn

pytestmark = pytest.mark.anyio


def suggest(session: Session, *prompts: str) -> None:
    suggestions = [PromptSuggestion(prompt=[TextContent(text=prompt)]) for prompt in prompts]
    session.apply(PromptSuggestionsUpdate(suggestions=suggestions))


def shown(someone: User, prompt: str) -> bool:
    """Whether a prompt is suggested, with the key that takes it."""
    return any(prompt in row and row.rstrip().endswith("  tab accept") for row in someone.rows())


async def suggested(someone: User, *prompts: str) -> None:
    suggest(someone.session, *prompts)
    await someone.wait_until(lambda: shown(someone, prompts[0]), "the suggestion")


async def test_a_suggestion_is_taken_by_tab_and_never_sent_by_itself() -> None:
    async with user() as someone:
        await suggested(someone, "Run the tests", "Stop")
        await someone.press("enter")
        assert someone.acts("submit") == []
        await someone.press("tab")
        assert (someone.draft, someone.focused) == ("Run the tests", "editor")
        assert someone.acts("submit") == []
        await someone.send(" twice")
        assert someone.acts("submit") == [("Run the tests twice",)]


async def test_what_is_typed_hides_it_and_a_cleared_prompt_shows_it_again() -> None:
    async with user() as someone:
        await suggested(someone, "Run the tests")
        await someone.type("x")
        assert not someone.sees("Run the tests")
        await someone.press("tab")
        assert (someone.draft, someone.focused) == ("x", "editor")
        await someone.press("backspace")
        assert shown(someone, "Run the tests")
        await someone.press("ctrl+underscore", "ctrl+u", "tab", "ctrl+underscore")
        assert someone.draft == ""


async def test_the_agent_takes_it_back() -> None:
    async with user() as someone:
        await suggested(someone, "Run the tests")
        suggest(someone.session)
        await someone.wait_for("Ask anything")
        await someone.press("tab")
        assert someone.draft == ""


async def test_the_next_prompt_makes_it_old() -> None:
    async with user() as someone:
        await suggested(someone, "Run the tests")
        await someone.send("do something else")
        await someone.wait_for("Ask anything")
        suggest(someone.session, "And now this")
        end_turn(someone.session)
        await someone.wait_until(lambda: shown(someone, "And now this"), "the suggestion")


async def test_one_that_came_before_the_screen_was_there_is_shown() -> None:
    async with user(prepare=lambda session: suggest(session, "Run the tests")) as someone:
        assert shown(someone, "Run the tests")


async def test_a_long_one_is_cut_where_the_prompt_ends_and_taken_whole() -> None:
    async with user((40, 20)) as someone:
        suggest(someone.session, "Run the tests " * 8)
        await someone.wait_until(lambda: shown(someone, "…"), "the suggestion")
        await someone.press("tab")
        assert someone.draft == ("Run the tests " * 8).strip()


async def test_shift_tab_is_the_mode_still_and_a_list_has_tab_first() -> None:
    async with user() as someone:
        await suggested(someone, "Run the tests")
        await someone.press("shift+tab")
        assert someone.draft == ""
        await someone.type("/rev")
        await someone.press("tab")
        assert someone.draft.startswith("/rev")
        assert "tests" not in someone.draft


async def test_who_wants_none_sees_none() -> None:
    settings = AppSettings(preferences=Preferences(given={"suggestions": False}))
    async with user(prepare=lambda session: suggest(session, "Run the tests"), settings=settings) as someone:
        assert someone.sees("Ask anything")
        await someone.press("tab")
        assert someone.draft == ""
