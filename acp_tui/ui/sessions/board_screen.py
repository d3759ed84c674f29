"""The board on the screen: all open sessions in sections, and the highlighted request, which is answered there."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, ClassVar, Literal

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Static

from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.startup import late
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.base_screens import LEAVING, ROWS, SHORT, Closable
from acp_tui.ui.kit.key_routing import Asker
from acp_tui.ui.kit.list_panel import KeyedWidget, PanelKey, PanelKeys
from acp_tui.ui.kit.picker import AnswerChoice
from acp_tui.ui.kit.row_list import ListRow, RowList, grouped
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import CLOSE, FAINT, MOVE, MUTED, HintLine, palette_of
from acp_tui.ui.questions.permission_panel import PermissionPanel
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, painted, sanitise_line
from acp_tui.ui.sessions.board_panel import BoardPanel
from acp_tui.ui.sessions.tabs import Tab, Tabs
from acp_tui.ui.status.toasts import ToastLines
from acp_tui.views.board import HEADINGS, BoardRow, label_of, rows_of, total_of, words_of
from acp_tui.views.permissions import ONCE, identical_to, name_of, subject_of
from acp_tui.views.row_search import PickerRow

PEEKED = 10  # rows of a transcript
LOOK_BACK = 40  # entries among which its last rows are looked for
NAME_AT_MOST = 28  # cells
WIDEST = 130  # cells of a row: further to the right a time belongs to nothing
NARROW = 64  # cells of a row below which it is two
DRAWINGS = "acp_tui.ui.entries.drawings"


class BoardList(RowList[BoardRow]):
    """The sections; where the first row of one is out of sight, so is its heading."""

    def place_in(self, rows: Sequence[ListRow[BoardRow]], before: BoardRow | None) -> int | None:
        """The place among other rows of the one that was highlighted `before`, else what has its place now."""
        if before is None:
            return None
        places = [(at, row.value) for at, row in enumerate(rows) if row.value is not None]
        same = next((at for at, value in places if value.stands_for(before)), None)
        if same is None and not isinstance(before.asked, PendingPermission):  # a session is in one row, or in several
            same = next((at for at, value in places if value.opened.session is before.opened.session), None)
        at = self.highlighted or 0
        return next((place for place, _ in places if place >= at), places[-1][0]) if same is None else same

    def _strip(self, place: int, width: int) -> Strip:
        index, _ = self._lines[place]
        if place == self._top + self.size.height - 1 and self.rows[index].value is None:
            return Strip.blank(width, self.rich_style)
        return super()._strip(place, width)


class BoardScreen(Closable[Tab], KeyedWidget):
    """The board over the session that is shown; the result is the session to open.

    What is asked is answered by the keys of its panel, below the list, and each other key is the list's.
    """

    AUTO_FOCUS = ""
    VERTICAL_BREAKPOINTS = ROWS
    KEYS: ClassVar[PanelKeys] = (
        MOVE,
        PanelKey("enter", "open", "open"),
        PanelKey("space", lambda board: board.peek_word, "peek"),
        PanelKey("X", "cancel the turn", "cancel", lambda board: board.is_active_turn),
        PanelKey(
            "equals_sign",
            lambda board: f"answer {len(board.alike)} identical",
            "answer_alike",
            lambda board: len(board.alike) > 1,
        ),
        CLOSE,
    )
    BINDINGS = [
        Binding("up,k,ctrl+p", "move(-1)", show=False),
        Binding("down,j,ctrl+n", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding(",".join(LEAVING), "close", show=False),
        Binding("ctrl+l", "app.redraw", show=False),
    ]
    DEFAULT_CSS = """
    BoardScreen { background: $background; }
    BoardScreen > #board-head { height: 1; margin: 1 3; text-wrap: nowrap; }
    BoardScreen > RowList { height: 1fr; margin: 0 2; }
    BoardScreen > ToastLines.-empty { display: none; }
    BoardScreen > HintLine { height: 1; margin: 1 3; }
    BoardScreen.-short > #board-head, BoardScreen.-short > HintLine { margin: 0 3; }
    """

    asked = True  # news wait: no row may move under the user's hands

    def __init__(self, tabs: Tabs) -> None:
        super().__init__()
        self.opened_by = BY_ID["show_board"].ways
        self._tabs = tabs
        self.alike: Sequence[PendingPermission] = ()  # the highlighted request and all that are identical to it
        self.panel = BoardPanel(tabs.entries[0])
        self._fresh: dict[tuple[object, ...], ListRow[BoardRow]] = {}  # what was drawn in this second
        self._row: BoardRow | None = None  # that is highlighted
        self._peeked: BoardRow | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self.list = BoardList()
        self._head, self._hints = Static(id="board-head"), HintLine()

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.list
        yield ToastLines(classes="-empty")
        yield self.panel
        yield self._hints

    def on_mount(self) -> None:
        self._unsubscribe = self._tabs.changes.subscribe(self.refill)
        self.set_interval(1.0, self._tick)
        self.refill(by_key=True)

    def on_unmount(self) -> None:
        self._unsubscribe()

    def on_resize(self) -> None:
        self.refill()

    def on_screen_resume(self) -> None:
        self._show_row(by_key=True)
        if self.panel.opened:
            self.panel.await_paint()
            self.panel.rule.by_key = True

    @property
    def asker(self) -> Asker | None:
        return self.panel if self.panel.opened else None

    def take_text(self, reason: bool = False) -> Literal["", "reason"]:
        """Have the line for a reason to reject take what is typed; there is no prompt here."""
        return "reason" if reason and self.panel.open_reason() else ""

    @property
    def peek_word(self) -> str:
        return "hide" if self._is_peeked(self._row) else "peek"

    @property
    def is_active_turn(self) -> bool:
        return self._row is not None and self._row.opened.session.turn.active

    def _tab_of(self, session: Session) -> Tab:
        return next(tab for tab in self._tabs.entries if tab.session is session)

    # What is shown

    def refill(self, *, by_key: bool = False) -> None:
        """Show all rows as they are now, with the highlight on the same one, else on what has its place."""
        opened = self._tabs.opened()
        rows = rows_of(opened)
        width = min(NAME_AT_MOST, max(cell_len(each.name) for each in opened), self.size.width // 3)
        digits = len(str(len(opened)))
        lines = 1 + (self.size.width < NARROW)  # once: Textual's `size` costs 25 µs, and there may be 1,000 rows
        listed: list[tuple[str, ListRow[BoardRow]]] = []
        for section, members in groupby(rows, key=lambda row: row.section):
            found = list(members)
            listed += [
                (f"{HEADINGS[section]}  {len(found):,}", self._listed(row, (digits, width), lines)) for row in found
            ]
        shown = grouped(listed, apart=True)
        self.list.fill(shown, self.list.place_in(shown, self._row))
        self._head.update(self._heading(total_of(label_of(each, current=False) for each in opened).parts), layout=False)
        self._show_row(by_key=by_key)

    def _heading(self, counts: Sequence[tuple[str, str]]) -> Content:
        parts = [part for each in counts for part in (("   ", ""), each)]
        return Content.assemble(("Board", "bold"), painted(parts))

    def _is_peeked(self, row: BoardRow | None) -> bool:
        return row is not None and self._peeked is not None and self._peeked.stands_for(row)

    def _listed(self, row: BoardRow, columns: tuple[int, int], lines: int) -> ListRow[BoardRow]:
        """A row of the list; one that needs the user is drawn once a second: 24 rows take 16 ms."""
        if self._is_peeked(row):
            below = last_rows(row.opened.session, self.size.width - 12, palette_of(self.app))
            return ListRow(partial(_drawn, row, columns, below), row, lines + len(below))
        listed = ListRow(partial(_drawn, row, columns, ()), row, lines)
        if row.section != "needs":
            return listed
        return self._fresh.setdefault((id(row.asked), row.opened.number, row.opened.name, columns, lines), listed)

    def _tick(self) -> None:
        """Times go on."""
        self._fresh.clear()
        self.refill()

    def _show_row(self, *, by_key: bool) -> None:
        """Ask the question of the highlighted row, if it is one that is answered here.

        Below another screen nothing new is asked: that one may end with what belongs to the request.
        """
        self._row = row = self.list.value
        pending = row.asked if row is not None else None
        hidden = self.size.height < SHORT and self._is_peeked(row)
        if (
            row is not None
            and isinstance(pending, PendingPermission)
            and not hidden
            and (self.is_active or pending is self.panel.asked)
        ):
            self.panel.name_shown = f"{row.opened.number} {row.opened.name}"
            self.panel.ask(pending, self._tab_of(row.opened.session), by_key=by_key)
            self.alike = identical_to(pending, row.opened.session)
        else:
            self.panel.put_away()
            self.set_focus(None)
            self.alike = ()
        self._hints.show(self.hints())

    # What keys and clicks do

    def action_move(self, step: int) -> None:
        self.list.move(step)
        self._show_row(by_key=True)

    def action_page(self, step: int) -> None:
        self.list.page(step)
        self._show_row(by_key=True)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click highlights a row; one on the highlighted row opens its session."""
        event.stop()
        if self._row is event.value:
            self.action_open()
        else:
            self._show_row(by_key=True)

    def action_open(self) -> None:
        self._leave(self._tab_of(self._row.opened.session) if self._row is not None else None)

    def action_close(self) -> None:
        """Hide the rows of a session that are shown, else leave."""
        if any(self._is_peeked(row.value) for row in self.list.rows):
            self._peeked = None
            self.refill(by_key=True)
        else:
            self._leave(None)

    on_docked_panel_dismissed = action_close

    def _leave(self, tab: Tab | None) -> None:
        if self.is_active:  # else it has left already
            self.panel.put_away()
            self.dismiss(tab)

    def action_peek(self) -> None:
        """Show the last rows of the session below its row, or no more; few rows of a screen have no room for both."""
        if self._row is not None:
            self._peeked = None if self._is_peeked(self._row) else self._row
            self.refill(by_key=True)

    def action_cancel(self) -> None:
        if self._row is None:
            return
        opened = self._row.opened
        rows = PickerRow(False, "Go back"), PickerRow(True, "Cancel the turn")

        def answered(agreed: bool | None) -> None:
            if agreed and opened.session.turn.active:
                opened.client.of(opened.session).cancel()

        choice = AnswerChoice[bool](f'Cancel the turn of "{cut(opened.name, 40)}"?', rows)
        choice.rule.by_key = True
        self.app.push_screen(choice, answered)

    def action_answer_alike(self) -> None:
        """Ask for one answer to all requests that are identical to the highlighted one, and show how many they are."""
        row, alike = self._row, list(self.alike)
        if row is None or not isinstance(row.asked, PendingPermission):
            return
        pending, session = row.asked, row.opened.session
        options = [option for option in pending.request.options if option.kind in ONCE]
        count = counted(len(alike), "identical request")
        rows: list[PickerRow[str | None]] = [PickerRow(None, "Go back")]
        rows += [PickerRow(option.option_id, f"Answer {count}: {name_of(option)}") for option in options]
        if not options:
            say(self.app, "None of these options answers just one request", 4)
            return

        def answered(option_id: str | None) -> None:
            if option_id is None:
                return
            still = (
                [each for each in identical_to(pending, session) if each in alike]
                if pending in session.permissions
                else []
            )
            for each in still:
                answer = PermissionPanel.Answered(each.key, option_id)
                self._tab_of(session).screen.when_complete(partial(_answer, answer))
            say(self.app, f"Answered {counted(len(still), 'request')}")

        choice = AnswerChoice[str | None](count, rows, [sanitise_line(subject_of(pending, session).line, 400)])
        choice.rule.by_key = True
        self.app.push_screen(choice, answered)


def _answer(answer: PermissionPanel.Answered, parts: Any) -> None:
    parts.questions.answered(answer)


def last_rows(session: Session, width: int, palette: Palette) -> list[str]:
    """The last rows of a transcript as text, at most ten, without blank ones and edges."""
    rows: list[str] = []
    for entry in reversed(session.entries[-LOOK_BACK:]):
        units = late(DRAWINGS).draw(entry, session).units
        texts = (
            "".join(segment.text for segment in row.segments) for unit in units for row in unit.rows(width, palette)
        )
        rows[:0] = [text.rstrip() for text in texts if any(map(str.isalnum, text))]
        if len(rows) >= PEEKED:
            break
    return rows[-PEEKED:] or ["   Nothing yet"]


def _drawn(row: BoardRow, columns: tuple[int, int], below: Sequence[str], width: int) -> Content:
    """A row in so many cells, the last one blank, or in as many as one reads; with `below`, in few cells on two lines.

    `columns` are the cells of a number and of a name.
    """
    words, opened, width = words_of(row), row.opened, min(WIDEST, width - 1)
    digits, name = columns
    lead = painted([(f"{words.sign} ", words.tone), (f"{opened.number:>{digits}} ", "faint")])
    loud = "bold" if row.section in ("needs", "finished") else ""
    if width < NARROW - 6:
        room = width - lead.cell_length - cell_len(words.when) - 1
        first = Content.assemble(lead, (cut(words.name, room), loud))
        lines = [
            first.pad_right(width - first.cell_length - cell_len(words.when)) + Content.styled(words.when, MUTED),
            Content.styled(" " * lead.cell_length + cut(words.what, width - lead.cell_length), MUTED),
        ]
    else:
        title = cut(words.name, name)
        first = Content.assemble(lead, (title, loud), " " * (name - cell_len(title) + 2))
        room = width - first.cell_length - cell_len(words.when) - 2
        what = cut(words.what, room)
        gap = " " * (room - cell_len(what) + 2)
        tone = MUTED if row.section == "idle" else ""
        lines = [Content.assemble(first, (what, tone), gap, (words.when, MUTED))]
    lines += [Content.assemble((" " * lead.cell_length + "┃ ", FAINT), (text, MUTED)) for text in below]
    return Content("\n").join(lines)
