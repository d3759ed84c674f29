"""The sessions that are open beside each other, one screen each.

Textual's modes keep the screens: each has its own stack, so that a panel over one session waits there while another
is looked at. A session in the background is not painted; its changes wait in its bridge.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from textual.app import App
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen

from acp_tui.host.client import Client
from acp_tui.host.config.choices import PromptHistory
from acp_tui.session.changes import (
    ASKED,
    SETTLED,
    Change,
    EntryAdded,
    InfoChanged,
    InputOptionsChanged,
    Publisher,
    SubagentChanged,
    TurnChanged,
)
from acp_tui.session.entries import MessageEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import any_works
from acp_tui.ui.kit.base_screens import SelectableScreen
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.prompt.draft import Draft
from acp_tui.views.board import OpenSession, TabLabel, label_of
from acp_tui.views.status import LOOKS, State, login_wanted, names_of, state_of, waiting

if TYPE_CHECKING:
    from acp_tui.host.records.record_info import RecordInfo
    from acp_tui.host.records.records import Records

SEVERITIES: dict[State, SeverityLevel] = {"waiting": "warning", "failed": "warning"}
_NEWS = (*ASKED, *SETTLED, InfoChanged, InputOptionsChanged, TurnChanged)


class SessionScreen(SelectableScreen, inherit_bindings=False):
    """The screen of one session, as far as tabs know it."""

    class Freed(Message):
        """The user answers nothing any more."""

    def step_aside(self) -> None:
        """Another session is looked at: paint nothing until this one comes back."""

    def come_back(self) -> None:
        """Show all that happened meanwhile."""

    def fit_width(self) -> None:
        """Have everything end at one edge on a wide screen, or use all of it, as is set."""

    def others_changed(self) -> None:
        """How another session stands has changed, or this one is called differently."""

    def set_aside(self) -> None:
        """Clear the draft; the history keeps it."""

    def send(self, draft: Draft) -> None:
        """Send this, as if it was written here."""

    def write(self, draft: Draft) -> None:
        """Put this into the prompt, before what is written there."""

    def focus_question(self) -> None:
        """Give what the agent asks the focus."""

    def when_complete(self, act: Callable[[Any], object]) -> None:
        """Call this with the parts of the screen, once they are there."""


class HandOver(NamedTuple):
    """The conversation that a session is to go on with: the one of another `session`, or of a `record`."""

    session: Session | None = None
    record: RecordInfo | None = None


class Opened(NamedTuple):
    """A session to show. With `browse` the user first chooses another one to go on with.

    What is `handed` over to it is written into its prompt, and not sent; the `prompt` of the command line is sent.
    """

    client: Client
    session: Session
    history: PromptHistory
    browse: bool = False
    handed: HandOver | None = None
    prompt: str = ""


ChooseAgent = Callable[[Callable[[Opened], object], str], Screen[None]]
"""Makes the screen on which another agent is chosen: it calls back with the session, which is in a folder.

An empty folder is that of the start. It raises `UserFault` where what is configured there cannot be used.
"""


class Program(Protocol):
    """The app around a session, as far as its parts know it."""

    tabs: Tabs
    agents: ChooseAgent | None
    records: Records | None

    def converse(self, opened: Opened) -> None: ...

    def leave(self, *, hurry: bool = False) -> None: ...


@dataclass(eq=False, slots=True)
class Tab:
    """One open session. `seen` says that the user has looked since something ended in it.

    `told` says that they were told of a question that waits, `subagents` that some work.
    """

    client: Client
    session: Session
    history: PromptHistory
    screen: SessionScreen
    mode: str
    seen: bool = True
    worked: bool = False
    subagents: bool = False
    told: bool = False
    subscriptions: tuple[Callable[[], None], ...] = ()


class Connections:
    """Starts clients and waits for their ends. `failed` hears of a mistake of ours in one."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._tasks: dict[Client, asyncio.Task[None]] = {}

    @property
    def faulty(self) -> bool:
        return any(client.connection.fault is not None for client in self._tasks)

    def start(self, client: Client) -> None:
        if client not in self._tasks:
            task = asyncio.create_task(client.run(), name="connection")
            task.add_done_callback(self._done)
            self._tasks[client] = task

    def stop(self, client: Client) -> None:
        task = self._tasks.get(client)
        if task is not None:
            client.close()
            task.add_done_callback(lambda _task: self._tasks.pop(client, None))

    def close(self) -> None:
        """Ask every agent to end; asked again, they end at once."""
        for client, task in self._tasks.items():
            if not task.done():
                client.close()

    async def ended(self, within: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=within)

    async def end(self, within: float) -> None:
        if all(task.done() for task in self._tasks.values()):
            return
        self.close()
        await self.ended(within)
        for task in self._tasks.values():
            task.cancel()
        await self.ended(within)

    def _done(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._failed(error)


class Tabs:
    """Opens, shows and closes sessions; keeps how each stands. `call_user` reaches a user who looks elsewhere."""

    def __init__(
        self,
        app: App[Any],
        connections: Connections,
        make_screen: Callable[[Opened], SessionScreen],
        call_user: Callable[[str], None],
    ) -> None:
        self._app, self._connections, self._make_screen, self._call_user = app, connections, make_screen, call_user
        self._modes = count(1)
        self._told = False
        self.entries: list[Tab] = []
        self.changes = Publisher[[]]()
        """How sessions stand has changed, once however many did."""

    @property
    def current(self) -> Tab | None:
        return next((tab for tab in self.entries if tab.mode == self._app.current_mode), None)

    def add(self, opened: Opened, mode: str = "") -> Tab:
        client, session, history, *_ = opened
        screen = self._make_screen(opened)
        tab = Tab(client, session, history, screen, mode or f"session-{next(self._modes)}", worked=session.turn.active)
        listen = session.subscribe(lambda change: self._changed(tab, change))
        tab.subscriptions = (listen, client.subscribe(self._tell))
        self._app.add_mode(tab.mode, lambda: screen)
        self.entries.append(tab)
        return tab

    def open(self, opened: Opened, before: Tab | None = None) -> Tab:
        """Show a session; one that is new here stands `before` another one, else behind all."""
        tab = next((tab for tab in self.entries if tab.session is opened.session), None)
        if tab is None:
            tab = self.add(opened)
            if before is not None:
                self.entries.insert(self.entries.index(before), self.entries.pop())
        self.show(tab)
        return tab

    def show(self, tab: Tab) -> None:
        before = self.current
        if before is not None and before is not tab:
            before.screen.step_aside()
        tab.seen = True
        self._app.switch_mode(tab.mode)
        tab.screen.come_back()
        self._tell()

    def show_number(self, number: int) -> None:
        if 0 < number <= len(self.entries):
            self.show(self.entries[number - 1])

    def step(self, by: int) -> None:
        if self.current is not None:
            at = self.entries.index(self.current) + by
            self.show(self.entries[at % len(self.entries)])

    def close(self, tab: Tab) -> None:
        """Put a session away, and its agent when that has no other; another one must be there to be shown."""
        others = [other for other in self.entries if other is not tab]
        if tab is self.current:
            self.show(others[min(self.entries.index(tab), len(others) - 1)])
        self.entries.remove(tab)
        for unsubscribe in tab.subscriptions:
            unsubscribe()
        tab.screen.set_aside()
        self._app.remove_mode(tab.mode)
        tab.client.close_session(tab.session)
        if not any(other.client is tab.client for other in others):
            self._connections.stop(tab.client)
        self._tell()

    def oldest_asking(self) -> Tab | None:
        asking = [tab for tab in self.entries if login_wanted(tab.client.connection) or waiting(tab.session)]
        return min(asking, key=self._asked_at, default=None)

    def opened(self) -> list[OpenSession]:
        names = names_of([tab.session for tab in self.entries])
        return [
            OpenSession(number, name, tab.client, tab.session, tab.seen)
            for number, (tab, name) in enumerate(zip(self.entries, names, strict=True), 1)
        ]

    def labels(self) -> list[TabLabel]:
        current = self.current
        return [label_of(each, current=each.session is (current and current.session)) for each in self.opened()]

    def uncovered(self) -> None:
        """Nothing lies over the current session any more: the user sees what has ended there."""
        if self.current is not None and not self.current.seen:
            self.current.seen = True
            self._tell()

    def _in_sight(self, tab: Tab) -> bool:
        """Whether the session is on the screen, if only around a panel."""
        return tab is self.current and all(screen.is_modal for screen in self._app.screen_stack[1:])

    def _asked_at(self, tab: Tab) -> tuple[float, bool]:
        asked = [] if login_wanted(tab.client.connection) else waiting(tab.session)
        return (asked[0].asked_at if asked else 0.0), tab is not self.current

    def _changed(self, tab: Tab, change: Change) -> None:
        """Runs for every change of every session: cheap for those that are no news here."""
        if isinstance(change, _NEWS):
            ended = tab.worked and not tab.session.turn.active
            tab.worked = tab.session.turn.active
            if ended and not self._in_sight(tab):
                tab.seen = False
            tab.told = tab.told and bool(waiting(tab.session))
            if ended or (isinstance(change, ASKED) and not tab.told):  # several questions at once are one call
                tab.told = self._call(tab) and bool(waiting(tab.session))
            self._tell()
        elif isinstance(change, SubagentChanged):  # as often as tool calls
            if tab.subagents is not (at_work := any_works(tab.session)):
                tab.subagents = at_work
                self._tell()
        elif isinstance(change, EntryAdded) and isinstance(change.entry, MessageEntry):
            self._tell()  # it may name the session

    def _call(self, tab: Tab) -> bool:
        state = state_of(tab.session, tab.client.connection, seen=False)
        at = self.entries.index(tab)
        text = f"{at + 1} {self.labels()[at].name}: {LOOKS[state].words}"
        if not self._app.app_focus:
            self._call_user(text)
        elif tab is not self.current:
            say(self._app, text, 4, SEVERITIES.get(state, "information"), news=True)
        return tab is not self.current or not self._app.app_focus

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            self._app.call_later(self._look)

    def _look(self) -> None:
        self._told = False
        if self.current is not None and self.current.screen.is_mounted:
            self.current.screen.others_changed()
        self.changes.publish()
