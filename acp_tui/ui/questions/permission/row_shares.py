"""The rows of the permission panel, shared out between what is asked about, options and reason; and its key hints."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region, Size
from textual.widgets import Static

from acp_tui.session.pending import PendingPermission
from acp_tui.session.state import Session
from acp_tui.session.text.words import counted
from acp_tui.ui.answers.asking_screens import AskingPanel
from acp_tui.ui.entries.tool_calls.diff_units import Layout
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.theme import Hint, fitting, key_hints, palette_of, turning
from acp_tui.ui.questions.docked_panels import ROOMY, cells_of, count, share_of
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


class SharedRows(AskingPanel):
    """A panel that shows a subject, `_asker` of which asks in the session `_asking`, with the options below."""

    _body: UnitsView
    _options: AnswerList
    _note: SafeInput
    _pending: PendingPermission | None
    _asking: Session
    _asker = ""  # a subagent, in words
    _layout_shown: Layout = "unified"
    _scrolls = _compact = False
    _fitted = Size()  # the width and the rows that there were
    _told = ""  # what is asked about, where that has room in one row
    _begun: tuple[object, ...] = ()  # what the body was scrolled to its beginning for

    _hints: Static
    _rejects = False  # the line for a reason was opened by text, and says no
    _subject: Subject | None
    _place = Region()  # of the answers
    _are_shown = False  # the answers, at all

    @property
    def waits(self) -> int:
        """How many questions wait, with this one."""
        raise NotImplementedError

    def _fit(self, subject: Subject) -> None:
        width, share = cells_of(self), share_of(self)
        self._fitted = Size(width, share)
        roomy = share >= ROOMY
        self.set_class(roomy, "-roomy")
        units = subject_units(subject, self._asking, self._layout_shown, roomy=roomy)
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

    def _laid_out(self, _: object) -> None:
        if self.opened and self._pending is not None and self._fitted != Size(cells_of(self), share_of(self)):
            self.draw()
        self._options.laid_out()
        if self.opened and self._options.region != self._place:
            self._place = self._options.region
            self.await_paint()

    def await_paint(self) -> None:
        """What is asked, or where the answers stand, has changed: they count from when that is painted."""
        self.rule.await_paint()
        self._options.await_paint()

    def _tell_keys(self) -> None:
        """The hints come with what they act on."""
        if not self._are_shown:
            self._hints.update("")
            return
        self._hints.update(
            hints(
                cells_of(self) - 2,
                writing=("reject" if self._rejects else "reason") if self._note.display else "",
                diffs=self._subject is not None and bool(self._subject.diffs),
                layout=self._layout_shown,
                scrolls=self._scrolls,
                answer=None if not self._options.offered else self._options.highlighted is not None,
                options=len(self._options.offered) if self._options.cut_off else 0,
            )
        )

    def painted(self) -> None:
        super().painted()
        if not self._are_shown:
            self._are_shown = True
            self.call_later(self._tell_keys)


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
