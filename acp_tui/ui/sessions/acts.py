"""What a person does with sessions as a whole: begin, switch, fork, put away; must not know the protocol."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from acp_tui.session.entries import MessageEntry
from acp_tui.session.state import Session
from acp_tui.ui.presses import DoublePress
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.signs import SIGNS, WORDS

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpTuiApp
    from acp_tui.ui.screen import ConversationScreen
    from acp_tui.ui.sessions.tabs import Tab


class SessionActs:
    """Sessions, as seen from one of them."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._closes = DoublePress()

    @property
    def tab(self) -> Tab:
        """This session's own."""
        return next(tab for tab in self._screen.tabs.entries if tab.screen is self._screen)

    @property
    def unused(self) -> bool:
        """Whether nothing was said here, so that nothing is lost when another session takes its place."""
        session = self._screen.session
        said = any(isinstance(entry, MessageEntry) for entry in session.entries)
        return not (said or session.queue or session.turn.active or self._screen.editor.text)

    def begin(self) -> None:
        """A new session of the same agent in the same folder."""
        screen = self._screen
        if screen.client.connection.phase in ("closing", "closed"):
            self._say("The agent is gone")
            return
        self.show(screen.client.open_session(cwd=screen.session.cwd))

    def begin_elsewhere(self) -> None:
        """Choose an agent for a new session."""
        app = self._app
        if app.agents is None:
            self._say("No other agents are known here")
        else:
            app.push_screen(app.agents())

    def show(self, session: Session, *, instead: bool = False) -> None:
        """Look at a session of this agent; `instead` of this one if nothing was said here."""
        screen = self._screen
        gives_way = instead and self.unused and session is not screen.session
        own = self.tab
        screen.tabs.open(screen.client, session, screen.history)
        if gives_way:
            screen.tabs.close(own)

    def fork(self) -> None:
        """A new session that knows what this one knows."""
        client, session = self._screen.client, self._screen.session
        if not client.connection.capabilities.fork_session:
            self._say("This agent cannot fork sessions")
        elif not session.id or session.closed:
            self._say("This session is not open")
        else:
            self.show(client.fork_session(session))

    def rename(self) -> None:
        """Give this session another title."""
        from acp_tui.ui.sessions.naming import ask_title  # noqa: PLC0415 (the first frame does not need it)

        ask_title(self._screen, self._screen.session)

    def close(self) -> None:
        """Put this session away; ask first if its agent is at work. The last one gives way to a new one."""
        session = self._screen.session
        if (session.turn.active or session.queue) and not self._closes.again(time.monotonic()):
            self._say("The agent is at work here. Press the key again to close the session.")
            return
        tabs, own = self._screen.tabs, self.tab
        if len(tabs.entries) == 1:
            if self.unused or self._screen.client.connection.phase in ("closing", "closed"):
                self._say("This is the only session")
                return
            self.begin()
        tabs.close(own)

    def pick(self) -> None:
        """Switch to a session from a list."""
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        tabs = self._screen.tabs
        rows = [
            PickerRow(
                label.number,
                f"{label.number} {label.name} {SIGNS[label.state]}".rstrip(),
                " · ".join(filter(None, (WORDS[label.state], sanitise_line(tab.session.agent_name, 40)))),
                current=label.current,
            )
            for label, tab in zip(tabs.labels(), tabs.entries, strict=True)
        ]
        self._app.push_screen(Picker("Sessions", rows), lambda number: tabs.show_number(number or 0))

    def answer_oldest(self) -> None:
        """Go to the question that waits longest, in whichever session."""
        tab = self._screen.tabs.oldest_asking()
        if tab is None or tab.screen is self._screen:
            self._screen.asked.focus()
        else:
            self._screen.tabs.show(tab)
            tab.screen.asked.focus()

    def browse(self) -> None:
        """Find a session to go on with."""
        from acp_tui.ui.sessions.browser import SessionBrowser  # noqa: PLC0415 (the first frame does not need it)

        self._app.push_screen(SessionBrowser(self._screen, self._app.records))

    @property
    def _app(self) -> AcpTuiApp:
        return self._screen.tabs.app

    def _say(self, text: str) -> None:
        self._screen.app.notify(text, markup=False, timeout=3)
