"""What is attached to a prompt, as its agent takes it."""

from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResource,
)
from acp_tui.ui.prompt.draft_actions import MOST_AS_TEXT, fitted

IMAGE = ImageContent(data="eA==", mime_type="image/png")
SOUND = AudioContent(data="eA==", mime_type="audio/wav")
RESOURCE = EmbeddedResource(resource=TextResource(uri="acp-tui:transcript/x.md", text="x" * 100_000))
ALL: list[ContentBlock] = [IMAGE, RESOURCE, IMAGE, SOUND]


def test_an_agent_that_takes_everything_gets_everything() -> None:
    assert fitted(ALL, PromptCapabilities(image=True, audio=True, embedded_context=True)) == (ALL, [])


def test_what_is_not_taken_is_left_out_or_sent_as_text_and_that_is_said() -> None:
    [text], notes = fitted(ALL, PromptCapabilities())
    assert isinstance(text, TextContent)
    assert text.annotations is not None
    assert text.annotations.audience == ["assistant"]
    assert len(text.text.encode()) <= MOST_AS_TEXT
    assert "characters cut …]" in text.text
    assert notes == [
        "This agent does not accept attachments. The transcript was sent as text, cut to 60 KB.",
        "This agent does not accept images: 2 images left out",
        "This agent does not accept audio: 1 clip left out",
    ]
