"""Copying, exporting and jumping, by keys and from the palette."""

import json
from pathlib import Path

import pytest
from textual.events import TextSelected

from acp_tui.host.client import AgentCommand
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.state import Session
from tests.pilot.driver import user
from tests.pilot.fake_client import end_turn, say

pytestmark = pytest.mark.anyio

ANSWER = "Two ways:\n\n```sh\nmake\n```\n\nor\n\n```sh\nmake all\n```\n"


def talk(session: Session) -> None:
    say(session, ANSWER)
    call = ToolCallUpdate(tool_call_id="t", title="Build", kind="execute", raw_input={"command": "make -j4"})
    session.apply(call)
    end_turn(session)


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_each_press_copies_the_next_code_block() -> None:
    async with user(prepare=talk) as one:
        await one.press("ctrl+x", "up", "up")
        await one.press("Y")
        assert one.app.clipboard == "make"
        await one.press("Y")
        assert one.app.clipboard == "make all"
        await one.press("Y")
        assert one.app.clipboard == "make"
        assert "Copied code block 2 of 2 (1 line)" in one.toasts()


async def test_a_commands_code_is_the_command() -> None:
    async with user(prepare=talk) as one:
        await one.press("ctrl+x", "up", "Y")
        assert one.app.clipboard == "make -j4"


async def test_where_there_is_no_code_it_is_said() -> None:
    async with user(prepare=lambda session: say(session, "words")) as one:
        await one.press("ctrl+x", "up", "Y")
        assert one.toasts() == ["No code block to copy"]


async def test_nothing_that_a_terminal_obeys_gets_on_the_clipboard() -> None:
    async with user(prepare=lambda session: say(session, "a\x1b]0;title\x07b\x00")) as one:
        await one.press("ctrl+x", "y")
        assert one.app.clipboard.isprintable()


async def test_what_the_mouse_selects_is_copied_when_it_is_let_go_and_only_then() -> None:
    async with user(prepare=lambda session: say(session, "some words")) as one:
        copied = ["Copied the selection (1 line)"]
        await one.pilot.mouse_down("#transcript", offset=(3, 0))
        await one.pilot.hover("#transcript", offset=(6, 0))
        assert one.app.clipboard == ""
        await one.pilot.mouse_up("#transcript", offset=(6, 0))
        await one.wait_until(lambda: one.toasts() == copied, "the copy")
        assert one.app.clipboard == "some"
        one.app.screen.post_message(TextSelected())  # the mouse was let go elsewhere: nothing new is selected
        one.app.copy_to_clipboard("something else")
        await one.press("ctrl+c")
        assert one.app.clipboard == "some"
        assert one.conversation.is_current


async def test_a_word_under_two_clicks_is_copied_and_one_click_copies_nothing() -> None:
    async with user(prepare=lambda session: say(session, "some words")) as one:
        await one.pilot.click("#transcript", offset=(9, 0))
        assert one.toasts() == []
        await one.pilot.click("#transcript", offset=(9, 0), times=2)
        await one.wait_until(lambda: one.app.clipboard == "words", "the copy")


async def test_the_whole_transcript_is_copied_from_the_palette() -> None:
    async with user(prepare=talk) as one:
        await one.command("copy transcript")
        assert "make all" in one.app.clipboard
        assert "make -j4" in one.app.clipboard
        assert any(toast.startswith("Copied the transcript") for toast in one.toasts())


async def test_a_whole_message_is_selected_as_it_was_written() -> None:
    async with user(prepare=talk) as one:
        one.conversation.transcript.text_select_all()
        await one.press("ctrl+c")
        assert ANSWER.strip() in one.app.clipboard


@pytest.mark.parametrize("ending", ["md", "json"])
async def test_an_export_is_written_where_it_says(ending: str, tmp_path: Path) -> None:
    async with user(prepare=talk) as one:
        one.session.cwd = str(tmp_path)
        await one.command("export to json" if ending == "json" else "export to mark")
        await one.press("enter")
        await one.wait_until(lambda: any("Exported to" in toast for toast in one.toasts()))
        (written,) = files(tmp_path)
        assert written.name.startswith("session-")
        assert written.suffix == f".{ending}"
        if ending == "json":
            assert json.loads(written.read_text())["entries"][0]["type"] == "message"
        else:
            assert "make all" in written.read_text()
        assert any(written.name in toast for toast in one.toasts())


async def test_the_ending_that_is_typed_says_the_format(tmp_path: Path) -> None:
    async with user(prepare=talk) as one:
        one.session.cwd = str(tmp_path)
        await one.command("export to mark")
        await one.press("ctrl+u")
        await one.type("notes.json")
        await one.press("enter")
        await one.wait_until(lambda: any("Exported to" in toast for toast in one.toasts()))
        assert json.loads((tmp_path / "notes.json").read_text())["entries"]


async def test_an_export_never_overwrites(tmp_path: Path) -> None:
    taken = tmp_path / "notes.md"
    taken.write_text("mine")
    async with user(prepare=talk) as one:
        one.session.cwd = str(tmp_path)
        await one.command("export to mark")
        await one.press("ctrl+u")
        await one.type("notes.md")
        await one.press("enter")
        await one.wait_for("already exists")
        assert taken.read_text() == "mine"
        await one.press("escape")
        assert [each.name for each in files(tmp_path)] == ["notes.md"]


async def test_jumping_between_ones_own_messages_from_the_palette() -> None:
    async with user() as one:
        for number in range(5):
            await one.send(f"question {number}")
            say(one.session, "word\n\n" * 30, f"a{number}")
            end_turn(one.session)
        await one.command("your previous message")
        assert one.focused == "transcript"
        assert one.sees("question 4")
        await one.press("left_curly_bracket")
        assert one.sees("question 3")
        await one.press("right_curly_bracket")
        assert one.sees("question 4")


async def test_the_command_of_the_agents_own_cli_is_copied_and_told() -> None:
    async with user(prepare=talk) as one:
        one.client.command = AgentCommand(("codex-acp",))
        await one.command("own cli")
        assert one.app.clipboard == "cd /home/someone/project && codex resume s1"
        assert one.toasts() == ["Copied: cd /home/someone/project && codex resume s1"]


async def test_where_no_such_command_is_known_or_nothing_was_said_that_is_told() -> None:
    async with user() as one:
        await one.command("own cli")
        say(one.session, "words")
        await one.command("own cli")
        assert one.app.clipboard == ""
        assert any("The session has no messages" in toast for toast in one.toasts())
        assert any("Supported: OpenCode, Claude Agent, Codex" in toast for toast in one.toasts())
