"""What a mention of a file becomes in a prompt: its text, a picture of it, or a link; must not know widgets.

The agent's capabilities say what it takes; a link is taken by every agent.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_tui.host.file_types import type_of
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextResource,
)
from acp_tui.session.mentions import Mention

MOST_TEXT = 256_000  # bytes of a file that is sent with its text
MOST_MEDIA = 10_000_000  # bytes of a picture or a sound
_NO_TEXT = "\x00"


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A mention of something that is there: its real path, and whether that is inside the roots."""

    mention: Mention
    path: Path
    inside: bool


@dataclass(frozen=True, slots=True)
class Attached:
    """The block that goes with the prompt; `note` says in words why it is less than was asked for."""

    block: ContentBlock
    note: str = ""


def look_up(mention: Mention, roots: Sequence[str]) -> Mentioned | None:
    """Find what a mention means: a path of its own, or one below the first root; None if there is nothing."""
    try:
        path = Path(mention.path).expanduser()
        target = (path if path.is_absolute() else Path(roots[0]) / path).resolve()
        if not target.exists():
            return None
        inside = any(target.is_relative_to(Path(root).resolve()) for root in roots)
    except (OSError, ValueError, RuntimeError):  # cannot be a path, or nobody's home
        return None
    return Mentioned(mention, target, inside)


def attach(found: Mentioned, agent: PromptCapabilities) -> Attached:
    """The block for a file or folder; reads the file where its contents are sent. What cannot be read is a link."""
    mime_type = type_of(found.path.name)
    link = _link(found, mime_type)
    if found.path.is_dir():
        return Attached(link)
    try:
        if (media := media_type(mime_type, agent)) is not None:
            return _media(found.path, media, link)
        return _text(found, mime_type, link) if agent.embedded_context else Attached(link)
    except OSError as error:
        return Attached(link, f"{found.mention.path} cannot be read ({error.strerror}): sent as a link")


def media_type(mime_type: str | None, agent: PromptCapabilities) -> str | None:
    """The type again if it is a picture or a sound that the agent takes as such."""
    kind = (mime_type or "").partition("/")[0]
    taken = (kind == "image" and agent.image and mime_type != "image/svg+xml") or (kind == "audio" and agent.audio)
    return mime_type if taken else None


def media_block(data: bytes, mime_type: str, uri: str | None = None) -> ImageContent | AudioContent:
    """A picture or a sound as a block."""
    encoded = base64.b64encode(data).decode()
    if mime_type.startswith("audio/"):
        return AudioContent(data=encoded, mime_type=mime_type)
    return ImageContent(data=encoded, mime_type=mime_type, uri=uri)


def _media(path: Path, mime_type: str, link: ResourceLink) -> Attached:
    if path.stat().st_size > MOST_MEDIA:
        return Attached(link, f"{path.name} is over {MOST_MEDIA // 1_000_000} MB: sent as a link")
    return Attached(media_block(path.read_bytes(), mime_type, path.as_uri()))


def _text(found: Mentioned, mime_type: str | None, link: ResourceLink) -> Attached:
    mention = found.mention
    if found.path.stat().st_size > MOST_TEXT and not mention.first:
        return Attached(link, f"{mention.path} is over {MOST_TEXT // 1000} KB: sent as a link")
    text = _read(found.path, mention)
    if text is None:
        return Attached(link, f"{mention.path} is no text: sent as a link")
    if len(text) > MOST_TEXT:
        return Attached(link, f"{mention.name} is over {MOST_TEXT // 1000} KB: sent as a link")
    lines = f"#L{mention.first}-L{mention.last}" if mention.first else ""
    resource = TextResource(uri=found.path.as_uri() + lines, text=text, mime_type=mime_type)
    return Attached(EmbeddedResource(resource=resource))


def _read(path: Path, mention: Mention) -> str | None:
    """The lines that a mention names, all where it names none; None for what is no text."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            if not mention.first:
                text = file.read()
            else:
                lines = (line for number, line in enumerate(file, 1) if number >= mention.first)
                text = "".join(line for line, _ in zip(lines, range(mention.first, mention.last + 1), strict=False))
    except UnicodeDecodeError:
        return None
    return None if _NO_TEXT in text else text


def _link(found: Mentioned, mime_type: str | None) -> ResourceLink:
    # The lines are in the name only: agents open the address as it is.
    folder = found.path.is_dir()
    size = None if folder else found.path.stat().st_size
    mime_type = "inode/directory" if folder else mime_type
    return ResourceLink(uri=found.path.as_uri(), name=found.mention.name, mime_type=mime_type, size=size)
