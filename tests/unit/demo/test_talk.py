"""Which scene a prompt asks for, and the short answers."""

from pathlib import Path

import pytest

from acp_tui.demo.agent import Agent
from acp_tui.demo.scenes import COMMANDS, available_commands, perform
from tests.unit.demo.client import CAPABILITIES, DemoClient, play


def answer(folder: Path, prompt: str) -> str:
    client = DemoClient(folder)

    async def scene() -> None:
        await client.start()
        assert await client.prompt(prompt) == "end_turn"

    play(scene())
    return client.text()


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("hello", "Hello!"),
        ("Hi there", "Hello!"),
        ("help", "Try"),
        ("/help", "Try"),
        ("Help!", "Try"),
        ("/nonsense", "Unknown command: `/nonsense`"),
        ("tell me", "This is a scripted demo"),
        ("", "This is a scripted demo"),
        ("do some real work now", "There is no `src/login.py` in this folder"),
    ],
)
def test_every_prompt_gets_an_answer(tmp_path: Path, prompt: str, words: str) -> None:
    assert words in answer(tmp_path, prompt)


def test_commands_have_descriptions_and_some_have_hints() -> None:
    told = available_commands()
    assert len(told) == len(COMMANDS) == 8
    assert all(command["description"] for command in told)
    hinted = {command["name"] for command in told if "input" in command}
    assert hinted == {"long", "fail"}


def test_a_command_that_is_not_there_gets_a_list_of_those_that_are(tmp_path: Path) -> None:
    client = DemoClient(tmp_path, agent=Agent())

    async def scene() -> None:
        await client.start()
        assert await client.prompt("/markdown") == "end_turn"

    play(scene())
    head, *rows = filter(None, client.text().splitlines())
    assert head == "Unknown command: `/markdown`. There are:"
    assert rows == [f"- `/{command.name}`: {command.description}" for command in COMMANDS]


def test_attachments_are_noticed(tmp_path: Path) -> None:
    client = DemoClient(tmp_path)

    async def scene() -> None:
        await client.start()
        blocks = [{"type": "resource_link", "uri": "file:///a", "name": "a"}, {"type": "text", "text": "hi"}]
        await perform(client.agent.sessions["demo-1"], blocks)

    play(scene())
    assert client.text().startswith("You attached: resource link.\n\nHello!")


@pytest.mark.parametrize("shown", [False, True])
def test_a_prompt_is_suggested_to_a_client_that_shows_it(tmp_path: Path, shown: bool) -> None:
    client = DemoClient(tmp_path)
    client.schema = None  # suggestions are in the unstable one only

    async def scene() -> None:
        await client.start({**CAPABILITIES, "session": {"promptSuggestions": {}} if shown else {}})
        await client.prompt("/scenes")

    play(scene())
    kinds = set(client.kinds())
    assert ("prompt_suggestions_update" in kinds, "session_info_update" in kinds) == (shown, False)
