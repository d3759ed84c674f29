"""What the permission panel says around the subject: who waits, how many, which keys; must not know widgets."""

from rich.cells import cell_len
from textual.content import Content

from acp_tui.ui.commands.table import ways_to
from acp_tui.ui.render.diff_rows import Layout
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.tones import MUTED

LOUD = "bold $warning"
SEPARATOR = " · "


def heading(waiting: int) -> Content:
    """The open panel's first line."""
    return Content.assemble(("△ Permission required", LOUD), (f"  {_count(waiting)}", MUTED))


def banner(waiting: int, agent: str, title: str) -> Content:
    """All that a panel without the focus says: that the agent waits, and how to get there."""
    name = sanitise_line(agent, 30) or "agent"
    count = f"  {_count(waiting)}" if waiting > 1 else ""
    return Content.assemble(
        (f"△ {name} waits — {ways_to('answer_permission')}", LOUD),
        (count, MUTED),
        (f"  {sanitise_line(title, 200)}", "$foreground"),
    )


def _count(waiting: int) -> str:
    return f"1 of {waiting} waiting" if waiting > 1 else ""


def hints(room: int, *, writing: bool, diffs: bool, layout: Layout) -> Content:
    """The keys that do something now, as many as have room in so many cells; those that one finds alone go first."""
    turned = "s unified" if layout == "split" else "s split"
    reading = ["enter answers", "↑↓ choose", "tab say why", "v full", *([turned] if diffs else []), "esc later"]
    said = ["enter answers and sends the line", "↑↓ choose", "esc back"] if writing else reading
    for dispensable in ("↑↓ choose", turned, "tab say why", "v full"):
        if cell_len(SEPARATOR.join(said)) <= room:
            break
        if dispensable in said:
            said.remove(dispensable)
    return Content(SEPARATOR.join(said))
