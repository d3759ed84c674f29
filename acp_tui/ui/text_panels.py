"""Panels of text over the screen: help (filtered as one types), notices, standard error, and facts to read and copy."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from time import time
from typing import Any, ClassVar, Protocol

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.notifications import Notification
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.host.config.preferences import Preferences
from acp_tui.host.records.records import Records
from acp_tui.session.entries import Entry, NoticeEntry, Origin
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted, duration
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import KeyRow, beginner_table, key_table, ways_to
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.entries.notice import sign_and_word, times
from acp_tui.ui.kit.list_panel import Panel, PanelKey, PanelKeys
from acp_tui.ui.kit.row_list import FilterLine
from acp_tui.ui.kit.session_view import News, SessionView, Severity, headed, say, toast_under
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MUTED, SCROLL, spell_out
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.status.toasts import Toasts
from acp_tui.ui.terminal.terminal_capabilities import write_clipboard
from acp_tui.views.session_facts import Group, mcp_groups, status_groups, usage_groups


class TextPanel(Panel[None]):
    """What it says is put into `words`, where it is not known at the beginning."""

    KEYS: ClassVar[PanelKeys] = (SCROLL, CLOSE)
    PANEL = "help-panel"
    BINDINGS = [
        Binding("q,enter", "dismiss", show=False),
        Binding("up,k,ctrl+p", "scroll(-1)", show=False),
        Binding("down,j,ctrl+n", "scroll(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    def __init__(self, title: str, text: Content | str = "") -> None:
        super().__init__(title)
        self.words = Static(text, markup=False)
        self.scroll = VerticalScroll(self.words)

    def content(self) -> Sequence[Widget]:
        return [self.scroll]

    def start(self) -> None:
        self.say()
        self.scroll.focus()

    def action_scroll(self, step: int) -> None:
        self.scroll.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        self.scroll.scroll_relative(y=step * max(1, self.scroll.size.height - 1), animate=False)


SEVERITIES: dict[str, Severity] = {"warning": "warning", "error": "error"}
STYLES = {"warning": "bold $warning", "error": "bold $error"}
LONGEST = 4_000  # characters of one description


class NoticesScreen(TextPanel):
    """The agent's and `ours`, the latest first."""

    def __init__(self, session: Session, ours: Iterable[Notification] = ()) -> None:
        now = session.clock()
        notices = [*session.notices, *(_as_notice(each, now) for each in ours)]
        told = [_told(notice, now) for notice in sorted(notices, key=lambda notice: -notice.started_at)]
        words = Content("\n\n").join(told) if told else Content.styled("No notifications", MUTED)
        super().__init__("Notifications", words)


def _as_notice(note: Notification, now: float) -> NoticeEntry:
    title, message = headed(note.title or note.message, note.message if note.title else "")
    return NoticeEntry(note.identity, note.severity, title, message, started_at=now - (time() - note.raised_at))


def announce_notice(app: App[Any], notice: NoticeEntry) -> None:
    """Show a live notice of the agent; what kind it is, if it is more than a note, is not told by colour alone."""
    title, message = headed(notice.title, notice.message)
    if notice.severity != "info":
        sign, word = sign_and_word(notice.severity)
        title = f"{sign} {word}  {title}"
    toast_under(
        app, title, (message, notice.hint), SEVERITIES.get(notice.severity, "information"), partial(News, listed=True)
    )


def _told(notice: NoticeEntry, now: float) -> Content:
    style = STYLES.get(notice.severity, "")
    sign, word = sign_and_word(notice.severity)
    age = f"{duration(now - notice.started_at)} ago"
    title = sanitise_line(notice.title, 200)
    head = Content.assemble((f"{sign} {word}  ", style), title, (f"{times(notice)}  {age}", MUTED))
    if not notice.message.strip():
        return head
    cut = len(notice.message) - LONGEST
    message = sanitise(notice.message[:LONGEST]).strip("\n") + (
        f"\n… {counted(cut, 'more character')}" if cut > 0 else ""
    )
    return Content("\n").join([head, *(Content.assemble("  ", (line, MUTED)) for line in message.split("\n"))])


LINES = 2_000
EVERY = 1.0  # seconds between two looks


class StderrScreen(TextPanel):
    """It follows the end while that is shown."""

    KEYS = (SCROLL, PanelKey("y,c", "copy", "copy"), CLOSE)

    def __init__(self, tail: Callable[[int], list[str]]) -> None:
        super().__init__("Agent stderr")
        self._tail = tail
        self._lines: list[str] = []

    def start(self) -> None:
        super().start()
        self._look()
        self.call_after_refresh(self.scroll.scroll_end, animate=False)
        self.set_interval(EVERY, self._look)

    def _look(self) -> None:
        lines = self._tail(LINES)
        if lines == self._lines and lines:
            return
        self._lines = lines
        at_end = self.scroll.is_vertical_scroll_end
        self.words.update(Content(sanitise("\n".join(lines)) or "No output yet."))
        if at_end:
            self.scroll.scroll_end(animate=False)

    def action_copy(self) -> None:
        write_clipboard(self.app, sanitise("\n".join(self._lines)))
        say(self.app, "Copied stderr", 3)


KEYS_WIDTH, KEYS_SHARE = 24, 0.45  # cells of the keys at most, and their part of the panel
GAP = 2


class HelpScreen(TextPanel):
    """Rows of keys in groups, those of the whole program unless others are given. The keys of the help close it."""

    def __init__(self, rows: Sequence[KeyRow] | None = None, title: str = "Help") -> None:
        super().__init__(title)
        self.opened_by = (*BY_ID["help"].ways, *BY_ID["question_mark"].ways)
        self._rows = [*beginner_table(), *key_table()] if rows is None else rows
        self._line = FilterLine("Type to filter")
        self.scroll.can_focus = False

    def content(self) -> Sequence[Widget]:
        return [self._line, self.scroll]

    def start(self) -> None:
        super().start()
        self._line.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()
        self.scroll.scroll_home(animate=False)

    def on_key(self, event: events.Key) -> None:
        """Letters that were typed before the filter had the focus belong into it all the same."""
        if event.character and event.is_printable:
            event.stop()
            self._line.insert_text_at_cursor(event.character)

    def _fill(self) -> None:
        found = [row for row in self._rows if answers(row, self._line.value)]
        width = max(1, self.scroll.scrollable_content_region.width - 1)
        self.words.update(
            Content("\n").join(help_lines(found, width)) if found else Content.styled("No matches", MUTED)
        )


def help_rows(group: str, keys: PanelKeys) -> list[KeyRow]:
    """What a panel's keys do, as far as they are to be told."""
    own = (key for key in keys if isinstance(key, PanelKey) and key.help)
    return [KeyRow(group, ", ".join(map(spell_out, key.names)), key.help) for key in own]


def answers(row: KeyRow, query: str) -> bool:
    text = " ".join(row).lower()
    return all(word in text for word in query.lower().split())


def help_lines(rows: Sequence[KeyRow], width: int) -> Iterator[Content]:
    """The rows, set in two columns below the names of their groups, in so many cells."""
    keys_width = min(KEYS_WIDTH, int(width * KEYS_SHARE), max(len(row.keys) for row in rows) + GAP)
    group = ""
    for row in rows:
        if row.group != group:
            if group:
                yield Content("")
            yield Content.styled(row.group, f"{ACCENT} bold")
            group = row.group
        yield from _lines(row, keys_width, width)


def _lines(row: KeyRow, keys_width: int, width: int) -> Iterator[Content]:
    first = len(row.keys.split(", ")[0])
    at = 0
    keys, words = wrap(row.keys, max(1, keys_width - GAP)), wrap(row.words, max(1, width - keys_width))
    for key, word in zip_longest(keys, words, fillvalue=""):
        loud = max(0, min(len(key), first - at))
        at += len(key) + 1
        gap = " " * (keys_width - len(key))
        yield Content.assemble((key[:loud], "bold"), (key[loud:], MUTED), gap, word)


HEIGHT_SHARE, BESIDE, BESIDE_SHORT = 0.92, 6, 2  # of the screen, and rows of the panel beside the facts
NAMES_SHARE = 0.45  # of the width that the names may take


class FactsPanel(TextPanel):
    """It has what was true when it was opened; `copied` is what a copy has instead."""

    KEYS: ClassVar[PanelKeys] = (SCROLL, PanelKey("y,c", "copy", "copy"), CLOSE)

    def __init__(self, title: str, groups: Sequence[Group], copied: Sequence[Group] | None = None) -> None:
        super().__init__(title)
        self._groups = groups
        self._copied = groups if copied is None else copied

    def start(self) -> None:
        super().start()
        self.call_after_refresh(self.fill)

    def on_resize(self) -> None:
        self.call_after_refresh(self.fill)

    def action_copy(self) -> None:
        write_clipboard(self.app, self.copied())
        say(self.app, f"Copied {str(self.title).lower()}", 3)

    def copied(self) -> str:
        return text_of(self._copied)

    def lines(self, width: int) -> Iterable[Content]:
        """The rows in so many cells."""
        return fact_lines(self._groups, width)

    def fill(self) -> None:
        width, height = max(10, self.scroll.scrollable_content_region.width - 1), self.app.size.height
        lines = list(self.lines(width))
        room = height - BESIDE_SHORT if self.is_short else int(height * HEIGHT_SHARE) - BESIDE
        self.scroll.styles.height = max(1, min(len(lines), room))
        self.words.update(Content("\n").join(lines))


class ProgramFiles(Protocol):
    """What the app writes down, and where."""

    toasts: Toasts
    records: Records | None
    preferences: Preferences

    @property
    def log_file(self) -> Path | None: ...


class OverlayActions:
    """Opens what is read over the conversation: help, notices, messages of the protocol, facts."""

    def __init__(self, view: SessionView, papers: ProgramFiles) -> None:
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
        self._view.open(late("acp_tui.ui.inspector_screen").InspectorScreen(self._view.client, origin))

    def inspect_entry(self, entry: Entry | None) -> None:
        if entry is not None:
            self.inspect(entry.origin())

    def status(self) -> None:
        client, session, files = self._view.client, self._view.session, list(self._files())
        copied = status_groups(client, session, files, accounts=False)
        self._view.open(FactsPanel("Status", status_groups(client, session, files, ways_to("log_in")), copied))

    def usage(self, words: str) -> None:
        groups, panel = usage_groups(self._view.session), late("acp_tui.ui.sessions.usage_panel").UsagePanel
        self._view.open(panel(groups, self._papers.records, words))

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


def fact_lines(groups: Sequence[Group], width: int) -> Iterator[Content]:
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
    parts = []
    for heading, rows in groups:
        lines = [f"{name}: {sanitise_line(value, LONGEST)}" if name else value for name, value in rows]
        parts.append("\n".join([heading, *lines] if heading else lines))
    return sanitise("\n\n".join(parts)) + "\n"
