"""What a mention of a file becomes in a prompt: its text, a picture of it, or a link.

The agent's capabilities say what it takes; a link is taken by every agent.
"""

import base64
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from acp_tui.frozen import Frozen
from acp_tui.host.project_files.file_types import type_of
from acp_tui.host.services.file_reading import Reader, TooFar, open_regular
from acp_tui.host.services.request_fault import RequestFault, failed
from acp_tui.host.services.roots import Roots, reach
from acp_tui.host.system.current_folder import real_path
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextResource,
)
from acp_tui.session.text.mentions import Mention

MOST_TEXT = 256_000  # bytes of a file that is sent with its text
MOST_MEDIA = 10_000_000  # bytes of a picture or a sound
_NO_TEXT = "\x00"


class Mentioned(Frozen):
    """A mention of something that is there: its real path, and whether that is inside the roots."""

    mention: Mention
    path: Path
    inside: bool


class Attached(Frozen):
    """The block that goes with the prompt; `note` says in words why it is less than was asked for."""

    block: ContentBlock
    note: str = ""


def look_up(mention: Mention, roots: Sequence[str]) -> Mentioned | None:
    """Find what a mention means: a path of its own, or one below the first root; None if there is nothing."""
    try:
        path = Path(mention.path).expanduser()
        target = real_path(path if path.is_absolute() else Path(roots[0]) / path)
        if not target.exists():
            return None
        inside = Roots([Path(root) for root in roots]).hold(str(target))
    except (OSError, ValueError, RuntimeError):  # cannot be a path, or nobody's home
        return None
    return Mentioned(mention, target, inside)


def attach(found: Mentioned, agent: PromptCapabilities) -> Attached:
    """The block for a file or folder; reads the file where its contents are sent. What cannot be read is a link."""
    mime_type = type_of(found.path.name)
    if found.path.is_dir():
        return Attached(_link(found, "inode/directory", None))
    link = _link(found, mime_type, None)
    try:
        with _opened(found) as file:
            size = os.fstat(file.fileno()).st_size
            link = _link(found, mime_type, size)
            if (media := media_type(mime_type, agent)) is not None:
                data = Reader(file).read(None, MOST_MEDIA)
                if len(data) > MOST_MEDIA:
                    raise failed(f"{found.path.name} is over {MOST_MEDIA // 1_000_000} MB")
                return Attached(media_block(data, media, found.path.as_uri()))
            return Attached(_text(found, file, size, mime_type) if agent.embedded_context else link)
    except RequestFault as fault:
        return Attached(link, f"{fault}: sent as a link")
    except OSError as error:
        return Attached(link, f"{found.mention.path} cannot be read ({error.strerror}): sent as a link")


@contextmanager
def _opened(found: Mentioned) -> Iterator[BinaryIO]:
    """The file that was looked up, and none that has taken its place or the place of a folder on the way."""
    with reach(str(found.path), Roots([Path(found.path.anchor)])) as place:
        if place.path != str(found.path):
            raise failed(f"{found.mention.path} was moved")
        with open_regular(found.mention.path, place) as file:
            yield file


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


def _text(found: Mentioned, file: BinaryIO, size: int, mime_type: str | None) -> ContentBlock:
    mention = found.mention
    if size > MOST_TEXT and not mention.first:
        raise failed(f"{mention.path} is over {MOST_TEXT // 1000} KB")
    reader = Reader(file)
    try:
        reader.skip(mention.first - 1)
    except TooFar as error:
        raise failed(f"{mention.name} is too far down the file") from error
    data = reader.read(mention.last - mention.first + 1 if mention.first else None, MOST_TEXT)
    if len(data) > MOST_TEXT:
        raise failed(f"{mention.name} is over {MOST_TEXT // 1000} KB")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = _NO_TEXT
    if _NO_TEXT in text:
        raise failed(f"{mention.path} is not text")
    lines = f"#L{mention.first}-L{mention.last}" if mention.first else ""
    return EmbeddedResource(resource=TextResource(uri=found.path.as_uri() + lines, text=text, mime_type=mime_type))


def _link(found: Mentioned, mime_type: str | None, size: int | None) -> ResourceLink:
    # The lines are in the name only: agents open the address as it is.
    return ResourceLink(uri=found.path.as_uri(), name=found.mention.name, mime_type=mime_type, size=size)
