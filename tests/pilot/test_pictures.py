"""Big pictures are read beside the loop: keys work meanwhile, and whoever shows one draws it when it is there."""

import threading
from collections.abc import Iterator

import pytest
from PIL import Image
from textual.widget import Widget

from acp_tui.protocol.vocabulary.content import ImageContent, TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session.facts import PermissionReceived
from acp_tui.session.state import Session
from acp_tui.ui.render import thumbnail
from acp_tui.ui.render.thumbnail import ROWS, UPPER
from tests.pilot.driver import PATIENCE, User, user
from tests.pilot.questions import answerable
from tests.unit.ui.render.test_thumbnail import encoded, two_colours

pytestmark = pytest.mark.anyio

BIG = ImageContent(data=encoded(two_colours(640, 400)), mime_type="image/png")
BROKEN = ImageContent(data=BIG.data[:120], mime_type="image/png")
SMALL = ImageContent(data=encoded(two_colours(64, 40)), mime_type="image/png")


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """What is read in a thread stays there until this is set."""
    go_on, decoded, here = threading.Event(), thumbnail._decoded, threading.get_ident()

    def held(data: str) -> Image.Image | None:
        if threading.get_ident() != here:
            go_on.wait(PATIENCE)
        return decoded(data)

    monkeypatch.setattr(thumbnail, "_decoded", held)
    thumbnail.thumbnail_of.cache_clear()
    yield go_on
    go_on.set()


def tell(session: Session, picture: ImageContent) -> None:
    for block in (picture, TextContent(text="What stands below.")):
        session.apply(MessageChunk(session_update="agent_message_chunk", message_id="m1", content=block))


def ask(session: Session, picture: ImageContent) -> None:
    session.apply(StateUpdate(state="running"))
    call = ToolCallUpdate(tool_call_id="t1", title="Send it", kind="other", content=[ContentItem(content=picture)])
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id="t1")
    options = [PermissionOption(option_id="yes", name="Yes", kind="allow_once")]
    request = PermissionRequest(session_id="s1", title="Send it", subject=subject, options=options)
    session.apply(PermissionReceived(1, request))


def row_of(someone: User, text: str) -> int:
    return next(number for number, row in enumerate(someone.rows()) if text in row)


def drawn(someone: User, part: Widget | None = None) -> int:
    """How many rows have cells of a picture, on the whole screen or in a part of it."""
    region = (part or someone.conversation).region
    return sum(UPPER * 8 in row for row in someone.rows()[region.y : region.bottom])


async def test_keys_work_while_it_is_read_and_its_place_is_kept(reading: threading.Event) -> None:
    async with user(prepare=lambda session: tell(session, BIG)) as someone:
        await someone.wait_for("▣ image")
        assert drawn(someone) == 0
        await someone.type("still here")
        assert someone.draft == "still here"
        below = row_of(someone, "What stands below.")
        assert below - row_of(someone, "▣ image") > ROWS
        reading.set()
        await someone.wait_until(lambda: drawn(someone) == ROWS, "the picture")
        assert row_of(someone, "What stands below.") == below


async def test_what_proves_to_be_no_picture_leaves_no_hole(reading: threading.Event) -> None:
    async with user(prepare=lambda session: tell(session, BROKEN)) as someone:
        await someone.wait_for("What stands below.")
        apart = row_of(someone, "What stands below.") - row_of(someone, "▣ image")
        assert apart > ROWS
        reading.set()
        await someone.wait_until(
            lambda: row_of(someone, "What stands below.") - row_of(someone, "▣ image") == apart - ROWS, "the end of it"
        )


async def test_a_small_one_is_there_at_once(reading: threading.Event) -> None:
    async with user(prepare=lambda session: tell(session, SMALL)) as someone:
        await someone.wait_for("▣ image")
        assert drawn(someone) > 0
        assert not reading.is_set()


async def test_a_permission_draws_it_too(reading: threading.Event) -> None:
    async with user() as someone:
        ask(someone.session, BIG)
        await someone.wait_for("▣ image")
        await answerable(someone)
        await someone.press("down", "up")  # all that opening the panel brings about is over
        assert drawn(someone) == 0
        reading.set()
        await someone.wait_until(
            lambda: drawn(someone, someone.conversation.parts.questions.permission) > 4, "the picture"
        )


async def test_who_left_hears_no_more(reading: threading.Event) -> None:
    before = len(thumbnail.pictures_read._listeners)
    async with user(prepare=lambda session: tell(session, BIG)) as someone:
        await someone.wait_for("▣ image")
        assert len(thumbnail.pictures_read._listeners) > before
        reading.set()
    assert len(thumbnail.pictures_read._listeners) == before
