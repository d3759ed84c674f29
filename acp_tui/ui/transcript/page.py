"""Where things stand on the transcript's page, and its plain rows; knows no entries."""

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.render.wrap import MEASURE, Run
from acp_tui.ui.transcript.unit import Row

LEFT = 3  # cells before text: a blank, the sign, a blank
RIGHT = 2  # cells after text


def edge(width: int) -> int:
    """The cell after the last that text may reach at a width."""
    return max(LEFT + 1, width - RIGHT)


def block_edge(width: int) -> int:
    """The cell after the last of a washed block, in line with prose."""
    return min(edge(width), LEFT + MEASURE)


def blank_row() -> Row:
    """A row with nothing on it."""
    return Row((), 0)


def margin(sign: str = "", style: Style | None = None) -> list[Run]:
    """The cells before text, with a one-cell sign in its column."""
    plain = Style.null()
    if not sign:
        return [(" " * LEFT, plain)]
    return [(" ", plain), (sign, style or plain), (" ", plain)]


def half_row(wash: Style, indent: int, cells: int, *, top: bool, bar: Style | None = None) -> Row:
    """A row of which half belongs to the washed block below (`top`) or above it: a margin of half a row."""
    if wash.bgcolor is None:
        return blank_row()
    ink = Style(color=wash.bgcolor)
    segments = [Segment(" " * indent)]
    if bar is not None:
        segments.append(Segment("▖" if top else "▘", bar))
    segments.append(Segment(("▄" if top else "▀") * cells, ink))
    return Row(segments, 0, gutter=sum(len(segment.text) for segment in segments))


def one_line(runs: list[Run], line: int = 0) -> Row:
    """A row of runs that are known to fit, behind the margin."""
    return Row([Segment(text, style) for text, style in runs], line, gutter=LEFT)
