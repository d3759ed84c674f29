"""The steps of a preview as rows: whether one is chosen, the path, what happens to it, who changed it, why not."""

from collections.abc import Sequence
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from acp_tui.host.take_back.steps import Preview, Step
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import FAINT, MUTED
from acp_tui.ui.render.text import cut, cut_path, sanitise_line
from acp_tui.ui.take_back.words import act_words, can_choose, reason, who_words, why_not_chosen

MARK, GAP = 2, 2  # cells of the box, and between two columns
PATH_AT_LEAST = 24  # cells; on a narrow screen who it was is told only where it is a reason
ACT_AT_MOST = 30
EDGE = 1  # cells that a list leaves blank at the left


class Columns:
    """How wide the columns of all steps are."""

    def __init__(self, preview: Preview, width: int) -> None:
        again = preview.undoes is not None
        self.act = min(ACT_AT_MOST, max((cell_len(_act(each, again=again)) for each in preview.steps), default=0))
        self.who = 0 if again else max((cell_len(who_words(each)) for each in preview.steps), default=0)
        if width - MARK - 2 * GAP - self.act - self.who < PATH_AT_LEAST:
            self.who = 0
        if width - MARK - GAP - self.act < PATH_AT_LEAST:
            self.act = max(8, width - MARK - GAP - PATH_AT_LEAST)


def rows_of(preview: Preview, shown: Sequence[int], chosen: Sequence[bool], width: int) -> list[ListRow[int]]:
    """A row for each step that is shown, in so many cells; its value is the step's number. A reason stands below."""
    columns = Columns(preview, width)
    rows = []
    few = len(why_not_chosen([preview.steps[at] for at in shown])) == 0
    for at in shown:
        step = preview.steps[at]
        said, warns = reason(step, chosen=chosen[at], why=few)
        ink = "$warning" if warns else MUTED
        sign = "△ " if warns else ""
        below = Content.styled(sanitise_line(sign + said, 400), ink).wrap(max(8, width - MARK)) if said else []
        draw = partial(_drawn, step, columns, below, chosen=chosen[at], again=preview.undoes is not None)
        rows.append(ListRow(draw, at, 1 + len(below)))
    return rows


def _drawn(step: Step, columns: Columns, below: Sequence[Content], width: int, *, chosen: bool, again: bool) -> Content:
    box = ("☑" if chosen else "☐") if can_choose(step) else "–"
    ink = "" if chosen else MUTED
    who = f"{'':{GAP}}{who_words(step):<{columns.who}}" if columns.who else ""
    act = cut(_act(step, again=again), columns.act)
    room = max(1, width - MARK - GAP - columns.act - cell_len(who))
    path = cut_path(sanitise_line(step.change.path, 4_096), room)
    line = Content.assemble(
        (f"{box} ", "$user" if chosen else FAINT),
        (path, ink),
        " " * (room - cell_len(path) + GAP),
        (act + " " * (columns.act - cell_len(act)), "$error" if chosen and step.act == "delete" else ink),
        (who, MUTED),
    )
    return Content("\n").join([line, *(Content.assemble(" " * MARK, each) for each in below)])


def _act(step: Step, *, again: bool) -> str:
    return sanitise_line(act_words(step, again=again), 400)
