"""Opening what the agent sent, by keys and by mouse: asked first, said afterwards."""

from pathlib import Path

import pytest

from acp_tui.host.config.state_files import cache_folder
from acp_tui.protocol.vocabulary.content import Annotations, ContentBlock, ImageContent, ResourceLink, TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, ToolCallUpdate
from acp_tui.session.state import Session
from acp_tui.ui.kit.picker import Picker
from tests.pilot.driver import User, user
from tests.pilot.fake_client import say

pytestmark = pytest.mark.anyio

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE = ImageContent(data=PIXEL, mime_type="image/png")
LINK = ResourceLink(uri="https://example.com/report", name="report", title="The report", size=1200)


def send(session: Session, *blocks: ContentBlock) -> None:
    for block in blocks:
        session.apply(MessageChunk(session_update="agent_message_chunk", message_id="b1", content=block))


class Opened:
    """What was opened outside of the app."""

    def __init__(self, someone: User) -> None:
        self.addresses: list[str] = []
        self.files: list[Path] = []
        someone.conversation.parts.opening.open_address = self.open_address
        someone.conversation.parts.opening.open_file = self.open_file

    async def open_address(self, url: str) -> bool:
        self.addresses.append(url)
        return True

    async def open_file(self, path: Path) -> bool:
        self.files.append(path)
        return True


async def test_an_image_is_saved_and_opened_on_request() -> None:
    async with user(prepare=lambda session: send(session, IMAGE)) as someone:
        opened = Opened(someone)
        assert someone.sees("▣ image  image/png · 1 × 1 · 70 B")
        await someone.press("ctrl+x", "up", "o")
        assert someone.sees("image/png · 1 × 1 · 70 B")
        assert not (cache_folder() / "content").exists()
        await someone.press("enter")
        await someone.wait_until(lambda: bool(opened.files), "the viewer")
        assert opened.files[0].read_bytes().startswith(b"\x89PNG")
        await someone.wait_until(lambda: any("Saved to" in toast for toast in someone.toasts()), "where it is")


async def test_a_resource_link_is_shown_whole_and_opened_on_consent() -> None:
    async with user(prepare=lambda session: send(session, LINK)) as someone:
        opened = Opened(someone)
        assert someone.sees("→ The report  1.2 KB  https://example.com/report")
        await someone.press("ctrl+x", "up", "o")
        assert someone.sees("Site: example.com")
        await someone.press("escape")
        assert opened.addresses == []
        await someone.press("o", "enter")
        await someone.wait_until(lambda: bool(opened.addresses), "the browser")
        assert opened.addresses == ["https://example.com/report"]


async def test_of_several_things_one_is_picked_first() -> None:
    def prepare(session: Session) -> None:
        send(session, TextContent(text="See https://example.com/a, and this:"), IMAGE, LINK)

    async with user(prepare=prepare) as someone:
        opened = Opened(someone)
        await someone.press("ctrl+x", "up", "o")
        rows = [row.split()[:2] for row in someone.picker_rows()]
        assert rows == [["▣", "image"], ["→", "The"], ["https://example.com/a"]]
        await someone.press("up", "enter", "enter")
        await someone.wait_until(lambda: opened.addresses == ["https://example.com/a"], "the browser")


async def test_a_click_on_a_block_asks() -> None:
    async with user(prepare=lambda session: send(session, IMAGE)) as someone:
        Opened(someone)
        row = next(row for row in someone.rows() if "▣ image" in row)
        await someone.pilot.click(offset=(row.index("image"), someone.rows().index(row)))
        await someone.opened(Picker)
        assert someone.sees("Save and open in the default viewer")


async def test_a_click_on_a_link_asks_and_can_copy() -> None:
    async with user(prepare=lambda session: say(session, "Read https://example.com/b first")) as someone:
        opened = Opened(someone)
        row = next(row for row in someone.rows() if "example.com/b" in row)
        await someone.pilot.click(offset=(row.index("example"), someone.rows().index(row)))
        await someone.opened(Picker)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: any("Copied" in toast for toast in someone.toasts()), "the copy")
        assert opened.addresses == []


async def test_what_is_for_the_agent_only_is_folded_and_can_be_copied() -> None:
    aside = TextContent(text="secret plan\nline", annotations=Annotations(audience=["assistant"]))

    def prepare(session: Session) -> None:
        send(session, TextContent(text="Hello."), aside, TextContent(text="Bye."))
        item = ContentItem(content=aside)
        session.apply(ToolCallUpdate(tool_call_id="t", title="Think", kind="think", status="failed", content=[item]))

    async with user(prepare=prepare) as someone:
        assert sum("⋯ text  2 lines · for the agent only" in row for row in someone.rows()) == 2
        assert not someone.sees("secret plan")
        await someone.press("ctrl+x", "up", "up", "o", "enter")
        await someone.wait_until(lambda: any("Copied" in toast for toast in someone.toasts()), "the copy")


async def test_a_file_outside_the_folders_is_not_opened() -> None:
    outside = ResourceLink(uri="file:///etc/hostname", name="hostname")
    async with user(prepare=lambda session: send(session, outside)) as someone:
        await someone.press("ctrl+x", "up", "o", "enter")
        await someone.wait_until(lambda: any("outside" in toast for toast in someone.toasts()), "why not")


async def test_a_block_without_anything_to_open_says_so() -> None:
    async with user(prepare=lambda session: say(session, "nothing here")) as someone:
        await someone.press("ctrl+x", "up", "o")
        assert any("Nothing to open here" in toast for toast in someone.toasts())


async def test_words_of_the_agent_are_no_markup_in_the_panel() -> None:
    evil = ResourceLink(uri="https://example.com/[@click=app.quit]x[/]", name="[@click=app.quit]evil[/]\x1b[2J")
    async with user(prepare=lambda session: send(session, evil)) as someone:
        await someone.press("ctrl+x", "up", "o")
        assert someone.sees("[@click=app.quit]evil[/]")
        assert someone.sees("https://example.com/[@click=app.quit]x[/]")
        assert "\x1b" not in "\n".join(someone.rows())
