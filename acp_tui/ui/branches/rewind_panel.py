"""The rewind dialog: your messages, and what rewinding to the highlighted one would do."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from textual import events
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.host.revert.steps import Step
from acp_tui.host.system.threads import Latest
from acp_tui.ui.branches.rewind import NAMES, NAMINGS, WAYS, EarlierMessage, FilesSince, RewindSource, Way, in_one_line
from acp_tui.ui.kit.answer_rule import NEVER, Meaning
from acp_tui.ui.kit.key_routing import Typed, meaning_of
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.picker import AskingList
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import ACCENT, KEY, MOVE, MUTED, Hint, key_hints
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.undo.undo_panel import StepChoice, fitted, notes_panel
from acp_tui.views.row_search import SearchIndex, SearchTexts

Row = ListRow[EarlierMessage]
CANCEL: Hint = ("esc", "cancel")
COMPARING = "Comparing files…"
TOO_EARLY = "Too early: press enter again"
NONE_CHOSEN = "No files selected: → selects them, Tab leaves them out"
WIDEST, SHARE = 132, 0.92  # cells of the panel, and its part of a screen that is not short
ROOMY = 24  # rows of a screen, from which the panel leaves some of it blank
NARROW = 100  # cells of a screen, below which the preview stands under the messages
GAP = 2  # cells between the messages and their preview
AROUND, AROUND_SHORT = 10, 4  # rows beside messages and preview; a short panel has no gaps
SIDES, SIDES_SHORT = 6, 4  # cells beside the words: border and padding
LIST_SHARE = 0.45  # of the messages
NOTES_SHARE = 3  # the notes take at most this part of the rows
LEAST, CALM = 2, 4  # rows of the messages; so many where their preview stands beside them
PREVIEW = 15  # rows that the preview may have where the messages are fewer


class Rewound(NamedTuple):
    """What the user agreed to: the message, how far, and the files, if any are among it."""

    message: EarlierMessage
    way: Way
    back: FilesSince
    files: StepChoice | None


class SteadyHeight(Container):
    """It grows with what it holds and does not shrink again: the dialog must not jump while the highlight moves."""

    def on_resize(self, event: events.Resize) -> None:
        self.styles.min_height = event.size.height


class RewindPanel(AskingList[EarlierMessage, Rewound | None]):
    """Tab changes what is rewound, Enter does it; → goes to the files, which Space selects.

    Enter counts only for the preview that is on the screen. No row is read before it is seen: 10,000 messages are
    listed in 0.1 s, and would take 0.8 s to be made safe to show.
    """

    TITLE, FILTER, PANEL = "Rewind", "Type to filter", "rewind-panel"
    KEYS = (
        PanelKey("enter", lambda panel: panel.does, "agree"),
        PanelKey("tab", "", "turn(1)"),  # its hint stands beside the ways
        PanelKey("shift+tab", "", "turn(-1)"),
        PanelKey("right", "choose files", "enter_files", lambda panel: panel.has_files and not panel.in_files),
        PanelKey("left", "messages", "leave_files", lambda panel: panel.in_files),
        PanelKey("space", "select", "toggle_file", lambda panel: panel.in_files),
        PanelKey("a", "all", "toggle_all", lambda panel: panel.in_files),
        PanelKey("v", "diff", "show_step", lambda panel: panel.in_files),
        PanelKey("question_mark", "notes", "show_notes", lambda panel: panel.in_files and not panel.all_notes),
        MOVE,
        CANCEL,
    )

    def __init__(
        self,
        source: RewindSource,
        show: Callable[[Step], object],
        at: EarlierMessage | None = None,
        way: Way = "both",
    ) -> None:
        """`show` opens what a step would change; `at` is the message to begin with, without it the last one."""
        super().__init__()
        self._source, self._show, self._at, self.way = source, show, at, way
        self._rows = [ListRow(partial(_drawn, source, each), each) for each in reversed(source.messages)]
        self._backs: dict[EarlierMessage, tuple[FilesSince, StepChoice | None]] = {}
        self._drawn_for: tuple[EarlierMessage | None, Way] = (None, way)
        self._ways, self._about, self._notes = Static(), Static(), Static()
        self._steps, self._sides = RowList[int](), SteadyHeight()
        self._comparing = Latest(self.run_worker, self._compare)
        self.in_files, self.all_notes = False, True

    def content(self) -> Sequence[Widget]:
        self._ways.add_class("rewind-ways")
        preview = Vertical(self._about, self._steps, self._notes, classes="rewind-preview")
        self._sides = SteadyHeight(self.rows, preview, classes="rewind-sides")
        return [self._ways, self._sides]

    def start(self) -> None:
        self.fit()
        self.fill(lambda message: message is self._at)

    def fit(self) -> None:
        size = self.app.size
        few, narrow = size.height < ROOMY, size.width < NARROW
        self.set_class(few, "-few")
        self.set_class(narrow, "-narrow")
        width = size.width if few or narrow else min(WIDEST, int(size.width * SHARE))
        self.query_one(".rewind-panel").styles.width = width
        self._width = width - (SIDES_SHORT if few else SIDES)
        room = size.height - AROUND_SHORT if few else int(size.height * SHARE) - AROUND
        most = max(LEAST, room // 2 - 1 if narrow else room - 1)
        self.list.styles.height = rows = min(most, max(LEAST if narrow else CALM, len(self._rows)))
        self._room = max(LEAST, room - 1 - rows if narrow else min(room, max(rows + 1, PREVIEW)))
        self._sides.styles.min_height = 0
        self.rows.styles.width = "100%" if narrow else int(self._width * LIST_SHARE)
        self._side = self._width if narrow else self._width - int(self._width * LIST_SHARE) - GAP
        self._draw()

    def listed(self) -> Sequence[Row]:
        return self._index.find(self.query_typed) if self.query_typed else self._rows

    @cached_property
    def _index(self) -> SearchIndex[Row]:
        return SearchIndex(self._rows, lambda row: SearchTexts((row.value.searched,) if row.value else ()))

    @property
    def has_files(self) -> bool:
        return self._choice is not None and self.way != "talk"

    @property
    def does(self) -> str:
        """What Enter does now, in a word or two; nothing while it would be refused."""
        choice = self._choice
        if self._back is None or (choice is None and self.way == "files"):
            return ""
        if self.way == "talk" or choice is None:
            return "edit this message"
        if not choice.steps:
            return ""
        edits = (" and edit", ", edit", "") if self.way == "both" else ("",)
        ways = [f"undo {choice.files}{each}" for each in edits]
        return next((each for each in ways if _fits([("enter", each), CANCEL], self._width)), ways[-1])

    @property
    def _told(self) -> list[str]:
        """What Enter does, a line each, before the files."""
        message, back, choice = self.list.value, self._back, self._choice
        if message is None or back is None:
            return [COMPARING] if message is not None else []
        return self._source.about(message, back, self.way, choice.chosen if choice is not None else ())

    @property
    def _back(self) -> FilesSince | None:
        found = self._backs.get(self.list.value) if self.list.value is not None else None
        return found[0] if found else None

    @property
    def _choice(self) -> StepChoice | None:
        found = self._backs.get(self.list.value) if self.list.value is not None else None
        return found[1] if found else None

    # The rule of answers

    def meaning(self, event: Typed) -> Meaning:
        """While messages are chosen, the filter has the keys; Enter answers as everywhere."""
        key = event.key if isinstance(event, events.Key) else ""
        if self.in_files or key in ("enter", "escape"):
            return meaning_of(event, "", " av?" if self.in_files else "")
        return "field"

    def counts(self, _event: events.Event) -> bool:
        """All keys but those under the rule only change what is shown."""
        return True

    def on_key(self, event: events.Key) -> None:
        if self.in_files:
            event.prevent_default()  # of the filter

    def move(self, step: int) -> bool | None:
        self._lit.move(step)
        return False

    def action_move(self, step: int) -> None:
        self._lit.move(step)

    def action_page(self, step: int) -> None:
        self._lit.page(step)

    @property
    def _lit(self) -> RowList[Any]:
        return self._steps if self.in_files else self.list

    def leave(self) -> bool:
        if self.in_files:
            self.action_leave_files()
            return True
        return super().leave()

    # What is shown

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self.list.value is not self._drawn_for[0]:
            self._draw()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click highlights a message, or selects a file; Enter does it."""
        event.stop()
        event.prevent_default()
        if isinstance(event.value, int) and self.click_counts():
            self._toggle(event.value)

    async def _compare(self) -> None:
        """Compare the files with those of the message that is highlighted, once."""
        message = self.list.value
        if message is not None and message not in self._backs:
            back = await self._source.files_since(message)
            self._backs[message] = back, StepChoice(back.preview) if back.preview is not None else None
            self._draw()

    def _draw(self) -> None:
        """Show what is so now; answers count from when that is painted, and never while files are compared."""
        message, back = self.list.value, self._back
        self._drawn_for = message, self.way
        self.in_files = self.in_files and self.has_files
        self._ways.update(ways_line(self.way, self._width))
        shown = self._choice if self.has_files else None
        more = "?" if self.in_files else "→ ?" if shown else ""
        lines, all_lines = fitted(self._told, self._side, self._room, more)
        self._about.update(Content("\n").join(lines))
        rows = shown.rows(self._side - GAP) if shown else []
        wanted, gaps = sum(row.lines for row in rows), 2 * (not self.has_class("-few"))
        most = max(1, self._room // NOTES_SHARE, self._room - len(lines) - wanted - gaps)
        notes, all_notes = fitted(shown.notes if shown else [], self._side, most, more)
        self.all_notes = all_lines and all_notes
        self._notes.update(Content("\n").join(notes))
        self._notes.display, self._steps.display = bool(notes), shown is not None
        self._steps.styles.height = max(1, min(self._room - len(lines) - len(notes) - gaps, wanted))
        self._steps.fill(rows, min(self._steps.highlighted or 0, len(rows) - 1) if self.in_files else None)
        if not self.in_files:
            self._steps.highlighted = None  # it is in the other list
        self._hints.show(self.hints())
        if message is not None and back is None:
            self.rule.await_paint()
            self._comparing.ask()
        else:
            self.await_paint()

    # What is done

    def action_turn(self, step: int) -> None:
        self.way = WAYS[(WAYS.index(self.way) + step) % len(WAYS)]
        self._draw()

    def action_enter_files(self) -> None:
        self.in_files = True
        self.set_focus(None)
        self._draw()

    def action_leave_files(self) -> None:
        self.in_files = False
        self.rows.line.focus()
        self._draw()

    def action_toggle_file(self) -> None:
        if self._steps.value is not None:
            self._toggle(self._steps.value)

    def _toggle(self, at: int) -> None:
        if self._choice is not None and (refusal := self._choice.toggle(at)):
            self._refuse(refusal)
        self._draw()

    def action_toggle_all(self) -> None:
        if self._choice is not None:
            self._choice.toggle_all()
            self._draw()

    def action_show_step(self) -> None:
        if self._choice is not None and self._steps.value is not None:
            self._show(self._choice.preview.steps[self._steps.value])

    def action_show_notes(self) -> None:
        if self._choice is not None:
            self.app.push_screen(notes_panel([*self._told, *self._choice.notes]))

    def action_agree(self) -> None:
        message, back, choice = self.list.value, self._back, self._choice
        if message is None:
            self._refuse("Nothing to select")
        elif back is None or self.rule.painted == NEVER or self._drawn_for != (message, self.way):
            self._refuse(TOO_EARLY)
        elif self.way == "files" and choice is None:
            self._refuse(sanitise_line(back.said, 200))
        elif self.has_files and choice is not None and not choice.steps:
            self._refuse(NONE_CHOSEN)
        else:
            self.dismiss(Rewound(message, self.way, back, choice if self.has_files else None))

    def _refuse(self, words: str) -> None:
        say(self.app, words, 4)


def ways_line(way: Way, room: int) -> Content:
    """All ways in one row, and the key that changes them: with shorter names for less room (cells)."""
    lines = [_ways_named(way, NAMES, "   ", "what to rewind")]
    lines += [*(_ways_named(way, names, word="change") for names in NAMINGS), _ways_named(way, NAMINGS[-1])]
    return next((each for each in lines if each.cell_length <= room), lines[-1])


def _ways_named(way: Way, names: Mapping[Way, str], gap: str = "  ", word: str = "") -> Content:
    parts = [
        Content.assemble(("● ", ACCENT), (names[each], "bold"))
        if each == way
        else Content.styled(f"○ {names[each]}", MUTED)
        for each in WAYS
    ]
    return Content(gap).join([*parts, Content.assemble(("tab", KEY), (f" {word}", MUTED))]).rstrip()


def _fits(hints: Sequence[Hint], room: int) -> bool:
    return key_hints(hints).cell_length <= room


def _drawn(source: RewindSource, message: EarlierMessage, width: int) -> Content:
    right = source.detail(message)
    left = in_one_line(message.entry, max(8, width - len(right) - 3))
    line = Content.styled(left, "")
    return Content.assemble(line, " " * max(2, width - line.cell_length - len(right) - 1), (right, MUTED))
