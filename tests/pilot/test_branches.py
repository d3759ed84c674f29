"""Going on from an earlier message: Esc twice, the list, the line above the prompt, and what is sent."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.vocabulary.content import ImageContent, TextContent
from acp_tui.protocol.vocabulary.initialization import Implementation
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, ToolCallUpdate
from acp_tui.session.entries import MessageEntry
from acp_tui.session.state import Session
from acp_tui.ui import screen_parts as parts
from acp_tui.ui.branches.rewind_panel import RewindPanel
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, end_turn, say, tell_commands, tell_options
from tests.pilot.questions import painted
from tests.unit.session import speech

pytestmark = pytest.mark.anyio


async def talk(someone: User, *prompts: str) -> None:
    """Send prompts, and have each answered."""
    for number, prompt in enumerate(prompts):
        await someone.send(prompt)
        say(someone.session, f"answer to {prompt}", f"a{number}")
        end_turn(someone.session)
    await someone.press()


async def listed(someone: User) -> list[str]:
    """The rows of the list of messages."""
    panel = await someone.opened(RewindPanel)
    await painted(someone)
    return [
        str(row.draw(80)).strip().removesuffix("now").strip() for row in panel.rows.list.rows
    ]  # sent at the time of the test


# Esc twice


async def test_escape_twice_on_an_empty_prompt_lists_the_messages() -> None:
    async with user() as someone:
        await talk(someone, "first", "second")
        await someone.press("escape")
        assert someone.sees("esc again to edit an earlier message")
        await someone.press("escape")
        assert await listed(someone) == ["second", "first"]
        await someone.press("down", "enter")
        assert someone.draft == "first"


async def test_escape_twice_clears_the_prompt_into_the_history() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.type("half a thought")
        await someone.press("escape")
        assert someone.sees("esc again to clear the prompt")
        assert someone.draft == "half a thought"
        await someone.press("escape")
        assert someone.draft == ""
        assert not isinstance(someone.app.screen, RewindPanel)
        await someone.press("up")
        assert someone.draft == "half a thought"


async def test_a_key_in_between_takes_the_first_press_back() -> None:
    async with user() as someone:
        await someone.type("half")
        await someone.press("escape")
        await someone.press("x")
        assert not someone.sees("again to clear")
        await someone.press("escape")
        assert someone.draft == "halfx"


async def test_what_the_second_press_does_is_only_said_while_it_does_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "WITHIN", 0.05)
    async with user() as someone:
        await someone.type("half")
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("again to clear"), "the end of the hint")
        assert someone.sees("^P commands")


async def test_nothing_is_offered_where_there_is_nothing() -> None:
    async with user() as someone:
        await someone.press("escape", "escape")
        assert not someone.sees("again")
        assert not isinstance(someone.app.screen, RewindPanel)


async def test_a_press_that_cancels_is_not_the_first_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is any other within a second of it, though the turn has ended by then."""
    now = [100.0]
    monkeypatch.setattr(parts, "monotonic", lambda: now[0])
    async with user() as someone:
        await someone.send("work")
        say(someone.session, "on it")
        await someone.press("escape")
        assert someone.acts("cancel") == [()]
        end_turn(someone.session, "cancelled")
        for seconds in (0.3, 0.9):
            now[0] = 100.0 + seconds
            await someone.press("escape")
        assert not isinstance(someone.app.screen, RewindPanel)
        assert not someone.sees("esc again")
        now[0] = 101.1
        await someone.press("escape")
        assert someone.sees("esc again to edit an earlier message")
        await someone.press("escape")
        assert await listed(someone) == ["work"]


async def test_in_vim_insert_mode_the_first_press_only_leaves_insert_mode() -> None:
    async with user() as someone:
        await talk(someone, "first")
        someone.conversation.parts.vim.toggle()
        await someone.press("escape")
        assert someone.sees("NORMAL")
        assert not someone.sees("esc again")
        await someone.press("escape", "escape")
        assert await listed(someone) == ["first"]


CLOSED_BY_ESC = {
    "an overlay": (("ctrl+p",), ""),
    "another one": (("f1",), ""),
    "find": (("ctrl+f",), ""),
    "the commands": (("slash", "q"), "/q"),
    "the paths": (("@", "r"), "@r"),
    "the sidebar": (("ctrl+x", "b"), ""),
    "a selected text": (("x", "shift+left"), "x"),
    "the transcript": (("ctrl+x", "up"), ""),
    "an edited message": (("ctrl+x", "g", "enter"), ""),
}


@pytest.mark.parametrize(("keys", "draft"), CLOSED_BY_ESC.values(), ids=CLOSED_BY_ESC)
async def test_presses_right_after_one_that_closed_something_arm_nothing(
    keys: Sequence[str], draft: str, tmp_path: Path
) -> None:
    (tmp_path / "readme.md").touch()
    async with user((80, 24), prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await talk(someone, "first", "second")
        await someone.press(*keys)
        await someone.wait_until(lambda: "@" not in draft or someone.sees("readme.md"), "the paths")
        for _ in range(3):
            await someone.hurry("escape", after=0.16)
        assert someone.app.screen is someone.conversation
        assert someone.draft == draft
        assert not someone.sees("esc again")
        await someone.press("escape")
        assert someone.sees("esc again")


# The list


async def test_the_list_is_filtered_as_one_types() -> None:
    async with user() as someone:
        await talk(someone, "look at the parser", "fix the login", "write a test of the parser")
        await someone.press("ctrl+x", "g")
        await someone.type("parser")
        assert await listed(someone) == ["write a test of the parser", "look at the parser"]


async def test_ten_thousand_messages_are_listed() -> None:
    def long(session: Session) -> None:
        for number in range(10_000):
            content = [TextContent(text=f"message {number} \x1b[31m")]
            told = MessageUpdate(session_update="user_message", message_id=f"u{number}", content=content)
            session.apply(told)

    async with user(prepare=long) as someone:
        await someone.press("ctrl+x", "g")
        await someone.wait_for("message 9999")
        await someone.type("message 41 ")
        await someone.wait_for("message 41")
        await someone.press("enter")
        assert someone.sees('Edit "message 41')


# What is chosen and sent


async def test_what_was_written_goes_to_the_history_and_comes_back_on_escape() -> None:
    async with user() as someone:
        await talk(someone, "first", "second")
        await someone.type("half a thought")
        await someone.press("ctrl+x", "g", "down", "enter")
        assert someone.draft == "first"
        assert "half a thought" in someone.conversation.history.entries
        assert someone.sees('Edit "first"')
        assert someone.sees("New session: this is the first message · Files stay as they are")
        await someone.press("escape")
        assert someone.draft == "half a thought"
        assert not someone.sees('Edit "')
        await someone.press("enter")
        assert someone.acts("submit")[-1] == ("half a thought",)
        assert someone.acts("branch") == []


async def test_what_was_edited_stays_when_one_leaves() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.press("escape", "escape", "enter")
        await someone.type(" of all")
        await someone.press("escape")
        assert someone.draft == "first of all"
        assert not someone.sees('Edit "')


async def test_it_is_sent_in_a_new_tab() -> None:
    async with user() as someone:
        await talk(someone, "first", "second")
        await someone.press("ctrl+x", "g", "down", "enter")
        await someone.type(" of all")
        assert someone.sees("enter send, keep this open")
        await someone.press("enter")
        await someone.wait_until(lambda: len(someone.app.tabs.entries) == 2, "the new tab")
        assert someone.acts("branch") == [("u1", "first of all")]
        assert someone.acts("submit") == [("first",), ("second",)]
        assert [label.current for label in someone.app.tabs.labels()] == [False, True]
        await someone.press("ctrl+x", "1")
        assert not someone.sees('Edit "')


LISTED = AgentCapabilities(list_sessions=True, load_session=True)


async def test_it_is_sent_in_this_tab() -> None:
    async with user() as someone:
        someone.client.connection.capabilities = LISTED
        await talk(someone, "first")
        old = someone.session
        await someone.press("ctrl+x", "g", "enter", "tab")
        assert someone.sees("enter send, replace this  tab keep it open")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("close session") == [(old.id,)], "the end of the old one")
        (tab,) = someone.app.tabs.entries
        assert tab.session is not old


async def test_no_tab_is_taken_while_its_agent_works() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.send("second")
        await someone.press("ctrl+x", "g", "down", "enter", "tab")
        assert someone.sees("enter send, keep this open")
        assert any("agent is working here" in toast for toast in someone.toasts())


async def test_no_tab_is_taken_from_what_nobody_could_find_again() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "g", "enter", "tab")
        assert someone.sees("enter send, keep this open")
        assert any("could not be resumed" in toast for toast in someone.toasts())
        someone.session.observe(lambda event: None)  # as what records it does
        await someone.press("tab")
        assert someone.sees("enter send, replace this  tab keep it open")


async def test_a_tab_whose_agent_begins_to_work_is_not_taken_any_more() -> None:
    """Its subagents would end with it."""
    child = SubagentUpdate(session_id="c1", title="Explore", state=StateUpdate(state="running"))
    async with user() as someone:
        someone.client.connection.capabilities = LISTED
        await talk(someone, "first")
        await someone.press("ctrl+x", "g", "enter", "tab")
        assert someone.sees("enter send, replace this  tab keep it open")
        someone.session.apply(child)
        await someone.wait_for("enter send, keep this open")
        assert any("agent is working here" in toast for toast in someone.toasts())
        await someone.press("tab")
        assert someone.sees("enter send, keep this open")


async def test_the_line_says_what_the_agent_can_once_that_is_known() -> None:
    async with user() as someone:
        await talk(someone, "first", "second")
        await someone.press("ctrl+x", "g", "enter")
        assert someone.sees("New session with the conversation")
        connection = someone.client.connection
        connection.agent = Implementation(name="codex-acp", version="2.6.0")
        connection.capabilities = AgentCapabilities(fork_session=True)
        someone.conversation.connection_changed()
        await someone.wait_for("Fork at this message")


async def test_tab_takes_the_suggestion_where_no_message_is_edited() -> None:
    async with user() as someone:
        someone.conversation.editor.suggest("run the tests")
        await someone.press("tab")
        assert someone.draft == "run the tests"


async def test_a_command_that_is_sent_meanwhile_is_no_branch() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "g", "enter", "ctrl+u")
        await someone.send("/status")
        await someone.press("escape")
        assert someone.acts("branch") == []
        assert someone.sees('Edit "first"')


async def test_attachments_come_along() -> None:
    picture = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")

    def replayed(session: Session) -> None:
        content = [TextContent(text="what is this"), picture]
        session.apply(MessageUpdate(session_update="user_message", message_id="u7", content=content))

    async with user(prepare=replayed) as someone:
        someone.client.connection.capabilities = AgentCapabilities(prompt=PromptCapabilities(image=True))
        await someone.press("ctrl+x", "g", "enter")
        assert someone.draft == "what is this [Image png #1] "
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.acts("branch")), "the branch")
        assert someone.client.submitted[-1][1:] == [picture]


# In the transcript


async def test_enter_on_a_message_of_ones_own_edits_it_and_space_unfolds() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "up")
        entry = someone.conversation.transcript.current_entry
        assert isinstance(entry, MessageEntry)
        await someone.press("left_curly_bracket", "space")
        assert someone.draft == ""
        await someone.press("enter")
        assert someone.draft == "first"
        assert someone.focused == "editor"
        assert someone.sees('Edit "first"')


@pytest.mark.parametrize("key", ["enter", "space"])
async def test_any_other_block_unfolds_by_both(key: str) -> None:
    async with user() as someone:
        await talk(someone, "first")
        content = [ContentItem(content=TextContent(text="what was read"))]
        call = ToolCallUpdate(tool_call_id="t1", title="Look around", kind="other", status="completed", content=content)
        someone.session.apply(call)
        await someone.wait_for("Look around")
        assert not someone.sees("what was read")
        await someone.press("ctrl+x", "up", key)
        await someone.wait_for("what was read")
        assert not someone.sees('Edit "')


async def test_r_sends_the_last_prompt_again_as_a_branch() -> None:
    async with user() as someone:
        await talk(someone, "first", "second")
        await someone.press("ctrl+x", "up", "r")
        await someone.wait_until(lambda: len(someone.app.tabs.entries) == 2, "the new tab")
        assert someone.acts("branch") == [("u2", "second")]
        await someone.wait_for("Sent again · New session with the conversation")
        assert someone.sees("answer to first")
        assert not someone.sees("answer to second")


async def test_capital_r_asks_for_another_model_or_mode_first() -> None:
    async with user(prepare=tell_options) as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "up", "R")
        await someone.wait_for("Send again with: Model · Mode")
        await someone.type("opus")
        assert someone.acts("branch") == []
        await someone.press("enter")
        await someone.wait_until(lambda: len(someone.app.tabs.entries) == 2, "the new tab")
        assert someone.acts("branch") == [("u1", "first", {"model": "opus"})]
        assert someone.acts("choose") == []


async def test_capital_r_left_sends_nothing() -> None:
    async with user(prepare=tell_options) as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "up", "R", "escape")
        assert someone.acts("branch") == []


@pytest.mark.parametrize(("key", "told"), [("r", "No messages"), ("R", "No messages")])
async def test_nothing_is_sent_again_where_nothing_was_sent(key: str, told: str) -> None:
    async with user(prepare=lambda session: say(session, "welcome")) as someone:
        await someone.press("ctrl+x", "up", key)
        assert any(told in toast for toast in someone.toasts())


async def test_another_model_is_not_offered_by_an_agent_without_any() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "up", "R")
        assert any("no model or mode option" in toast for toast in someone.toasts())


async def test_a_message_is_edited_while_a_question_has_the_place_of_the_prompt() -> None:
    async with user() as someone:
        await talk(someone, "first")
        ask_permission(someone.session)
        await someone.wait_for("Allow once")
        await someone.press("ctrl+x", "g", "enter")
        assert someone.draft == "first"
        assert someone.sees('Edit "first"')


@pytest.mark.parametrize(("text", "draft"), [("/init", "/init"), ("/help", " /help"), ("/unknown", " /unknown")])
async def test_only_a_command_of_the_agent_is_edited_as_one(text: str, draft: str) -> None:
    async with user() as someone:
        tell_commands(someone.session)
        someone.session.apply(speech.prompt(text))
        end_turn(someone.session)
        await someone.press("ctrl+x", "g")
        await someone.opened(RewindPanel)
        await painted(someone)
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == draft, "the message")
        await someone.press()
        assert not someone.sees("Analyse the project"), "the list of commands would take tab"
