"""The leader's menu: the keys that may follow it, over the transcript, in the groups of the help.

It comes only where the second key is waited for, and takes neither the focus nor a row from anything.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product, zip_longest

from textual import events
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.ui.commands.key_table import LeaderRow, leader_table
from acp_tui.ui.commands.registry import LeaderKeys
from acp_tui.ui.kit.theme import ACCENT, CLOSE, Hint, fitting, key_hints, spell
from acp_tui.ui.render.text import cut
from acp_tui.ui.transcript.placed_scroll_view import columns_of
from acp_tui.views.command_index import LEADER

DELAY = 0.2  # seconds after the leader; hands that know the second key never see the menu
GAP = 2  # cells between two columns
WIDEST = 34  # cells of a column
BESIDE = 8  # cells of the screen that are not the columns': margins, border, padding, scrollbar
HINTS, HINTS_SHORT = 4, 1  # rows of the menu that are not the columns'
PAGES: Hint = ("pgup pgdn", "scroll")
Cell = LeaderRow | str | None  # a command, the heading of a group, or nothing
Table = Mapping[str, Sequence[LeaderRow]]


class Grid:
    """The groups, side by side in as many columns as there is room for, about equally long."""

    def __init__(self, table: Table, width: int) -> None:
        rows = [row for group in table.values() for row in group]
        self._keys = max((len(row.key) for row in rows), default=0) + 1
        widest = self._keys + max((len(row.words) for row in rows), default=0)
        groups: list[Sequence[Cell]] = [[heading, *rows] for heading, rows in table.items()]
        count = max(1, min(len(groups), (width + GAP) // (widest + GAP)))
        self.column = min(WIDEST, (width + GAP) // count - GAP)
        self.rows = list(zip_longest(*_shared(groups, count)))

    def at(self, x: int, y: int) -> Cell:
        """What stands in a cell of the screen, counted from the first of the grid."""
        at, beside = divmod(x, self.column + GAP)
        there = 0 <= y < len(self.rows) and 0 <= at < len(self.rows[y]) and beside < self.column
        return self.rows[y][at] if there else None

    def draw(self) -> Content:
        lines = (Content("").join(self._drawn(cell).pad_right(GAP) for cell in row) for row in self.rows)
        return Content("\n").join(lines)

    def _drawn(self, cell: Cell) -> Content:
        if isinstance(cell, LeaderRow):
            words = cut(cell.words, self.column - self._keys)
            drawn = Content.assemble((cell.key.ljust(self._keys), "bold"), words)
        else:
            drawn = Content.styled(cut(cell or "", self.column), f"{ACCENT} bold")
        return drawn.pad_right(self.column - drawn.cell_length)


def _shared(groups: Sequence[Sequence[Cell]], count: int) -> list[list[Cell]]:
    """The groups in so many columns, the longest as short as can be; of two such ways the one nearer to their order."""
    best: list[list[Cell]] = []
    for numbers in product(range(count), repeat=len(groups)):
        if list(dict.fromkeys(numbers)) == list(range(count)):  # each column begins after the one before it
            columns: list[list[Cell]] = [[] for _ in range(count)]
            for number, group in zip(numbers, groups, strict=True):
                columns[number] += [*[None] * bool(columns[number]), *group]
            if not best or _longest(columns) < _longest(best):
                best = columns
    return best


def _longest(columns: Sequence[Sequence[Cell]]) -> int:
    return max(map(len, columns))


class MenuRows(Static):
    """The grid; a click runs what stands there."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "MenuRows { height: auto; }"

    def __init__(self, clicked: Callable[[str], object]) -> None:
        super().__init__()
        self._clicked, self._grid = clicked, Grid({}, 0)

    def show(self, grid: Grid) -> None:
        self._grid = grid
        self.update(grid.draw())

    def on_click(self, event: events.Click) -> None:
        cell = self._grid.at(event.x, event.y)
        if isinstance(cell, LeaderRow):
            self._clicked(cell.command_id)


class LeaderMenu(Vertical):
    """Follows the leader of its screen. It holds nothing until it is seen for the first time."""

    DEFAULT_CSS = """
    LeaderMenu {
        display: none; layer: popup; dock: bottom; padding: 1 0 0 1;
        border-left: outer $primary; background: $panel;
    }
    LeaderMenu VerticalScroll {
        height: 1fr; scrollbar-size-vertical: 1; scrollbar-background: $panel;
        scrollbar-background-hover: $panel; scrollbar-background-active: $panel;
    }
    LeaderMenu > Static { height: 1; margin: 1 0 1 0; }
    """

    def __init__(self, leader: LeaderKeys, run: Callable[[str], object]) -> None:
        super().__init__(id="leader")
        self._leader, self._run = leader, run
        self._timer: Timer | None = None
        self._rows, self._hints = MenuRows(self._clicked), Static()
        self._scroll = VerticalScroll(self._rows, can_focus=False)

    def on_mount(self) -> None:
        self._leader.menus.append(self)
        self.look()

    def look(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        if self._leader.waiting:
            self._timer = self.set_timer(DELAY, self._open)
        elif self.display:  # to hide what is hidden would still be a layout
            self.display = False

    def _open(self) -> None:
        if not self.children:
            self.mount_all([self._scroll, self._hints])
        screen, short = self.screen, self.screen.has_class("-short")
        columns = columns_of(self)
        width = columns - BESIDE
        grid = Grid(leader_table(), width)
        wanted = len(grid.rows) + (HINTS_SHORT if short else HINTS)
        bottom = self._bottom(wanted)
        self._rows.show(grid)
        self._scroll.scroll_home(animate=False)
        title = (spell(LEADER.key), "then a key")
        hints = [title, PAGES, CLOSE] if wanted > bottom else [title, CLOSE]
        self._hints.update(key_hints(fitting(hints, width, hints)))
        margin = 0 if short else 1  # at the right: no second scrollbar beside its own
        self.styles.margin = (0, margin, screen.size.height - bottom, 1)
        self.styles.width, self.styles.height = columns - 1 - margin, min(wanted, bottom)
        self.display = True

    def _bottom(self, wanted: int) -> int:
        """The row below it: it stands on the prompt, or on the question in its place, unless it needs those rows."""
        screen = self.screen
        prompt = screen.query_one("#prompt")
        above = (prompt if prompt.display else screen.query_one("#dock")).region.y
        return above if prompt.display or above >= wanted else screen.size.height

    def turn(self, pages: int) -> None:
        self._scroll.scroll_relative(y=pages * max(1, self._scroll.size.height - 1), animate=False)

    def _clicked(self, command_id: str) -> None:
        self._leader.stop()
        self._run(command_id)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click beside it is the end of it; this one is not."""
        event.stop()
