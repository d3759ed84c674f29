"""Drafts of prompts, kept so that a crash does not lose them, and those that were put aside (the stash).

One file per prompt of a run, named by the process, and one beside it for what is attached. A run takes over the files
of processes that are no more.

The stash is a stack for each project, which all its runs share: one file for each draft, so that two runs that write or
take at once lose nothing: who removes the file has it. What cannot be read stays, under another name.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import read_private, state_folder, write_private
from acp_tui.host.system.threads import WriteBehind
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.session.changes import Publisher
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock

DRAFT_AT_MOST = 200_000  # characters; a longer draft is not kept
ATTACHED_AT_MOST = 40_000_000  # characters of all attachments; more are not kept
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
            self._writer.put(LeftDraft(text, attached) if len(text) <= DRAFT_AT_MOST else LeftDraft(""))

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
    text = read_private(path, 4 * DRAFT_AT_MOST).decode("utf-8", "replace")
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
    if attached and len(data) <= ATTACHED_AT_MOST:
        write_private(path, data.encode())
    else:
        path.unlink(missing_ok=True)


def _read_attached(path: Path) -> tuple[ContentBlock, ...]:
    try:
        return tuple(map(read_attachment, json.loads(read_private(path, ATTACHED_AT_MOST))))
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


STASHED_AT_MOST = 100  # drafts of a project
STASHED_BYTES = 60_000_000  # of one draft with its pastes and attachments
SUFFIX, DAMAGED = ".json", ".damaged"


class StashedDraft(Frozen):
    """A text, and what the labels in it stand for: pastes and attachments."""

    text: str
    held: Mapping[str, str | ContentBlock] = field(default_factory=dict)


class Stash(Publisher[[]]):
    """The stack of one project, which is a folder; without one it lasts as long as this run.

    It publishes that this run has put or taken one.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._here: dict[str, StashedDraft] = {}

    def names(self) -> list[str]:
        """The drafts that are there now, the newest last."""
        if self._folder is None:
            return sorted(self._here)
        found: list[str] = []
        with suppress(OSError), os.scandir(self._folder) as entries:
            found += (entry.name for entry in entries if _is_draft(entry))
        return sorted(found)

    def put(self, draft: StashedDraft) -> str:
        """Put a draft on top; its name. Raises `UserFault`, and has kept nothing then."""
        names = self.names()
        if len(names) >= STASHED_AT_MOST:
            raise UserFault(f"{STASHED_AT_MOST} prompts are already stashed", "", "Restore one first.")
        name = _name_above(names[-1] if names else "")
        if self._folder is None:
            self._here[name] = draft
        else:
            data = json.dumps(_told(draft)).encode()
            if len(data) > STASHED_BYTES:
                raise UserFault("Too large to stash", "", "Remove an attachment first.")
            try:
                write_private(self._folder / name, data, sync=False)  # it is on the loop
            except OSError as error:
                raise UserFault("Cannot stash the prompt", f"{self._folder}: {error.strerror or error}") from None
        self.publish()
        return name

    def take(self, wanted: str = "") -> StashedDraft | None:
        """Take the newest draft, or the `wanted` one, if there is one. Raises `UserFault` if it cannot be read."""
        for name in reversed([each for each in self.names() if wanted in ("", each)]):
            draft = self._here.pop(name, None) if self._folder is None else self._taken(self._folder / name)
            if draft is not None:
                self.publish()
                return draft
        return None

    def _taken(self, path: Path) -> StashedDraft | None:
        """None where another run was quicker."""
        try:
            draft = _read(read_private(path, STASHED_BYTES))
            path.unlink()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UserFault("Cannot read the stashed prompt", f"{path}: {error.strerror or error}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ProtocolFault):
            with suppress(OSError):
                path.replace(path.with_suffix(DAMAGED))
            self.publish()
            raise UserFault("Cannot read the stashed prompt", f"Damaged: {path.with_suffix(DAMAGED)}") from None
        return draft


_stashes: WeakValueDictionary[Path, Stash] = WeakValueDictionary()


def stash_of(history: Path | None) -> Stash:
    """The stash of the project with this history file, the same one for all its sessions."""
    if history is None:
        return Stash(None)
    folder = state_folder() / "stash" / history.stem
    stash = _stashes.get(folder) or Stash(folder)
    _stashes[folder] = stash
    return stash


def _is_draft(entry: os.DirEntry[str]) -> bool:
    """Not a folder, a link or a pipe, which would lie on top for ever."""
    return entry.name.endswith(SUFFIX) and not entry.name.startswith(".") and entry.is_file(follow_symlinks=False)


def _told(draft: StashedDraft) -> dict[str, Any]:
    data = late("acp_tui.protocol.vocabulary.content").content_data
    held = {label: value if isinstance(value, str) else data(value) for label, value in draft.held.items()}
    return {"text": draft.text, "held": held}


def _read(data: bytes) -> StashedDraft:
    told = json.loads(data)
    text, held = told["text"], told["held"]
    if not isinstance(text, str):
        raise TypeError("a text is required")
    if not all(label and label in text for label in held):
        raise ValueError("something has no place in the text")
    "".join((text, *(value for value in held.values() if isinstance(value, str)))).encode()  # no lone surrogates
    read = {label: value if isinstance(value, str) else read_attachment(value) for label, value in held.items()}
    return StashedDraft(text, read)


def _name_above(newest: str) -> str:
    """A name that sorts above that one, though the clock may be coarse (macOS: 1 µs) or have been set back."""
    written = newest.partition("-")[0]
    at = max(time.time_ns(), int(written) + 1 if written.isdecimal() else 0)
    return f"{at:020d}-{os.urandom(3).hex()}{SUFFIX}"
