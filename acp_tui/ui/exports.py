"""Exporting a session to a new file, whose name the user is asked for."""

import json
from collections.abc import Callable
from typing import Any

from textual.app import App

from acp_tui.host.exports import free_name, write_new_file
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.state import Session
from acp_tui.ui.announcements import say
from acp_tui.ui.figures import byte_size, home_path
from acp_tui.ui.overlay import AskLine
from acp_tui.ui.render.text import sanitise_line


def export_markdown(app: App[Any], session: Session) -> None:
    """The conversation as a Markdown document."""
    _export(app, session, "md", "Export to Markdown", to_markdown)


def export_json(app: App[Any], session: Session) -> None:
    """Everything as JSON data."""
    _export(app, session, "json", "Export to JSON", _json)


def _json(session: Session) -> str:
    return json.dumps(to_json(session), ensure_ascii=False, indent=2, default=str) + "\n"


def _export(app: App[Any], session: Session, ending: str, title: str, text: Callable[[Session], str]) -> None:
    async def write(name: str) -> None:
        made = text(session)
        path = await write_new_file(session.cwd, name, made)
        size = byte_size(len(made.encode(errors="replace")))
        say(app, f"Exported to {sanitise_line(home_path(str(path)))} ({size})", 6)

    app.push_screen(AskLine(title, free_name(session.cwd, session.title or "", ending), write))
