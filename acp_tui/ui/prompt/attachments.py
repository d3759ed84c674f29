"""Pictures and sounds in the prompt: by the path that is pasted or dropped, or from the clipboard.

Only where the agent takes them; else the user is told, and a path stays a path.
"""

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp_tui.host.prompts.mentions import MEDIA, MOST_MEDIA, PNG, media_block, read_clipboard_image, type_of
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import (
    Annotations,
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResource,
)
from acp_tui.session.digest import shortened
from acp_tui.session.text.phrases import counted
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import EditorExtension
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.shell import SIGN
from acp_tui.ui.render.text import sanitise_line
from acp_tui.views.formatting import byte_size

_MEDIA = re.compile(rf"\.(?:{'|'.join(MEDIA)})['\"]?\s*$", re.I)
_LONGEST = 4096
WITHIN = 10.0  # seconds
MOST_AS_TEXT = 60_000  # bytes of a transcript for an agent that takes no attachments, about 15,000 tokens


def pasted_path(text: str) -> str | None:
    """The path that a paste is, as terminals and file browsers write what is dropped; None for other text."""
    text = text.strip()
    if "\n" in text or len(text) > _LONGEST or not _MEDIA.search(text):
        return None
    try:
        if text.startswith("file://"):
            return unquote(urlsplit(text).path)
        words = shlex.split(text) if text[0] in "'\"" or "\\" in text else [text]
    except ValueError:  # `file://[`, a quote that is not closed
        return None
    return words[0] if len(words) == 1 else None


def fitted(attached: Sequence[ContentBlock], agent: PromptCapabilities) -> tuple[list[ContentBlock], list[str]]:
    """What is attached, as the agent takes it; and what is said of that which is left out or sent in another way."""
    blocks: list[ContentBlock] = []
    notes: list[str] = []
    images = audio = 0
    for block in attached:
        if isinstance(block, ImageContent) and not agent.image:
            images += 1
        elif isinstance(block, AudioContent) and not agent.audio:
            audio += 1
        elif isinstance(block, EmbeddedResource) and not agent.embedded_context:
            text = _text_of(block)
            short = shortened(text, MOST_AS_TEXT)
            blocks.append(TextContent(text=short, annotations=Annotations(audience=["assistant"])))  # the user knows it
            cut = "" if short == text else f", cut to {MOST_AS_TEXT // 1_000} KB"
            notes.append(f"This agent does not accept attachments. The transcript was sent as text{cut}.")
        else:
            blocks.append(block)
    if images:
        notes.append(f"This agent does not accept images: {counted(images, 'image')} left out")
    if audio:
        notes.append(f"This agent does not accept audio: {counted(audio, 'clip')} left out")
    return blocks, notes


def _text_of(block: EmbeddedResource) -> str:
    resource = block.resource
    return resource.text if isinstance(resource, TextResource) else resource.uri


class AttachActions(EditorExtension):
    """Attaches pictures and sounds to one prompt instead of pasting them."""

    def __init__(self, view: SessionView, editor: PromptEditor) -> None:
        self._view, self._editor = view, editor

    def takes_paste(self, text: str) -> bool:
        """Attach the picture or sound whose path is pasted; else it stays text."""
        named = pasted_path(text)
        if named is None or self._writes_command:
            return False
        path = Path(self._view.session.cwd, os.path.expanduser(named))  # noqa: PTH111 (raises where there is no home)
        mime_type = type_of(path.name) or ""
        if not path.is_file() or not self._taken(mime_type):
            return False
        self._editor.run_worker(self._attach(path, mime_type), group="attach")
        return True

    async def takes_clipboard(self) -> bool:
        """Whether a picture is on the clipboard; it is attached if the agent takes it."""
        data = None if self._writes_command else await read_clipboard_image()
        if data is None:
            return False
        if self._taken(PNG):
            self._hold("clipboard", PNG, data)
        return True

    @property
    def _writes_command(self) -> bool:
        """Whether the user writes a line for the shell, which wants paths and nothing attached."""
        return self._editor.text.startswith(SIGN)

    async def _attach(self, path: Path, mime_type: str) -> None:
        try:
            data = await in_thread(_read, path, MOST_MEDIA, within=WITHIN)
        except TimeoutError:
            self._say(f"Cannot read {path.name}: timed out")
            return
        except OSError as error:
            self._say(f"Cannot read {path.name}: {error.strerror}")
            return
        if data is None:
            self._say(f"{path.name} is larger than {MOST_MEDIA // 1_000_000} MB. Mention it with @ to send a link.")
        else:
            self._hold(path.name, mime_type, data)

    def _hold(self, name: str, mime_type: str, data: bytes) -> None:
        kind = "Audio" if mime_type.startswith("audio/") else "Image"
        words = f"{sanitise_line(name, 40)}, {byte_size(len(data))}, {mime_type.partition('/')[2]}"
        self._editor.put_in(kind, words, media_block(data, mime_type))

    def _taken(self, mime_type: str) -> bool:
        agent = self._view.client.connection.capabilities.prompt
        kind = mime_type.partition("/")[0]
        if (kind == "image" and agent.image) or (kind == "audio" and agent.audio):
            return True
        if self._view.client.connection.phase == "starting":
            self._say("The agent is still starting. Paste again when it is ready.")
            return False
        self._say(
            f"This agent does not accept {'images' if kind == 'image' else 'audio'}. Mention the file with @ instead."
        )
        return False

    def _say(self, text: str) -> None:
        self._view.say(sanitise_line(text), 5, "warning")


def _read(path: Path, most: int) -> bytes | None:
    """What is in a file; None if it is more than so many bytes."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    return data if len(data) <= most else None
