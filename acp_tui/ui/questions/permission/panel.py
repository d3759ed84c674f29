"""The docked panel in which the user answers a permission request.

It shows the oldest request that waits. One key answers one request: after an answer, and until the options of
the next one, or of this one with the focus, were on the screen for GUARD seconds, keys do nothing, so that
type-ahead approves nothing.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from textual import events, on
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Input, Static

from acp_tui.protocol.vocabulary.permissions import PermissionOption
from acp_tui.session.pending import PendingPermission
from acp_tui.session.state import Session
from acp_tui.ui.entries.tool_calls.diff import Layout
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.hints import Hint, fitting, key_hints
from acp_tui.ui.kit.key_guards import Guard
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.questions.docked_panels import LOUD, ROOMY, banner, cells_of, count, room_for_name, share_of
from acp_tui.ui.questions.permission.full_screen import turning
from acp_tui.ui.questions.permission.options import FOLDED, AnswerList, OptionRow, option_for, rejecting
from acp_tui.ui.questions.permission.request_review import RequestReview
from acp_tui.ui.questions.permission.subject import Subject, Words, in_one_line, main_rows, subject_of, subject_units
from acp_tui.ui.questions.waiting import asker, capitalised, waiting
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.transcript.units_view import UnitsView

LEAST_BODY = 2  # rows of the subject that always show; beside many options or long names, a third of the rows
SMALL = 12  # rows of the whole panel below which its heading names the subject


REASON = "Reason (optional) · Enter sends the highlighted answer"


class PermissionPanel(Vertical, can_focus=True):
    """One request with its whole subject and all its options; a single line while it has not the focus.

    Where there are few rows its body begins at the command or the first change, and the heading names the file.
    It is long for one reason: what each key may do depends on what of all this was on the screen.
    """

    DEFAULT_CSS = """
    PermissionPanel { display: none; height: auto; margin: 0 1; background: $surface; border-left: outer $warning; }
    PermissionPanel > Static { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    PermissionPanel.-roomy { padding: 1 0 0 0; }
    PermissionPanel.-roomy > AnswerList { margin: 1 0; }
    PermissionPanel.-banner { padding: 0; }
    PermissionPanel > UnitsView { background: $surface; }
    PermissionPanel > #permission-note { height: 1; margin: 0; padding: 0 1; border: none; background: $surface; }
    """

    @dataclass
    class Answered(Message):
        """The user answered the request `key`; `note` says why, for the agent, and may be empty.

        Without an option, which is where the agent gave none, the turn is to be cancelled.
        """

        key: int
        option_id: str | None
        note: str = ""

    class Dismissed(Message):
        """The user wants the focus elsewhere, without answering."""

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self.session, self.review = session, RequestReview()
        self._guard = Guard(clock)
        self._pending: PendingPermission | None = None
        self._subject: Subject | None = None
        self._asking, self._asker = session, ""  # whose it is, and by what name where that is a subagent
        self._answered: set[int] = set()
        self.opened = False  # else it is a single line
        self._moved = False
        self._scrolls = self._compact = False
        self._fitted = Size()  # the width and the rows that there were
        self._told = ""  # what is asked about, where that has room in one row
        self._begun: tuple[object, ...] = ()  # what the body was scrolled to its beginning for
        self._layout_shown: Layout = "unified"
        self._heading = Static(id="permission-heading")
        self._body = UnitsView("permission-body")
        self._options = AnswerList((), self._painted)
        self._note = SafeInput(placeholder=REASON, id="permission-note")
        self._hints = Static(id="permission-hints")
        super().__init__(self._heading, self._body, self._options, self._note, self._hints, id="permission")

    def on_mount(self) -> None:
        """What its neighbours take of the screen is the panel's business."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def show_next(self, take_focus: bool = False) -> None:
        """Show the oldest request, if any: open with `take_focus` or with the focus already, else as one line."""
        self._answered &= {pending.key for pending in self.session.permissions}
        unanswered = self._waiting()
        if not unanswered:
            self.put_away()
            return
        had_focus = self.has_focus_within or self.has_focus
        self.display = True
        if self._pending is not unanswered[0]:
            self._begin(unanswered[0], opened=had_focus or take_focus)
        if take_focus and not had_focus:
            self.opened = True
            self.screen.set_focus(self)  # at once: the rows that are its own then count
        self._draw()

    def look(self) -> None:
        """Look at the subject again; where there is more to agree to than before, keys wait for another moment."""
        if self._pending is not None and subject_of(self._pending, self.session) != self._subject:
            self._draw()
            self._await_paint()

    def fold(self) -> None:
        """Be a single line: the focus is elsewhere. A reason that was begun is kept."""
        if not self.has_class("-banner"):
            self.opened = self._note.display = False
            self._draw()

    def put_away(self) -> None:
        self._pending, self.opened, self.display = None, False, False
        self.review.end()

    def _waiting(self) -> list[PendingPermission]:
        return [pending for pending in self.session.permissions if pending.key not in self._answered]

    def _begin(self, pending: PendingPermission, *, opened: bool) -> None:
        self.review.end()
        self._pending, self.opened, self._moved = pending, opened, False
        if self.has_focus_within and not self.has_focus:
            self.screen.set_focus(self)
        self._note.display = False
        self._note.value = ""
        options = AnswerList(pending.request.options, self._painted)
        self._options.remove()
        self._options = options
        self.mount(options, after=self._body)
        self._await_paint()

    def _await_paint(self) -> None:
        self._guard.wait()
        self._options.await_paint()

    def _draw(self) -> None:
        if self._pending is None:
            return
        self._asking = self.session.whose(self._pending.request.session_id)
        self._asker = capitalised(asker(self._pending, self.session, room_for_name(cells_of(self) - 1, self._waits)))
        self._subject = subject = subject_of(self._pending, self.session)
        for part in (self._body, self._options, self._hints):
            part.display = self.opened
        self.set_class(not self.opened, "-banner")
        if self.opened:
            self._fit(subject)
        self._heading.update(self._said(subject))
        self._hints.update(
            hints(
                cells_of(self) - 2,
                writing=self._note.display,
                diffs=bool(subject.diffs),
                layout=self._layout_shown,
                scrolls=self._scrolls,
                answer=None if not self._options.offered else self._options.highlighted is not None,
                options=len(self._options.offered) if self._options.cut_off else 0,
            )
        )

    def _said(self, subject: Subject) -> Content:
        """The first row: a banner without the focus; in the compact form what is asked about, by its own name."""
        if not self.opened:
            return banner(self._asker or self.session.agent_name, self._waits, subject.line)
        told = self._told if self._compact else ""
        said = f"{self._asker} needs permission" if self._asker else "Permission required"
        line = Content.assemble((f"△ {told or said}", LOUD), count(self._waits))
        return self.review.told(line, cells_of(self) - 2)

    @property
    def _waits(self) -> int:
        return len(self._waiting()) + len(waiting(self.session)) - len(self.session.permissions)

    def _fit(self, subject: Subject) -> None:
        width, share = cells_of(self), share_of(self)
        self._fitted = Size(width, share)
        roomy = share >= ROOMY
        self.set_class(roomy, "-roomy")
        units = subject_units(subject, self._asking, self._layout_shown, roomy=roomy)
        room = width - len(" △ ") - count(self._waits).cell_length - 1
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
            self._draw()
        self._options.laid_out()

    def on_focus(self) -> None:
        """Open; keys count from a moment after that was seen."""
        if not self.has_focus_within:  # the event is late: Escape has moved the focus since
            return
        self.opened = True
        self._draw()
        self._await_paint()

    def _painted(self) -> None:
        if self._guard.waits and not self._options.awaits_paint:
            self._guard.begin()

    def on_click(self) -> None:
        if not self.has_focus_within:
            self.screen.set_focus(self)

    def on_key(self, event: events.Key) -> None:
        if self._note.display and event.is_printable:
            return
        act = self._act_for(event)
        if act is None and not (event.is_printable and self._guard.holds):
            return
        event.stop()
        event.prevent_default()
        if (not self._guard.swallows() or (self._guard.waits and event.key == "escape")) and act is not None:
            act()

    def _act_for(self, event: events.Key) -> Callable[[], object] | None:
        if self._pending is None or not self.opened:
            return None
        index = option_for(event.character or "", self._options.offered)
        if index is not None and event.is_printable and not self._note.display:
            return lambda: self._answer(index)
        acts: dict[str, Callable[[], object]] = {
            "enter": lambda: self._answer(self._options.highlighted),
            "up": lambda: self._move(-1),
            "down": lambda: self._move(1),
            "escape": self._step_back,
            "tab": self._say_why,
            "v": self._show_full,
            "s": self._turn,
        }
        if not self._options.offered:
            acts["c"] = lambda: self._send(None)  # the turn
        if self._body.max_scroll_y:
            acts |= {"pageup": self._body.scroll_page_up, "pagedown": self._body.scroll_page_down}
        return acts.get(event.key)

    def _move(self, step: int) -> None:
        self._moved = True
        before = self._options.height_needed, self._options.highlighted is None
        self._options.step(step)
        if before != (self._options.height_needed, self._options.highlighted is None):
            self._draw()

    def _answer(self, index: int | None) -> None:
        if index is not None and index < len(self._options.offered):
            self._send(self._options.offered[index])

    def _send(self, option: PermissionOption | None) -> None:
        if self._pending is not None and self._pending.key not in self._answered:
            self._answered.add(self._pending.key)
            note = self.review.reason(option, self._note.value if self._note.display else "", self._asking.cwd)
            self.post_message(self.Answered(self._pending.key, option.option_id if option else None, note))

    def _say_why(self) -> None:
        """Open the line for a reason, with the highlight on rejecting once unless it was moved; or close it."""
        if self._note.display:
            self.screen.set_focus(self)
            self._note.display = False
        elif self._options.offered:
            self._note.display = True
            self.screen.set_focus(self._note)
            if not self._moved:
                self._options.highlight(rejecting(self._options.offered))
        self._draw()

    def _step_back(self) -> None:
        if self._note.display:
            self._say_why()
            return
        self.opened = False
        self.screen.set_focus(None)  # keys that follow are no answers
        self.post_message(self.Dismissed())

    def _turn(self) -> None:
        self._layout_shown = "split" if self._layout_shown == "unified" else "unified"
        self._draw()

    def _show_full(self) -> None:
        def keep(layout: Layout | None) -> None:
            self._layout_shown = layout or self._layout_shown
            if self.review.count and not self._moved:
                self._options.highlight(rejecting(self._options.offered))
            self._draw()

        if self._subject is not None:
            units = partial(subject_units, self._subject, self._asking)
            self.app.push_screen(self.review.full_screen(units, self._layout_shown, self._asking.cwd), keep)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not self._guard.swallows():
            self._answer(self._options.highlighted)

    @on(OptionRow.Clicked)
    def _clicked(self, event: OptionRow.Clicked) -> None:
        event.stop()
        if not self._guard.swallows():
            self._answer(event.index)


CONFIRM, SELECT, SAY_WHY = ("enter", "confirm"), ("↑↓", "select"), ("tab", "add a reason")
FULL, SCROLL = ("v", "full screen"), ("pgdn", "scroll")
CANCEL: Hint = ("c", "cancel the turn")


def hints(
    room: int,
    *,
    writing: bool,
    diffs: bool,
    layout: Layout,
    scrolls: bool = False,
    answer: bool | None = True,
    options: int = 0,
) -> Content:
    """The keys that do something now, as many as have room in so many cells; those that one finds alone go first.

    `answer` says whether an option is highlighted; it is None where there are no options. `options` says how many
    there are where not all of them are in sight.
    """
    turned, select = turning(layout), ("↑↓", f"{options} options") if options else SELECT
    seeing = [*([SCROLL] if scrolls else []), FULL, *([turned] if diffs else [])]
    reading = [CONFIRM, select, SAY_WHY, *seeing, ("esc", "later")]
    said = [("enter", "confirm with reason"), select, ("esc", "back")] if writing else reading
    if answer is None:
        said = [CANCEL, *reading[3:]]
    elif not answer:
        said = said[1:]
    found_alone = [SELECT] if answer else []
    return key_hints(fitting(said, room, (*found_alone, turned, SAY_WHY, SCROLL, CONFIRM, FULL)))
