"""The agent's live notices: a toast when one comes, and a list of all. They are no part of the conversation."""

from typing import Any

from textual.app import App
from textual.content import Content

from acp_tui.session.entries import NoticeEntry
from acp_tui.session.state import Session
from acp_tui.ui.entries.notice import sign_and_word, times
from acp_tui.ui.kit.announcements import Severity, headed, say_under
from acp_tui.ui.kit.figures import duration
from acp_tui.ui.kit.tones import MUTED
from acp_tui.ui.overlays.text_panel import TextPanel
from acp_tui.ui.render.text import sanitise, sanitise_line

SEVERITIES: dict[str, Severity] = {"warning": "warning", "error": "error"}
STYLES = {"warning": "bold", "error": "bold $error"}
LONGEST = 4_000  # characters of one description


class NoticesScreen(TextPanel):
    """The latest first."""

    def __init__(self, session: Session) -> None:
        now = session.clock()
        told = [_told(notice, now) for notice in reversed(session.notices)]
        words = Content("\n\n").join(told) if told else Content.styled("There are none", MUTED)
        super().__init__("Notices of the agent", words)


def announce_notice(app: App[Any], notice: NoticeEntry) -> None:
    """Show a live notice of the agent; what kind it is, if it is more than a note, is not told by colour alone."""
    title, message = headed(notice.title, notice.message)
    if notice.severity != "info":
        sign, word = sign_and_word(notice.severity)
        title = f"{sign} {word}  {title}"
    say_under(app, title, (message, notice.hint), SEVERITIES.get(notice.severity, "information"))


def _told(notice: NoticeEntry, now: float) -> Content:
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
