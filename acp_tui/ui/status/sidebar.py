"""The sidebar beside the transcript, or over it. It looks only while it is open, at most ten times a second."""

from collections.abc import Callable, Iterator
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.host.config.preferences import remember, remembered
from acp_tui.session.changes import Change, FileChanged, PlanChanged, SubagentChanged, TurnChanged, UsageChanged
from acp_tui.session.entries import Entry
from acp_tui.session.facts import FileWritten
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import done_words
from acp_tui.session.tools.running_work import any_works
from acp_tui.ui.bridge import EntryWatch
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.session_view import SessionView, say
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MUTED, key_hints, palette_of
from acp_tui.ui.render.diff_files import ChangedFiles
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, painted
from acp_tui.ui.status.follow_pane import FollowPane, WorkPlace, newest_place, place_of
from acp_tui.ui.status.footer import SIDEBAR, KeyFooter
from acp_tui.ui.status.header_footer import SelectorBar
from acp_tui.ui.status.status_line import plan_rows
from acp_tui.ui.terminal.suspension import edit_file
from acp_tui.ui.transcript.placed_scroll_view import most_columns
from acp_tui.ui.transcript.transcript_view import SubagentClicked
from acp_tui.views.formatting import SplitRow, capitalised, fullness, usage_rows
from acp_tui.views.plans import at_rest, plans_of, title_of_plans
from acp_tui.views.session_facts import FactSection, files, subagents, terminals

AT_ONCE = 16  # entries of a subagent that change at once, at most
SLICE = 0.006  # seconds for comparing files at a time

OPEN, FOLLOW = "sidebar", "follow"  # names of what is kept from run to run
COLUMNS, FREE, MOST = 42, 37, 80  # its cells; those beside a conversation that it takes unasked; those it takes of them


class SidebarRows(Static):
    """The rows, one a line; `clicked` gets the number of the one that was."""

    def __init__(self, clicked: Callable[[int], object]) -> None:
        super().__init__(id="sidebar-rows")
        self._clicked = clicked

    def on_click(self, event: events.Click) -> None:
        self._clicked(event.y)


class Sidebar(VerticalScroll, can_focus=False):
    """Plan, changed files, terminals, usage, and the place that is followed.

    Where the user has not said whether they want it, it is open beside a conversation that leaves it room.
    """

    DEFAULT_CSS = """
    Sidebar {
        display: none; padding: 0 0 0 2; background: $background; border-left: solid $foreground 15%;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable; scrollbar-background: $background;
    }
    Sidebar.-broad { overlay: screen; constrain: none inside; height: 100vh; padding: 1 0 1 2; margin: 0 0 0 1; }
    Sidebar:ansi { border-left: solid ansi_bright_black; }
    Sidebar #sidebar-rows { height: auto; margin: 0 1 0 0; }
    Sidebar #sidebar-way-out { height: 1; margin: 0 1 1 0; text-align: right; }
    """

    def __init__(self, view: SessionView) -> None:
        super().__init__(id="sidebar")
        session, client = view.session, view.client
        self._view, self._session = view, session
        self._roots = partial(client.roots, session)  # outside of which no file is shown or opened
        self._files = ChangedFiles()
        also = (FileChanged, PlanChanged, SubagentChanged, TurnChanged, UsageChanged)
        self._watch = EntryWatch(session, self._changed, also)
        self._rows = SidebarRows(self._row_clicked)
        self._subagents: dict[int, str] = {}  # by the rows that they stand in
        self._seconds: Timer | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._way_out = Static(key_hints((CLOSE,)), id="sidebar-way-out")
        self._follow = FollowPane(session, self._roots)
        self._narrow = False
        self._choice: bool | None = None  # whether the user wants it beside the transcript, if they have said so
        self._over = self._broad = False  # whether it was asked for over it, and there is room that nothing else needs
        self._drawn: list[Content] = []
        self._last_write: FileWritten | None = None
        self._writes = 0

    def compose(self) -> ComposeResult:
        yield self._way_out
        yield self._follow
        yield self._rows

    def on_mount(self) -> None:
        self._follow.display = remembered(FOLLOW)
        self._seconds = self.set_interval(1.0, self._second, pause=True)
        self._choice = self._read_choice()
        self.fit(narrow=self.screen.has_class("-narrow"))

    def on_unmount(self) -> None:
        self._stop()

    def _stop(self) -> None:
        self._watch.stop()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    @property
    def is_over(self) -> bool:
        return self.display and self._narrow

    @property
    def following(self) -> bool:
        return self.display and self._follow.display

    @property
    def place(self) -> WorkPlace | None:
        return (self._follow.at if self.following else None) or newest_place(self._session.entries)

    def toggle(self) -> None:
        """Open or close it. Beside the transcript that is remembered; over it, it is a look that one takes."""
        on = not self.display
        if self._narrow:
            self._over = on
        elif on is self._broad and self._view.preferences.source(OPEN) in ("key", "default"):
            self._view.preferences.forget(OPEN)
        else:
            self._view.prefer(OPEN, on)
        self._choice = self._choice if self._narrow else self._read_choice()
        self._show()
        if self._broad and not on:
            say(self.app, "To use all columns, set Width to full in /settings", 5)

    def _read_choice(self) -> bool | None:
        return None if self._view.preferences.source(OPEN) == "default" else self._view.preference(OPEN, bool)

    def setting_changed(self) -> None:
        """The user may have set whether it is open beside the transcript, or how wide that is."""
        self._choice = self._read_choice()
        self.fit(narrow=self._narrow)

    def fit(self, *, narrow: bool) -> None:
        """The window may have another width; on a `narrow` one it covers the transcript only where asked to."""
        if narrow is not self._narrow:
            self._narrow, self._over = narrow, False
        free = self.app.size.width - (most_columns(self) or self.app.size.width)
        self._broad = free >= FREE
        self.styles.width = min(free - 1, MOST) if self._broad else COLUMNS
        self.set_class(self._broad, "-broad")  # beside all of the conversation, from the first row to the last one
        self._way_out.display = narrow
        self._show()

    def _show(self) -> None:
        unless_over = self._broad if self._choice is None else self._choice
        wanted = self._over if self._narrow else unless_over
        if wanted is not self.display:
            self._open(wanted)

    def toggle_follow(self) -> None:
        on = not self.following
        self._follow.display = on
        remember(FOLLOW, on)
        if on and not self.display:
            self.toggle()
        elif on:
            self._follow.go_to(newest_place(self._session.entries))

    def open_in_editor(self, entry: Entry | None) -> None:
        place = (place_of(entry) if entry is not None else None) or self.place
        if place is None:
            say(self.app, "No file location from the agent yet", 3)
        else:
            edit_file(self.app, place.path, place.line, self._roots())

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width:
            self._draw()
            self._follow.draw_again()
            self.call_after_refresh(self._rows.refresh, layout=True)  # else they are as high as the old ones wrapped

    def _open(self, on: bool) -> None:
        self.display = on
        self.screen.set_class(on, SIDEBAR)
        rows: tuple[type[SelectorBar | KeyFooter], ...] = (SelectorBar, KeyFooter)
        for row in rows:  # some of what they show stands here now
            self.screen.query_one(row).look()
        if not on:
            self._stop()
            return
        self._watch.start()
        self._files.look(self._session.entries)
        for child in self._session.family.values():
            self._files.look(child.session.entries)
        if self._unsubscribe is None:
            self._unsubscribe = self._session.subscribe(self._heard)
        self._watch.wake()
        if self._follow.display:
            self._follow.go_to(newest_place(self._session.entries))
        self.call_after_refresh(self._draw)

    def _changed(self, entries: list[Entry]) -> None:
        self._files.look(entries)
        if self._files.count(SLICE):
            self._watch.wake()
        self._draw()
        at = newest_place(entries) or self._new_write()
        if self.following and at is not None:
            self._follow.go_to(at)

    def _heard(self, change: Change) -> None:
        """What a subagent changes counts, too; the call that it is about is among the last ones."""
        if isinstance(change, SubagentChanged):
            child = self._session.family.get(change.session_id)
            self._files.look(child.session.entries[-AT_ONCE:] if child is not None else ())

    def _new_write(self) -> WorkPlace | None:
        last = next(reversed(self._session.index.writes.values()), None)
        if last is None or last is self._last_write:
            return None
        self._last_write = last
        self._writes += 1
        return WorkPlace(last.path, last.line, "edit", self._writes)

    def _row_clicked(self, row: int) -> None:
        if row in self._subagents:
            self.post_message(SubagentClicked(self._subagents[row]))

    def _second(self) -> None:
        if self.display and self.screen.is_active:
            self._draw()

    def _draw(self) -> None:
        width = max(10, self.scrollable_content_region.width - 1)  # the rows may have another size yet
        session = self._session
        changed = files(self._files.files(session.index.writes), session.cwd)
        sections = [
            [(row, "") for row in plan_section(session, width, palette_of(self.app))],
            rows_of(subagents(session, first_way("open_subagent")), width, gap=1),
            rows_of(changed, width),
            rows_of(terminals(session), width),
            [(row, "") for row in usage_section(session, width)],
        ]
        found: list[tuple[Content, str]] = []
        for section in sections:
            found += [(Content(""), "")] * bool(found and section) + section
        self._subagents = {number: name for number, (_, name) in enumerate(found) if name}
        rows = [row for row, _ in found]
        if self._broad and not (rows and session.entries):
            rows += [Content("")] * bool(rows) + [*key_section(width)]
        rows = rows or [Content.styled("Nothing yet: plan, changed files, terminals and usage appear here.", MUTED)]
        if rows != self._drawn:
            self._drawn = rows
            self._rows.update(Content("\n").join(rows))
        if self._seconds is not None:
            (self._seconds.resume if self.display and any_works(session) else self._seconds.pause)()


KEYS = (
    "new_line",
    "cancel",
    "search_history",
    "browse_sessions",
    "show_changes",
    "take_back_turn",
    "toggle_sidebar",
    "quit",
)
LEAST = 4  # cells of the text of a row


def heading(word: str, count: str = "", width: int = 0) -> Content:
    gap = " " * max(1, width - len(word) - len(count)) if count else ""
    return painted([(word, "user bold"), (gap, ""), (count, "muted")])


def rows_of(section: FactSection, width: int, gap: int = 2) -> list[tuple[Content, str]]:
    """The rows of a section that has any, each with the id of what it stands for; at least so large a `gap` in each."""
    if not section.rows:
        return []
    rows = [(heading(section.name, section.total, width), "")]
    rows += [(split_row(row, width, gap), row.value) for row in section.rows]
    return [*rows, (Content.styled(section.more, MUTED), "")] if section.more else rows


def split_row(row: SplitRow, width: int, gap: int) -> Content:
    lead, right = painted(row.lead), painted(row.right)
    room = width - lead.cell_length - right.cell_length
    text = cut_left(row.text, room - gap) if row.is_path else cut(row.text, max(LEAST, room - gap))
    return Content.assemble(lead, text, " " * max(1, room - Content(text).cell_length), right)


def key_section(width: int) -> Iterator[Content]:
    """Before there is anything else: some keys that the welcome does not name, and what will be here."""
    yield heading("Keys")
    column = max(len(first_way(each)) for each in KEYS) + 4
    for each in KEYS:
        words = BY_ID[each].short or BY_ID[each].label
        yield painted([(f"{first_way(each):<{column}}", ""), (capitalised(words), "muted")], width)
    yield Content("")
    yield Content.styled("Plan, changed files, subagents and usage appear here", MUTED)


def plan_section(session: Session, width: int, palette: Palette) -> Iterator[Content]:
    plans = at_rest(plans_of(session), session.turn)
    if plans:
        yield heading(title_of_plans(session), done_words(plans), width)
    for plan in plans:
        yield from plan_rows(plan, palette, titled=len(plans) > 1)


def usage_section(session: Session, width: int) -> Iterator[Content]:
    """How full the context is, as a bar and in words, what it cost, and the limits of the account."""
    usage = session.usage
    if usage is None:
        return
    full = fullness(usage)
    yield heading("Usage")
    if usage.size > 0:
        cells = round((min(usage.used, usage.size) / usage.size) * width)
        yield Content.assemble(
            ("━" * cells, f"${full.tone}" if full.sign else ACCENT),
            ("━" * (width - cells), "$scrollbar"),
        )
    for row in usage_rows(usage):
        yield painted(row, width)
