"""A permission request as large as the screen, and the comments on its lines."""

from collections.abc import Callable, Sequence

from textual import events, on
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.protocol.vocabulary.tool_calls import PermissionOption
from acp_tui.session.text.phrases import counted
from acp_tui.ui.changes.comments import Comment, Comments
from acp_tui.ui.changes.review_pane import ReadMarks, ReviewPane
from acp_tui.ui.changes.review_session import prompt_of
from acp_tui.ui.entries.diff_units import Layout
from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import Typed, meaning_of
from acp_tui.ui.kit.line_editor import SafeInput
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.picker import Asking
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import MOVE, MUTED, Hint, key_hints
from acp_tui.ui.questions.docked_panel import LOUD
from acp_tui.ui.questions.permission_options import RULE, RULE_KEY, AnswerList, OptionRow, out_of_sight
from acp_tui.ui.questions.subject_screen import BESIDE, EDGES, WAITING, SubjectScreen, Units
from acp_tui.ui.render.text import sanitise
from acp_tui.views.permissions import LETTERS, option_for

REJECTING = "No, and tell the agent…"
REQUIRED = "Permission required"
NARROW = {"y": "yes", "Y": "always", "n": "no", "N": "never", RULE_KEY: "rule", "tab": "reason"}
HINTS_PADDING = 5  # cells around the row of hints
ANSWERS = f"yYnN{RULE_KEY}"
DIGITS = "123456789"  # which answer where the rows of the options show them
LEAST_ROWS, SHARE = 20, 3  # of a screen with these rows, and the part of it that they take at most
REJECTS = ("reject_once", "reject_always")
WRITING: tuple[Hint, ...] = (("enter", "reject with this reason"), ("esc", "back"))
Answer = Callable[[PermissionOption | None, str], object]


class RequestScreen(SubjectScreen, Asking[Layout]):
    """A request with its answers; once it has left, `answer` gets the option and the reason, None for a rule."""

    DEFAULT_CSS = """
    RequestScreen #request-note { height: 1; margin: 1 0 0 0; padding: 0 1; border: none; background: $surface; }
    RequestScreen AnswerList { margin: 1 0 0 0; }
    """
    KEYS = (
        PanelKey("y", "allow once", lambda full: full.answer("y"), lambda full: full.offers("y")),
        PanelKey("Y", "allow always", lambda full: full.answer("Y"), lambda full: full.offers("Y")),
        PanelKey("n", lambda full: full.rejection, lambda full: full.answer("n"), lambda full: full.offers("n")),
        PanelKey("N", "reject always", lambda full: full.answer("N"), lambda full: full.offers("N")),
        PanelKey(*RULE, lambda full: full.answer(RULE_KEY), lambda full: full.offers(RULE_KEY)),
        PanelKey("tab", "add a reason", "write_reason", lambda full: full.offers("n")),
        *SubjectScreen.KEYS,
    )

    def __init__(self, units: Units, layout: Layout, pane: ReviewPane, answers: AnswerList, answer: Answer) -> None:
        super().__init__(units, layout, pane)
        self._options, self._rows, self._answer = answers.offered, answers.again(), answer
        self._marked = ""
        self._note = SafeInput(placeholder=REJECTING, compact=True, id="request-note")
        self._note.display = False
        self.rule.by_key = True

    @property
    def waits(self) -> bool:
        return True

    def below(self) -> Sequence[Widget]:
        return (self._rows, self._note)

    def show_hints(self) -> None:
        """The options stand in rows of their own where there are rows for both."""
        width, height = self.app.size
        self._rows.fit_whole(width - BESIDE, height // SHARE if height >= LEAST_ROWS else 0)
        super().show_hints()

    def on_resize(self) -> None:
        self.show_hints()

    def offers(self, letter: str) -> bool:
        if letter == RULE_KEY:
            return self._rows.rule_at is not None
        return option_for(letter, self._options) is not None and (letter in LETTERS.values() or self._rows.display)

    @property
    def rejection(self) -> str:
        """The word for n."""
        finished = len(self.pane.commenting.comments.finished)
        return f"reject with {counted(finished, 'comment')}" if finished else "reject once"

    def hints(self) -> list[Hint]:
        if self._note.display:
            return list(WRITING)
        found = super().hints()
        answers = [hint for hint in found if hint[0] in NARROW]
        shown = "tab", *(["n"] if self.pane.commenting.comments.finished else [])
        own = [hint for hint in answers if not self._rows.display or hint[0] in shown]
        if self._marked and not self._rows.display:
            return [hint for hint in own if hint[0] == self._marked]
        rest = [hint for hint in found if hint not in answers]
        scroll = next((hint for hint in rest if hint[0] == MOVE[0]), MOVE)
        if not self._rows.display and not self._have_room(found):
            own = [(key, NARROW[key]) for key, _ in own]
        return [*own, scroll, *(hint for hint in rest if hint != scroll)]

    def _have_room(self, hints: Sequence[Hint]) -> bool:
        return key_hints(hints).cell_length <= self.size.width - HINTS_PADDING

    def show_title(self) -> None:
        """The keys that scroll stand next to the title if their own row has no room for them."""
        needed = [hint for hint in self.hints() if hint[0] in (*NARROW, MOVE[0], "esc")]
        keys = key_hints([] if self._have_room(needed) else [hint for hint in needed if hint[0] == MOVE[0]])
        room = self.size.width - EDGES
        lines, required = self.pane.lines, Content.styled(f"{WAITING} {REQUIRED}", LOUD)
        unseen = out_of_sight(int(lines.scroll_y), int(lines.max_scroll_y - lines.scroll_y))
        unseen = unseen if required.cell_length + unseen.cell_length + 2 <= room else Content("")
        title = self.title_line(room) if self._heads else Content.assemble(required, "  ", unseen).rstrip()
        free = room - keys.cell_length - 2
        if title.cell_length > free and self._heads and self.names_all(free):
            title = self.title_line(free)
        keys = keys if title.cell_length <= free else Content("")
        self._title.update(Content.assemble(title, "  ", keys).rstrip())

    def meaning(self, event: Typed) -> Meaning:
        """Only letters and the key of a rule answer; all other keys do what they do without a question."""
        if self.focused is self._note:
            return "field"
        if self.pane.commenting.writing:
            return "other"
        meaning = meaning_of(event, "".join(filter(self.offers, ANSWERS + DIGITS)))
        confirms = meaning == "enter" and self.rule.marked is not None
        return meaning if isinstance(event, events.Paste) or meaning in ("answer", "escape") or confirms else "other"

    def mark(self, event: events.Key | None) -> None:
        marked = (event.character or "") if event is not None else ""
        if marked != self._marked:
            self._marked = marked
            self._rows.mark(self._rows.index_for(marked) if marked else None)
            self.show_hints()

    def leave(self) -> bool:
        return False

    def answer(self, letter: str, reason: str = "") -> None:
        if self.offers(letter):
            self._send(option_for(letter, self._options), reason)

    def _send(self, index: int | None, reason: str = "") -> None:
        self.dismiss(self.shown)  # before the answer, or the next question would take this key for its own
        self._answer(None if index is None else self._options[index], reason)

    def on_key(self, event: events.Key) -> None:
        """A digit, or the key of a rule that is not possible, for the reason in its row."""
        key = event.character or " "
        if self._rows.display and self.focused is not self._note and not self.pane.commenting.writing:
            if key in DIGITS:
                self.answer(key)
            elif key == RULE_KEY and not self.offers(key):
                self._choose(len(self._rows.offered))

    def _choose(self, index: int) -> None:
        """Do what the row with this index is for."""
        if index < len(self._rows.offered) or index == self._rows.rule_at:
            self._send(index if index < len(self._rows.offered) else None)
        elif self._rows.line is not None:
            say(self.app, self._rows.line.text, 4)

    @on(OptionRow.Clicked)
    def _clicked(self, event: OptionRow.Clicked) -> None:
        event.stop()
        if self.click_counts():
            self._choose(event.index)

    def action_write_reason(self) -> None:
        self._note.display = True
        self._note.focus()
        self.show_hints()

    def action_step_back(self) -> None:
        if not self._note.display:
            super().action_step_back()
            return
        self._note.display = False
        self.pane.lines.focus()
        self.show_hints()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.answer("n", event.value)


class RequestReview:
    """The comments on the request that the panel shows: they go with its rejection, or stay with the session.

    `kept` gets those that went with no rejection.
    """

    def __init__(self, kept: Callable[[Sequence[Comment]], object]) -> None:
        self.comments, self.marks, self._kept = Comments(), ReadMarks(), kept

    @property
    def count(self) -> int:
        return len(self.comments.all)

    def pane(self, cwd: str) -> ReviewPane:
        return ReviewPane(self.comments, self.marks, cwd)

    def counted(self, line: Content, room: int) -> Content:
        """The line with how many comments there are, and in so many cells when they go."""
        if not self.count:
            return line
        short = Content.assemble(line, (f"  {counted(self.count, 'comment')}", "$user"))
        long = Content.assemble(short, (" · sent if rejected", MUTED))
        return long if long.cell_length <= room else short

    def end(self) -> None:
        """The request is answered otherwise, or gone: what was said of it is kept."""
        left, self.comments = self.comments.all, Comments()
        if left:
            self._kept(left)

    def reason(self, option: PermissionOption | None, typed: str, cwd: str) -> str:
        """What is said to the agent with an answer: the comments and what was typed, where it rejects."""
        rejects = option is None or option.kind in REJECTS
        finished = self.comments.finished if rejects else []
        self.comments.sent([each.number for each in finished])
        self.end()
        return "\n\n".join(filter(None, (prompt_of(finished, cwd), sanitise(typed).strip())))
