"""Words found in recorded sessions, the newest first.

Every record is read from its beginning to its end: what was said is not all in one line. A session is found when
all words (or parts of words, in any case) occur in it; its snippet is where most of them stand together.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.lines import read_lines
from acp_tui.host.records.recording import ENDS

HITS = 100
SECONDS = 20.0  # seconds after which a search ends with what it has
PIECE_CAP = 4 * 1024 * 1024  # characters of one message or output that are searched
SNIPPET = 160  # characters
_BEFORE = 50  # characters of the snippet before the first word

_GROWING = {
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
    )
)
_NAMES = frozenset(
    ("sessionUpdate", "type", "kind", "status", "mimeType", "data", "blob", "messageId", "toolCallId", "terminalId")
)


class Hit(Frozen):
    """A session in which the words were found; `snippet` is one line of it, not sanitised."""

    info: RecordInfo
    snippet: str


class Found(Frozen):
    """What a search came to. `unsearched` sessions were left out for lack of time, `unread` could not be read."""

    hits: list[Hit]
    searched: int
    unsearched: int = 0
    unread: int = 0

    @property
    def shortfall(self) -> str:
        parts = []
        if self.unsearched:
            parts.append(f"{self.unsearched:,} older sessions were not searched")
        if self.unread:
            parts.append(f"{self.unread:,} could not be read")
        return ", ".join(parts)


def search(
    infos: Sequence[RecordInfo],
    words: Iterable[str],
    *,
    stop: Callable[[], bool] = lambda: False,
    seconds: float = SECONDS,
    most: int = HITS,
) -> Found:
    """Search these records in their order; ends early when `stop` says so, after `seconds`, or with `most` hits.

    Of several records of one session only the first that answers counts.
    """
    sought = [word.casefold() for word in words if word.strip()]
    until = time.monotonic() + seconds
    hits: list[Hit] = []
    known: set[tuple[str, str]] = set()
    unread = 0
    for index, info in enumerate(infos):
        if not sought or len(hits) >= most or stop() or time.monotonic() > until:
            return Found(hits, index, len(infos) - index, unread)
        name = (info.agent, info.session_id or str(info.path))
        if name in known:
            continue
        try:
            snippet = _look(info, sought)
        except OSError:
            unread += 1
            continue
        if snippet is not None:
            known.add(name)
            hits.append(Hit(info, snippet))
    return Found(hits, len(infos), 0, unread)


def _look(info: RecordInfo, sought: list[str]) -> str | None:
    """Where most of the words stand together, if all of them are there."""
    missing, best, snippet = set(sought), 0, ""
    for piece in [*pieces(info.path), info.title]:
        folded = piece.casefold()
        there = {word for word in sought if word in folded}
        missing -= there
        if len(there) > best:
            best, snippet = len(there), _cut(piece, folded, there)
    return None if missing else snippet


def _cut(piece: str, folded: str, there: set[str]) -> str:
    at = max(0, min(folded.index(word) for word in there) - _BEFORE)
    words = " ".join(piece[at : at + 2 * SNIPPET].split())
    rest = words[:SNIPPET]
    return ("…" if at else "") + rest + ("…" if len(words) > SNIPPET or at + 2 * SNIPPET < len(piece) else "")


def pieces(path: Path) -> Iterator[str]:
    """What was said and done, piece by piece: each message, tool call and output as a whole."""
    growing: dict[tuple[str, ...], list[str]] = {}
    for line in read_lines(path):
        kind, data = line.get("kind"), line.get("data")
        if kind == ENDS:  # other messages may have the same names from here on
            yield from _grown(growing)
            growing = {}
        if not isinstance(kind, str) or not isinstance(data, dict) or kind in _NO_WORDS:
            continue
        names = _GROWING.get(kind)
        text = ("" if names else "\n").join(_strings(data))
        if names is None:
            yield text[:PIECE_CAP]
        else:
            growing.setdefault((kind, *(str(data.get(name)) for name in names)), []).append(text)
    yield from _grown(growing)


def _grown(growing: dict[tuple[str, ...], list[str]]) -> Iterator[str]:
    for parts in growing.values():
        yield "".join(parts)[:PIECE_CAP]


def _strings(value: Any) -> Iterator[str]:
    """The words in JSON data, without names that only machines read."""
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
