"""Opening what the agent sent: asks how, with all that is to be known first, and does it. Nothing opens by itself."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from acp_tui.errors import Fault
from acp_tui.host.desktop.content_files import save_content
from acp_tui.host.desktop.opener import open_address, open_file
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.entries import Entry
from acp_tui.ui.entries.content import told
from acp_tui.ui.export.copies import CopyActions
from acp_tui.ui.export.ways import Opening, Way, addresses_of, blocks_of, opening_of, opening_of_address
from acp_tui.ui.kit.announcements import announce_fault
from acp_tui.ui.kit.figures import home_path
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.terminal.suspension import edit_file


class OpenActions:
    """What can be opened on one screen. `open_address` and `open_file` say whether they could."""

    def __init__(self, view: SessionView, copies: CopyActions) -> None:
        self._view, self._copies = view, copies
        self.open_address: Callable[[str], Awaitable[bool]] = open_address
        self.open_file: Callable[[Path], Awaitable[bool]] = open_file

    def open_entry(self, entry: Entry | None) -> None:
        """What there is to open in an entry; of several things the user picks one."""
        blocks = blocks_of(entry) if entry is not None else []
        addresses = addresses_of(entry) if entry is not None else []
        rows: list[PickerRow[ContentBlock | str]] = []
        for block in blocks:
            sign, name, facts = told(block)
            rows.append(PickerRow(block, f"{sign} {name}", " · ".join(facts)))
        rows += [PickerRow(address, sanitise_line(address, 200)) for address in addresses]
        if not rows:
            self._view.say("There is nothing to open in this block", 5)
        elif len(rows) == 1:
            self.open(rows[0].value)
        else:
            self._view.open(Picker("Open", rows), self.open)

    def open(self, subject: ContentBlock | str | None) -> None:
        """A content block or an address: ask how."""
        if subject is None:
            return
        opening = Opening("Address", *opening_of_address(subject)) if isinstance(subject, str) else opening_of(subject)
        if not opening.ways:
            self._view.say("This cannot be opened here", 5)
            return
        rows = [PickerRow(way, way.label) for way in opening.ways]
        self._view.open(Picker(opening.title, rows, opening.details), self._chosen)

    def _chosen(self, way: Way | None) -> None:
        if way is not None:
            self._view.app.run_worker(self._go(way), group="opening")

    async def _go(self, way: Way) -> None:
        view = self._view
        match way.act:
            case "copy":
                self._copies.text(way.subject, way.label.removeprefix("Copy "))
            case "edit":
                edit_file(view.app, way.subject, None, view.client.roots(view.session))
            case "browse":
                if not await self.open_address(way.subject):
                    self._view.say("No browser could be started; the address can be copied", 5)
            case "view" | "save":
                await self._save(way)

    async def _save(self, way: Way) -> None:
        try:
            path = await save_content(way.subject, way.mime_type)
        except Fault as fault:
            announce_fault(self._view.app, fault)
            return
        if way.act == "save":
            self._copies.text(str(path), "the path")
        elif not await self.open_file(path):
            self._view.say("This system has no viewer for it", 5)
        self._view.say(f"Saved to {sanitise_line(home_path(str(path)), 200)}", 5)
