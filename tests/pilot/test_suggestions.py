"""What an agent suggests, in the prompt, by keys."""

import pytest

from acp_tui.host.config.preferences import Preferences
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommand,
    AvailableCommandsUpdate,
    MessageChunk,
    PromptSuggestion,
    PromptSuggestionsUpdate,
)
from acp_tui.session.state import Session
from acp_tui.ui.app import AppSettings
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say

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
        assert someone.draft.startswith("/")
        assert "tests" not in someone.draft


async def test_who_wants_none_sees_none() -> None:
    settings = AppSettings(preferences=Preferences(given={"suggestions": False}))
    async with user(prepare=lambda session: suggest(session, "Run the tests"), settings=settings) as someone:
        assert someone.sees("Ask anything")
        await someone.press("tab")
        assert someone.draft == ""


# What an agent wrote is no command

STASH = ("ctrl+x", "ctrl+s")  # puts aside what is written, or brings it back


@pytest.mark.parametrize("prompt", ["/quit", "!touch made", "exit", ":q", "/rev now"])
async def test_a_suggestion_is_text_whatever_it_begins_with(prompt: str) -> None:
    async with user() as someone:
        await suggested(someone, prompt)
        await someone.press("tab", "enter")
        await someone.wait_until(lambda: someone.acts("submit") == [(f" {prompt}",)], "the prompt as text")


async def typed_first(someone: User) -> None:
    """The user's own first character makes it a command again, once the prompt was empty."""
    await someone.press("ctrl+u")
    assert someone.draft == ""
    await someone.type("/rev")
    assert someone.draft == "/rev"


@pytest.mark.parametrize("way", ["editing", "stash", "history", "queue", "external"])
async def test_it_stays_text_on_every_way_back_into_the_prompt(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with user() as someone:
        await suggested(someone, "/quit")
        editor = someone.conversation.editor
        await someone.press("tab")
        match way:
            case "editing":
                await someone.press("end", "backspace", "t")
            case "stash":
                editor.move_cursor((0, 0))
                await someone.press("delete", *STASH)
                assert someone.draft == ""
                await someone.press(*STASH)
            case "history":
                editor.set_aside()
                await someone.press("up")
            case "queue":
                await someone.press("enter")
                await someone.wait_until(lambda: bool(someone.acts("submit")), "the prompt")
                editor.set_draft(str(someone.acts("submit")[-1][0]))
            case "external":
                editor.rewrite("/quit now")
        if editor.text.startswith(" "):
            editor.move_cursor((0, 0))
            await someone.press("delete")
        sent = len(someone.acts("submit"))
        await someone.press("enter")
        await someone.wait_until(lambda: len(someone.acts("submit")) > sent, "the prompt as text")
        assert str(someone.acts("submit")[-1][0]).startswith(" /quit")
        await suggested(someone, "/quit")
        await someone.press("tab")
        await typed_first(someone)


@pytest.mark.parametrize(
    ("message", "draft"),
    [
        ("/compact now", "/compact now"),  # the agent's command, which it would get
        ("/theme dark", " /theme dark"),
        ("/clear", " /clear"),  # the agent has one, too, and may take it away before Enter
        ("/nowhere", " /nowhere"),
    ],
)
async def test_an_earlier_message_comes_back_as_text_if_it_is_no_command_of_the_agent(message: str, draft: str) -> None:
    """Who told it is not known any more: a message that an agent replays looks like the user's own."""
    async with user() as someone:
        someone.session.apply(
            AvailableCommandsUpdate(
                available_commands=[
                    AvailableCommand(name=name, description="") for name in ("compact", "clear", "theme")
                ]
            )
        )
        someone.session.apply(
            MessageChunk(session_update="user_message_chunk", message_id="u1", content=TextContent(text=message)),
        )
        say(someone.session, "done", "a1")
        end_turn(someone.session)
        await someone.press("ctrl+x", "g", "enter")
        await someone.wait_until(lambda: someone.draft == draft, "the message")
