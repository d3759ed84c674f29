"""The prompt of the command line on the screen: sent at once, as text; and an agent that cannot be started."""

from typing import Any

import pytest

from acp_tui.errors import AgentFault
from acp_tui.host.config.choices import PromptHistory
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session import facts
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.prompt.draft import as_sent
from tests.pilot.driver import User, user
from tests.rows import each_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "prompt", ["fix it", "/quit", "/settings", "!touch x", "!", "exit", "/review", "/none", "- a\n- b"]
)
async def test_it_is_sent_as_text_and_runs_nothing(prompt: str) -> None:
    async with user(prompt=prompt) as someone:
        await someone.wait_until(lambda: someone.acts("submit") == [(prompt,)], "the prompt, sent")
        assert someone.app.screen is someone.conversation
        assert someone.draft == ""
        assert not someone.session.index.own_commands


async def test_escapes_in_it_are_not_sent() -> None:
    async with user(prompt="a\x1b]52;c;eA==\x07b\r\nc") as someone:
        await someone.wait_until(lambda: someone.acts("submit") == [("a]52;c;eA==b\nc",)], "the prompt, sent")


@pytest.mark.parametrize("phase", ["ready", "starting"])
async def test_it_is_seen_before_the_screen_is_complete(monkeypatch: pytest.MonkeyPatch, phase: str) -> None:
    seen, completed = list[tuple[bool, str]](), ConversationScreen.completed

    def noted(screen: ConversationScreen, *given: Any) -> None:
        seen.append((screen.queue.display, str(screen.queue.render())))
        completed(screen, *given)

    monkeypatch.setattr(ConversationScreen, "completed", noted)
    async with user(phase=phase, prompt="fix it\nnow") as someone:
        await someone.wait_until(lambda: someone.acts("submit") != [], "the prompt, sent")
        assert seen == [(True, "queued  fix it ⏎ now")]
        assert someone.conversation.queue.waiting == []


@each_of(
    ("text", "back"),
    [
        ("fix it", "fix it"),
        ("/review", "/review"),
        ("!rm x", " !rm x"),
        ("exit", " exit"),
        (":wq", " :wq"),
        (" !rm x", " !rm x"),
    ],
)
def test_what_comes_back_still_runs_nothing(text: str, back: str) -> None:
    assert as_sent(text) == back


@pytest.mark.parametrize(
    ("prompt", "recalled"), [("fix it", "fix it"), ("/review it", "/review it"), ("!rm x", " !rm x")]
)
async def test_the_history_has_it_as_text(prompt: str, recalled: str) -> None:
    history = PromptHistory(None)
    async with user(prompt=prompt, history=history) as someone:
        await someone.wait_until(lambda: someone.acts("submit") != [], "the prompt, sent")
        assert list(history.entries) == [recalled]


def fail_to_start(someone: User) -> None:
    """What a start comes to whose program is not there."""
    connection = someone.client.connection
    connection.agent, connection.exit_code = None, None
    connection.fault = AgentFault("Agent not found", "nosuchagent: command not found", "Check the spelling.")
    someone.session.apply(facts.AgentGone("Agent not found", "nosuchagent: command not found"))
    someone.client._lifecycle.enter("gone")


async def test_without_an_agent_no_prompt_is_taken_and_enter_tries_again() -> None:
    async with user() as someone:
        fail_to_start(someone)
        await someone.wait_for("   enter retry · ^X N choose another agent")
        assert not someone.sees("✗ Agent not found")  # which the notice says
        assert someone.sees("No agent")
        assert not someone.sees("Ask anything")
        await someone.type("fix the test")
        await someone.press("enter")
        assert someone.acts("restart") == [()]
        assert someone.acts("submit") == []
        assert someone.session.queue == []
        assert someone.draft == "fix the test"
        await someone.wait_for("Starting the agent")
        someone.client.connection.agent = None
        someone.client._lifecycle.enter("ready")
        await someone.press("ctrl+u")
        await someone.wait_for("Ask anything")


async def test_prompts_that_waited_for_the_start_come_back_in_their_order() -> None:
    async with user(phase="starting") as someone:
        for text in ("first", "!second"):
            someone.session.apply(facts.PromptQueued([TextContent(text=text)]))
        await someone.type("third")
        fail_to_start(someone)
        await someone.wait_until(lambda: not someone.session.queue, "an empty queue")
        assert someone.draft == "first\n !second\nthird"


async def test_a_prompt_of_the_command_line_waits_in_the_editor_if_there_is_no_agent() -> None:
    async with user(phase="starting", prompt="fix the test") as someone:
        fail_to_start(someone)
        await someone.wait_until(lambda: someone.draft == "fix the test", "the prompt, back")
        assert someone.session.queue == []
