"""What the permission panel says around the subject: how many wait, which keys there are."""

from textual.content import Content

from acp_tui.ui.hints import Hint, fitting, key_hints
from acp_tui.ui.permission.room import LOUD, count
from acp_tui.ui.tones import MUTED
from acp_tui.ui.transcript.diff import Layout

ANSWERS, CHOOSE, SAY_WHY, FULL = ("enter", "answers"), ("↑↓", "choose"), ("tab", "say why"), ("v", "full")
SCROLL = ("pgdn", "scroll")
CANCEL: Hint = ("c", "cancel the turn")


def heading(waiting: int) -> Content:
    """The open panel's first line."""
    return Content.assemble(("△ Permission required", LOUD), count(waiting) if waiting > 1 else ("  ", MUTED))


def hints(
    room: int, *, writing: bool, diffs: bool, layout: Layout, scrolls: bool = False, answer: bool | None = True
) -> Content:
    """The keys that do something now, as many as have room in so many cells; those that one finds alone go first.

    `answer` says whether an option is highlighted; it is None where there are no options.
    """
    turned = turning(layout)
    seeing = [*([SCROLL] if scrolls else []), FULL, *([turned] if diffs else [])]
    reading = [ANSWERS, CHOOSE, SAY_WHY, *seeing, ("esc", "later")]
    said = [("enter", "answers and sends the line"), CHOOSE, ("esc", "back")] if writing else reading
    if answer is None:
        said = [CANCEL, *reading[3:]]
    elif not answer:
        said = said[1:]
    return key_hints(fitting(said, room, (*([CHOOSE] if answer else []), turned, SAY_WHY, FULL, SCROLL)))


def turning(layout: Layout) -> Hint:
    """The key that shows a diff in the other layout."""
    return ("s", "unified" if layout == "split" else "split")
