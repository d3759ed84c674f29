"""What is put aside and comes back, by keys."""

from pathlib import Path

import pytest
from textual import events

from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.prompts.drafts import Stash, StashedDraft, stash_of
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.vocabulary.content import ImageContent
from acp_tui.ui.prompt import editor
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio
STASH = ("ctrl+x", "ctrl+s")
PICTURE = ImageContent(data="eA==", mime_type="image/png")


@pytest.fixture
def history(tmp_path: Path) -> PromptHistory:
    return PromptHistory(tmp_path / "project.jsonl")


def stash_behind(history: PromptHistory) -> Stash:
    """The project's stash, as another run of it has it."""
    shared = stash_of(history.path)
    return Stash(shared._folder)


async def put(someone: User, text: str) -> None:
    await someone.type(text)
    await someone.press(*STASH)


async def test_it_is_put_aside_and_brought_back(history: PromptHistory) -> None:
    async with user(history=history) as someone:
        await put(someone, "one")
        await put(someone, "two")
        assert someone.draft == ""
        assert someone.sees("2 stashed (^X ^S)")
        await someone.press(*STASH)
        assert someone.draft == "two"
        assert someone.sees("1 stashed")
        await someone.press("ctrl+c", *STASH)
        assert someone.draft == "one"
        assert not someone.sees("stashed")


async def test_it_comes_back_by_itself_after_the_next_prompt() -> None:
    async with user() as someone:
        await put(someone, "later")
        await someone.send("first")
        assert someone.draft == "later"
        assert someone.acts("submit") == [("first",)]
        assert not someone.sees("stashed")


async def test_a_second_enter_does_not_send_what_came_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(editor, "monotonic", lambda: now[0])
    async with user() as someone:
        await put(someone, "later")
        await someone.send("first")
        await someone.press("enter")
        assert someone.draft == "later"
        now[0] += editor.SLIP
        await someone.press("enter")
        assert someone.acts("submit") == [("first",), ("later",)]


async def test_what_else_is_entered_leaves_it_where_it_is(tmp_path: Path) -> None:
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await put(someone, "later")
        await someone.send("!true")
        assert someone.draft == ""
        await someone.send("/config")
        await someone.press("escape")
        assert someone.draft == ""
        assert someone.sees("1 stashed")


async def test_chips_come_back_with_what_they_stand_for(history: PromptHistory) -> None:
    async with user(history=history) as someone:
        await someone.type("see ")
        someone.app.post_message(events.Paste("x" * 20_000))
        await someone.pilot.pause()
        someone.conversation.editor.put_in("Image", "a.png", PICTURE)
        before = someone.draft
        await someone.press(*STASH)
    async with user(history=history) as someone:
        someone.client.connection.capabilities = AgentCapabilities(prompt=PromptCapabilities(image=True))
        assert someone.sees("1 stashed")
        await someone.press(*STASH)
        assert someone.draft == before
        await someone.press("enter")
        [blocks] = someone.client.submitted
        assert someone.acts("submit")[0][0] == "see " + "x" * 20_000 + " [Image a.png #2] "
        assert blocks[1] == PICTURE


async def test_what_another_run_put_aside_is_found_and_does_not_come_by_itself(history: PromptHistory) -> None:
    async with user(history=history) as someone:
        stash_behind(history).put(StashedDraft("from elsewhere"))
        await someone.send("first")
        assert someone.draft == ""
        await someone.press(*STASH)
        assert someone.draft == "from elsewhere"


async def test_what_another_run_took_is_gone_and_that_is_said(history: PromptHistory) -> None:
    async with user(history=history) as someone:
        await put(someone, "mine")
        assert stash_behind(history).take() == StashedDraft("mine")
        await someone.press(*STASH)
        assert someone.draft == ""
        assert any("Nothing stashed. Press ^X ^S" in toast for toast in someone.toasts())
        await someone.wait_until(lambda: not someone.sees("stashed ("), "the count to go")


async def test_what_cannot_be_kept_stays_in_the_prompt(history: PromptHistory) -> None:
    async with user(history=history) as someone:
        folder = someone.conversation.parts.stash._stash._folder
        assert folder is not None
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text("in the way")
        await put(someone, "mine")
        assert someone.draft == "mine"
        assert any("Cannot stash" in toast for toast in someone.toasts())


async def test_a_queued_prompt_that_was_being_edited_is_put_aside_and_the_draft_before_it_is_back() -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.send("queued")
        await someone.type("draft")
        await someone.press("alt+q", "enter")
        assert someone.draft == "queued"
        await someone.press(*STASH)
        assert someone.draft == "draft"
        assert someone.sees("1 stashed")
        await someone.press("enter")
        assert someone.draft == "queued"


async def test_the_palette_has_it() -> None:
    async with user() as someone:
        await someone.type("later")
        await someone.command("stash")
        assert someone.draft == ""
        assert someone.sees("1 stashed")
