"""The lines of a record: what happened, as JSON lines `{"t": seconds, "kind": …, "data": …}`; knows no folders.

Text and terminal output that grow piece by piece share a line, as far as they came together: how they were cut
means nothing. Lines that cannot be read (torn by a crash, damaged) are left out.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from acp_tui.host.records.codec import encode
from acp_tui.host.records.growing import JOINED, is_plain
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.terminals import TerminalOutputChunk
from acp_tui.protocol.updates import MessageChunk, Update
from acp_tui.session.facts import Fact

LINE_CAP = 64 * 1024 * 1024
"""Bytes of one line; what is longer is damage."""

Timed = tuple[float, Update | Fact]

_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_OUTPUT = frozenset({"session_update", "terminal_id", "data"})


def line_of(value: dict[str, Any]) -> bytes:
    """One line with its newline; lone surrogates survive."""
    return _dump(value).encode("utf-8", "surrogatepass") + b"\n"


def lines_of(batch: Iterable[Timed]) -> Iterator[tuple[Update | Fact, bytes]]:
    """The lines of what happened, each with (the last of) what it tells."""
    for seconds, whole in joined(batch):
        for event in _cut(whole):
            kind, data = encode(event)
            yield event, line_of({"t": round(seconds, 3), "kind": kind, "data": data})


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a record as JSON objects; raises OSError."""
    with path.open("rb") as file:
        while line := file.readline(LINE_CAP):
            value = read_line(line)
            if value is not None:
                yield value


def read_line(line: bytes) -> dict[str, Any] | None:
    """One line as a JSON object; None if it is none."""
    try:
        value = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def joined(batch: Iterable[Timed]) -> Iterator[Timed]:
    """The same with the pieces of one growing text or output as one."""
    run: list[Any] = []
    began, size, growing = 0.0, 0, None
    for seconds, event in batch:
        what = _growth(event)
        if run and (what is None or what != growing or size > JOINED):
            yield began, _whole(run)
            run = []
        if what is None:
            yield seconds, event
            continue
        if not run:
            began, size, growing = seconds, 0, what
        run.append(event)
        size += _length(event)
    if run:
        yield began, _whole(run)


def _cut(event: Update | Fact) -> Iterator[Update | Fact]:
    """A text of megabytes in pieces, since a line of it takes several times its size while it is made."""
    content = event.content if type(event) is MessageChunk and is_plain(event) else None
    if not isinstance(event, MessageChunk) or not isinstance(content, TextContent) or len(content.text) <= 2 * JOINED:
        yield event
        return
    for start in range(0, len(content.text), JOINED):
        piece = content.model_copy(update={"text": content.text[start : start + JOINED]})
        yield event.model_copy(update={"content": piece})


def _growth(event: Update | Fact) -> tuple[str, str] | None:
    """What an event makes grow, if it does nothing else."""
    if type(event) is MessageChunk:
        return (event.session_update, event.message_id) if is_plain(event) else None
    if type(event) is TerminalOutputChunk and event.model_fields_set <= _OUTPUT:
        return "terminal", event.terminal_id
    return None


def _length(event: Any) -> int:
    return len(event.data if type(event) is TerminalOutputChunk else event.content.text)


def _whole(run: list[Any]) -> Update:
    first = run[0]
    if len(run) == 1:
        whole: Update = first
    elif isinstance(first, MessageChunk):
        text = "".join(one.content.text for one in run)
        content = TextContent.model_construct(_fields_set={"type", "text"}, type="text", text=text)
        whole = first.model_copy(update={"content": content})
    else:
        whole = first.model_copy(update={"data": b"".join(one.data for one in run)})
    return whole
