"""The text of a record as it is searched: what was said and done, piece by piece, each a message, a call or an output.

It is kept lower-cased in a file of its own, where a word is found in milliseconds; where in the record each piece
stands is kept beside it, so that what was found can be shown as it was written.
"""

import errno
import json
import mmap
import os
import stat
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.event_codec import LINE_CAP
from acp_tui.host.records.session_recording import ENDS
from acp_tui.host.system.paths import open_regular
from acp_tui.protocol.vocabulary.session_updates import SubagentUpdate
from acp_tui.session.facts import SubagentEvent

SMALL = 512 * 1024  # bytes of a text that are read at once, which is quicker than to map them
PIECE_CAP = 4 * 1024 * 1024  # characters of one message or output that are searched

_GROWING = {
    "SessionMessageChunk": ("messageId",),
    "MessageChunk": ("sessionUpdate", "messageId"),
    "TerminalOutputChunk": ("terminalId",),
    "CompactionSummaryChunk": ("compactionId",),
}
_NO_WORDS = frozenset(
    (
        "StateUpdate",
        "UsageUpdate",
        "ConfigOptionUpdate",
        "AvailableCommandsUpdate",
        "ConfigOptionRequested",
        "SystemPromptSent",
        "OptionsAwaited",
        "OptionsSettled",
        "TurnNumbered",
        "CarryingChosen",
    )
)
_NAMES = frozenset(
    ("sessionUpdate", "type", "kind", "status", "mimeType", "data", "blob", "messageId", "toolCallId", "terminalId")
) | frozenset(("sessionId", "senderSessionId", "recipientSessionId", "senderMessageId", "recipientMessageId"))


class SearchedText(Frozen):
    """One message, tool call or output, from its first line in the record to behind its last, in bytes.

    `subagent` names the one in which that was, empty where it was in none.
    """

    text: str
    subagent: str = ""
    first: int = 0
    end: int = 0


class TextPlaces:
    """Where the pieces of a text begin in it, and where they stand in the record; packed, as it is kept."""

    def __init__(self, packed: bytes, subagents: str) -> None:
        self.packed, self.subagents = packed, subagents

    @property
    def numbers(self) -> "array[int]":
        """Of each piece: where its text begins, and its first line and its end in the record; all in bytes."""
        numbers = array("Q")
        numbers.frombytes(self.packed[: len(self.packed) // (3 * numbers.itemsize) * 3 * numbers.itemsize])
        return numbers

    def subagent(self, number: int) -> str:
        names = json_object(self.subagents.encode()) or {}
        return str(names.get(str(number), ""))


def text_of(pieces: Iterable[SearchedText]) -> tuple[bytes, TextPlaces]:
    parts: list[bytes] = []
    numbers, subagents = array("Q"), {}
    size = 0
    for number, piece in enumerate(pieces):
        part = folded(piece.text) + b"\n"
        numbers.extend((size, piece.first, piece.end))
        if piece.subagent:
            subagents[number] = piece.subagent
        parts.append(part)
        size += len(part)
    return b"".join(parts), TextPlaces(numbers.tobytes(), json.dumps(subagents))


def folded(text: str) -> bytes:
    return text.casefold().encode("utf-8", "surrogatepass")


class TextPosition(Frozen):
    """A piece of a text: its number, and where it stands in the record."""

    number: int
    first: int
    end: int


@contextmanager
def opened(path: str) -> Iterator["mmap.mmap | bytes"]:
    """A text to look for words in; raises OSError, and ValueError for one that is cut meanwhile."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if found.st_size <= SMALL:
            yield os.read(descriptor, found.st_size)
            return
        with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as text:
            yield text
    finally:
        os.close(descriptor)


def place_of(text: "mmap.mmap | bytes", places: TextPlaces, words: Sequence[bytes]) -> TextPosition | None:
    """The first piece that has most of these words, each of which is in the text."""
    numbers = places.numbers
    starts = numbers[::3]
    if not words or not starts:
        return None
    number = _best(text, starts, words, min(text.find(word) for word in words))
    return TextPosition(number, numbers[3 * number + 1], numbers[3 * number + 2])


def _best(text: "mmap.mmap | bytes", starts: Sequence[int], words: Sequence[bytes], first: int) -> int:
    """The number of the first piece that has most of the words; before `first` there is none of them."""
    number = bisect_right(starts, first) - 1
    best, most = number, 0
    for at in range(number, len(starts)):
        end = starts[at + 1] if at + 1 < len(starts) else len(text)
        count = sum(text.find(word, starts[at], end) >= 0 for word in words)
        if count > most:
            best, most = at, count
        if most == len(words):
            break
    return best


def pieces(path: Path, first: int = 0, end: int = -1, breathe: Callable[[], object] = bool) -> Iterator[SearchedText]:
    """What was said and done between two places of a record, by default all of it; raises OSError.

    `breathe` is called before each line.
    """
    growing: dict[tuple[str, ...], _Growing] = {}
    titles: dict[str, str] = {}  # of subagents, by their ids
    for start, stop, line in _placed_lines(path, first, end):
        breathe()
        child_id, kind, data = _told(line)
        if kind == ENDS:  # other messages may have the same names from here on
            yield from (each.whole(titles) for each in growing.values())
            growing = {}
        if not isinstance(kind, str) or not isinstance(data, dict) or kind in _NO_WORDS:
            continue
        if kind == SubagentUpdate.__name__:
            titles[str(data.get("sessionId"))] = str(data.get("title") or titles.get(str(data.get("sessionId"))) or "")
        names = _GROWING.get(kind)
        text = ("" if names else "\n").join(_strings(data))
        if names is None:
            yield SearchedText(text[:PIECE_CAP], _name(child_id, titles), start, stop)
        else:
            key = (child_id, kind, *(str(data.get(name)) for name in names))
            growing.setdefault(key, _Growing(child_id, start)).grow(text, stop)
    yield from (each.whole(titles) for each in growing.values())


class _Growing:
    """A text of which a record has several lines."""

    def __init__(self, child_id: str, first: int) -> None:
        self._child_id, self._first, self._end = child_id, first, first
        self._parts: list[str] = []
        self._size = 0

    def grow(self, text: str, end: int) -> None:
        if self._size < PIECE_CAP:
            self._parts.append(text)
            self._size += len(text)
            self._end = end

    def whole(self, titles: Mapping[str, str]) -> SearchedText:
        return SearchedText("".join(self._parts)[:PIECE_CAP], _name(self._child_id, titles), self._first, self._end)


def _placed_lines(path: Path, first: int, end: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    with open_regular(path) as file:
        file.seek(first)
        start = first
        while (end < 0 or start < end) and (line := file.readline(LINE_CAP)):
            stop = start + len(line)
            value = json_object(line)
            if value is not None:
                yield start, stop, value
            start = stop


def _told(line: dict[str, Any]) -> tuple[str, Any, Any]:
    kind, data = line.get("kind"), line.get("data")
    if kind == SubagentEvent.__name__ and isinstance(data, dict):
        return str(data.get("session_id")), data.get("kind"), data.get("event")
    return "", kind, data


def _name(child_id: str, titles: Mapping[str, str]) -> str:
    return titles.get(child_id) or child_id


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == "data" and isinstance(item, str) and "terminalId" in value:
                yield item
            elif name not in _NAMES:
                yield from _strings(item)
