"""Opening what the agent sent: asks how, with all that is to be known first, and does it. Nothing opens by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.errors import Fault
from acp_tui.host.content_files import save_content
from acp_tui.host.opener import open_address, open_file
from acp_tui.protocol.content import ContentBlock
from acp_tui.session.entries import Entry
from acp_tui.ui.announcements import announce_fault
from acp_tui.ui.edit_file import edit_file
from acp_tui.ui.figures import home_path
from acp_tui.ui.opening.findings import addresses_of, blocks_of
from acp_tui.ui.opening.ways import Opening, Way, opening_of, opening_of_address
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.transcript.content import told
from acp_tui.ui.transcript.view import TranscriptView

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class OpenActs:
    """What can be opened on one screen. `open_address` and `open_file` say whether they could."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self.open_address: Callable[[str], Awaitable[bool]] = open_address
        self.open_file: Callable[[Path], Awaitable[bool]] = open_file

    def open_entry(self, entry: Entry | None) -> None:
        """What there is to open in an entry; of several things the person picks one."""
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        blocks = blocks_of(entry) if entry is not None else []
        addresses = addresses_of(entry) if entry is not None else []
        rows: list[PickerRow[ContentBlock | str]] = []
        for block in blocks:
            sign, name, facts = told(block)
            rows.append(PickerRow(block, f"{sign} {name}", " · ".join(facts)))
        rows += [PickerRow(address, sanitise_line(address, 200)) for address in addresses]
        if not rows:
            self._say("There is nothing to open in this block")
        elif len(rows) == 1:
            self._any(rows[0].value)
        else:
            self._screen.app.push_screen(Picker("Open", rows), self._any)

    def open_block(self, block: ContentBlock) -> None:
        """One content block."""
        self._ask(opening_of(block))

    def open_link(self, address: str) -> None:
        """A web address."""
        details, ways = opening_of_address(address)
        self._ask(Opening("Address", details, ways))

    def clicked(self, message: TranscriptView.LinkClicked | TranscriptView.ContentClicked) -> None:
        """What was clicked in the transcript."""
        self._any(message.address if isinstance(message, TranscriptView.LinkClicked) else message.block)

    def _any(self, subject: ContentBlock | str | None) -> None:
        if isinstance(subject, str):
            self.open_link(subject)
        elif subject is not None:
            self.open_block(subject)

    def _ask(self, opening: Opening) -> None:
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        if not opening.ways:
            self._say("This cannot be opened here")
            return
        rows = [PickerRow(way, way.label) for way in opening.ways]
        self._screen.app.push_screen(Picker(opening.title, rows, opening.details), self._chosen)

    def _chosen(self, way: Way | None) -> None:
        if way is not None:
            self._screen.app.run_worker(self._go(way), group="opening")

    async def _go(self, way: Way) -> None:
        screen = self._screen
        match way.act:
            case "copy":
                screen.copies.text(way.subject, way.label.removeprefix("Copy "))
            case "edit":
                edit_file(screen.app, way.subject, None, screen.client.roots(screen.session))
            case "browse":
                if not await self.open_address(way.subject):
                    self._say("No browser could be started; the address can be copied")
            case "view" | "save":
                await self._save(way)

    async def _save(self, way: Way) -> None:
        try:
            path = await save_content(way.subject, way.mime_type)
        except Fault as fault:
            announce_fault(self._screen.app, fault)
            return
        if way.act == "save":
            self._screen.copies.text(str(path), "the path")
        elif not await self.open_file(path):
            self._say("This system has no viewer for it")
        self._say(f"Saved to {sanitise_line(home_path(str(path)), 200)}")

    def _say(self, text: str) -> None:
        self._screen.app.notify(text, markup=False, timeout=5)
