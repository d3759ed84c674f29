"""Words found in all recorded sessions, as one types.

The search runs in a thread. One that was overtaken by other words stops.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.host.records.record_info import RecordInfo, run_check
from acp_tui.host.records.records import Records
from acp_tui.host.records.search import Hit, SearchResult
from acp_tui.host.system.threads import in_thread
from acp_tui.session.entries import Entry
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MOVE, MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.past_session_actions import HistoryScreen, read_record
from acp_tui.views.formatting import age
from acp_tui.views.past_sessions import LIST_COLUMNS, PastSession, search_state

PAUSE = 0.15  # seconds without a key, after which a search begins
BETWEEN = 0.3  # seconds after which hits are shown while a search goes on
SHORTEST = 2  # characters that are worth a search


class SearchScreen(ListPanel[Hit, None]):
    """Enter shows the transcript of the highlighted session. Runs are hidden unless the user asks for them."""

    CSS = """
    SearchScreen .search-panel { width: 110; }
    SearchScreen #search-state { height: 1; margin: 1 0 0 1; }
    """
    TITLE, FILTER, PANEL = "Search all sessions", "Search words", "search-panel"
    KEYS = (MOVE, ("enter", "open"), PanelKey("ctrl+o", lambda panel: panel.toggle, "refilter"), CLOSE)
    nothing = ""
    beside = 2  # what the search came to, and a blank row

    def __init__(self, records: Records, follow: Callable[[Entry | None], bool] = lambda _entry: False) -> None:
        """`follow` goes where an entry of a transcript leads, if it leads anywhere."""
        super().__init__()
        self._records, self._follow = records, follow
        self._words = self._shown = ""  # what is typed, and what was found last
        self._found, self._runs, self._with_runs = SearchResult([], 0), list[Hit](), False
        self._state = Static(id="search-state")
        self.below = [self._state]
        self._pause: Timer | None = None

    def typed(self) -> None:
        self._words = self.query_typed
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._begin)

    def choose(self, value: Hit) -> None:
        self.run_worker(self._read(value.info), exclusive=True, group="read", exit_on_error=False)

    def action_refilter(self) -> None:
        self._with_runs = not self._with_runs
        self._show(self._shown)

    def on_unmount(self) -> None:
        self._words = ""

    def _begin(self) -> None:
        if len(self._words) < SHORTEST:
            self._found, self._runs = SearchResult([], 0), []
            self._show("")
        else:
            self.run_worker(self._search(self._words), exit_on_error=False)

    async def _search(self, words: str) -> None:
        self._say("Searching…")
        loop = asyncio.get_running_loop()

        def show(found: SearchResult, runs: list[Hit]) -> None:
            loop.call_soon_threadsafe(self._take, words, found, runs, True)

        self._take(words, *await in_thread(self._look, words, show))

    def _look(self, words: str, show: Callable[[SearchResult, list[Hit]], object]) -> tuple[SearchResult, list[Hit]]:
        """What is found, and those hits that are runs; what there is so far is shown now and then."""
        is_run, shown_at = run_check(self._records.list()), time.monotonic()

        def with_runs(found: SearchResult) -> tuple[SearchResult, list[Hit]]:
            return found, [hit for hit in found.hits if is_run(hit.info)]

        def show_now_and_then(found: SearchResult) -> None:
            nonlocal shown_at
            if time.monotonic() > shown_at + BETWEEN:
                shown_at = time.monotonic()
                show(*with_runs(found))

        return with_runs(self._records.search(words.split(), lambda: self._words != words, show_now_and_then))

    def _take(self, words: str, found: SearchResult, runs: list[Hit], goes_on: bool = False) -> None:
        if self._words == words and self.is_mounted:
            self._found, self._runs = found, runs
            self._show(words, goes_on=goes_on)

    def _show(self, words: str, *, goes_on: bool = False) -> None:
        self._shown = words
        self.fill()
        hits, hidden = len(self._hits), 0 if self._with_runs else len(self._runs)
        self._say(search_state(self._found, hits, hidden, any_words=bool(words), goes_on=goes_on))

    @property
    def _hits(self) -> list[Hit]:
        return [hit for hit in self._found.hits if self._with_runs or hit not in self._runs]

    @property
    def toggle(self) -> str:
        return ("hide runs" if self._with_runs else "show runs") if self._runs or self._with_runs else ""

    def listed(self) -> list[ListRow[Hit]]:
        return [ListRow(partial(_row, hit, self._shown.split()), hit, lines=2) for hit in self._hits]

    def _say(self, text: str) -> None:
        self._state.update(Content.styled(text, MUTED))

    async def _read(self, info: RecordInfo) -> None:
        session = await read_record(self.app, self._records, info)
        if session is not None and self.is_current:
            self.app.push_screen(HistoryScreen(session, info, self._follow))


def _row(hit: Hit, words: list[str], width: int) -> Content:
    known = PastSession(record=hit.info)
    right = "".join(f"{sanitise_line(column.text(known), column.width)}  " for column in LIST_COLUMNS)
    right += age(known.updated, datetime.now(UTC))
    title = cut(sanitise_line(known.title), max(8, width - len(right) - 2))
    gap = " " * max(2, width - Content(title).cell_length - Content(right).cell_length)
    return Content("\n").join([Content.assemble(title, gap, (right, MUTED)), _marked(hit.line, words, width)])


def _marked(snippet: str, words: list[str], width: int) -> Content:
    text = sanitise_line(snippet, width - 2)
    line = Content.styled("  " + text, MUTED)
    folded = text.lower()
    for word in words:
        at = folded.find(word.lower())
        if at >= 0:
            line = line.stylize(f"{ACCENT} bold", at + 2, at + 2 + len(word))
    return line
