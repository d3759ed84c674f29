"""Prompts that wait: seen, edited, moved, deleted, sent now; all by keys."""

import pytest

from acp_tui.host.config.choices import PromptHistory
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.vocabulary.content import ImageContent, TextContent
from acp_tui.session.facts import PromptSteered, SteeringAnswered
from acp_tui.ui.prompt import prompt_queue as queue
from acp_tui.ui.prompt.prompt_queue import prompt_text
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn

pytestmark = pytest.mark.anyio


def queued(someone: User) -> list[str]:
    return [prompt_text(prompt) for prompt in someone.session.queue]


async def send_all(someone: User, *texts: str) -> None:
    for text in texts:
        await someone.send(text)


async def test_the_cursor_begins_at_the_last_and_down_leaves() -> None:
    async with user() as someone:
        await send_all(someone, "work", "one", "two")
        await someone.press("ctrl+x", "Q")
        assert someone.focused == "queue"
        await someone.wait_for("▸two")
        await someone.press("up")
        await someone.wait_for("▸one")
        marked = next(row.index("▸one") for row in someone.rows() if "▸one" in row)
        assert next(row.index("two") for row in someone.rows() if "  two" in row) == marked + 1, "no text moves"
        await someone.press("down", "down")
        assert someone.focused == "editor"


async def test_escape_leaves_the_list_and_cancels_nothing() -> None:
    async with user() as someone:
        await send_all(someone, "work", "one")
        await someone.press("alt+q", "escape")
        assert someone.focused == "editor"
        assert someone.acts("cancel") == []


async def test_without_a_queue_there_is_nothing_to_go_to() -> None:
    async with user() as someone:
        await someone.press("ctrl+x", "Q")
        assert someone.focused == "editor"
        assert any("No queued prompts" in toast for toast in someone.toasts())


@pytest.mark.parametrize(("up", "down"), [("alt+up", "alt+down"), ("K", "J")])
async def test_moving(up: str, down: str) -> None:
    async with user() as someone:
        await send_all(someone, "work", "one", "two", "three")
        await someone.press("ctrl+x", "Q", up)
        assert queued(someone) == ["one", "three", "two"]
        await someone.press(up, up)
        assert queued(someone) == ["three", "one", "two"]
        await someone.press(down)
        assert queued(someone) == ["one", "three", "two"]
        await someone.wait_for("▸three")


async def test_deleting_until_nothing_is_left() -> None:
    history = PromptHistory(None)
    async with user(history=history) as someone:
        await send_all(someone, "work", "one", "two")
        await someone.press("ctrl+x", "Q", "up", "delete")
        assert queued(someone) == ["two"]
        assert "one" in history.entries
        await someone.press("delete")
        assert queued(someone) == []
        assert someone.focused == "editor"
        assert not someone.conversation.queue.display


async def test_the_key_that_quits_elsewhere_names_the_one_that_deletes() -> None:
    async with user() as someone:
        await send_all(someone, "work", "one")
        await someone.press("ctrl+x", "Q", "ctrl+d")
        await someone.wait_for("Press Delete to delete")
        assert queued(someone) == ["one"]


async def test_editing_keeps_the_place_and_the_draft() -> None:
    async with user() as someone:
        await send_all(someone, "work", "one", "two", "three")
        await someone.type("a draft")
        await someone.press("ctrl+x", "Q", "up", "enter")
        assert someone.draft == "two"
        assert queued(someone) == ["one", "three"]
        await someone.send("!")
        assert queued(someone) == ["one", "two!", "three"]
        assert someone.draft == "a draft"


async def test_what_was_attached_to_the_draft_comes_back_with_it() -> None:
    picture = ImageContent(data="aGk=", mime_type="image/png")
    async with user() as someone:
        someone.client.connection.capabilities = AgentCapabilities(prompt=PromptCapabilities(image=True))
        await send_all(someone, "work", "one")
        someone.conversation.editor.put_in("Image", "shot.png", picture)
        await someone.press("ctrl+x", "Q", "enter")
        assert someone.draft == "one"
        await someone.press("enter")
        assert someone.draft == "[Image shot.png #1] "
        await someone.press("enter")
        assert someone.session.queue[-1].blocks[1:] == [picture]


async def test_what_is_edited_when_the_turn_ends_is_sent_at_once() -> None:
    async with user() as someone:
        await send_all(someone, "work", "one")
        await someone.press("ctrl+x", "Q", "enter")
        end_turn(someone.session)
        await someone.send("!")
        assert someone.acts("submit")[-1] == ("one!",)
        assert queued(someone) == []


async def test_editing_another_one_keeps_the_first_in_the_history() -> None:
    history = PromptHistory(None)
    async with user(history=history) as someone:
        await send_all(someone, "work", "one", "two")
        await someone.type("a draft")
        await someone.press("ctrl+x", "Q", "enter")
        await someone.press("ctrl+x", "Q", "enter")
        assert someone.draft == "one"
        assert "two" in history.entries
        await someone.press("enter")
        assert someone.draft == "a draft"


async def test_enter_on_an_empty_prompt_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "BOUNCE", 0)
    async with user() as someone:
        await send_all(someone, "work", "one")
        await someone.press("enter")
        assert someone.acts("cancel") == [()]
        assert any("Interrupted" in toast for toast in someone.toasts())


async def test_enter_twice_in_a_row_is_a_slip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "BOUNCE", 1000)
    async with user() as someone:
        await send_all(someone, "work", "one")
        await someone.press("enter")
        assert someone.acts("cancel") == []


async def test_enter_on_an_empty_prompt_without_a_queue_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "BOUNCE", 0)
    async with user() as someone:
        await someone.send("work")
        await someone.press("enter")
        assert someone.acts("cancel") == []


async def test_keys_of_the_queue_are_one_row_on_narrow_screens() -> None:
    async with user((40, 20)) as someone:
        for text in ("work", "one"):
            await someone.send(text)
        assert [row.strip() for row in someone.rows() if "interrupts" in row] == ["enter send now (interrupts)"]
        assert not someone.sees("edit queue")
        await someone.press("alt+q")
        assert [row.strip().rpartition("  ")[2] for row in someone.rows() if "esc back" in row] == ["esc back"]


async def test_many_prompts_in_few_rows() -> None:
    async with user((80, 24)) as someone:
        await send_all(someone, "work", *(f"prompt number {number}" for number in range(12)))
        await someone.wait_for("and 9 more prompts")
        await someone.press("ctrl+x", "Q")
        await someone.wait_for("▸prompt number 11")
        await someone.press(*["up"] * 11)
        await someone.wait_for("▸prompt number 0")


async def test_a_prompt_on_its_way_into_the_turn_is_seen_at_once() -> None:
    async with user() as someone:
        await someone.send("work")
        someone.session.apply(PromptSteered([TextContent(text="and the tests")]))
        await someone.wait_for("sending and the tests")
        assert not someone.sees("send now (interrupts)")
        await someone.send("later")
        assert someone.sees("queued  later")
        assert someone.sees("sending and the tests")
        someone.session.apply(SteeringAnswered(someone.session.steering[0].id))
        await someone.wait_until(lambda: not someone.sees("and the tests"), "the row to go")


async def test_while_the_list_has_the_keys_escape_cancels_nothing_and_is_not_said_to() -> None:
    async with user() as someone:
        await send_all(someone, "work", "one")
        assert someone.sees("esc cancel")
        await someone.press("alt+q")
        await someone.wait_for("esc back")
        assert not someone.sees("esc cancel")
        await someone.press("escape")
        await someone.wait_for("esc cancel")
