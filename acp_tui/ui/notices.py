"""The agent's live notices, the latest first: a toast goes away, a list stays. They are no part of the conversation."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.session.entries import NoticeEntry
from acp_tui.session.state import Session
from acp_tui.ui.figures import duration
from acp_tui.ui.hints import CLOSE, SCROLL, key_hints
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.tones import MUTED
from acp_tui.ui.transcript.notice import sign_and_word, times

STYLES = {"warning": "bold", "error": "bold $error"}
LONGEST = 4_000  # characters of one description


class NoticesScreen(Overlay[None]):
    """Scrolls; any of the usual keys closes it."""

    BINDINGS = [
        Binding("escape,q,ctrl+c,ctrl+q,enter", "dismiss", "Close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__(classes="picker")
        self._session = session

    def compose(self) -> ComposeResult:
        """One notice after another."""
        now = self._session.clock()
        told = [_told(notice, now) for notice in reversed(self._session.notices)]
        with Vertical(classes="picker-panel help-panel"):
            yield Static(Content.styled("Notices of the agent", "bold"), classes="picker-title")
            with VerticalScroll():
                yield Static(Content("\n\n").join(told) if told else Content.styled("There are none", MUTED))
            yield Static(key_hints((SCROLL, CLOSE)), classes="picker-hints")

    def on_mount(self) -> None:
        """The list takes the scrolling keys."""
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, step: int) -> None:
        """Scroll by one row."""
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)


def _told(notice: NoticeEntry, now: float) -> Content:
    """Sign, severity, title and age; the description below them."""
    style = STYLES.get(notice.severity, "")
    sign, word = sign_and_word(notice.severity)
    age = f"{duration(now - notice.started_at)} ago"
    title = sanitise_line(notice.title, 200)
    head = Content.assemble((f"{sign} {word}  ", style), title, (f"{times(notice)}  {age}", MUTED))
    if not notice.message.strip():
        return head
    cut = len(notice.message) - LONGEST
    message = sanitise(notice.message[:LONGEST]).strip("\n") + (f"\n… {cut:,} more characters" if cut > 0 else "")
    return Content("\n").join([head, *(Content.assemble("  ", (line, MUTED)) for line in message.split("\n"))])
