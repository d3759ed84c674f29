"""The docked panel in which the user answers a permission request.

It shows the oldest request that waits, in the rows of `permission_rows`. One key answers one request, and which keys do
is told by the rule of answers: whoever goes on typing as the panel opens writes in the prompt, and whoever types later
says why they reject.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from textual import events, on
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from acp_tui.protocol.vocabulary.tool_calls import PermissionOption
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session
from acp_tui.ui.entries.diff_units import Layout
from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import ARROWS, Typed, meaning_of
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.questions.docked_panel import LOUD, asker, banner, cells_of, count, room_for_name
from acp_tui.ui.questions.permission_options import AnswerList, OptionRow
from acp_tui.ui.questions.permission_rows import PermissionRows
from acp_tui.ui.questions.permission_subject import Headline, subject_units
from acp_tui.ui.questions.request_screen import REJECTING, REQUIRED, RequestReview, RequestScreen
from acp_tui.ui.questions.rule_offer import Rules, no_session_rules
from acp_tui.views.formatting import capitalised
from acp_tui.views.permission_rules import RuleLine, rule_line
from acp_tui.views.permissions import rejecting, subject_of

REASON = "Reason (optional) · Enter sends the highlighted answer"
UNDECIDED = "Select an answer first: ↑↓"
COUNT_STYLES = ("$success", "$error")  # of the lines that are added and removed
NO_ANSWER = "No answer to select: c cancels the turn"


class PermissionPanel(PermissionRows):
    """One request with its whole subject and all its options.

    It is long for one reason: what each key may do depends on what of all this was on the screen.
    """

    @dataclass
    class Answered(Message, namespace="docked_panel"):
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

    def __init__(self, session: Session, review: RequestReview, rules: Rules = no_session_rules) -> None:
        super().__init__(session, rules)
        self.review = review
        self._moved = self._abandoned = False  # `_abandoned`: the reason, which stays and ends with its request
        self._before_reason: int | None = None  # what was highlighted

    @property
    def asked(self) -> PendingPermission | None:
        return self._pending

    def show_next(self, take_focus: bool = False) -> None:
        """Show the oldest request, if any: open with `take_focus` or with the focus already, else as one line."""
        self._answered &= {pending.key for pending in self.session.permissions}
        unanswered = self._waiting()
        if not unanswered:
            self.put_away()
            return
        anew = self._pending is not unanswered[0]
        if anew:
            self._begin(unanswered[0])
        self.present(anew=anew, take_focus=take_focus)

    def look(self) -> None:
        """Look at the subject again; where there is more to agree to than before, keys wait for another moment."""
        if self._pending is not None and subject_of(self._pending, self.session) != self._subject:
            line, before = rule_line(self._offer.begin(self._pending)), self._options
            if line != before.line:  # another rule is possible now, or none
                self._list_answers(self._pending, line)
                if before.highlighted != before.rule_at:
                    self._options.highlighted = before.highlighted
            self.draw()
            self.await_paint()

    def fold(self) -> None:
        self._note.display = False
        self._offer.close()
        super().fold()

    def end(self) -> None:
        self._pending = None
        self._offer.close()
        self._give_reason_back()
        self.review.end()

    def _give_back(self, text: str) -> None:
        if text:
            self.post_message(self.Written(text))

    def _give_reason_back(self) -> None:
        self._give_back("" if self._abandoned else self._note.value)
        self._note.value, self._note.display, self._abandoned = "", False, False

    def _begin(self, pending: PendingPermission) -> None:
        self.review.end()
        self._pending, self._moved = pending, False
        if self.has_focus_within and not self.has_focus:
            self.screen.set_focus(self)
        self._give_reason_back()
        self._list_answers(pending, rule_line(self._offer.begin(pending)))

    def _list_answers(self, pending: PendingPermission, line: RuleLine | None) -> None:
        if self._options.begin_again(pending.request.options, line, self.session.agent_name):
            return
        options = AnswerList(pending.request.options, self.painted, line, self.session.agent_name)
        self._options.remove()
        self._options = options
        self.mount(options, after=self._end)

    def draw(self) -> None:
        if self._pending is not None:
            self._asking = self.session.whose(self._pending.request.session_id)
            room = room_for_name(cells_of(self) - 1, self.waits)
            self._asker = capitalised(asker(self._pending, self.session, room))
            self._subject = subject_of(self._pending, self.session)
            super().draw()

    def banner(self) -> Content:
        subject = self._subject.line if self._subject is not None else ""
        return banner(self._asker or self.session.agent_name, self.waits, subject)

    def heading(self) -> Content:
        """In the compact form what is asked about, by its own name."""
        if self.offers:
            return self._offer.heading()
        words, changed = self._headline if self._compact else Headline()
        said = f"{self._asker} needs permission" if self._asker else REQUIRED
        counts = zip(changed, COUNT_STYLES, strict=False)
        line = Content.assemble((f"△ {words or said}", LOUD), *counts, count(self.waits, cells_of(self)))
        return self.review.counted(line, cells_of(self) - 2)

    def meaning(self, event: Typed) -> Meaning:
        if self.screen.focused is self._note:
            return "field"
        if self.offers:
            return self._offer.meaning(event)
        return meaning_of(event, f"{self._options.keys or 'c'}v{'s' if self._has_sides else ''}")

    def move(self, step: int) -> bool | None:
        if self.offers:
            moved = self._offer.move(step)
            self.draw()
            return moved
        self._moved = True
        highlighted = self._options.highlighted
        before = self._options.height_needed, highlighted is None
        self._options.step(step)
        if self._options.cut_off or before != (self._options.height_needed, self._options.highlighted is None):
            self.draw()
        return None if self._options.highlighted == highlighted else self._options.highlights_always

    def mark(self, event: events.Key | None) -> None:
        """Highlight the answer that stands unless something follows; else what was highlighted before."""
        self._options.mark(self._options.index_for(event.character or "") if event is not None else None)

    def open_reason(self) -> bool:
        """Open the line for a reason, which rejects once."""
        rejects = None if self.offers else rejecting(self._options.offered)
        if rejects is not None:
            self._rejects, self._note.placeholder = True, REJECTING
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
        if self.offers:
            change = self._offer.change_for(event.key)
            return self._save if event.key == "enter" else partial(self._change_offer, change) if change else None
        acts: dict[str, Callable[[], object]] = {
            "enter": lambda: self._answer(self._options.highlighted),
            "escape": self.step_back,
            "tab": self._open_why,
            "v": self._show_full,
            "s": self._turn,
        }
        if self._note.display and not self._rejects:
            acts |= {key: partial(self.move, step) for key, step in ARROWS.items()}
        if not self._options.offered:
            acts["c"] = lambda: self._send(None)  # the turn
        if self._body.max_scroll_y:
            acts |= {"pageup": self._body.scroll_page_up, "pagedown": self._body.scroll_page_down}
        index = self._options.index_for(event.character or "") if event.is_printable else None
        return acts.get(event.key) if index is None else partial(self._answer, index)

    def _answer(self, index: int | None) -> None:
        line = self._options.line
        if index is not None and index < len(self._options.offered):
            self._send(self._options.offered[index])
        elif index is not None and index == self._options.rule_at:
            self._open_offer()
        else:
            nothing = UNDECIDED if self._options.offered else NO_ANSWER
            say(self.app, nothing if index is None or line is None else line.text, 4)

    def _open_offer(self) -> None:
        """Show what rules are possible, in the place of the request, by a key of the user."""
        if self._offer.offer.mode:
            self.call_later(self.run_action, "screen.command('pick_mode')")
            return
        if self._note.display:
            self._open_why()
        self._offer.open(self._options.offered)
        self._redraw_offer()

    def _redraw_offer(self) -> None:
        self.draw()
        self.rule.by_key = True
        self.await_paint()

    def _change_offer(self, change: Callable[[], object]) -> None:
        self._offer.change(change)
        self.draw()

    def _save(self) -> None:
        option = self._offer.save(self._options.offered)
        if option is not None:
            self._send(option)
        else:
            self._redraw_offer()

    def _send(self, option: PermissionOption | None, typed: str | None = None) -> None:
        if self._pending is not None and self._pending.key not in self._answered:
            self._answered.add(self._pending.key)
            if self._note.display and typed is None:
                typed, self._note.value = self._note.value, ""
            note = self.review.reason(option, typed or "", self._asking.cwd)
            self.deliver(self.Answered(self._pending.key, option.option_id if option else None, note))

    def _open_why(self) -> None:
        """Open the line for a reason, or abandon it. The highlight goes to rejecting once, if offered, unless moved."""
        if self._note.display:
            self.screen.set_focus(self)
            self._note.display, self._abandoned = False, True
            if self._options.highlighted == rejecting(self._options.offered):
                self._options.highlight(self._before_reason)
            self.draw()
        elif self._options.offered:
            self._rejects, self._note.placeholder = False, REASON
            rejects = None if self._moved else rejecting(self._options.offered)
            self._open_note(self._options.highlighted if rejects is None else rejects)
        else:
            self._answer(None)

    def _open_note(self, highlighted: int | None) -> None:
        self._note.display, self._abandoned = True, False
        self._before_reason = self._options.highlighted
        self.screen.set_focus(self._note)
        self._options.highlight(highlighted)
        self.draw()

    def step_back(self) -> None:
        if self.offers:
            self._offer.close()
            self._redraw_offer()
            return
        if self._note.display and not self._rejects:
            self._open_why()
            return
        if self._note.display:
            self._options.highlight(self._before_reason)
        if self._note.display and self._note.value:
            self.let_go()
            self._give_reason_back()
        else:
            super().step_back()

    def _turn(self) -> None:
        self._layout_shown = "split" if self._layout_shown == "unified" else "unified"
        self.draw()

    def _show_full(self) -> None:
        pending = self._pending
        if pending is None or self._subject is None:
            return

        def returned(layout: Layout | None) -> None:
            self._layout_shown = layout or self._layout_shown
            if self.review.count and not self._moved:
                self._options.highlight(rejecting(self._options.offered))
            self.draw()

        def answer(option: PermissionOption | None, reason: str) -> None:
            if self._pending is pending and option is None:
                self._open_offer()
            elif self._pending is pending:
                self._send(option, reason)
            else:
                say(self.app, "The agent is no longer waiting for this answer", 4, "warning")
                self._give_back(reason)

        units, pane = partial(subject_units, self._subject, self._asking), self.review.pane(self._asking.cwd)
        self.app.push_screen(RequestScreen(units, self._layout_shown, pane, self._options, answer), returned)

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
