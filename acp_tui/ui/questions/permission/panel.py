"""The docked panel in which the user answers a permission request.

It shows the oldest request that waits. One key answers one request, and which keys do is told by the rule of answers:
whoever goes on typing as the panel opens writes in the prompt, and whoever types later says why they reject.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from textual import events, on
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from acp_tui.protocol.vocabulary.tool_calls import PermissionOption
from acp_tui.session.pending import PendingPermission
from acp_tui.session.state import Session
from acp_tui.ui.answers.answer_rule import Meaning
from acp_tui.ui.answers.key_routing import ARROWS, Typed, meaning_of
from acp_tui.ui.entries.tool_calls.diff_units import Layout
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.questions.docked_panels import LOUD, asker, banner, cells_of, count, room_for_name
from acp_tui.ui.questions.permission.full_screen import RequestReview
from acp_tui.ui.questions.permission.options import AnswerList, OptionRow
from acp_tui.ui.questions.permission.row_shares import SharedRows
from acp_tui.ui.questions.permission.subject import subject_units
from acp_tui.ui.transcript.units_view import UnitsView
from acp_tui.views.formatting import capitalised
from acp_tui.views.permissions import Subject, option_for, rejecting, subject_of
from acp_tui.views.session_labels import waiting

REASON = "Reason (optional) · Enter sends the highlighted answer"
REJECTING = "No, and tell the agent…"


class PermissionPanel(SharedRows):
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

    class Written(Message):
        """The user wants this text in the prompt, and the request unanswered."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, session: Session, review: RequestReview) -> None:
        self.session, self.review = session, review
        self._pending: PendingPermission | None = None
        self._subject: Subject | None = None
        self._asking = session
        self._answered: set[int] = set()
        self._moved = self._rejects = False  # `_rejects`: the line for a reason was opened by text, and says no
        self._before_reason: int | None = None  # what was highlighted
        self._heading = Static(id="permission-heading")
        self._body = UnitsView("permission-body")
        self._options = AnswerList((), self.painted)
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
        self.draw()

    def look(self) -> None:
        """Look at the subject again; where there is more to agree to than before, keys wait for another moment."""
        if self._pending is not None and subject_of(self._pending, self.session) != self._subject:
            self.draw()
            self.await_paint()

    def fold(self) -> None:
        """Be a single line: the focus is elsewhere. A reason that was begun is kept."""
        self._note.display = False
        super().fold()

    def end(self) -> None:
        self._pending = None
        self._give_reason_back()
        self.review.end()

    def _give_reason_back(self) -> None:
        """What was written for a request that is gone is the prompt's."""
        if self._note.value:
            self.post_message(self.Written(self._note.value))
        self._note.value, self._note.display = "", False

    def _waiting(self) -> list[PendingPermission]:
        return [pending for pending in self.session.permissions if pending.key not in self._answered]

    def _begin(self, pending: PendingPermission, *, opened: bool) -> None:
        self.review.end()
        self.rule.forget()
        self._pending, self.opened, self._moved = pending, opened, False
        if self.has_focus_within and not self.has_focus:
            self.screen.set_focus(self)
        self._give_reason_back()
        self._are_shown = False
        options = AnswerList(pending.request.options, self.painted)
        self._options.remove()
        self._options = options
        self.mount(options, after=self._body)
        self.await_paint()

    def draw(self) -> None:
        if self._pending is None:
            return
        self._asking = self.session.whose(self._pending.request.session_id)
        self._asker = capitalised(asker(self._pending, self.session, room_for_name(cells_of(self) - 1, self.waits)))
        self._subject = subject = subject_of(self._pending, self.session)
        for part in (self._body, self._options, self._hints):
            part.display = self.opened
        self.set_class(not self.opened, "-banner")
        if self.opened:
            self._fit(subject)
        self._heading.update(self._said(subject))
        self._tell_keys()

    def _said(self, subject: Subject) -> Content:
        """The first row: a banner without the focus; in the compact form what is asked about, by its own name."""
        if not self.opened:
            return banner(self._asker or self.session.agent_name, self.waits, subject.line)
        told = self._told if self._compact else ""
        said = f"{self._asker} needs permission" if self._asker else "Permission required"
        line = Content.assemble((f"△ {told or said}", LOUD), count(self.waits))
        return self.review.told(line, cells_of(self) - 2)

    @property
    def waits(self) -> int:
        return len(self._waiting()) + len(waiting(self.session)) - len(self.session.permissions)

    def on_focus(self) -> None:
        """Open; keys count from a moment after that was seen."""
        if not self.has_focus_within:  # the event is late: Escape has moved the focus since
            return
        self.opened = True
        self.draw()
        self.await_paint()

    def on_click(self) -> None:
        if not self.has_focus_within:
            self.screen.set_focus(self)

    def meaning(self, event: Typed) -> Meaning:
        if self.screen.focused is self._note:
            return "field"
        diffs = self._subject is not None and self._subject.diffs
        return meaning_of(event, f"{self._options.keys or 'c'}v{'s' if diffs else ''}")

    def move(self, step: int) -> bool | None:
        self._moved = True
        highlighted = self._options.highlighted
        before = self._options.height_needed, highlighted is None
        self._options.step(step)
        if before != (self._options.height_needed, self._options.highlighted is None):
            self.draw()
        return None if self._options.highlighted == highlighted else self._options.highlights_always

    def mark(self, event: events.Key | None) -> None:
        """Highlight the answer that stands unless something follows; else what was highlighted before."""
        self._options.mark(option_for(event.character or "", self._options.offered) if event is not None else None)

    def open_reason(self) -> bool:
        """Open the line for a reason, which rejects once."""
        rejects = rejecting(self._options.offered)
        if rejects is not None:
            self._rejects, self._note.placeholder = True, REJECTING
            self._before_reason = self._options.highlighted
            self._open_note(rejects)
        return rejects is not None

    def on_key(self, event: events.Key) -> None:
        if self._note.display and event.is_printable:
            return
        act = self._act_for(event)
        if act is None:
            return
        event.stop()
        event.prevent_default()
        if event.time >= self.rule.painted or event.key not in ("enter", event.character):
            act()  # else it answered what stood here before

    def _act_for(self, event: events.Key) -> Callable[[], object] | None:
        if self._pending is None or not self.opened:
            return None
        acts: dict[str, Callable[[], object]] = {
            "enter": lambda: self._answer(self._options.highlighted),
            "escape": self._step_back,
            "tab": self._say_why,
            "v": self._show_full,
            "s": self._turn,
        }
        if self._note.display and not self._rejects:
            acts |= {key: partial(self.move, step) for key, step in ARROWS.items()}
        if not self._options.offered:
            acts["c"] = lambda: self._send(None)  # the turn
        if self._body.max_scroll_y:
            acts |= {"pageup": self._body.scroll_page_up, "pagedown": self._body.scroll_page_down}
        index = option_for(event.character or "", self._options.offered) if event.is_printable else None
        return acts.get(event.key) if index is None else partial(self._answer, index)

    def _answer(self, index: int | None) -> None:
        if index is not None and index < len(self._options.offered):
            self._send(self._options.offered[index])

    def _send(self, option: PermissionOption | None) -> None:
        if self._pending is not None and self._pending.key not in self._answered:
            self._answered.add(self._pending.key)
            note = self.review.reason(option, self._note.value if self._note.display else "", self._asking.cwd)
            self._note.value = "" if self._note.display else self._note.value
            self.post_message(self.Answered(self._pending.key, option.option_id if option else None, note))

    def _say_why(self) -> None:
        """Open the line for a reason, with the highlight on rejecting once unless it was moved; or close it."""
        if self._note.display:
            self.screen.set_focus(self)
            self._note.display = False
            self.draw()
        elif self._options.offered:
            self._rejects, self._note.placeholder = False, REASON
            self._open_note(self._options.highlighted if self._moved else rejecting(self._options.offered))

    def _open_note(self, highlighted: int | None) -> None:
        self._note.display = True
        self.screen.set_focus(self._note)
        self._options.highlight(highlighted)
        self.draw()

    def leave(self) -> bool:
        if self._pending is not None and self.opened:
            self._step_back()
        return self._pending is not None

    def _step_back(self) -> None:
        if self._note.display and not self._rejects:
            self._say_why()
            return
        self.opened = False
        self.screen.set_focus(None)  # keys that follow are no answers
        if self._note.display and self._rejects:
            self._options.highlight(self._before_reason)
        if self._note.display and self._note.value:
            self._give_reason_back()
        else:
            self.post_message(self.Dismissed())

    def _turn(self) -> None:
        self._layout_shown = "split" if self._layout_shown == "unified" else "unified"
        self.draw()

    def _show_full(self) -> None:
        def keep(layout: Layout | None) -> None:
            self._layout_shown = layout or self._layout_shown
            if self.review.count and not self._moved:
                self._options.highlight(rejecting(self._options.offered))
            self.draw()

        if self._subject is not None:
            units = partial(subject_units, self._subject, self._asking)
            self.app.push_screen(self.review.full_screen(units, self._layout_shown, self._asking.cwd), keep)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._note.display:
            self._answer(rejecting(self._options.offered) if self._rejects else self._options.highlighted)

    @on(OptionRow.Clicked)
    def _clicked(self, event: OptionRow.Clicked) -> None:
        event.stop()
        if self.click_counts():
            self._answer(event.index)
