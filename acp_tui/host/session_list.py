"""The sessions that the agent knows, as a list that fills page by page; must not know how it is filled or shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.protocol.sessions import SessionInfo


@dataclass(slots=True)
class SessionList:
    """What `session/list` told so far; `problem` says why there is no more. `version` grows with every change.

    `cwd` is the folder that was asked for, `None` for all; `archived` where the archive was asked for. `busy` names
    sessions that are being deleted, archived or renamed, `doing` says what some are doing, where the agent told.
    """

    entries: list[SessionInfo] = field(default_factory=list)
    cwd: str | None = None
    archived: bool = False
    loading: bool = False
    problem: str = ""
    busy: set[str] = field(default_factory=set)
    doing: dict[str, str] = field(default_factory=dict)
    version: int = 0
    _listeners: tuple[Callable[[], None], ...] = ()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever the list changed; the result ends the subscription."""

        def unsubscribe() -> None:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

        self._listeners = (*self._listeners, listener)
        return unsubscribe

    def changed(self) -> None:
        """Tell that the list changed; for its one writer."""
        self.version += 1
        for listener in self._listeners:
            listener()
