"""A record read beside the loop, so that keys work meanwhile; must not know who wants it."""

import asyncio
from typing import Any

from textual.app import App

from acp_tui.errors import Fault
from acp_tui.host.records import RecordInfo, Records
from acp_tui.session.state import Session
from acp_tui.ui.announcements import announce_fault
from acp_tui.ui.figures import byte_size

PATIENCE = 0.4  # seconds after which a person is told that it takes a while


async def read_record(app: App[Any], records: Records, info: RecordInfo) -> Session | None:
    """What was recorded; None where it cannot be read, which is said."""
    told = app.set_timer(PATIENCE, lambda: app.notify(f"Reading a record of {byte_size(info.size)} …", markup=False))
    try:
        return await asyncio.to_thread(records.load, info.path)
    except Fault as fault:
        announce_fault(app, fault)
        return None
    finally:
        told.stop()
