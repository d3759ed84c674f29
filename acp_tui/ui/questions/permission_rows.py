"""The rows of a permission request in its panel: how its subject, its options and its keys share them."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session
from acp_tui.ui.entries.diff_units import HunkUnit, Layout, has_sides
from acp_tui.ui.kit.line_editor import SafeInput
from acp_tui.ui.kit.list_panel import UnitsView
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.questions.docked_panel import DockedPanel, cells_of, count
from acp_tui.ui.questions.permission_options import FULL, LEAST_BODY, AnswerList, hints, out_of_sight
from acp_tui.ui.questions.permission_subject import (
    Headline,
    LastRows,
    cut_at,
    cuts_line,
    in_one_line,
    last_command,
    line_start,
    main_rows,
    subject_units,
    without_heading,
)
from acp_tui.ui.questions.rule_offer import RuleOfferView, Rules
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import Unit
from acp_tui.views.permissions import RequestSubject
from acp_tui.views.status import waiting

APART = "  "  # between what is out of sight and the keys
COUNTED = 400  # rows out of sight; of more it is said that there are more
ROOM_FOR_TWO = 8  # rows of the body, from which on the end of a command has two
SMALL = 12  # rows of the whole panel below which its heading names the subject


class SubjectView(UnitsView):
    """The units of a subject."""

    def lines_below(self, row: int) -> int:
        """How many lines are out of sight from this row on, one that is begun too; of a diff without wrapping them."""
        hidden = self._rows[row:]
        lines = sum(not each.offset for each in hidden) + bool(hidden and hidden[0].offset)
        for unit in self._units[self._measured :]:
            lines += len(unit.sides(self._width)) if isinstance(unit, HunkUnit) else unit.estimate(self._width)
        return lines


class PermissionRows(DockedPanel):
    """A panel that shows a subject, `_asker` of which asks in the session `_asking`, with the options below.

    Where there are few rows its body begins at the command or the first change, and the heading names the file.
    """

    DEFAULT_CSS = """
    PermissionRows.-roomy > AnswerList { margin: 1 0; }
    PermissionRows > UnitsView { background: $surface; }
    PermissionRows > #permission-note { height: 1; margin: 0; padding: 0 1; border: none; background: $surface; }
    """

    def __init__(self, session: Session, rules: Rules) -> None:
        self.session = self._asking = session
        self._pending: PendingPermission | None = None
        self._answered: set[int] = set()
        self._subject: RequestSubject | None = None
        self._asker = ""  # a subagent, in words
        self._rejects = False  # the line for a reason was opened by text, and says no
        self._layout_shown: Layout = "unified"
        self._scrolls = self._compact = self._cuts_line = self._has_sides = self._is_diff = False
        self._headline = Headline()  # what is asked about, where that has room in one row
        self._begun: tuple[object, ...] = ()  # what the body was scrolled to its beginning for
        self._place = Region()  # of the answers
        self._first = self._height = self._end_rows = 0  # of the body at its beginning; of the command's end below it
        self._body, self._end = SubjectView("permission-body"), UnitsView()
        self._options = AnswerList((), self.painted)
        self._note = SafeInput(id="permission-note")
        self._more, self._offer = Static(classes="docked-row"), RuleOfferView(rules)
        super().__init__(self._body, self._more, self._end, self._options, self._note, self._offer, id="permission")
        self.watch(self._body, "scroll_y", self._show_unseen, init=False)

    @property
    def waits(self) -> int:
        return len(self._waiting()) + len(waiting(self.session)) - len(self.session.permissions)

    def _waiting(self) -> list[PendingPermission]:
        return [pending for pending in self.session.permissions if pending.key not in self._answered]

    @property
    def offers(self) -> bool:
        """Whether the offer of rules stands in the place of the request."""
        return self.opened and self._offer.choices is not None

    def fit(self, share: int) -> None:
        self._body.display = self._options.display = self.opened and not self.offers
        self._more.display, self._end.display, self._offer.display = False, False, self.offers
        if self._subject is None or not self.opened:
            return
        if self.offers:
            self._offer.fit(self._fitted.width, share - 2 - self.is_roomy, sanitise_line(self._subject.line))
            return
        subject, width = self._subject, self._fitted.width
        units = subject_units(subject, self._asking, self._layout_shown, roomy=self.is_roomy)
        self._has_sides, self._is_diff = has_sides(units), any(isinstance(unit, HunkUnit) for unit in units)
        room = width - len(" △ ") - count(self.waits, width).cell_length - 1
        whose = f"{self._asker}: " if self._asker else ""
        told = in_one_line(subject, units, self._asking.cwd, room - cell_len(whose))
        self._headline = told._replace(words=whose + told.words) if told.words else Headline()
        first = self._fit_rows(units, compact=share < SMALL)
        if first and not self._compact and self._is_diff:
            first = self._fit_rows(units, compact=True)
        self._show_unseen()
        begun = (self._pending, self._fitted, self._layout_shown)
        if begun != self._begun:
            self._begun = begun
            self._body.begin_at(first)

    def _fit_rows(self, units: Sequence[Unit], *, compact: bool) -> int:
        """Share the rows out; gives the row of the body that has to be its first, or what counts would be hidden."""
        width, share = self._fitted
        self._compact = compact
        if compact and self._headline.words and units:
            units = without_heading(units, self._headline.words)
        free = share - 2 - self._note.display - 3 * self.is_roomy
        change = len(main_rows(units, width - 1, palette_of(self.app), free * 2)) if self._has_sides else 0
        options = self._options.fit_rows(width, free, compact=compact, body=change)
        room = max(LEAST_BODY, free - options)
        self._body.show(units, width)
        self._scrolls = self._body.rows_at_most(room + 1) > room
        self._cuts_line = self._scrolls and cuts_line(units)
        if self._scrolls:
            self._body.show(units, width - 1)  # beside the scrollbar
            room -= not compact  # for what is out of sight; the compact form has that before its keys
        self._body.styles.height = self._body.rows_at_most(room)
        main = main_rows(units, width - 1, palette_of(self.app), room) if self._scrolls else range(0)
        fits = len(main) <= (room if self._is_diff else room // 2)  # the end of a longer command is in sight, too
        seen = len(main) if fits else LEAST_BODY  # of a change that is longer than the room its beginning
        first = main.start if main.start + seen > room else 0
        if first:
            self._begin_line(units, first, room)
        self._first, self._height = first, self._body_height
        self._fit_end(units, room)
        return first

    @property
    def _body_height(self) -> int:
        return int(self._body.styles.height.value if self._body.styles.height else 0)

    def _fit_end(self, units: Sequence[Unit], room: int) -> None:
        """Where a command ends out of sight, its last rows stand below how much of it is; scrolled, it is one piece."""
        width, compact = self._fitted.width - 1, self._compact
        command = last_command(units, width, palette_of(self.app)) if self._scrolls else None
        self._end_rows = 0
        if command is not None and command[1].stop > self._first + room:
            count = min(len(command[1]), 2 if room >= ROOM_FOR_TWO else 1)
            self._end_rows = count if room - count >= LEAST_BODY - compact else 0
            self._end.show([LastRows(command[0], count, width, cut=compact)], width)
            self._end.styles.height = count

    def _begin_line(self, units: Sequence[Unit], first: int, room: int) -> None:
        """Begin with a whole line, with fewer rows if the end would come earlier; within the one that counts with a
        sign.
        """
        width, palette = self._fitted.width - 1, palette_of(self.app)
        last = self._body.rows_at_most(first + room) - room
        if last < first:
            begin = min(first, line_start(units, max(0, last), width, palette))
            self._body.styles.height = room - max(0, begin - last)
        self._body.show(cut_at(units, first, width, palette), width)

    def _unseen(self) -> Content:
        """What of the request is out of sight, in words."""
        if not self._scrolls:
            return Content("")
        above = int(self._body.scroll_y)
        end = above + self._body_height
        rows = self._body.rows_at_most(end + COUNTED)
        if self._compact and self._options.cut_off and rows <= end:
            return Content("")  # the keys of the options are more than what is above
        key = ("v" if self._compact else " ".join(FULL)) if self._cuts_line else ""
        if self._is_diff:
            return out_of_sight(above, self._body.lines_below(end), word="line", cut_line=key)
        below = rows - end - self._end_rows * self._end.display
        return out_of_sight(above, below, more=rows == end + COUNTED, cut_line=key)

    def _show_unseen(self) -> None:
        shown = self.opened and self._scrolls and not self.offers
        self._end.display = shown and self._end_rows > 0 and int(self._body.scroll_y) == self._first
        self._more.display = shown and not self._compact
        if self._end_rows:
            self._body.styles.height = self._height - self._end_rows * self._end.display
        self._more.update(self._unseen())
        self.show_hints()

    def laid_out(self) -> None:
        super().laid_out()
        self._options.laid_out()
        if self.opened and self._options.region != self._place:
            self._place = self._options.region
            self.await_paint()

    def await_paint(self) -> None:
        if self.offers:
            super().await_paint()
            return
        self.rule.await_paint()
        self._options.await_paint()

    def hints(self) -> Content:
        room = cells_of(self) - 2
        if self.offers:
            return self._offer.hints(room)
        unseen = self._unseen() if self._compact and self.opened else Content("")
        keys = hints(
            room - (unseen.cell_length + len(APART) if unseen else 0),
            writing=("reject" if self._rejects else "reason") if self._note.display else "",
            diffs=self._has_sides,
            layout=self._layout_shown,
            answer=None if not self._options.offered else self._options.highlighted is not None,
            options=self._options.choosable if self._options.cut_off else 0,
            rule=self._options.rule_is_unseen,
        )
        return Content.assemble(unseen, APART, keys) if unseen else keys
