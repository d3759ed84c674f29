"""Tables without boxes: aligned columns, a bold header, a thin rule under it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.style import Style

from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Line, Run, break_text, cells_of, slice_runs

GAP = 2
NARROWEST = 4  # cells; a table that would need narrower columns is told row by row

Cell = Sequence[Sequence[Run]]  # its lines


@dataclass(slots=True)
class Table:
    """Rows of cells, the header first; `alignments` are left, center or right, one for each column."""

    rows: list[list[Cell]]
    alignments: list[str]


def typeset(table: Table, width: int, palette: Palette) -> list[Line]:
    """The table in at most `width` cells; each screen row is a logical line."""
    columns = len(table.alignments)
    natural = [
        max((cells_of(line) for row in table.rows if column < len(row) for line in row[column]), default=0)
        for column in range(columns)
    ]
    room = width - GAP * (columns - 1)
    if room < sum(min(cells, NARROWEST) for cells in natural):
        return _as_records(table, palette)
    widths = fit_columns(natural, room)
    lines: list[Line] = []
    for number, row in enumerate(table.rows):
        lines.extend(_row_lines(row, widths, table.alignments))
        if number == 0:
            rule = (" " * GAP).join("─" * cells for cells in widths)
            lines.append(Line((), ((rule, palette.border),), wide=True))
    return lines


def fit_columns(natural: Sequence[int], room: int) -> list[int]:
    """Column widths that together fit into `room`: only the widest columns give way, and evenly."""
    widths = [min(cells, room) for cells in natural]
    for _ in range(sum(widths) - room):
        widest = max(widths)
        widths[len(widths) - 1 - widths[::-1].index(widest)] -= 1
    return widths


def _row_lines(row: Sequence[Cell], widths: Sequence[int], alignments: Sequence[str]) -> list[Line]:
    cells = [row[column] if column < len(row) else () for column in range(len(widths))]
    stacks = [_break_cell(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for level in zip_longest(*stacks, fillvalue=()):
        runs: list[Run] = []
        for cell, width, alignment in zip(level, widths, alignments, strict=True):
            runs += _aligned(cell, width, alignment)
        lines.append(Line(runs[:-1], wide=True))  # nothing stands behind the last column
    return lines


def _break_cell(cell: Cell, width: int) -> list[Sequence[Run]]:
    room = max(2, width)
    return [
        slice_runs(line, start, end)
        for line in cell
        for start, end in break_text("".join(text for text, _ in line), room, room)
    ]


def _aligned(cell: Sequence[Run], width: int, alignment: str) -> list[Run]:
    """A cell in its column, and the gap behind it as the last run."""
    spare = max(0, width - cells_of(cell))
    left = spare if alignment == "right" else spare // 2 if alignment == "center" else 0
    before = [(" " * left, Style.null())] if left else []
    return [*before, *cell, (" " * (spare - left + GAP), Style.null())]


def _as_records(table: Table, palette: Palette) -> list[Line]:
    """Too narrow for columns: each row as lines of `header: cell`, with a blank line between rows."""
    header, *rows = table.rows
    if not rows:
        return [Line(line) for cell in header for line in cell]
    lines: list[Line] = []
    for row in rows:
        if lines:
            lines.append(Line(()))
        for name, cell in zip_longest(header, row, fillvalue=()):
            first, *others = cell or [()]
            title = [run for line in name for run in line]
            lines += [Line([*title, (": ", palette.muted), *first]), *map(Line, others)]
    return lines
