"""A mention of a file as it goes into a prompt: its text, a picture of it, or a link; and the picture on the clipboard.

The agent's capabilities say what it takes; a link is taken by every agent.
"""

import base64
import mimetypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import BinaryIO

import anyio

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.system.paths import own_environment, own_program, real_path
from acp_tui.host.system.sandbox_paths import RequestFault, SandboxRoots, failed, reach, resolve
from acp_tui.host.system.workspace_files import Files, Reader, SkipTooLong, open_regular
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.faults import RESOURCE_NOT_FOUND
from acp_tui.protocol.vocabulary.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextResource,
)
from acp_tui.protocol.vocabulary.tool_calls import ReadTextFileRequest
from acp_tui.session.text.mentions import Mention

MEDIA = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "heic": "image/heic",
    "avif": "image/avif",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
}
"""Pictures and sounds that agents take, by the ending of their name."""
OTHER_ENDINGS = frozenset({"jpeg", "tif", "oga", "opus", "heic"})
"""Those that a file is not given here: there is a more usual one, or not every viewer shows it."""

_SOURCES = {
    "ts": "text/typescript",
    "mts": "text/typescript",
    "cts": "text/typescript",
    "tsx": "text/tsx",
    "rs": "text/x-rust",
    "m": "text/x-objcsrc",
}


def type_of(name: str) -> str | None:
    """The MIME type that goes with a file of this name; None if nobody knows one."""
    ending = PurePath(name).suffix[1:].lower()
    return MEDIA.get(ending) or _SOURCES.get(ending) or mimetypes.guess_type(name)[0]


LINE_AT_MOST = 400  # characters


class Excerpt(Frozen):
    """Lines of a file from line number `first` on; those that were too long end in `…`."""

    first: int
    lines: tuple[str, ...]


async def read_excerpt(path: str, roots: Sequence[str], first: int, count: int) -> Excerpt:
    """Up to `count` lines from `first` (from 1) on; none if the file is shorter.

    Raises `UserFault` for what is missing, no text, or outside the `roots`.
    """
    first = max(1, first)
    files = Files([Path(root) for root in roots])
    try:
        text = await files.read_text_file(ReadTextFileRequest(session_id="", path=path, line=first, limit=count))
    except RequestFault as fault:
        raise UserFault(str(fault)) from fault
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    short = (line if len(line) <= LINE_AT_MOST else f"{line[:LINE_AT_MOST]}…" for line in lines[:count])
    return Excerpt(first, tuple(line.removesuffix("\r") for line in short))


async def lines_of_file(path: str, roots: Sequence[str]) -> Sequence[str] | None:
    """All lines of a text without their ends, none of a file that is not there; None where it cannot be read."""
    files = Files([Path(root) for root in roots])
    try:
        text = await files.read_text_file(ReadTextFileRequest(session_id="", path=path))
    except RequestFault as fault:
        return () if fault.code == RESOURCE_NOT_FOUND else None
    return [line.removesuffix("\r") for line in text.split("\n")]


def file_inside(path: str, roots: Sequence[str]) -> str:
    """The real path of a file inside the `roots`; raises `UserFault` for any other."""
    try:
        target = resolve(path, [Path(root) for root in roots])
    except RequestFault as fault:
        raise UserFault(str(fault)) from fault
    if not target.is_file():
        raise UserFault(f"{path} is not a file")
    return str(target)


MOST_TEXT = 256_000  # bytes of a file that is sent with its text
MOST_MEDIA = 10_000_000  # bytes of a picture or a sound
_NO_TEXT = "\x00"


class Mentioned(Frozen):
    """A mention of something that is there: its real path, and whether that is inside the roots."""

    mention: Mention
    path: Path
    inside: bool


class AttachedBlock(Frozen):
    """The block that goes with the prompt; `note` says in words why it is less than was asked for."""

    block: ContentBlock
    note: str = ""


def find_mention(mention: Mention, roots: Sequence[str]) -> Mentioned | None:
    """Find what a mention means: a path of its own, or one below the first root; None if there is nothing."""
    try:
        path = Path(mention.path).expanduser()
        target = real_path(path if path.is_absolute() else Path(roots[0]) / path)
        if not target.exists():
            return None
        inside = SandboxRoots([Path(root) for root in roots]).hold(str(target))
    except (OSError, ValueError, RuntimeError):  # cannot be a path, or nobody's home
        return None
    return Mentioned(mention, target, inside)


def mentioned_path(named: str, roots: Sequence[str]) -> str:
    """How a mention names an absolute path inside the roots; empty for any other. Folders end in `/`."""
    found = find_mention(Mention(0, 0, named), roots)
    if found is None or not found.inside:
        return ""
    path, root = Path(os.path.normpath(Path(named).expanduser())), Path(roots[0])
    if not path.is_relative_to(root):  # by a link, or in another root
        path, root = found.path, real_path(root)
    short = path.relative_to(root) if path.is_relative_to(root) and path != root else path
    return f"{short}/" if found.path.is_dir() else str(short)


def attach(found: Mentioned, agent: PromptCapabilities) -> AttachedBlock:
    """The block for a file or folder; reads the file where its contents are sent. What cannot be read is a link."""
    mime_type = type_of(found.path.name)
    if found.path.is_dir():
        return AttachedBlock(_link(found, "inode/directory", None))
    link = _link(found, mime_type, None)
    try:
        with _opened(found) as file:
            size = os.fstat(file.fileno()).st_size
            link = _link(found, mime_type, size)
            if (media := media_type(mime_type, agent)) is not None:
                data = Reader(file).read(None, MOST_MEDIA)
                if len(data) > MOST_MEDIA:
                    raise failed(f"{found.path.name} is over {MOST_MEDIA // 1_000_000} MB")
                return AttachedBlock(media_block(data, media, found.path.as_uri()))
            return AttachedBlock(_text(found, file, size, mime_type) if agent.embedded_context else link)
    except RequestFault as fault:
        return AttachedBlock(link, f"{fault}: sent as a link")
    except OSError as error:
        return AttachedBlock(link, f"{found.mention.path} cannot be read ({error.strerror}): sent as a link")


@contextmanager
def _opened(found: Mentioned) -> Iterator[BinaryIO]:
    """The file that was looked up, and none that has taken its place or the place of a folder on the way."""
    with reach(str(found.path), SandboxRoots([Path(found.path.anchor)])) as place:
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
    except SkipTooLong as error:
        raise failed(f"{mention.name} is too far into the file") from error
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


CLIPBOARD_WITHIN = 2.0  # seconds
CLIPBOARD_AT_MOST = 20_000_000  # bytes
PNG = "image/png"
_MAGIC = b"\x89PNG\r\n\x1a\n"
_OSASCRIPT = "get the clipboard as «class PNGf»"


def clipboard_readers(
    environment: Mapping[str, str], platform: str, find: Callable[[str], str | None] = own_program
) -> list[tuple[str, ...]]:
    """The commands that can write a PNG of the clipboard to their output, on this machine, the best first."""
    ways: list[tuple[str, ...]] = []
    if platform == "darwin":
        ways = [("pngpaste", "-"), ("osascript", "-e", _OSASCRIPT)]
    elif environment.get("WAYLAND_DISPLAY"):
        ways = [("wl-paste", "--no-newline", "--type", PNG)]
    if environment.get("DISPLAY"):
        ways.append(("xclip", "-selection", "clipboard", "-target", PNG, "-out"))
    return [way for way in ways if find(way[0])]


async def read_clipboard_image() -> bytes | None:
    """The picture as PNG, None where there is none or nobody can tell within a moment."""
    for argv in clipboard_readers(os.environ, sys.platform):
        data = _png_of(await _output_of(argv), osascript=argv[0] == "osascript")
        if data is not None:
            return data
    return None


def _png_of(data: bytes, *, osascript: bool) -> bytes | None:
    if osascript:  # «data PNGf8950…»
        with suppress(ValueError):
            data = bytes.fromhex(data.decode("ascii", "ignore").rpartition("PNGf")[2].strip().rstrip("»"))
    return data if data.startswith(_MAGIC) and len(data) <= CLIPBOARD_AT_MOST else None


async def _output_of(argv: tuple[str, ...]) -> bytes:
    with suppress(OSError), anyio.move_on_after(CLIPBOARD_WITHIN):
        ended = await anyio.run_process(
            argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=own_environment()
        )
        return ended.stdout
    return b""
