"""All pages of `session/list`, asked for one after the other; must not know who wants them or how they are shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from acp_tui.protocol.faults import METHOD_NOT_FOUND, ProtocolFault, error_words

if TYPE_CHECKING:
    from acp_tui.host.conversation import Line
    from acp_tui.protocol.sessions import SessionInfo
    from acp_tui.wire.jsonrpc import Error, Response


CAP = 10_000
"""Sessions that are listed; agents whose pages never end exist."""


class Pages:
    """One listing, begun at once. `told` gets the entries of each page, `ended` why there is no more (empty: the end).

    `stop` makes late answers count for nothing.
    """

    def __init__(
        self,
        line: Line,
        cwd: str | None,
        told: Callable[[list[SessionInfo]], None],
        ended: Callable[[str], None],
        *,
        archived: bool = False,
    ) -> None:
        """`cwd` is an absolute folder, `None` for all; `archived` sessions are asked for apart from the others."""
        self._line, self._cwd, self._told, self._ended = line, cwd, told, ended
        self._archived = archived
        self._cursors: set[str | None] = {None}
        self._ids: set[str] = set()
        self._request: int | None = None
        self.wants_login = False
        self._ask(None)

    def stop(self) -> None:
        """Nobody wants the rest."""
        if self._request is not None:
            self._line.connection.withdraw(self._request)
            self._request = None

    def _ask(self, cursor: str | None) -> None:
        call = self._line.dialect.list_sessions(self._cwd, cursor, archived=self._archived)
        serial = len(self._cursors)
        self._request = self._line.connection.call(call, lambda answer: self._answered(serial, answer))

    def _answered(self, serial: int, answer: Response) -> None:
        if self._request is None or serial != len(self._cursors):
            return
        self._request = None
        if answer.error is not None:
            self.wants_login = self._line.wants_login(answer)
            self._refused(answer.error)
            return
        try:
            page = self._line.dialect.read_session_page(answer.result)
        except ProtocolFault as fault:
            self._ended(str(fault))
            return
        fresh = [info for info in page.sessions if info.session_id not in self._ids]
        self._ids.update(info.session_id for info in fresh)
        self._told(fresh)
        if not page.next_cursor or page.next_cursor in self._cursors:
            self._ended("")
        elif len(self._ids) >= CAP:
            self._ended(f"There are more; the first {len(self._ids):,} are here.")
        else:
            self._cursors.add(page.next_cursor)
            self._ask(page.next_cursor)

    def _refused(self, error: Error) -> None:
        if error.code == METHOD_NOT_FOUND:
            self._ended("The agent cannot list its sessions.")
        else:
            self._ended(error_words(error.code, error.message, error.data))


def newest(entries: list[SessionInfo]) -> SessionInfo | None:
    """The session that was worked on last; without times, the first that the agent names.

    One without a title is taken only where none has one: some agents list sessions in which nothing was said.
    """
    return max(entries, key=lambda info: (bool(info.title), _seconds(info.updated_at)), default=None)


def _seconds(time: str | None) -> float:
    """ISO 8601 as seconds; without a time zone it is UTC, what cannot be read is long ago."""
    try:
        read = datetime.fromisoformat(time or "")
    except ValueError:
        return 0.0
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
