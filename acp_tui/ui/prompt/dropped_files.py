"""Files that are dropped on the prompt: pictures and sounds as attachments, files of the session's folders as mentions.

A terminal pastes the paths of what is dropped: in quotes, escaped, as `file://` addresses, several at once. Pictures
and sounds are attached if the agent takes them, those on the clipboard too. Other paths stay text.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp_tui.host.prompts.mentions import (
    MEDIA,
    MOST_MEDIA,
    PNG,
    media_block,
    mentioned_path,
    read_clipboard_image,
    type_of,
)
from acp_tui.host.system.threads import in_thread
from acp_tui.session.text.mentions import written
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import SIGNS, EditorExtension, clean_paste
from acp_tui.ui.prompt.draft_actions import SIGN
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.views.formatting import byte_size

WITHIN = 10.0  # seconds
LONGEST_DROP = 16_384  # characters
FILES_AT_MOST = 50  # of one drop
_MEDIA = re.compile(rf"\.(?:{'|'.join(MEDIA)})\s*$", re.I)


def dropped_paths(text: str, exists: Callable[[str], bool]) -> list[str]:
    """The paths that a paste is, as terminals and file browsers write what is dropped; none for any other text."""
    text = text.strip()
    if text and len(text) <= LONGEST_DROP:
        for paths in _readings([line.strip() for line in text.split("\n") if line.strip()]):
            if len(paths) <= FILES_AT_MOST and all(map(_can_be_dropped, paths)) and all(map(exists, paths)):
                return paths
    return []


def _readings(lines: Sequence[str]) -> Iterator[list[str]]:
    """What lines of paths can be: one path a line, or words as a shell reads them."""
    try:
        yield [_decoded(line) for line in lines]
        yield [_decoded(word) for line in lines for word in shlex.split(line)]
    except ValueError:  # `file://[`, a quote that is not closed
        return


def _decoded(word: str) -> str:
    """The path of an address on this machine; one of another machine stays as it is, and is no path here."""
    address = urlsplit(word) if word.startswith("file://") else None
    return word if address is None or address.hostname not in (None, "localhost") else unquote(address.path)


def _can_be_dropped(path: str) -> bool:
    """Whether a path is absolute, or names a picture or a sound; what cannot be shown is no path here."""
    named = path.startswith(("/", "~/")) or _MEDIA.search(path) is not None
    return named and clean_paste(path) == path and "\n" not in path


class AttachActions(EditorExtension):
    """Attaches pictures and sounds to one prompt, and mentions files, instead of pasting their paths."""

    def __init__(self, view: SessionView, editor: PromptEditor) -> None:
        self._view, self._editor = view, editor

    def takes_paste(self, text: str) -> bool:
        """Attach or mention the files at pasted paths; what can be neither stays text."""
        paths = [] if self._writes_command else dropped_paths(text, self._exists)
        roots = self._view.client.roots(self._view.session)
        words, media, takes_paths = [], [], self._editor.text.startswith(SIGNS)  # `/export`, `/add-dir`
        for path in paths:
            mime_type, mention = type_of(path) or "", "" if takes_paths else mentioned_path(path, roots)
            is_media = mime_type in MEDIA.values() and self._path(path).is_file()
            if is_media and self._taken(mime_type, quiet=bool(mention)):
                media.append((self._path(path), mime_type))
            else:
                words.append(written(mention) if mention else "" if len(paths) == 1 else shlex.quote(path))
        if not media and not any(word.startswith("@") for word in words):
            return False
        if words:
            self._editor.insert_apart(" ".join(words))
        if media:
            self._editor.run_worker(self._attach(media), group="attach")
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

    def _path(self, named: str) -> Path:
        return Path(self._view.session.cwd, os.path.expanduser(named))  # noqa: PTH111 (raises where there is no home)

    def _exists(self, named: str) -> bool:
        try:
            return self._path(named).exists()
        except (OSError, ValueError):
            return False

    async def _attach(self, files: Sequence[tuple[Path, str]]) -> None:
        for path, mime_type in files:
            try:
                data = await in_thread(_read, path, MOST_MEDIA, within=WITHIN)
            except TimeoutError:
                self._warn(f"Cannot read {path.name}: timed out")
            except OSError as error:
                self._warn(f"Cannot read {path.name}: {error.strerror}")
            else:
                self._hold(path.name, mime_type, data)

    def _hold(self, name: str, mime_type: str, data: bytes | None) -> None:
        if data is None:
            self._warn(f"{name} is larger than {MOST_MEDIA // 1_000_000} MB. Mention it with @ to send a link.")
            return
        kind = "Audio" if mime_type.startswith("audio/") else "Image"
        words = [sanitise_line(name, 40), byte_size(len(data))]
        if type_of(name) != mime_type:
            words.append(mime_type.partition("/")[2])
        self._editor.put_in(kind, ", ".join(words), media_block(data, mime_type))

    def _taken(self, mime_type: str, *, quiet: bool = False) -> bool:
        """Whether the agent takes such a picture or sound; if not, a toast explains that, unless it is `quiet`."""
        agent = self._view.client.connection.capabilities.prompt
        kind = mime_type.partition("/")[0]
        if (kind == "image" and agent.image) or (kind == "audio" and agent.audio):
            return True
        if quiet:
            return False
        if self._view.client.connection.phase == "starting":
            self._warn("The agent is still starting. Paste again when it is ready.")
        else:
            what = "images" if kind == "image" else "audio"
            self._warn(f"This agent does not accept {what}. Mention the file with @ instead.")
        return False

    def _warn(self, text: str) -> None:
        self._view.say(sanitise_line(text), 5, "warning")


def _read(path: Path, most: int) -> bytes | None:
    with path.open("rb") as file:
        data = file.read(most + 1)
    return data if len(data) <= most else None
