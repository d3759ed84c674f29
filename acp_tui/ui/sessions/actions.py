"""What the user does with sessions as a whole, and with their agent as a program."""

import time
from collections.abc import Callable

from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import SessionNamed
from acp_tui.session.state import Session
from acp_tui.session.tools.background import Work, can_be_cancelled, separate_work
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.key_guards import DoublePress
from acp_tui.ui.kit.overlay import AskLine
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.strip import LOOKS, name_of
from acp_tui.ui.sessions.tabs import Opened, Tab, Tabs


class SessionActions:
    """Sessions, as seen from one of them."""

    def __init__(self, view: SessionView, tabs: Tabs, editor: PromptEditor) -> None:
        self._view, self._tabs, self._editor = view, tabs, editor
        self._closes = DoublePress(view.strokes)

    @property
    def tab(self) -> Tab:
        return next(tab for tab in self._tabs.entries if tab.session is self._view.session)

    @property
    def several(self) -> bool:
        return len(self._tabs.entries) > 1

    @property
    def unused(self) -> bool:
        """Whether nothing was said here, so that nothing is lost when another session takes its place."""
        session = self._view.session
        said = any(isinstance(entry, MessageEntry) for entry in session.entries)
        return not (said or session.queue or session.turn.active or self._editor.text)

    def begin(self) -> None:
        client = self._view.client
        if client.connection.phase in ("closing", "closed"):
            self._view.say("The agent has exited")
            return
        self.show(client.open_session(cwd=self._view.session.cwd))

    def show(self, session: Session, *, instead: bool = False) -> None:
        gives_way = instead and self.unused and session is not self._view.session
        own = self.tab
        self._tabs.open(Opened(self._view.client, session, own.history))
        if gives_way:
            self._tabs.close(own)

    def show_number(self, number: int) -> None:
        self._tabs.show_number(number)

    def fork(self) -> None:
        client, session = self._view.client, self._view.session
        if not client.connection.capabilities.fork_session:
            self._view.say("This agent cannot fork sessions")
        elif not session.id or session.closed:
            self._view.say("This session is not open")
        else:
            self.show(client.fork_session(session))

    def rename(self) -> None:
        ask_title(self._view, self._view.session)

    def close(self) -> None:
        session = self._view.session
        ways = BY_ID["close_session"].ways
        if (session.turn.active or session.queue) and not self._closes.again(time.monotonic(), ways):
            self._view.say(
                f"The agent is still working. Press {first_way('close_session')} again to close the session."
            )
            return
        tabs, own = self._tabs, self.tab
        if len(tabs.entries) == 1:
            if self.unused or self._view.client.connection.phase in ("closing", "closed"):
                self._view.say("This is the only open session")
                return
            self.begin()
        tabs.close(own)

    def pick(self) -> None:
        tabs = self._tabs
        rows = [
            PickerRow(
                label.number,
                f"{label.number} {label.name} {LOOKS[label.state].sign}".rstrip(),
                " · ".join(filter(None, (LOOKS[label.state].words, sanitise_line(tab.session.agent_name, 40)))),
                current=label.current,
            )
            for label, tab in zip(tabs.labels(), tabs.entries, strict=True)
        ]
        self._view.open(Picker("Sessions", rows), lambda number: tabs.show_number(number or 0))

    def answer_oldest(self) -> None:
        tab = self._tabs.oldest_asking() or self.tab
        if tab is not self.tab:
            self._tabs.show(tab)
        tab.screen.focus_question()


def ask_title(view: SessionView, session: Session, done: Callable[[], None] = lambda: None) -> None:
    """Ask for another title of an open session, kept by its agent where that can, and call `done` once it is given."""
    client = view.client
    keeps = client.connection.capabilities.title_session

    async def give(title: str) -> None:
        if client.connection.capabilities.title_session and session.id and not session.named:
            client.known_sessions.title(session.id, title)
        else:
            session.apply(SessionNamed(title))
        done()

    where = "" if keeps else "  (this machine only)"
    view.open(AskLine(f"Rename session{where}", name_of(session), give))


class AgentActions:
    """The agent of one session, as a program."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._restarts = DoublePress(view.strokes)

    def restart(self) -> None:
        client = self._view.client
        if client.connection.phase in ("closing", "closed"):
            self._view.say("The agent has been shut down")
            return
        working = [session for session in client.sessions if session.turn.active]
        ways = BY_ID["restart_agent"].ways
        unheard = all(session.turn.cancel_requested_at is not None for session in working)
        if working and not unheard and not self._restarts.again(time.monotonic(), ways):
            self._view.say(f"The agent is still working. Press {first_way('restart_agent')} again to restart it.")
            return
        client.restart()

    def pick_work(self) -> None:
        works = separate_work(self._view.session)
        if not works:
            self._view.say("No background work")
            return
        rows = [PickerRow(work, sanitise_line(work.title, 120), _about(work)) for work in works]
        self._view.open(Picker("Background work (Enter cancels)", rows), self._work_picked)

    def _work_picked(self, work: Work | None) -> None:
        if work is None:
            return
        if can_be_cancelled(self._view.session, work):
            self._view.client.of(self._view.session).cancel_work(work)
            return
        text = "The agent cannot cancel this. Close the session to end it."
        if work.cancellable:
            text = "It has ended or can no longer be cancelled"
        self._view.say(text, 5, "warning")


def _about(work: Work) -> str:
    kinds = {"tool_call": "tool call", "terminal": "command"}
    where = "in the background" if work.background else "in this turn"
    kind = kinds.get(work.type, sanitise_line(work.type, 40))
    return f"{kind} · {where}" + ("" if work.cancellable else " · cannot be cancelled")
