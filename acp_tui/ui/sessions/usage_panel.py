"""The panel of usage: that of this session, and that of all recorded sessions by agent, project, day or model."""

from collections.abc import Iterable, Iterator, Sequence

from textual.content import Content

from acp_tui.host.records.records import Records
from acp_tui.host.records.usage import Ledger
from acp_tui.host.system.threads import in_thread
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MUTED, SCROLL
from acp_tui.ui.text_panels import FactsPanel
from acp_tui.views.past_sessions import BYS, By, usage_notes, usage_table
from acp_tui.views.session_facts import Group


class UsagePanel(FactsPanel):
    """Begins with the session, or with the table that the first of `words` names. It reads records in a thread."""

    KEYS = (
        SCROLL,
        PanelKey("tab", lambda panel: panel.next_word, lambda panel: panel.step(1)),
        PanelKey("shift+tab", "", lambda panel: panel.step(-1)),
        PanelKey("y,c", "copy", "copy"),
        CLOSE,
    )

    def __init__(self, groups: Sequence[Group], records: Records | None, words: str = "") -> None:
        super().__init__("Usage and cost", groups)
        self._records = records
        self._ledger: Ledger | None = None
        self._by: By | None = next((by for by in BYS if words.lower().startswith(by)), None)

    def start(self) -> None:
        super().start()
        self.run_worker(self._read(), exit_on_error=False)

    @property
    def next_word(self) -> str:
        following = _after(self._by, 1)
        return f"by {following}" if following is not None else "this session"

    def step(self, step: int) -> None:
        self._by = _after(self._by, step)
        self.scroll.scroll_home(animate=False)
        self.fill()
        self.say()

    def heading(self) -> Content:
        shown = "this session" if self._by is None else f"all sessions by {self._by}"
        return Content.assemble(super().heading(), (f"  {shown}", MUTED))

    def copied(self) -> str:
        return super().copied() if self._by is None else "\n".join(self._table(self._by, 1000)) + "\n"

    def lines(self, width: int) -> Iterable[Content]:
        return super().lines(width) if self._by is None else self._styled(self._by, width)

    def _styled(self, by: By, width: int) -> Iterator[Content]:
        heading, *rows = self._table(by, width)
        yield Content.styled(heading, f"{ACCENT} bold")
        for row in rows:
            yield from Content(row).wrap(width) or [Content("")]

    def _table(self, by: By, width: int) -> list[str]:
        if self._records is None:
            return ["Session recording is off"]
        if self._ledger is None:
            return ["Reading records…"]
        table = usage_table(self._ledger, by, width) if self._ledger.rows else []
        return [*table, *([""] if table else []), *usage_notes(self._ledger)]

    async def _read(self) -> None:
        records = self._records
        if records is not None:
            records.flush()
            self._ledger = await in_thread(records.ledger, lambda: not self.is_running)
            self.fill()


def _after(by: By | None, step: int) -> By | None:
    shown: list[By | None] = [None, *BYS]
    return shown[(shown.index(by) + step) % len(shown)]
