"""What can be opened, how, and what is said first."""

import pytest

from acp_tui.protocol.vocabulary.content import (
    Annotations,
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResource,
    UnknownContent,
)
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import MessageEntry, NoticeEntry, TextPart, ToolCallEntry
from acp_tui.ui.export_actions import (
    LONGEST,
    addresses_of,
    blocks_of,
    file_path,
    opening_of,
    opening_of_address,
)
from tests.rows import each_of

ASIDE = TextContent(text="for you, model", annotations=Annotations(audience=["assistant"]))
IMAGE = ImageContent(data="AAAA", mime_type="image/png")


def acts(block: ContentBlock) -> list[str]:
    return [way.act for way in opening_of(block).ways]


@each_of(
    ("block", "expected"),
    [
        (IMAGE, ["view", "save"]),
        (ImageContent(data="AAAA", mime_type="image/svg+xml"), ["save"]),
        (ImageContent(data="", mime_type="image/png", uri="https://a.example/b.png"), ["browse", "copy"]),
        (AudioContent(data="AAAA", mime_type="audio/wav; rate=8000"), ["view", "save"]),
        (
            EmbeddedResource(resource=BlobResource(uri="x:y", blob="AAAA", mime_type="application/x-sh")),
            ["save", "copy"],
        ),
        (EmbeddedResource(resource=TextResource(uri="file:///a/b.py", text="1")), ["copy", "edit", "copy"]),
        (ResourceLink(uri="file:///a%20b.py", name="a"), ["edit", "copy"]),
        (ResourceLink(uri="https://a.example/", name="a"), ["browse", "copy"]),
        (ResourceLink(uri="http://a.example/", name="a"), ["copy", "browse"]),
        (ResourceLink(uri="vscode://run", name="a"), ["copy"]),
        (ResourceLink(uri="javascript:alert(1)", name="a"), ["copy"]),
        (ASIDE, ["copy"]),
        (UnknownContent(type="hologram", raw={}), []),
    ],
)
def test_each_kind_has_its_ways(block: ContentBlock, expected: list[str]) -> None:
    assert acts(block) == expected


def test_an_address_is_told_whole_with_what_is_odd() -> None:
    details, ways = opening_of_address("http://me@xn--80ak6aa92e.com/login")
    assert details[0] == "http://me@xn--80ak6aa92e.com/login"
    assert details[1] == "Site: xn--80ak6aa92e.com"
    assert all(detail.startswith("! ") for detail in details[2:])
    assert len(details) == 5
    assert ways[0].act == "copy"


def test_an_address_that_is_too_long_to_be_read_is_not_opened() -> None:
    details, ways = opening_of_address("https://a.example/" + "x" * LONGEST)
    assert "too long" in details[1]
    assert [way.act for way in ways] == ["copy"]


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c", "/a/b c"),
        ("file://localhost/a", "/a"),
        ("file://elsewhere/a", None),
        ("file:a", None),
        ("https://a/b", None),
        ("http://[", None),
    ],
)
def test_files_of_this_machine(uri: str, path: str | None) -> None:
    assert file_path(uri) == path


def test_what_there_is_in_an_entry() -> None:
    text = TextPart(["see https://a.example/x, (https://b.example) and `https://a.example/x`"])
    message = MessageEntry("m", "agent", [text, IMAGE, ASIDE])
    assert blocks_of(message) == [IMAGE, ASIDE]
    assert addresses_of(message) == ["https://a.example/x", "https://b.example"]
    call = ToolCallEntry(
        "t", content=[ContentItem(content=TextContent(text="https://c.example")), ContentItem(content=IMAGE)]
    )
    assert (blocks_of(call), addresses_of(call)) == ([IMAGE], ["https://c.example"])
    notice = NoticeEntry("n", "info", "https://d.example")
    assert (blocks_of(notice), addresses_of(notice)) == ([], [])
