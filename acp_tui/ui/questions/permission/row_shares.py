"""The rows of the permission panel, shared out between what is asked about, options and reason; and its key hints."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region

from acp_tui.session.pending import PendingPermission
from acp_tui.session.state import Session
from acp_tui.session.text.words import counted
from acp_tui.ui.entries.tool_calls.diff import Layout
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.hints import Hint, fitting, key_hints, turning
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.questions.docked_panel import ROOMY, DockedPanel, cells_of, count
from acp_tui.ui.questions.permission.options import FOLDED, AnswerList
from acp_tui.ui.questions.permission.subject import Words, in_one_line, main_rows, subject_units
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.transcript.units_view import UnitsView
from acp_tui.views.permissions import Subject

LEAST_BODY = 2  # rows of the subject that always show; beside many options or long names, a third of the rows
WRITING = {
    "reason": (("enter", "confirm with reason"), ("↑↓", "select"), ("esc", "back")),
    "reject": (("enter", "reject and tell"), ("esc", "to the prompt")),
}
CONFIRM, SELECT, SAY_WHY = ("enter", "confirm"), ("↑↓", "select"), ("tab", "add a reason")
FULL, SCROLL = ("v", "full screen"), ("pgdn", "scroll")
CANCEL: Hint = ("c", "cancel the turn")
SMALL = 12  # rows of the whole panel below which its heading names the subject


class SharedRows(DockedPanel):
    """A panel that shows a subject, `_asker` of which asks in the session `_asking`, with the options below.

    Where there are few rows its body begins at the command or the first change, and the heading names the file.
    """

    DEFAULT_CSS = """
    SharedRows.-roomy > AnswerList { margin: 1 0; }
    SharedRows > UnitsView { background: $surface; }
    SharedRows > #permission-note { height: 1; margin: 0; padding: 0 1; border: none; background: $surface; }
    """

    def __init__(self, session: Session) -> None:
        self.session = self._asking = session
        self._pending: PendingPermission | None = None
        self._subject: Subject | None = None
        self._asker = ""  # a subagent, in words
        self._rejects = False  # the line for a reason was opened by text, and says no
        self._layout_shown: Layout = "unified"
        self._scrolls = self._compact = False
        self._told = ""  # what is asked about, where that has room in one row
        self._begun: tuple[object, ...] = ()  # what the body was scrolled to its beginning for
        self._place = Region()  # of the answers
        self._body = UnitsView("permission-body")
        self._options = AnswerList((), self.painted)
        self._note = SafeInput(id="permission-note")
        super().__init__(self._body, self._options, self._note, id="permission")

    @property
    def waits(self) -> int:
        """How many questions wait, with this one."""
        raise NotImplementedError

    def fit(self, share: int) -> None:
        self._body.display = self._options.display = self.opened
        if self._subject is None or not self.opened:
            return
        subject, width = self._subject, self._fitted.width
        units = subject_units(subject, self._asking, self._layout_shown, roomy=share >= ROOMY)
        room = width - len(" △ ") - count(self.waits).cell_length - 1
        whose = f"{self._asker}: " if self._asker else ""
        told = in_one_line(subject, units, self._asking.cwd, room - cell_len(whose))
        self._told = whose + told if told else ""
        first = self._fit_rows(units, compact=share < SMALL)
        if first and not self._compact:
            first = self._fit_rows(units, compact=True)
        begun = (self._pending, self._fitted, self._layout_shown)
        if begun != self._begun:
            self._begun = begun
            self._body.begin_at(first)

    def _fit_rows(self, units: Sequence[Unit], *, compact: bool) -> int:
        """Share the rows out; gives the row of the body that has to be its first, or what counts would be hidden."""
        width, share = self._fitted
        self._compact = compact
        if compact and self._told and isinstance(units[0], Words) and units[0].tone == "title":
            units = units[1:]  # the heading says it
        fixed = 2 + self._note.display + (3 if share >= ROOMY else 0)
        self._options.fit(width, 1 if compact else FOLDED)
        needed = self._options.height_needed
        options = min(needed, max(2, share - fixed - max(LEAST_BODY, (share - fixed) // 3)))
        self._options.styles.height, self._options.cut_off = options, options < needed
        room = max(LEAST_BODY, share - fixed - options)
        self._body.show(units, width)
        self._scrolls = self._body.rows_at_most(room + 1) > room
        if self._scrolls:
            self._body.show(units, width - 1)  # beside the scrollbar
        self._body.styles.height = self._body.rows_at_most(room)
        main = main_rows(units, width - 1, palette_of(self.app)) if self._scrolls else range(0)
        seen = len(main) if len(main) <= room else LEAST_BODY  # of a change that is longer than the room its beginning
        return main.start if main.start + seen > room else 0

    def laid_out(self) -> None:
        super().laid_out()
        self._options.laid_out()
        if self.opened and self._options.region != self._place:
            self._place = self._options.region
            self.await_paint()

    def await_paint(self) -> None:
        self.rule.await_paint()
        self._options.await_paint()

    def hints(self) -> Content:
        return hints(
            cells_of(self) - 2,
            writing=("reject" if self._rejects else "reason") if self._note.display else "",
            diffs=self._subject is not None and bool(self._subject.diffs),
            layout=self._layout_shown,
            scrolls=self._scrolls,
            answer=None if not self._options.offered else self._options.highlighted is not None,
            options=len(self._options.offered) if self._options.cut_off else 0,
        )


def hints(
    room: int,
    *,
    writing: str = "",
    diffs: bool,
    layout: Layout,
    scrolls: bool = False,
    answer: bool | None = True,
    options: int = 0,
) -> Content:
    """The keys that do something now, as many as have room in so many cells; those that one finds alone go first.

    `writing` is why text is written: as a `reason` for the highlighted answer, or to `reject`. `answer` says whether an
    option is highlighted; it is None where there are no options. `options` says how many there are where not all of
    them are in sight.
    """
    turned, select = turning(layout), ("↑↓", counted(options, "option")) if options else SELECT
    seeing = [*([SCROLL] if scrolls else []), FULL, *([turned] if diffs else [])]
    reading = [CONFIRM, select, SAY_WHY, *seeing, ("esc", "later")]
    said = [select if hint[0] == "↑↓" else hint for hint in WRITING[writing]] if writing else reading
    if answer is None:
        said = [CANCEL, *reading[3:]]
    elif not answer:
        said = said[1:]
    found_alone = [SELECT] if answer else []
    return key_hints(fitting(said, room, (*found_alone, turned, SAY_WHY, SCROLL, CONFIRM, FULL)))
