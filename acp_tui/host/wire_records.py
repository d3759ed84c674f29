"""The wire of a run written down, as `--record FILE` asks for it; must not know what the lines are for."""

import os
from pathlib import Path

from acp_tui.errors import Fault, UserFault
from acp_tui.host.client import Client
from acp_tui.host.wire_record import WireRecord
from acp_tui.safe_text import named
from acp_tui.session.facts import Noticed


class WireRecords:
    """One file for the first agent, and one beside it for each further one. `close` it, whatever happened."""

    def __init__(self, path: Path) -> None:
        """Raises UserFault if the file is there already, or cannot be written."""
        self.path = path
        self._records: list[WireRecord] = []
        if path.exists():
            raise UserFault("The record is there already", named(path), "Give another file, or delete it.")
        if not os.access(path.parent, os.W_OK):
            raise UserFault(
                "The record cannot be written", f"{named(path)}: its folder is not there, or not yours to write in."
            )

    def attend(self, client: Client) -> None:
        """Write down all that passes between this client and its agent; call it before the agent is started."""

        def complain(notice: Noticed) -> None:
            for session in client.sessions:
                session.apply(notice)

        number = len(self._records) + 1
        path = self.path if number == 1 else self.path.with_name(f"{self.path.stem}-{number}{self.path.suffix}")
        try:
            self._records.append(WireRecord(path, client.traffic, complain))
        except Fault as fault:
            if number == 1:
                raise
            notice = Noticed("warning", fault.title, fault.message, fault.hint)
            client.session_begun = lambda session: session.apply(notice)

    def close(self) -> None:
        """Write what is left; takes moments, seconds only where a disk hangs."""
        for record in self._records:
            record.close()
