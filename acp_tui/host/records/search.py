"""Words found in recorded sessions, the newest first.

Every record is read from its beginning to its end: what was said is not all in one line. A session is found when
all words (or parts of words, in any case) occur in it; its snippet is where most of them stand together.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.lines import read_lines
from acp_tui.host.records.recording import ENDS
from acp_tui.protocol.vocabulary.updates import SubagentUpdate
from acp_tui.session.facts import SubagentEvent
from acp_tui.session.text.words import counted

HITS = 100
SECONDS = 20.0  # seconds after which a search ends with what it has
PIECE_CAP = 4 * 1024 * 1024  # characters of one message or output that are searched
SNIPPET = 160  # characters
_BEFORE = 50  # characters of the snippet before the first word

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
    )
)
_NAMES = frozenset(
    ("sessionUpdate", "type", "kind", "status", "mimeType", "data", "blob", "messageId", "toolCallId", "terminalId")
) | frozenset(("sessionId", "senderSessionId", "recipientSessionId", "senderMessageId", "recipientMessageId"))


class Piece(Frozen):
    """One message, tool call or output; `subagent` names the one in which that was, empty where it was in none."""

    text: str
    subagent: str = ""


class Hit(Frozen):
    """A session in which the words were found; `snippet` is one line of it, `subagent` as of a piece. Not sanitised."""

    info: RecordInfo
    snippet: str
    subagent: str = ""

    @property
    def line(self) -> str:
        """The snippet, and where it stands if that is not the session itself."""
        return f"in subagent {self.subagent}: {self.snippet}" if self.subagent else self.snippet


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
            parts.append(
                f"{counted(self.unsearched, 'older session')} {'was' if self.unsearched == 1 else 'were'} not searched"
            )
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
            hit = _look(info, sought)
        except OSError:
            unread += 1
            continue
        if hit is not None:
            known.add(name)
            hits.append(hit)
    return Found(hits, len(infos), 0, unread)


def _look(info: RecordInfo, sought: list[str]) -> Hit | None:
    """Where most of the words stand together, if all of them are there."""
    missing, best, hit = set(sought), 0, Hit(info, "")
    for piece in [*pieces(info.path), Piece(info.title)]:
        folded = piece.text.casefold()
        there = {word for word in sought if word in folded}
        missing -= there
        if len(there) > best:
            best, hit = len(there), Hit(info, _cut(piece.text, folded, there), piece.subagent)
    return None if missing else hit


def _cut(piece: str, folded: str, there: set[str]) -> str:
    at = max(0, min(folded.index(word) for word in there) - _BEFORE)
    words = " ".join(piece[at : at + 2 * SNIPPET].split())
    rest = words[:SNIPPET]
    return ("…" if at else "") + rest + ("…" if len(words) > SNIPPET or at + 2 * SNIPPET < len(piece) else "")


def pieces(path: Path) -> Iterator[Piece]:
    """What was said and done, piece by piece: each message, tool call and output as a whole."""
    growing: dict[tuple[str, ...], list[str]] = {}
    titles: dict[str, str] = {}  # of subagents, by their ids
    for line in read_lines(path):
        child_id, kind, data = _told(line)
        if kind == ENDS:  # other messages may have the same names from here on
            yield from _grown(growing, titles)
            growing = {}
        if not isinstance(kind, str) or not isinstance(data, dict) or kind in _NO_WORDS:
            continue
        if kind == SubagentUpdate.__name__:
            titles[str(data.get("sessionId"))] = str(data.get("title") or titles.get(str(data.get("sessionId"))) or "")
        names = _GROWING.get(kind)
        text = ("" if names else "\n").join(_strings(data))
        if names is None:
            yield Piece(text[:PIECE_CAP], _name(child_id, titles))
        else:
            growing.setdefault((child_id, kind, *(str(data.get(name)) for name in names)), []).append(text)
    yield from _grown(growing, titles)


def _told(line: dict[str, Any]) -> tuple[str, Any, Any]:
    """The id of the subagent in which it happened, empty if in none; what happened, and its data."""
    kind, data = line.get("kind"), line.get("data")
    if kind == SubagentEvent.__name__ and isinstance(data, dict):
        return str(data.get("session_id")), data.get("kind"), data.get("event")
    return "", kind, data


def _name(child_id: str, titles: Mapping[str, str]) -> str:
    return titles.get(child_id) or child_id


def _grown(growing: Mapping[tuple[str, ...], list[str]], titles: Mapping[str, str]) -> Iterator[Piece]:
    for (child_id, *_), parts in growing.items():
        yield Piece("".join(parts)[:PIECE_CAP], _name(child_id, titles))


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
