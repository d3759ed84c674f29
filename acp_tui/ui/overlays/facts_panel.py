"""Facts in rows of a name and a value, in groups, over the screen: to be read, scrolled and copied."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Protocol

from textual.content import Content

from acp_tui.host.config.preferences import Preferences
from acp_tui.host.records.records import Records
from acp_tui.session.entries import Entry, Origin
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import ways_to
from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.hints import CLOSE, SCROLL
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.overlays.help import HelpScreen
from acp_tui.ui.overlays.text_panel import NoticesScreen, StderrScreen, TextPanel
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.status.toasts import Toasts
from acp_tui.ui.terminal.clipboard import write_clipboard
from acp_tui.views.session_facts import Group, mcp_groups, status_groups, usage_groups

GAP = 2
HEIGHT_SHARE, BESIDE, BESIDE_SHORT = 0.92, 6, 2  # of the screen, and rows of the panel beside the facts
NAMES_SHARE = 0.45  # of the width that the names may take
LONGEST = 4_000  # cells of one value


class FactsPanel(TextPanel):
    """It has what was true when it was opened; `copied` is what a copy has instead."""

    KEYS = (SCROLL, PanelKey("y,c", "copy", "copy"), CLOSE)

    def __init__(self, title: str, groups: Sequence[Group], copied: Sequence[Group] | None = None) -> None:
        super().__init__(title)
        self._groups = groups
        self._copied = groups if copied is None else copied

    def start(self) -> None:
        super().start()
        self.call_after_refresh(self._fill)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def action_copy(self) -> None:
        write_clipboard(self.app, text_of(self._copied))
        say(self.app, f"Copied {str(self.title).lower()}", 3)

    def _fill(self) -> None:
        width, height = max(10, self.scroll.scrollable_content_region.width - 1), self.app.size.height
        lines = list(lines_of(self._groups, width))
        room = height - BESIDE_SHORT if self.is_short else int(height * HEIGHT_SHARE) - BESIDE
        self.scroll.styles.height = max(1, min(len(lines), room))
        self.words.update(Content("\n").join(lines))


class Papers(Protocol):
    """What the app writes down, and where."""

    toasts: Toasts
    records: Records | None
    preferences: Preferences

    @property
    def log_file(self) -> Path | None: ...


class OverlayActions:
    """Opens what is read over the conversation: help, notices, messages of the protocol, facts."""

    def __init__(self, view: SessionView, papers: Papers) -> None:
        self._view, self._papers = view, papers

    def help(self) -> None:
        self._view.open(HelpScreen())

    def notices(self) -> None:
        toasts = self._papers.toasts
        toasts.clear()
        self._view.open(NoticesScreen(self._view.session, toasts.told))

    def stderr(self) -> None:
        self._view.open(StderrScreen(self._view.client.stderr_tail))

    def inspect(self, origin: Origin | None = None) -> None:
        self._view.open(late("acp_tui.ui.inspector.inspector_screen").InspectorScreen(self._view.client, origin))

    def inspect_entry(self, entry: Entry | None) -> None:
        if entry is not None:
            self.inspect(entry.origin())

    def status(self) -> None:
        client, session, files = self._view.client, self._view.session, list(self._files())
        copied = status_groups(client, session, files, accounts=False)
        self._view.open(FactsPanel("Status", status_groups(client, session, files, ways_to("log_in")), copied))

    def usage(self) -> None:
        self._view.open(FactsPanel("Usage and cost", usage_groups(self._view.session)))

    def mcp_servers(self) -> None:
        client = self._view.client
        servers = mcp_groups(client.mcp_servers(self._view.session), client.connection.capabilities)
        self._view.open(FactsPanel("MCP servers", servers))

    def _files(self) -> Iterator[tuple[str, str]]:
        records = self._papers.records
        yield from (("Config", str(path)) for path in self._papers.preferences.files)
        record = records.path_of(self._view.session) if records is not None else None
        places = (("Record", record), ("Log", self._papers.log_file))
        yield from ((name, str(path)) for name, path in places if path is not None)


def lines_of(groups: Sequence[Group], width: int) -> Iterator[Content]:
    """The rows below the headings of their groups, in two columns of so many cells together."""
    names = [sanitise_line(name, 60) for _, rows in groups for name, _ in rows]
    names_width = min(max(map(len, names), default=0) + GAP, max(GAP + 1, int(width * NAMES_SHARE)))
    for number, (heading, rows) in enumerate(groups):
        if number:
            yield Content("")
        if heading:
            yield Content.styled(sanitise_line(heading, width), f"{ACCENT} bold")
        for name, value in rows:
            yield from _row(name, value, names_width, width)


def _row(name: str, value: str, names_width: int, width: int) -> Iterator[Content]:
    told = Content(sanitise_line(value, LONGEST))
    if not name:
        yield from told.wrap(width)
        return
    left = Content.styled(sanitise_line(name, 60), MUTED).wrap(max(1, names_width - GAP))
    for key, words in zip_longest(left, told.wrap(max(1, width - names_width)), fillvalue=Content("")):
        yield Content.assemble(key, " " * (names_width - key.cell_length), words)


def text_of(groups: Sequence[Group]) -> str:
    """All of it as plain text."""
    parts = []
    for heading, rows in groups:
        lines = [f"{name}: {sanitise_line(value, LONGEST)}" if name else value for name, value in rows]
        parts.append("\n".join([heading, *lines] if heading else lines))
    return sanitise("\n\n".join(parts)) + "\n"
