"""The transcript of a recorded session, to be read."""

import asyncio
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.content import Content

from acp_tui.errors import Fault
from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.records import Records
from acp_tui.session.entries import Entry
from acp_tui.session.state import Session
from acp_tui.ui.kit.announcements import announce_fault, say
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.subagents.screen import ReadOnlyScreen
from acp_tui.views.formatting import byte_size, home_path


class HistoryScreen(ReadOnlyScreen):
    """A session that is over."""

    def __init__(
        self, session: Session, info: RecordInfo, follow: Callable[[Entry | None], bool] = lambda _entry: False
    ) -> None:
        """`follow` goes where an entry leads, if it leads anywhere."""
        super().__init__(session)
        self._info, self._follow = info, follow

    def open_entry(self, entry: Entry | None) -> bool:
        return self._follow(entry) or super().open_entry(entry)

    def heading(self, width: int) -> Content:
        """Its title, agent and folder, and when it ended."""
        info = self._info
        when = info.updated.astimezone().strftime("%d %B %Y, %H:%M")
        parts = filter(None, (sanitise_line(info.agent, 30), sanitise_line(home_path(info.cwd), 40), when))
        about = " · ".join(parts)
        title = cut(sanitise_line(info.title), max(8, width - len(about) - 16))
        return Content.assemble(("History", f"{ACCENT} bold"), ("   " + title, "bold"), ("   " + about, MUTED))


PATIENCE = 0.4  # seconds after which a user is told that it takes a while


async def read_record(app: App[Any], records: Records, info: RecordInfo) -> Session | None:
    """What was recorded, read beside the loop; None where it cannot be read, which is said."""
    told = app.set_timer(PATIENCE, lambda: say(app, f"Reading a record of {byte_size(info.size)}…"))
    try:
        return await asyncio.to_thread(records.load, info.path)
    except Fault as fault:
        announce_fault(app, fault)
        return None
    finally:
        told.stop()
