"""What a status line of one's own can be made of: each item is a function of what is known, and may be empty."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from textual.content import Content

from acp_tui.session.state import Session
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.options.choices import first_of, value_name
from acp_tui.ui.options.limits import is_near, limit_words, limits_of
from acp_tui.ui.options.usage import context_text, cost_text, fullness
from acp_tui.ui.render.text import cut_left, sanitise_line
from acp_tui.views.formatting import home_path

SEPARATOR = " · "
WIDEST = 40  # cells of one item
LEAST = 8  # cells; with fewer of them a beginning says nothing


def _folder(session: Session, _branch: str) -> Content:
    return Content.styled(cut_left(sanitise_line(home_path(session.cwd), 4096), WIDEST), MUTED)


def _branch(_session: Session, branch: str) -> Content:
    return Content.styled(sanitise_line(branch, WIDEST), MUTED)


def _context(session: Session, _branch: str) -> Content:
    return Content.styled(sanitise_line(context_text(session.usage), WIDEST), fullness(session.usage).tone)


def _cost(session: Session, _branch: str) -> Content:
    return Content.styled(sanitise_line(cost_text(session.usage), WIDEST), MUTED)


def _limit(session: Session, _branch: str) -> Content:
    limit = next(iter(limits_of(session.usage)), None)
    if limit is None:
        return Content("")
    sign, ink = ("△ ", "$warning") if is_near(limit) else ("", MUTED)
    return Content.styled(sanitise_line(sign + limit_words(limit), WIDEST), ink)


def _model(session: Session, _branch: str) -> Content:
    option = first_of(session.config_options, "model")
    return Content.styled("" if option is None else sanitise_line(value_name(option), WIDEST), MUTED)


ITEMS: Mapping[str, Callable[[Session, str], Content]] = {
    "folder": _folder,
    "branch": _branch,
    "context": _context,
    "cost": _cost,
    "limit": _limit,
    "model": _model,
}
"""By the names that the setting `status_line` has for them; each gets the session and the branch."""


def items_of(names: Iterable[str], session: Session, branch: str) -> list[Content]:
    """The items of these names, in that order; those that are empty or unknown are left out."""
    items = (ITEMS[name](session, branch) for name in names if name in ITEMS)
    return [item for item in items if item]


def joined(items: Sequence[Content], width: int) -> Content:
    """The items in one row of so many cells: the first ones win, and the last that has room may be cut."""
    row = Content("")
    for item in items:
        lead = SEPARATOR if row else ""
        room = width - row.cell_length - len(lead)
        if item.cell_length > room and room < LEAST:
            break
        row = Content.assemble(row, (lead, MUTED), item.truncate(room, ellipsis=True))
        if item.cell_length > room:
            break
    return row
