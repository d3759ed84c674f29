"""A project's system prompt: read, agreed to or not, and what becomes of the session."""

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.host.catalog.system_prompts import project_prompt, with_project
from acp_tui.host.config.config import PROJECT_FILE, load_config
from acp_tui.protocol.capabilities import SystemPrompt
from tests.pilot.choosing import asked
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio

TEXT = "Never delete a file.\\n\\n[bold]Ask[/] first."


def withheld(someone: User) -> None:
    """As at a start where nobody has agreed yet."""
    prompt = replace(someone.client.general_prompt, withheld="9 characters")
    someone.client._scope = replace(someone.client._scope, system_prompt=prompt)


def agreed(folder: Path) -> bool:
    project = project_prompt(load_config(folder))
    assert project is not None
    return project.agreed


async def test_it_is_used_in_a_fresh_session_once_it_was_read_and_agreed_to(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text(f'append_system_prompt = "{TEXT}"')
    async with user(cwd=str(tmp_path)) as someone:
        withheld(someone)
        first = someone.session
        await someone.send("/project-prompt")
        await someone.wait_for("Use the project's system prompt?")
        assert someone.sees("Added to the agent's system prompt:")
        assert someone.sees("[bold]Ask[/] first.")
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("Use the project's"), "the end of the question")
        assert not agreed(tmp_path)
        assert someone.client.general_prompt.texts == ()
        await someone.send("/project-prompt")
        await someone.wait_for("Use the project's system prompt?")
        await asked(someone)
        await someone.press("y")
        await someone.wait_until(lambda: agreed(tmp_path), "the consent")
        await someone.wait_until(lambda: first not in someone.client.sessions, "the fresh session")
        assert someone.client.general_prompt.append == ("Never delete a file.\n\n[bold]Ask[/] first.",)
        assert someone.client.general_prompt.withheld == ""


async def test_a_session_in_which_something_was_said_stays(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text(f'system_prompt = "{TEXT}"')
    async with user(cwd=str(tmp_path)) as someone:
        withheld(someone)
        await someone.send("hello")
        await someone.send("/project-prompt")
        await someone.wait_for("In place of the agent's system prompt:")
        await asked(someone)
        await someone.press("y")
        await someone.wait_until(lambda: agreed(tmp_path), "the consent")
        assert any("New sessions get" in toast for toast in someone.toasts())
        assert someone.session in someone.client.sessions


async def test_a_text_that_was_changed_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / PROJECT_FILE
    file.write_text('append_system_prompt = "Old."')
    async with user(cwd=str(tmp_path)) as someone:
        old = project_prompt(load_config(tmp_path))
        assert old is not None
        someone.client.use_prompt(with_project(someone.client.general_prompt, old))
        file.write_text('append_system_prompt = "New."')
        await someone.send("/project-prompt")
        await someone.wait_for("Use the project's system prompt?")
        await asked(someone)
        await someone.press("y")
        await someone.wait_until(lambda: agreed(tmp_path), "the consent")
        await someone.wait_until(lambda: someone.client.general_prompt.append == ("New.",), "the new text")


async def test_a_project_beside_the_one_of_the_start_is_agreed_to_for_the_next_start(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text('append_system_prompt = "Beside."')
    async with user(cwd=str(tmp_path)) as someone:
        prompt = SystemPrompt("", ("Here.",), project=str(tmp_path / "elsewhere"), outside=SystemPrompt())
        someone.client.use_prompt(prompt)
        await someone.send("/project-prompt")
        await someone.wait_for("Use the project's system prompt?")
        await asked(someone)
        await someone.press("y")
        await someone.wait_until(lambda: "next start" in "".join(someone.toasts()), "the word")
        assert agreed(tmp_path)
        assert someone.client.general_prompt is prompt


async def test_a_project_without_one_is_told(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await someone.send("/project-prompt")
        await someone.wait_until(lambda: "no system prompt" in "".join(someone.toasts()), "the word")
