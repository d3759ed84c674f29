"""Wire records: every line between client and agent with its time, for looking at later and for playing it again.

JSON lines `{"t": seconds, "dir": "->" | "<-" | "err" | "start", "line": text}`. What a user typed into forms,
accounts and secrets, as `session.text.secret_masking` finds them, are taken out.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

from acp_tui.errors import Fault, UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import check_new, create_new, json_object
from acp_tui.host.records.redaction import PassedLine, TrafficLines, redact_line
from acp_tui.host.records.traffic import Direction, Traffic, TrafficChunk
from acp_tui.host.system.paths import open_regular
from acp_tui.host.system.threads import WriteBehind
from acp_tui.safe_text import named
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.session.text.secret_masking import without_secrets
from acp_tui.session.text.secret_names import CONCEALED
from acp_tui.wire.jsonrpc import OversizedLine

FORMAT = "acp-tui wire record"
VERSION = 1
DIRECTIONS = frozenset(get_args(Direction))
UNWRITTEN = "The trace cannot be written"


class WireLine(Frozen):
    """One line of a wire record; `at` is in seconds since it began. Of one that was too long there is its size only."""

    at: float
    direction: Direction
    line: bytes
    dropped: int = 0


class WireRecords:
    """The wire of a run, as `--record FILE` asks for it. `close` it, whatever happened.

    One file for the first agent, and one beside it for each further one.
    """

    def __init__(self, path: Path) -> None:
        """Raises UserFault if the file is there already, or cannot be written."""
        self.path = path
        self._records: list[WireRecord] = []
        check_new(path, UNWRITTEN)

    def attend(self, traffic: Traffic, sessions: Sequence[Session]) -> None:
        """Write down all that passes between a client and its agent, from before the agent is started.

        `sessions` of the client are told where that fails; for the first agent it raises UserFault.
        """

        def complain(notice: Noticed) -> None:
            for session in sessions:
                session.apply(notice)

        number = len(self._records) + 1
        path = self.path if number == 1 else self.path.with_name(f"{self.path.stem}-{number}{self.path.suffix}")
        try:
            self._records.append(WireRecord(path, traffic, complain))
        except Fault as fault:
            if number == 1:
                raise
            _complain_later(traffic, complain, Noticed("warning", fault.title, fault.message, fault.hint))

    def close(self) -> None:
        """Write what is left; takes moments, seconds only where a disk hangs."""
        for record in self._records:
            record.close()


def _complain_later(traffic: Traffic, complain: Callable[[Noticed], None], notice: Noticed) -> None:
    """When the first bytes pass, there is a session to say it in."""

    def passed(_: TrafficChunk) -> None:
        look_away()
        complain(notice)

    look_away = traffic.subscribe(passed)


class WireRecord:
    """Writes down what passes, from now on. `complain` is told, once and on the event loop, when that fails."""

    def __init__(self, path: Path, traffic: Traffic, complain: Callable[[Noticed], None]) -> None:
        """Create the file at `path`, which only its owner can read; raises UserFault if it exists or cannot be."""
        self.path = path
        self._complain = complain
        self._descriptor = create_new(path, UNWRITTEN, os.O_APPEND)
        self._lines = TrafficLines(put_in=traffic.put_in)
        self._began: float | None = None
        self._problem = ""
        self._in_key = False  # amid a private key on standard error, where lines are no messages
        self._write_all(dumped({"t": 0, "dir": "start", "line": FORMAT, "version": VERSION}))
        self._behind: WriteBehind[TrafficChunk] = WriteBehind(self._write, "wire record")
        self._look_away = traffic.subscribe(self._passed)

    def close(self) -> None:
        self._look_away()
        if self._behind.close() and self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _passed(self, piece: TrafficChunk) -> None:
        if problem := self._problem or self._behind.problem:
            self._look_away()
            self._complain(Noticed("warning", "The trace has stopped", f"{self.path}: {problem}"))
        else:
            self._behind.put(piece, len(piece.data))

    def _write(self, batch: list[TrafficChunk]) -> None:
        lines: list[bytes] = []
        for piece in batch:
            began = self._began = piece.at if self._began is None else self._began
            lines += [self._dumped(round(one.at - began, 4), one) for one in self._lines.feed(piece)]
        self._write_all(b"".join(lines))

    def _dumped(self, at: float, passed: PassedLine) -> bytes:
        line, direction = passed.line, passed.direction
        if isinstance(line, OversizedLine):
            return dumped({"t": at, "dir": direction, "dropped": line.size})
        text = line.decode("utf-8", "surrogateescape")
        if direction != "err":
            clean = redact_line(line).decode("utf-8", "surrogateescape")
        elif self._in_key:
            clean = CONCEALED
            self._in_key = "-----END" not in text
        else:
            clean = without_secrets(text)
            self._in_key = re.search(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?!.*-----END)", text) is not None
        return dumped({"t": at, "dir": direction, "line": clean})

    def _write_all(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            self._problem = error.strerror or str(error)


def read_wire_record(path: Path) -> list[WireLine | None]:
    """The lines of a wire record, the first behind its header; None for what is damaged or torn.

    Raises UserFault for what is none.
    """
    try:
        with open_regular(path) as file:
            header = json_object(file.readline(1024))
            if header is None or header.get("line") != FORMAT:
                raise UserFault("Not a trace made with --trace", named(path), "Make one with: acp-tui --trace FILE")
            return [_read(json_object(raw)) for raw in file]
    except OSError as error:
        raise UserFault("The trace cannot be read", f"{named(path)}: {error.strerror}") from error


def dumped(value: dict[str, Any]) -> bytes:
    """A message or another object as one line, as short as can be, with its newline."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _read(value: dict[str, Any] | None) -> WireLine | None:
    if value is None or value.get("dir") not in DIRECTIONS:
        return None
    at, line, dropped = value.get("t"), value.get("line", ""), value.get("dropped", 0)
    if not isinstance(line, str) or type(dropped) is not int or ("line" not in value and dropped <= 0):
        return None
    seconds = float(at) if isinstance(at, int | float) and 0 <= at < float("inf") else 0.0
    return WireLine(seconds, value["dir"], line.encode("utf-8", "surrogateescape"), dropped)
