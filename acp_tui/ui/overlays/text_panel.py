"""Texts over the screen, to be scrolled: the notices of the agent, what it wrote to standard error."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import time
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.notifications import Notification
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.session.entries import NoticeEntry
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted, duration
from acp_tui.ui.entries.notice import sign_and_word, times
from acp_tui.ui.kit.announcements import News, Severity, headed, say, say_under
from acp_tui.ui.kit.hints import CLOSE, SCROLL
from acp_tui.ui.kit.list_panel import Panel, PanelKey, PanelKeys
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.terminal.clipboard import write_clipboard


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
STYLES = {"warning": "bold", "error": "bold $error"}
LONGEST = 4_000  # characters of one description


class NoticesScreen(TextPanel):
    """The agent's and `ours`, the latest first."""

    def __init__(self, session: Session, ours: Iterable[Notification] = ()) -> None:
        now = session.clock()
        notices = [*session.notices, *(_as_notice(each, now) for each in ours)]
        told = [_told(notice, now) for notice in sorted(notices, key=lambda notice: -notice.started_at)]
        words = Content("\n\n").join(told) if told else Content.styled("No notices", MUTED)
        super().__init__("Notices", words)


def _as_notice(note: Notification, now: float) -> NoticeEntry:
    title, message = headed(note.title or note.message, note.message if note.title else "")
    return NoticeEntry(note.identity, note.severity, title, message, started_at=now - (time() - note.raised_at))


def announce_notice(app: App[Any], notice: NoticeEntry) -> None:
    """Show a live notice of the agent; what kind it is, if it is more than a note, is not told by colour alone."""
    title, message = headed(notice.title, notice.message)
    if notice.severity != "info":
        sign, word = sign_and_word(notice.severity)
        title = f"{sign} {word}  {title}"
    say_under(
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
