"""The two clipboards: the terminal's always, this machine's where the user sits at it."""

import asyncio

import pyperclip
import pytest
from textual.app import App

from acp_tui.ui.terminal.terminal_capabilities import read_clipboard, write_clipboard

pytestmark = pytest.mark.anyio


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """This machine's clipboard, as a list of what was put there."""
    copied: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", copied.append)
    monkeypatch.setattr(pyperclip, "paste", lambda: copied[-1] if copied else "")
    return copied


async def test_here_a_copy_is_on_both(machine: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_CONNECTION")
    async with (app := App[None]()).run_test():
        write_clipboard(app, "words")
        await app.workers.wait_for_complete()
        assert (app.clipboard, machine) == ("words", ["words"])
        machine.append("from elsewhere")
        assert await asyncio.wait_for(read_clipboard(app), 20) == "from elsewhere"


async def test_over_ssh_the_machine_s_own_is_left_alone(machine: list[str]) -> None:
    machine.append("not mine")
    async with (app := App[None]()).run_test():
        write_clipboard(app, "words")
        await app.workers.wait_for_complete()
        assert (app.clipboard, machine) == ("words", ["not mine"])
        assert await asyncio.wait_for(read_clipboard(app), 20) == "words"
