"""The options of a permission request, with their keys: number, letter, name and kind."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

from acp_tui.protocol.vocabulary.tool_calls import PermissionOption
from acp_tui.session.text.phrases import counted
from acp_tui.ui.entries.diff_units import Layout
from acp_tui.ui.kit.theme import MUTED, Hint, fitting, key_hints, turning
from acp_tui.ui.questions.docked_panel import LOW
from acp_tui.ui.render.text import cut
from acp_tui.views.permission_rules import RuleLine, saved_by
from acp_tui.views.permissions import (
    NAME_LIMIT,
    ONCE,
    both_sides,
    highlighted_first,
    letter_for,
    name_of,
    option_for,
    unsaid_kind,
)

NARROW = 90  # cells of the list, below which names speak for themselves; only one row has the owner of an "always"
FOLDED = 2  # rows of a name that is not highlighted
LEAST_BODY = 2  # rows of the subject that always show; beside many options a third of the rows
MOST_OPTIONS = 50  # that are shown; each is three widgets
RULE_KEY = "p"  # Codex's, for the same
ALWAYS = ("allow_always", "reject_always")
_BESIDE_NAME = 10  # cells: the padding, the sign with digit and letter, the scrollbar
_NO_OPTIONS = "The agent offers no options."


class _Painted(Static):
    """A part of the list that reports when it is painted."""

    def render_lines(self, crop: Region) -> list[Strip]:
        answers = next((each for each in self.ancestors if isinstance(each, AnswerList)), None)
        if answers is not None:
            answers.painted()
        return super().render_lines(crop)


class OptionNotes(NamedTuple):
    """What stands behind a name: the `kind`, in few cells only if the name implies it not (`terse`); its owner."""

    kind: str = ""
    terse: str = ""
    saver: str = ""


class OptionRow(Horizontal):
    """One option; a click answers with it."""

    DEFAULT_CSS = """
    OptionRow { height: auto; padding: 0 1; }
    OptionRow > .option-lead { width: 7; }
    OptionRow > .option-name { width: 1fr; height: auto; }
    OptionRow.-muted { color: $text-muted; }
    OptionRow.-highlighted { background: $warning 14%; text-style: bold; }
    /* The terminal's own colours do not blend: on a full ground the sign and the key would not be seen. */
    OptionRow:ansi.-highlighted { background: ansi_default; text-style: bold; }
    """

    @dataclass
    class Clicked(Message):
        """The user clicked on the option with this index."""

        index: int

    def __init__(self, index: int, text: str, key: str, notes: OptionNotes, *, folds: bool = True) -> None:
        """`key` is the letter that answers; the `notes` stand behind the text in grey, which is whole unless it
        `folds`.
        """
        self._index, self._text, self._notes, self._folds = index, text, notes, folds
        self._letter, self._letter_style = key, "$warning"
        self.lead, self._label = _Painted(classes="option-lead"), Static(classes="option-name")
        super().__init__(self.lead, self._label)

    @property
    def _digit(self) -> str:
        return str(self._index + 1) if self._index < 9 else " "

    def show(self, width: int, folded: int, *, terse: bool, highlighted: bool) -> int:
        """Draw the option in a list of that width, in `folded` rows unless it is highlighted. Gives its rows.

        What is allowed or rejected for more than once is never cut; no note takes a row of its own: before a long
        name its kind stays in sight, but a `terse` one has its kind only where that is "always" and has room. The
        highlight is a sign as well as a colour.
        """
        self.set_class(highlighted, "-highlighted")
        mark = "❯" if highlighted else " "
        self.lead.update(
            Content.assemble((f"{mark} ", "$warning"), (f"{self._digit} ", MUTED), (self._letter, self._letter_style))
        )
        room, notes, narrow = max(1, width - _BESIDE_NAME), self._notes, width < NARROW
        words = "" if terse and self._folds else notes.terse if narrow else notes.kind
        kind, saver = (Content.styled(each, f"not bold {MUTED}") for each in (words, notes.saver))
        rows = len(Content(self._text).wrap(room))
        forms = [Content.assemble(self._text, kind, saver)] if (highlighted or not narrow) and not terse else []
        forms += [Content.assemble(self._text, kind), *([Content(self._text)] if terse else [])]
        lines = next((wrapped for form in forms if len(wrapped := form.wrap(room)) == rows), [])
        if not lines or len(lines) > FOLDED:
            lines = Content.assemble(kind[2:], "  " if kind else "", self._text).wrap(room)
        if self._folds and not highlighted and len(lines) > folded:
            names = [line.plain for line in Content(self._text).wrap(room)]
            last = cut(" ".join(names[folded - 1 :]), max(1, room - kind.cell_length))
            lines = [*map(Content, names[: folded - 1]), Content.assemble(last, kind)]
        self._label.update(Content("\n").join(lines))
        return len(lines)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Clicked(self._index))


class RuleRow(OptionRow):
    """The row of ours: it answers nothing, but leads to a rule for the next such requests, or to the reason why not."""

    _digit = " "

    def __init__(self, index: int, line: RuleLine, saver: str) -> None:
        super().__init__(index, line.text, RULE_KEY, OptionNotes(saver=saver))
        self.set_class(line.muted, "-muted")
        if line.muted:
            self._letter_style = MUTED


def _row_of(index: int, options: Sequence[PermissionOption], saver: str) -> OptionRow:
    """An option as a row; `saver` names the owner of an "always"."""
    option = options[index]
    always = f"  {saver}" if saver and option.kind in ALWAYS else ""
    notes = OptionNotes(unsaid_kind(option), unsaid_kind(option, terse=True), always)
    return OptionRow(index, name_of(option), letter_for(index, options), notes, folds=option.kind in ONCE)


class AnswerList(VerticalScroll, can_focus=False):
    """The options in the agent's order, below them the row of ours if there is one, and which one Enter is for, if any.

    That row has the index behind those of the options.
    """

    DEFAULT_CSS = """
    AnswerList { height: auto; scrollbar-size-vertical: 1; scrollbar-background: $surface; }
    AnswerList > .option-note { padding: 0 1; color: $text-muted; }
    """

    def __init__(
        self,
        options: Sequence[PermissionOption],
        painted: Callable[[], None],
        line: RuleLine | None = None,
        agent: str = "",
    ) -> None:
        """`painted` is called once the options that `await_paint` was called for are on the screen. `line` is the row
        of ours, `agent` the name of who has an "always" of its own.
        """
        self._painted, self.line, self._given = painted, line, (options, line, agent)
        self._before_mark: tuple[int | None] | None = None
        self.offered = options[:MOST_OPTIONS]
        rule = line if options else None
        always = rule is not None and any(option.kind in ALWAYS for option in self.offered)
        self._rows = [
            _row_of(index, self.offered, saved_by(agent) if always else "") for index in range(len(self.offered))
        ]
        self.rule_at = len(self._rows) if rule is not None and not rule.muted else None
        self._ours = len(self._rows) if rule is not None else None
        if rule is not None:
            ours = f"  {saved_by('acp-tui')}" if always and rule.saves else ""
            self._rows.append(RuleRow(len(self._rows), rule, ours))
        self._heights = [1] * len(self._rows)
        self._note = _NO_OPTIONS if not options else ""
        if more := len(options) - len(self.offered):
            self._note = f"{counted(more, 'more option')} not shown"
        self._drawn, self._room = (0, FOLDED, False), (Size(), Size())
        self.awaits_paint = self.cut_off = False  # whether it has fewer rows than it needs
        self.highlighted = highlighted_first(self.offered)
        note = [_Painted(Content(self._note), classes="option-note")] if self._note else []
        super().__init__(*self._rows, *note)

    def begin_again(self, options: Sequence[PermissionOption], line: RuleLine | None, agent: str) -> bool:
        """Be the list of another request, if it has the same rows: to mount them takes 30 ms. Whether it has."""
        same = (options, line, agent) == self._given
        if same:
            self.mark(None)
            self.highlight(highlighted_first(self.offered))
        return same

    def again(self) -> "AnswerList":
        """The same rows for another screen, none of them highlighted."""
        options, line, agent = self._given
        other = AnswerList(options, self._painted, line, agent)
        other.highlighted = None
        return other

    def fit_whole(self, width: int, most: int) -> None:
        """Draw at that width with no name cut, if it takes at most so many rows; else it is not displayed."""
        self.fit(width, NAME_LIMIT)
        self.display = bool(self.offered) and self.height_needed <= most

    @property
    def height_needed(self) -> int:
        return sum(self._heights) + bool(self._note)

    def fit_rows(self, width: int, free: int, *, compact: bool, body: int = LEAST_BODY) -> int:
        """Draw at that width and take rows of those that are free: two thirds, more for a name that is never cut; but
        for a change of so many rows not more than half, where the screen is `LOW`.

        Without room for all options, those that are shown are whole; one that allows and one that rejects are there.
        """
        terse = compact and self.app.size.height <= LOW
        self.fit(width, 1 if compact else FOLDED, terse=terse)
        long = compact or any(rows > FOLDED for rows in self._heights)
        decisive = {*both_sides(self.offered), *([] if self.highlighted is None else [self.highlighted])}
        spare = min(free // 2, free - sum(self._heights[index] for index in decisive))
        least = max(LEAST_BODY, min(body, spare)) if terse else LEAST_BODY
        most = max(2, free - (least if long else max(LEAST_BODY, free // 3)))
        ours = self._ours if self._ours != self.highlighted else None  # which goes first
        need = self.height_needed
        if need > most:
            self.fit(width, 1, terse=terse)
            need = self.height_needed - (0 if ours is None else self._heights[ours])
        self.cut_off = need > most
        shown = self._in_sight(most) if self.cut_off else range(len(self.offered))
        if not self.cut_off and self._ours is not None and self.height_needed <= most:
            shown = range(len(self._rows))
        for index, row in enumerate(self._rows):
            row.display = index in shown
        rows = min(most, sum(self._heights[index] for index in shown) + bool(self._note))
        self.styles.height = rows
        return rows

    def _in_sight(self, most: int) -> Collection[int]:
        """The options for so many rows: what decides and what is highlighted, then whole ones around that."""
        at = self.highlighted or 0
        shown = {*both_sides(self.offered), at}
        room = most - bool(self._note) - sum(self._heights[index] for index in shown)
        for index in sorted(range(len(self.offered)), key=lambda index: abs(index - at)):
            if index not in shown and self._heights[index] <= room:
                shown.add(index)
                room -= self._heights[index]
        return shown

    def fit(self, width: int, folded: int, *, terse: bool = False) -> None:
        if (width, folded, terse) != self._drawn:
            self._drawn = width, folded, terse
            for index in range(len(self._rows)):
                self._show(index)

    @property
    def highlights_always(self) -> bool:
        """Whether Enter would answer for more than this request, or lead to that."""
        at = self.highlighted
        return at is not None and (at == self.rule_at or self.offered[at].kind not in ONCE)

    @property
    def choosable(self) -> int:
        """How many rows the highlight can reach."""
        return len(self.offered) + (self.rule_at is not None)

    @property
    def rule_is_unseen(self) -> bool:
        """Whether the row of ours, which can be chosen, has no room."""
        return self.rule_at is not None and not self._rows[self.rule_at].display

    @property
    def keys(self) -> str:
        """Those that answer now, by the digits and letters that are shown."""
        shown = [index for index, row in enumerate(self._rows[: len(self.offered)]) if row.display]
        digits = (str(index + 1) for index in shown if index < 9)
        rule = RULE_KEY if self._ours is not None else ""  # without room it stands among the hints
        return "".join((*digits, *(letter_for(index, self.offered) for index in shown), rule))

    def index_for(self, key: str) -> int | None:
        """The index of the row that a digit or a letter is for."""
        return self._ours if key == RULE_KEY else option_for(key, self.offered)

    def mark(self, index: int | None) -> None:
        """Highlight the option that is answered unless something follows; else what was highlighted before."""
        if index is not None and self._before_mark is None and index in (*range(len(self.offered)), self.rule_at):
            self._before_mark = (self.highlighted,)
            self.highlight(index)
        elif index is None and self._before_mark is not None:
            [before], self._before_mark = self._before_mark, None
            self.highlight(before)

    def step(self, by: int) -> None:
        last = len(self.offered) - 1 if self.rule_at is None else self.rule_at
        if self.highlighted is not None:
            self.highlight(max(0, min(self.highlighted + by, last)))
        elif self.offered:
            self.highlight(0 if by > 0 else last)

    def highlight(self, index: int | None) -> None:
        before, self.highlighted = self.highlighted, index
        for number in (before, index):
            if number is not None:
                self._show(number)
        if index is not None:
            self.call_after_refresh(self.scroll_to_widget, self._rows[index], animate=False)

    def laid_out(self) -> None:
        """Whatever room there is, the first row of what Enter answers with is in sight, at first too.

        A new widget has no Resize of Textual's where somebody asked for its region before the first layout.
        """
        before, self._room = self._room, (self.size, self.virtual_size)
        if before != self._room and self.highlighted is not None:
            self.scroll_to_widget(self._rows[self.highlighted].lead, animate=False)

    def await_paint(self) -> None:
        self.awaits_paint = True
        for child in self.query(_Painted):
            child.refresh()

    def painted(self) -> None:
        if self.awaits_paint:
            self.awaits_paint = False
            self._painted()

    def _show(self, index: int) -> None:
        width, folded, terse = self._drawn
        self._heights[index] = self._rows[index].show(width, folded, terse=terse, highlighted=index == self.highlighted)


WRITING = {
    "reason": (("enter", "confirm with reason"), ("↑↓", "select"), ("esc", "back")),
    "reject": (("enter", "reject with message"), ("esc", "to prompt")),
}
CONFIRM, SELECT, SAY_WHY = ("enter", "confirm"), ("↑↓", "select"), ("tab", "add a reason")
FULL = ("v", "full screen")
RULE: Hint = (RULE_KEY, "don't ask again")
CANCEL: Hint = ("c", "cancel the turn")


def hints(
    room: int,
    *,
    writing: str = "",
    diffs: bool,
    layout: Layout,
    answer: bool | None = True,
    options: int = 0,
    rule: bool = False,
) -> Content:
    """The keys that do something now, as many as have room in so many cells; those that one finds alone go first.

    `writing` is why text is written: as a `reason` for the highlighted answer, or to `reject`. `answer`: whether an
    option is highlighted; it is None where there are no options. `options` is how many there are where not all of
    them are in sight; `rule`: the row of ours is not.
    """
    turned, select = turning(layout), ("↑↓", counted(options, "option")) if options else SELECT
    reading = [
        CONFIRM,
        select,
        SAY_WHY,
        *([RULE] if rule else []),
        FULL,
        *([turned] if diffs else []),
        ("esc", "later"),
    ]
    said = [select if hint[0] == "↑↓" else hint for hint in WRITING[writing]] if writing else reading
    if answer is None:
        said = [CANCEL, *reading[3:]]
    elif not answer:
        said = said[1:]
    found_alone = [SELECT] if answer else []
    shown = fitting(said, room, (*found_alone, turned, SAY_WHY, CONFIRM, FULL, RULE, select))
    short = [(hint[0], "full") if hint == FULL else hint for hint in said if hint in (FULL, *shown)]
    return key_hints(short if FULL not in shown and key_hints(short).cell_length <= room else shown)


def out_of_sight(above: int, below: int, *, word: str = "row", more: bool = False, cut_line: str = "") -> Content:
    """How many rows of the request, or lines by the `word` for them, are below what is shown, else rows above it;
    `more`: there are more than these.

    `cut_line` is the key that shows a line whole, where one of the request is not.
    """
    if below or cut_line:
        rows = [f"{below:,}{'+' if more else ''} more {word}{'' if below == 1 else 's'}"] if below else []
        words = ", ".join([*rows, *(["a line cut"] if cut_line else [])])
        return Content.styled(f"… {words}{f' · {cut_line}' if cut_line else '  pgdn'}", "$warning")
    return Content.styled(f"… {counted(above, 'row')} above  pgup" if above else "", MUTED)
