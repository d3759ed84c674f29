"""What was being written, kept so that a crash does not lose it.

One file per prompt of a run, named by the process, and one beside it for what is attached. A run takes over the files
of processes that are no more.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.frozen import Frozen
from acp_tui.host.store.atomic_file import read_private, write_private
from acp_tui.host.store.folders import state_folder
from acp_tui.host.store.write_behind import WriteBehind
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock

MOST = 200_000  # characters; a longer draft is not kept
MOST_ATTACHED = 40_000_000  # characters of all attachments; more are not kept
ATTACHED = ".attached"
_numbers = count(1)


class LeftDraft(Frozen):
    """A draft that was left behind; `attached` has what is there for its labels, in their order."""

    text: str
    attached: tuple[ContentBlock, ...] = ()


class KeptDraft:
    """The draft of one prompt of a project, named by its history file; without one nothing is kept."""

    def __init__(self, history: Path | None) -> None:
        self._folder = state_folder() / "drafts" / history.stem if history is not None else None
        self._file = self._folder / f"{os.getpid()}-{next(_numbers)}" if self._folder is not None else None
        self._writer: WriteBehind[LeftDraft] = WriteBehind(self._write, "drafts")
        self._attached: tuple[ContentBlock, ...] = ()  # as it was written last

    def keep(self, text: str, attached: tuple[ContentBlock, ...] = ()) -> None:
        """Have the text and what is attached to it written soon; an empty text removes the files."""
        if self._file is not None:
            self._writer.put(LeftDraft(text, attached) if len(text) <= MOST else LeftDraft(""))

    def close(self) -> None:
        self._writer.close()

    def left_behind(self) -> list[LeftDraft]:
        """The drafts of runs that did not end properly, the oldest first; they are given once."""
        found: list[tuple[float, LeftDraft]] = []
        for path in _files(self._folder):
            pid = path.name.partition("-")[0]
            if pid.isdecimal() and not _lives(int(pid)):
                with suppress(OSError):
                    found.append(_take(path))
        return [draft for _, draft in sorted(found, key=lambda each: each[0]) if draft.text.strip()]

    def _write(self, batch: list[LeftDraft]) -> None:
        if self._file is None:
            return
        draft = batch[-1]
        if draft.attached != self._attached:
            _write_attached(self._file.with_name(self._file.name + ATTACHED), draft.attached)
            self._attached = draft.attached
        if draft.text.strip():
            write_private(self._file, draft.text.encode("utf-8", "replace"))
        else:
            self._file.unlink(missing_ok=True)


def _take(path: Path) -> tuple[float, LeftDraft]:
    """When a draft was written, and it; its files are deleted. Raises OSError, also where another run was quicker."""
    attached = path.with_name(path.name + ATTACHED)
    text = read_private(path, 4 * MOST).decode("utf-8", "replace")
    left = path.stat().st_mtime, LeftDraft(text, _read_attached(attached))
    try:
        path.unlink()
        attached.unlink(missing_ok=True)
    except FileNotFoundError:
        raise
    except OSError:  # a read-only folder: it is given again next time
        pass
    return left


def _write_attached(path: Path, attached: tuple[ContentBlock, ...]) -> None:
    data = json.dumps([late("acp_tui.protocol.vocabulary.content").content_data(block) for block in attached])
    if attached and len(data) <= MOST_ATTACHED:
        write_private(path, data.encode())
    else:
        path.unlink(missing_ok=True)


def _read_attached(path: Path) -> tuple[ContentBlock, ...]:
    try:
        return tuple(map(read_attachment, json.loads(read_private(path, MOST_ATTACHED))))
    except (OSError, ValueError, TypeError, KeyError, RecursionError, ProtocolFault):
        return ()


def read_attachment(told: Any) -> ContentBlock:
    """A block as it was written, for a label of an attachment.

    Raises TypeError, KeyError or `ProtocolFault` for anything but a picture, a sound and a resource.
    """
    content = late("acp_tui.protocol.vocabulary.content")
    kinds = {"audio": content.AudioContent, "resource": content.EmbeddedResource}
    kind = kinds.get(told["type"], content.ImageContent)
    block: ContentBlock = late("acp_tui.protocol.base").read(kind, told)
    return block


def _files(folder: Path | None) -> list[Path]:
    paths: list[Path] = []
    with suppress(OSError):
        paths += folder.iterdir() if folder is not None else ()
    return [path for path in paths if not path.name.startswith(".") and path.suffix != ATTACHED]


def _lives(pid: int) -> bool:
    try:
        if os.name != "nt":  # where a signal of 0 is Ctrl+C
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is somebody else's
        pass
    return True
