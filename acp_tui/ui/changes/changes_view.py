"""State and layout of the changes screen: which changes are looked at, the list of files, the diff of one of them.

All of it is read beside the loop, never twice at once; what the keys do is in `changes_screen`.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.errors import Fault, UserFault
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Changes
from acp_tui.host.changes.uncommitted_files import Uncommitted
from acp_tui.host.config.preferences import recall
from acp_tui.host.snapshots.path_state import PathChange, told_changes, work_of
from acp_tui.host.system.threads import Latest, in_thread
from acp_tui.session.changes import ASKED, SETTLED, Change, EntryChanged, TurnChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.ui.changes.diff_pane import DiffPane, ShownFile, shown_file
from acp_tui.ui.changes.extensions import Extras, Here, Pane
from acp_tui.ui.changes.file_list import FileList, FileRows
from acp_tui.ui.entries.diff_units import Layout
from acp_tui.ui.kit.base_screens import ROWS, Closable
from acp_tui.ui.kit.theme import ACCENT, MUTED, Hint, HintLine
from acp_tui.ui.render.diff import FileDiff
from acp_tui.ui.render.text import painted, sanitise
from acp_tui.views.changed_files import UNCOMMITTED, ChangeSpan, Wanted, total_words, wanted_range

WIDE = 110  # cells of a screen on which list and diff stand beside each other
WIDEST_LIST = 64  # cells
AROUND, LEAST_BELOW = 7, 9  # rows beside list and diff; of a diff that stands below the list
TITLED = 70  # cells, in which the name of the screen stands beside what is looked at
EVERY = 2.0  # seconds at least between two looks while a turn goes on
SOON = 0.2  # seconds after which many things that happened together are looked at once
SHARE = 4.0  # times the duration of a look that there is none afterwards
LAYOUT = "changes_split"  # the name of what is kept from run to run

AT_ONCE = 40_000  # bytes of both texts that are compared in the loop: sooner done than handed to a thread

Source = SessionChanges | Uncommitted


def fault_words(fault: Fault) -> str:
    return " · ".join(filter(None, (fault.title, fault.message, fault.hint)))


async def read_file(source: Source, change: PathChange) -> ShownFile:
    """The file with its diff, or in words why there is none."""
    try:
        before, after = await source.texts(change)
    except UserFault as fault:
        return ShownFile(change, FileDiff(change.path), (fault_words(fault),))
    if len(before or b"") + len(after or b"") <= AT_ONCE:
        return shown_file(change, before, after)
    return await in_thread(shown_file, change, before, after)


class ChangesView(Closable[None]):
    """What changed since the session began, in a `turn`, or since HEAD. It follows while the agent works."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = ROWS
    DEFAULT_CSS = """
    ChangesView { background: $background; layout: vertical; }
    ChangesView #changes-head { height: 2; margin: 1 3; text-wrap: nowrap; text-overflow: ellipsis; }
    ChangesView #changes-nothing { display: none; height: 1fr; margin: 0 3; }
    ChangesView.-nothing #changes-nothing { display: block; }
    ChangesView.-nothing #changes-body { display: none; }
    ChangesView #changes-body { height: 1fr; margin: 0 2 0 2; layout: horizontal; }
    ChangesView #changes-files { width: 38%; height: 1fr; }
    ChangesView #changes-diff { width: 1fr; height: 1fr; margin: 0 0 0 2; }
    ChangesView.-narrow #changes-files { width: 1fr; }
    ChangesView.-narrow #changes-diff { display: none; margin: 0; }
    ChangesView.-narrow.-below #changes-body { layout: vertical; }
    ChangesView.-narrow.-below #changes-diff, ChangesView.-narrow.-diff #changes-diff { display: block; width: 1fr; }
    ChangesView.-narrow.-diff #changes-files { display: none; }
    ChangesView #changes-hints { height: 1; margin: 1 3; }
    ChangesView.-short #changes-head { margin: 0 3 1 3; }
    ChangesView.-short #changes-hints { margin: 0 3; }
    """

    def __init__(
        self,
        session: Session,
        source: SessionChanges,
        uncommitted: Uncommitted,
        extras: Extras,
        turn: int | None = None,
    ) -> None:
        super().__init__()
        self.session, self.source, self.extras = session, source, extras
        self._uncommitted = uncommitted
        self.wanted: Wanted = "session" if turn is None else turn
        self.between: ChangeSpan | None = None
        self._changes: Changes | None = None
        self._total = Content("")  # of them, which takes a while to count where there are many
        self._fault = ""
        self.is_looking = True  # what is wanted is not read yet
        self.pane: Pane = "files"
        self.backwards = False  # the next file is entered at its last hunk
        layout: Layout = "split" if recall().get(LAYOUT) is True else "unified"
        self.files = FileList(FileRows(session, extras), session.cwd)
        self.diff = DiffPane(session, extras, layout)
        self.changes_read = Latest(self._work, self._read_changes)
        self.file_read = Latest(self._work, self._read_file)
        self._timer: Timer | None = None
        self._endings: list[Callable[[], None]] = []

    def compose(self) -> ComposeResult:
        yield Static(id="changes-head")
        yield Static(id="changes-nothing")
        with Container(id="changes-body"):
            yield self.files
            yield self.diff
        yield HintLine(id="changes-hints")

    def on_mount(self) -> None:
        self._endings = [
            self.source.subscribe(lambda: self._look_in(SOON)),
            self.session.subscribe(self._heard),
            self.extras.changed.subscribe(self.look),
        ]
        self.changes_read.ask()
        self.say()

    def on_unmount(self) -> None:
        self.extras.left()
        for end in self._endings:
            end()

    def on_resize(self) -> None:
        self._fit()
        self.show_pane(self.pane)

    def _fit(self) -> None:
        """The list is as wide as its names, or as high as its rows; the diff has the rest, if that is enough."""
        self.files.styles.max_width = min(WIDEST_LIST, self.files.width_needed) if self.is_wide else None
        below = not self.is_wide and self.size.height - AROUND - self.files.height_needed >= LEAST_BELOW
        self.set_class(below, "-below")
        self.files.styles.height = self.files.height_needed if below else "1fr"

    def show_pane(self, pane: Pane) -> None:
        """The keys go there from now on; where there is little room it is all that is seen."""
        self.pane = pane
        self.set_class(pane == "diff", "-diff")
        self.diff.view.live = pane == "diff"
        self.diff.view.refresh()
        self.say()

    @property
    def is_wide(self) -> bool:
        return self.size.width >= WIDE

    @property
    def here(self) -> Here:
        view, file = self.diff.view, self.files.current
        same = file is not None and self.diff.file == file
        current = view.unit if same else None
        hunk = self.diff.shown.span(current.hunk if current is not None else None)
        lines = tuple(view.lines) if same and self.pane == "diff" else ()
        between = self.between
        words, turn, no_undo = (between.words, between.turn, between.no_undo) if between is not None else ("", 0, "")
        no_undo, layout = no_undo and (self.source.off or no_undo), self.diff.layout_shown
        return Here(
            self.source, words, self.pane, self._changes, file, hunk, lines, turn, no_undo, self.is_wide, layout
        )

    # reading

    def _work(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(work, exit_on_error=False)

    def _heard(self, change: Change) -> None:
        """A tool call that is over may have changed files; a turn that begins or ends changes what is looked at."""
        done = isinstance(change, EntryChanged) and isinstance(change.entry, ToolCallEntry)
        if isinstance(change, TurnChanged) or (done and self._follows):
            self._look_in(SOON)
        elif isinstance(change, (*ASKED, *SETTLED)):
            self.call_later(self.say)

    @property
    def _follows(self) -> bool:
        return self.session.turn.active and (self.between is None or self.between.until is None)

    def _look_in(self, seconds: float) -> None:
        if self._timer is None and self.is_mounted:
            self._timer = self.set_timer(max(seconds, SHARE * self.changes_read.seconds), self._look_now)

    def _look_now(self) -> None:
        self._timer = None
        self.changes_read.ask()

    def _source_of(self, between: ChangeSpan | None) -> Source:
        return self._uncommitted if between is UNCOMMITTED else self.source

    async def _read_changes(self) -> None:
        between = wanted_range(self.wanted, self.source.points, active=self.session.turn.active)
        self._fault = ""
        if between is None:
            self._took(None, None)
            return
        source = self._source_of(between)
        try:
            until = between.until or await source.look(between.since)
            changes = await source.between(between.since, until)
        except Fault as fault:
            self._fault = fault_words(fault)
            self._took(between, None)
        else:
            self._took(between, changes)
        if self._follows:
            self._look_in(EVERY)

    def _took(self, between: ChangeSpan | None, changes: Changes | None) -> None:
        before, self.between = self._changes, between
        self._changes = changes
        self.is_looking = False
        if before is None or changes is None or (before.files, before.notes) != (changes.files, changes.notes):
            gaps = [*changes.notes, *changes.since.gaps, *changes.until.gaps] if changes is not None else []
            found = changes.files if changes is not None else ()
            self._total = painted(total_words(told_changes(work_of(found))))
            self.files.show(sorted(told_changes(found), key=lambda file: file.key), list(dict.fromkeys(gaps)))
            self._fit()
        self.say()

    async def _read_file(self) -> None:
        change = self.files.current
        if change is not None and change != self.diff.file:
            shown = await read_file(self._source_of(self.between), change)
            if change == self.files.current:
                self.diff.show(shown, last=self.backwards)
                self.backwards = False
        self.say()
        self.shown()

    @property
    def is_shown(self) -> bool:
        """Whether the diff is that of the file with the cursor."""
        file = self.files.current
        shown = file is None or (self.diff.file is not None and self.diff.file.key == file.key)
        return shown and not self.is_looking

    def shown(self) -> None:
        """A diff has been read; the screen does what waited for it."""

    # showing

    def look(self) -> None:
        self.files.list.notify_style_update()
        self.files.look()
        self.diff.look()
        self.say()

    def say(self) -> None:
        nothing = self._nothing()
        self.query_one("#changes-nothing", Static).update(Content.styled(nothing, MUTED))
        self.set_class(bool(nothing), "-nothing")
        head = self.query_one("#changes-head", Static)
        head.update(self._head(), layout=False)
        self.diff.say()
        self.query_one("#changes-hints", HintLine).show(self.hints())

    def hints(self) -> list[Hint]:
        """What the keys do now: those of the screen."""
        raise NotImplementedError

    def _head(self) -> Content:
        between, changes = self.between, self._changes
        title = Content.styled("Changes", f"{ACCENT} bold")
        if between is None:
            return title
        roomy = self.size.width >= TITLED
        lead = Content.assemble(title, "   ") if roomy else Content("")
        first = Content.assemble(lead, (between.words, "bold"))
        if changes is not None and changes.files:
            first = Content.assemble(first, (" · ", MUTED), self._total)
        first = Content.assemble(first, self._standing(self.size.width - 6 - first.cell_length))
        return Content.assemble(first, "\n", " " * lead.cell_length, (between.ends, MUTED))

    def _standing(self, room: int) -> Content:
        root = self.session.root
        asks = bool(root.permissions or root.elicitations)
        told = [("△ the agent is waiting for you", "$warning"), ("△ waiting", "$warning")] if asks else []
        told += [("comparing files…", MUTED)] if self.is_looking else []
        told += [("following the agent", MUTED)] if self._follows and not asks else []
        found = next(((words, ink) for words, ink in told if len(words) + 3 <= room), None)
        return Content.assemble((" · ", MUTED), found) if found is not None else Content("")

    def _nothing(self) -> str:
        source, changes = self.source, self._changes
        if self._fault:
            return sanitise(self._fault)
        if changes is not None and changes.files:
            return ""
        if changes is not None:
            nothing = "No uncommitted changes" if self.between is UNCOMMITTED else "No changes"
            return "\n\n".join(map(sanitise, (nothing, *self.files.all_notes)))
        if self.wanted == "uncommitted":
            return "Comparing files…"
        if source.off and not source.points:
            return sanitise(source.off)
        if source.progress is not None:
            return f"Reading the folder: {source.progress.words}"
        if self.changes_read.busy and source.points:
            return "Comparing files…"
        return "This turn has no snapshot" if source.points else "No snapshot yet"
