"""The transcript of a recorded session, to be read."""

import asyncio
from collections.abc import Callable
from typing import Any

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import Fault
from acp_tui.host.records import RecordInfo, Records
from acp_tui.session.entries import Entry
from acp_tui.session.state import Session
from acp_tui.ui.entries.drawings import draw, written
from acp_tui.ui.export.copies import CopyActions
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.kit.announcements import announce_fault, say
from acp_tui.ui.kit.figures import byte_size, home_path
from acp_tui.ui.kit.hints import CLOSE, MOVE, HintLine
from acp_tui.ui.kit.overlay import ROWS
from acp_tui.ui.kit.theme import ACCENT, MUTED, palette_of
from acp_tui.ui.painted_screen import PaintedScreen
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.transcript.view import TranscriptView

HINTS = (MOVE, ("enter", "expand"), ("^O", "expand all"), ("^F", "find"), ("y", "copy"), CLOSE)


class HistoryScreen(PaintedScreen[None]):
    """A session that is over: it scrolls, folds, is searched and copied, and takes no prompt."""

    VERTICAL_BREAKPOINTS = ROWS
    BINDINGS = [
        Binding("escape,q,ctrl+c,ctrl+q", "back", show=False),
        Binding("ctrl+f,slash", "find", show=False),
        Binding("ctrl+o", "unfold_all", show=False),
    ]
    CSS = """
    HistoryScreen { background: $background; }
    HistoryScreen.-short #history-head, HistoryScreen.-short #history-hints { margin: 0 2; }
    #history-head { height: 1; margin: 1 3; }
    #history-transcript { height: 1fr; }
    #history-hints { height: 1; margin: 1 3; }
    """

    def __init__(
        self, session: Session, info: RecordInfo, follow: Callable[[Entry | None], bool] = lambda _entry: False
    ) -> None:
        """`follow` goes where an entry leads, if it leads anywhere."""
        super().__init__()
        self._session, self._info, self._follow = session, info, follow
        self._view = TranscriptView(lambda entry: draw(entry, session), written, id="history-transcript")
        self._find = FindBar(self._view, session, self._view.focus)
        self._copies = CopyActions(self._view, session)

    def compose(self) -> ComposeResult:
        yield Static(id="history-head")
        yield self._view
        yield self._find
        yield HintLine(HINTS, id="history-hints")

    def on_mount(self) -> None:
        self.watch(self.app, "theme", lambda: self._view.set_palette(palette_of(self.app)))
        self._view.show(self._session)
        self._view.focus()

    def on_resize(self, event: events.Resize) -> None:
        info = self._info
        when = info.updated.astimezone().strftime("%d %B %Y, %H:%M")
        parts = filter(None, (sanitise_line(info.agent, 30), sanitise_line(home_path(info.cwd), 40), when))
        about = " · ".join(parts)
        title = cut(sanitise_line(info.title), max(8, event.size.width - len(about) - 22))
        line = Content.assemble(("History", f"{ACCENT} bold"), ("   " + title, "bold"), ("   " + about, MUTED))
        self.query_one("#history-head", Static).update(line)

    def on_key(self, event: events.Key) -> None:
        if self.focused is not self._view:
            return
        view = self._view
        acts: dict[str, Callable[[], object]] = {
            "up": lambda: view.focus_entry("previous"),
            "k": lambda: view.focus_entry("previous"),
            "down": lambda: view.focus_entry("next"),
            "j": lambda: view.focus_entry("next"),
            "left_curly_bracket": lambda: view.focus_entry("previous_user"),
            "right_curly_bracket": lambda: view.focus_entry("next_user"),
            "pageup": view.page_up,
            "pagedown": view.page_down,
            "home": view.scroll_to_start,
            "end": view.follow_end,
            "enter": lambda: self._follow(view.current_entry) or view.toggle_current(),
            "space": view.toggle_current,
            "y": lambda: self._copies.block(view.current_entry, view.text_of_entry),
        }
        act = acts.get(event.key)
        if act is not None:
            event.stop()
            act()

    @on(TranscriptView.LinkClicked)
    def _link_clicked(self, message: TranscriptView.LinkClicked) -> None:
        self._copies.text(message.address, "the URL")

    def action_find(self) -> None:
        self._find.open()

    def action_unfold_all(self) -> None:
        self._view.toggle_all()

    def action_back(self) -> None:
        if self._find.is_open:
            self._find.close()
        else:
            self.dismiss(None)


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
