"""Giving a session that is open another title: by its agent where that keeps titles, else here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.session.facts import SessionNamed
from acp_tui.session.state import Session
from acp_tui.ui.overlay import AskLine
from acp_tui.ui.sessions.signs import name_of

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


def ask_title(screen: ConversationScreen, session: Session, done: Callable[[], None] = lambda: None) -> None:
    """Ask for the title; `done` is called once it is given."""
    client = screen.client

    async def give(title: str) -> None:
        if client.connection.capabilities.title_session and session.id and not session.named:
            client.known_sessions.title(session.id, title)
        else:
            session.apply(SessionNamed(title))
        done()

    keeps = client.connection.capabilities.title_session
    where = "" if keeps else "  (here only: the agent keeps no titles that one gives)"
    screen.app.push_screen(AskLine(f"Rename the session{where}", name_of(session), give))
