"""A status line of the user's own: the items that they chose, and after them what their status command says.

What takes time (the branch, the command) is asked beside the loop of messages, and only when something has ended or
changed: nothing runs while nothing happens, and nothing for a frame or a piece of an answer.
"""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial

from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import UserFault
from acp_tui.host.status_command import StatusCommand, told_of
from acp_tui.host.system.git import branch_of
from acp_tui.host.system.threads import Latest, in_thread
from acp_tui.session.changes import (
    Change,
    ConfigOptionsChanged,
    EntryAdded,
    EntryChanged,
    FileChanged,
    InfoChanged,
    OwnCommandsChanged,
    TurnChanged,
    UsageChanged,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.ui.kit.session_view import News, SessionView, toast_under
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import painted, sanitise_line
from acp_tui.views.formatting import SEPARATOR, StyledText
from acp_tui.views.status import items_of

PATIENCE = 1.0  # seconds for the files of Git, which may lie on a disk that does not answer
WIDEST = 400  # cells of an item, or of what the command says
LEAST = 8  # cells; with fewer of them a beginning says nothing
SHOWN = frozenset((UsageChanged, ConfigOptionsChanged, InfoChanged, TurnChanged))  # what items are made of
TOLD = frozenset((UsageChanged, ConfigOptionsChanged, InfoChanged))  # what the command is told of
_OF_ENTRIES = (EntryChanged, EntryAdded)
ENDS = frozenset((TurnChanged, OwnCommandsChanged, FileChanged))  # after which another branch may be there


class OwnLine(Static):
    """One row below the selectors."""

    DEFAULT_CSS = "OwnLine { height: 1; text-wrap: nowrap; }"

    def __init__(self, make: Callable[[int], Content]) -> None:
        super().__init__(id="own-status")
        self._make = make

    def look(self) -> None:
        if self.size.width:
            self.update(self._make(self.size.width), layout=False)

    def on_resize(self) -> None:
        self.look()


class OwnStatus:
    """The items and the command of one session, whose `line` is mounted where there `is_wanted`.

    `command` is shared by all sessions; only the one that is shown asks it.
    """

    def __init__(self, view: SessionView, command: StatusCommand | None) -> None:
        self._view, self._command = view, command
        self._names = view.preference("status_line", tuple)
        self._branch = self._said = ""
        self._reading = Latest(view.run, self._read)
        self.is_wanted = bool(self._names or command)
        self.shows_usage = bool(self._names)
        self.line = OwnLine(self._row)
        if self._asks:
            view.session.subscribe(self._tool_call_ended)

    def follow(self, kinds: Collection[type[Change]]) -> None:
        if not self.is_wanted:
            return
        if not SHOWN.isdisjoint(kinds):
            self.line.look()
        ended = not ENDS.isdisjoint(kinds) and not self._view.session.turn.active
        if ended or FileChanged in kinds or (self._command is not None and not TOLD.isdisjoint(kinds)):
            self.ask()

    def ask(self) -> None:
        """Ask for what takes time as soon as that may be; while it is asked, once more after that."""
        if self._asks and self._is_shown:
            self._reading.ask()

    async def _read(self) -> None:
        if not self._is_shown:
            return
        with suppress(TimeoutError):
            self._branch = await in_thread(branch_of, self._view.session.cwd, within=PATIENCE)
        self.line.look()
        if self._command is not None:
            self._said = await self._answer(self._command)
            self.line.look()

    async def _answer(self, command: StatusCommand) -> str:
        session, connection = self._view.session, self._view.client.connection
        told = partial(told_of, session, connection, self._branch, self.line.size.width)
        try:
            return sanitise_line(await command.ask(told, session.cwd), WIDEST)
        except UserFault as fault:
            toast_under(self._view.app, fault.title, (fault.message, fault.hint), "warning", News)
            return ""

    def _row(self, width: int) -> Content:
        said: list[StyledText] = [[(self._said, "muted")]] if self._said else []
        return row_of([*items_of(self._names, self._view.session, self._branch), *said], width)

    def _tool_call_ended(self, change: Change) -> None:
        """For every change that there is, and so as little as can be: mostly that no tool call has ended."""
        if self._reading.asked or not isinstance(change, _OF_ENTRIES) or type(change.entry) is not ToolCallEntry:
            return
        if change.entry.finished_at is not None and self.line.is_attached:
            self.line.call_later(self.ask)

    @property
    def _asks(self) -> bool:
        return self._command is not None or "branch" in self._names

    @property
    def _is_shown(self) -> bool:
        return self.line.is_attached and self.line.screen in self._view.app.screen_stack


def row_of(items: Iterable[StyledText], width: int) -> Content:
    """The items in one row of so many cells: the first ones win, and the last that has room may be cut."""
    row = Content("")
    for item in (painted(each, WIDEST) for each in items):
        lead = SEPARATOR if row else ""
        room = width - row.cell_length - len(lead)
        if item.cell_length > room and room < LEAST:
            break
        row = Content.assemble(row, (lead, MUTED), item.truncate(room, ellipsis=True))
        if item.cell_length > room:
            break
    return row
