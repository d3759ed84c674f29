"""What is being written: shell commands, drafts that survive, earlier messages, chips, the editor; all by keys."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.prompts import drafts
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import ContentBlock, ImageContent, TextContent
from acp_tui.session.changes import PromptReturned
from acp_tui.session.entries import ToolCallEntry
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio
PICTURE = b"\x89PNG\r\n\x1a\n" + b"x" * 2000


def take(someone: User, **kinds: bool) -> None:
    connection = someone.client._lifecycle.connection
    connection.capabilities = replace(connection.capabilities, prompt=PromptCapabilities(**kinds))


async def paste(someone: User, text: str) -> None:
    someone.app.post_message(events.Paste(text))
    await someone.pilot.pause()


@pytest.fixture(autouse=True)
def plain_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")


async def test_the_first_key_of_each_prompt_has_the_folders_looked_at() -> None:
    async with user() as someone:
        work = someone.client.work_tree
        assert work.begun == 0
        await someone.type("one")
        assert work.begun == 1
        await someone.press("enter")
        assert work.begun == 1
        await paste(someone, "two")
        assert work.begun == 2


def entry(someone: User) -> ToolCallEntry:
    found = someone.session.entries[0]
    assert isinstance(found, ToolCallEntry)
    return found


# A command of the user


async def test_a_command_runs_here_and_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "found.txt").touch()
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await someone.type("!l")
        assert someone.sees("Shell, not shared with the agent (^X v to attach the output)")
        await someone.send("s")
        await someone.wait_for("found.txt")
        await someone.wait_until(lambda: entry(someone).sealed, "the end")
        assert someone.sees("You ran")
        assert someone.acts("submit") == []


async def test_its_output_goes_with_the_next_prompt_where_that_is_wanted(tmp_path: Path) -> None:
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await someone.send("!echo hello; exit 2")
        await someone.wait_until(lambda: someone.session.entries != [] and entry(someone).sealed, "the end")
        await someone.type("why")
        await someone.press("ctrl+x", "v")
        assert someone.draft == "why [Output echo hello; exit 2, 1 line 1] ".replace(" 1] ", " #1] ")
        await someone.press("enter")
        (told,) = someone.acts("submit")
        assert told == ("why \nOutput of `echo hello; exit 2`, exit code 2:\n```\nhello\n```\n ",)


async def test_without_a_command_there_is_nothing_to_attach() -> None:
    async with user() as someone:
        await someone.press("ctrl+x", "v")
        assert someone.draft == ""
        assert any("No command" in toast for toast in someone.toasts())


async def test_the_sign_alone_runs_nothing_and_is_not_sent() -> None:
    async with user() as someone:
        await someone.send("! ")
        assert any("git status" in toast for toast in someone.toasts())
        assert someone.session.entries == []
        assert someone.acts("submit") == []
        assert someone.conversation.history.entries == []


async def test_the_status_line_tells_what_runs_and_how_to_end_it(tmp_path: Path) -> None:
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await someone.send("!exec sleep 1000")
        await someone.wait_for("Your command: exec sleep 1000")
        assert someone.sees("esc cancel")
        await someone.send("work")
        await someone.wait_for("esc cancel your command")
        assert not someone.sees("Running exec sleep")
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("your command"), "the end of the command")
        assert someone.sees("esc cancel")


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_running_command_is_ended_before_the_turn(tmp_path: Path, key: str) -> None:
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await someone.send("!echo ready; exec sleep 1000")
        await someone.wait_for("ready")
        await someone.send("work")
        await someone.press(key)
        await someone.wait_until(lambda: entry(someone).status == "cancelled", "the end of the command")
        assert someone.acts("cancel") == []


# Drafts survive


async def test_a_draft_of_a_run_that_died_comes_back_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = PromptHistory(tmp_path / "project.jsonl")
    kept = drafts.KeptDraft(history.path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 2**22 + 1)  # more than Linux gives out
        dead = drafts.KeptDraft(history.path)
    dead.keep("what I wanted")
    dead.close()
    async with user(history=history) as someone:
        assert someone.draft == "what I wanted"
        assert any("Restored your unsent draft" in toast for toast in someone.toasts())
    assert kept.left_behind() == []


def left_by_a_dead_run(history: PromptHistory, text: str, *attached: ContentBlock) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 2**22 + 1)
        dead = drafts.KeptDraft(history.path)
    dead.keep(text, attached)
    dead.close()
    assert dead._file is not None
    return dead._file.with_name(dead._file.name + drafts.ATTACHED)


async def test_what_was_attached_to_a_draft_comes_back_with_it(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "project.jsonl")
    async with user(history=history) as someone:
        keeping = someone.conversation.parts.drafts._kept
        take(someone, image=True)
        (tmp_path / "shot.png").write_bytes(PICTURE)
        await paste(someone, str(tmp_path / "shot.png"))
        await someone.wait_until(lambda: "[Image shot.png" in someone.draft, "the chip")
        text, attached = someone.draft, someone.conversation.editor.chips.attachments(someone.draft)
        assert keeping._folder is not None
        folder = keeping._folder
        await someone.wait_until(lambda: [*folder.glob("*" + drafts.ATTACHED)] != [], "the picture to be kept")
    assert not list(folder.glob("*"))
    kept = left_by_a_dead_run(history, text, *attached)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    async with user(history=history) as someone:
        take(someone, image=True)
        assert someone.draft == text
        await someone.press("enter")
        assert someone.client.submitted[-1][1:] == list(attached)
    assert not kept.exists()


async def test_what_was_attached_and_is_lost_is_said(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "project.jsonl")
    picture = ImageContent(data="eA==", mime_type="image/png")
    left_by_a_dead_run(history, "see [Image shot.png, 1 B #1] ", picture).write_bytes(b"[7]")
    async with user(history=history) as someone:
        assert someone.draft == "see  "
        assert any("attachments were not saved" in toast for toast in someone.toasts())


async def test_what_is_written_is_kept_and_what_is_sent_is_not(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "project.jsonl")
    async with user(history=history) as someone:
        folder = someone.conversation.parts.drafts._kept._folder
        assert folder is not None
        await someone.type("draft")
        await someone.wait_until(lambda: [file.read_text() for file in folder.glob("[0-9]*")] == ["draft"], "the file")
        assert stat.S_IMODE(next(folder.glob("[0-9]*")).stat().st_mode) == 0o600
        await someone.press("enter")
        await someone.wait_until(lambda: not list(folder.glob("[0-9]*")), "the file to go")
        await someone.type("another")
    assert not list(folder.glob("*"))


def test_drafts_of_programs_that_live_are_left_alone(tmp_path: Path) -> None:
    one, other = drafts.KeptDraft(tmp_path / "p.jsonl"), drafts.KeptDraft(tmp_path / "p.jsonl")
    one.keep("mine")
    one.close()
    assert other.left_behind() == []
    nothing = drafts.KeptDraft(None)
    nothing.keep("x")
    nothing.close()
    assert nothing.left_behind() == []


# Pastes and attachments


async def test_a_paste_is_unfolded() -> None:
    async with user() as someone:
        await someone.type("a ")
        await paste(someone, "line\n" * 300)
        await someone.type(" b")
        await someone.press("ctrl+x", "P")
        assert someone.draft == "a " + "line\n" * 300 + " b"
        await someone.press("ctrl+x", "P")
        assert any("No paste to expand" in toast for toast in someone.toasts())


async def test_a_paste_of_fifteen_lines_is_a_chip_that_says_how_to_expand_it_and_is_sent_whole() -> None:
    async with user() as someone:
        await paste(someone, "line\n" * 14)
        assert someone.draft == "line\n" * 14
        await someone.press("ctrl+c")
        await paste(someone, "line\n" * 15)
        assert someone.draft == "[Pasted 15 lines #1]"
        assert someone.sees("^X P expand")
        assert not someone.sees("tab complete")
        await someone.type(" why?")
        assert not someone.sees("^X P expand")
        await someone.press("enter")
        assert someone.client.submitted[-1] == [TextContent(text="line\n" * 15 + " why?")]


async def test_the_hint_of_a_paste_takes_no_key() -> None:
    async with user() as someone:
        await someone.send("work")
        await paste(someone, "line\n" * 15)
        await someone.press("escape")
        assert someone.acts("cancel") == [()]


async def test_a_paste_that_is_too_much_stays_a_chip() -> None:
    async with user() as someone:
        await paste(someone, "x" * 200_000)
        await someone.press("ctrl+x", "P")
        assert someone.draft.startswith("[Pasted")


async def test_the_path_of_a_picture_is_attached_where_it_is_taken(tmp_path: Path) -> None:
    (tmp_path / "my shot.png").write_bytes(PICTURE)
    async with user() as someone:
        take(someone, image=True)
        await someone.type("what is")
        await paste(someone, f"'{tmp_path}/my shot.png'")
        await someone.wait_until(lambda: "Image" in someone.draft, "the chip")
        assert someone.draft == "what is [Image my shot.png, 2.0 KB #1] "
        await someone.press("enter")
        text, picture = someone.client.submitted[-1]
        assert text == TextContent(text="what is [Image my shot.png, 2.0 KB #1] ")
        assert isinstance(picture, ImageContent)
        assert someone.conversation.history.entries == ["what is  "]


async def test_where_pictures_are_not_taken_that_is_said_and_the_path_stays(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(PICTURE)
    async with user() as someone:
        await paste(someone, f"{tmp_path}/shot.png")
        assert someone.draft == f"{tmp_path}/shot.png"
        assert any("does not accept images" in toast for toast in someone.toasts())


async def test_files_that_are_dropped_are_mentioned_if_they_are_in_the_sessions_folders(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    for path in (root / "src/my app.py", root / "shot.png", tmp_path / "out.txt", root / "it's.md"):
        path.write_bytes(PICTURE)
    drops = {
        f"{root}/src": "@src/ ",
        f"file://{root}/src/my%20app.py": '@"src/my app.py" ',
        f"{root}/src/my\\ app.py {root}/src": '@"src/my app.py" @src/ ',
        f"'{root}/src' '{tmp_path}/out.txt'": f"@src/ {tmp_path}/out.txt ",
        f"{root}/it's.md": "@it's.md ",
        f"{tmp_path}/out.txt": f"{tmp_path}/out.txt",
        f"{root}/shot.png": "@shot.png ",  # no picture for this agent, but a file
    }
    async with user(prepare=lambda session: setattr(session, "cwd", str(root))) as someone:
        for dropped, draft in drops.items():
            await paste(someone, dropped)
            assert someone.draft == draft
            someone.conversation.editor.set_draft("")
        assert someone.toasts() == []
        await someone.type("/add-dir ")
        await paste(someone, f"{root}/src")
        assert someone.draft == f"/add-dir {root}/src"
        someone.conversation.editor.set_draft("")
        take(someone, image=True)
        await someone.type("see")
        await paste(someone, f"{root}/shot.png {root}/src")
        await someone.wait_until(lambda: "Image" in someone.draft, "the chip")
        assert someone.draft == "see @src/ [Image shot.png, 2.0 KB #1] "


async def test_a_path_stays_a_path_in_a_command(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(PICTURE)
    async with user() as someone:
        take(someone, image=True)
        await someone.type("!file ")
        await paste(someone, f"{tmp_path}/shot.png")
        assert someone.draft == f"!file {tmp_path}/shot.png"


async def test_a_chip_that_is_removed_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(PICTURE)
    async with user() as someone:
        take(someone, image=True)
        await paste(someone, f"file://{tmp_path}/shot.png")
        await someone.wait_until(lambda: "Image" in someone.draft, "the chip")
        await someone.press("backspace", "backspace")
        assert someone.draft == ""
        await someone.send("nothing")
        assert someone.client.submitted[-1] == [TextContent(text="nothing")]


async def test_a_picture_comes_back_with_its_prompt(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(PICTURE)
    async with user() as someone:
        take(someone, image=True)
        await someone.send("work")
        await paste(someone, f"{tmp_path}/shot.png")
        await someone.wait_until(lambda: "Image" in someone.draft, "the chip")
        await someone.press("enter")
        await someone.press("ctrl+x", "Q", "enter")
        assert someone.draft.startswith("[Image shot.png")
        await someone.press("enter")
        assert [block.type for block in someone.session.queue[0].blocks] == ["text", "image"]
        blocks = someone.session.queue[0].blocks
        someone.session.publish(PromptReturned("[Image shot.png, 2.0 KB #1] ", (blocks[1],)))
        await someone.wait_until(lambda: "Image" in someone.draft, "the prompt back")
        assert len(someone.conversation.editor.take_draft().attachments) == 1


async def test_before_the_agent_has_answered_nobody_knows_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(PICTURE)
    async with user(phase="starting") as someone:
        await paste(someone, f"{tmp_path}/shot.png")
        assert someone.draft == f"{tmp_path}/shot.png"
        assert any("still starting" in toast for toast in someone.toasts())


async def send_picture_and_more(someone: User) -> None:
    """Send a picture, a prompt and a command of ours to an agent that has not said yet what it takes."""
    someone.conversation.editor.put_in("Image", "shot", ImageContent(data="", mime_type="image/png"))
    await someone.press("enter")
    await someone.send("two")
    await someone.send("/rename x")


async def test_attachments_wait_for_the_agent_and_keep_prompts_but_no_command() -> None:
    async with user(phase="starting") as someone:
        await send_picture_and_more(someone)
        assert (someone.session.title, someone.client.submitted) == ("x", [])
        assert someone.conversation.parts.pipeline.on_their_way == 2
        take(someone, image=True)
        someone.client._lifecycle.enter("ready")
        await someone.wait_until(lambda: len(someone.client.submitted) == 2, "both prompts")
        assert [[block.type for block in blocks] for blocks in someone.client.submitted] == [
            ["text", "image"],
            ["text"],
        ]


async def test_attachments_for_an_agent_that_does_not_start_come_back_and_keep_no_prompt() -> None:
    async with user(phase="starting") as someone:
        await send_picture_and_more(someone)
        someone.client._lifecycle.enter("gone")
        await someone.wait_until(lambda: someone.acts("submit") == [("two",)], "the other prompt")
        assert [block.type for block in someone.conversation.editor.written.attachments] == ["image"]
        assert any("The agent did not start. The prompt was not sent." in toast for toast in someone.toasts())
        assert someone.acts("restart") == [()]


async def test_a_picture_on_the_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    async def picture() -> bytes:
        return PICTURE

    monkeypatch.setattr("acp_tui.ui.prompt.dropped_files.read_clipboard_image", picture)
    async with user() as someone:
        await someone.press("ctrl+v")
        assert any("does not accept images" in toast for toast in someone.toasts())
        take(someone, image=True)
        await someone.press("ctrl+v")
        assert someone.draft == "[Image clipboard, 2.0 KB, png #1] "


# The user's own editor


def edited(argv: list[str]) -> list[str]:
    """Save more than there was, as an editor would."""
    path = Path(argv[1])
    before = path.read_text()
    if "DELETES" in os.environ:
        path.unlink()
        return [argv[0], before]
    path.write_text(f"{before}\nmore\x1b[2J\n")
    return [argv[0], before]


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    lent: list[list[str]] = []
    monkeypatch.setenv("VISUAL", "an-editor")

    async def run(_app: object, argv: list[str], _cwd: str) -> int:
        lent.append(edited(argv))
        return int(os.environ.get("CODE", "0"))

    monkeypatch.setattr("acp_tui.ui.prompt.draft_actions.run_on_terminal", run)
    return lent


async def test_the_draft_in_the_users_editor(lent: list[list[str]]) -> None:
    async with user() as someone:
        await someone.type("write")
        await someone.press("ctrl+g")
        await someone.wait_until(lambda: someone.draft == "write\nmore[2J", "what the editor saved")
        assert lent == [["an-editor", "write"]]
        assert someone.focused == "editor"


async def test_an_editor_that_fails_changes_nothing(lent: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODE", "1")
    async with user() as someone:
        await someone.type("write")
        await someone.press("ctrl+g")
        await someone.wait_until(lambda: any("code 1" in toast for toast in someone.toasts()), "the word")
        assert someone.draft == "write"
        assert len(lent) == 1


async def test_an_editor_that_leaves_no_file_changes_nothing(
    lent: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DELETES", "1")
    async with user() as someone:
        await someone.type("write")
        await someone.press("ctrl+g")
        await someone.wait_until(lambda: any("No such file" in toast for toast in someone.toasts()), "the word")
        assert any("The draft is unchanged" in toast for toast in someone.toasts())
        assert someone.draft == "write"
        assert len(lent) == 1


async def test_without_an_editor_what_to_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("acp_tui.host.user_programs.USUAL", ())
    async with user() as someone:
        await someone.press("ctrl+g")
        await someone.wait_until(lambda: any("No editor" in toast for toast in someone.toasts()), "the word")
        assert any("Set $EDITOR" in toast for toast in someone.toasts())


async def test_undo_and_redo() -> None:
    async with user() as someone:
        await paste(someone, "one two")
        await someone.press("ctrl+w")
        assert someone.draft == "one "
        await someone.press("ctrl+underscore")
        assert someone.draft == "one two"
        await someone.press("alt+underscore")
        assert someone.draft == "one "
        await someone.press("ctrl+x", "z")
        await someone.press("ctrl+x", "Z")
        assert someone.draft == "one "
