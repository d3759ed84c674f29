"""The hints of the permission panel: the keys that do something now."""

from textual.content import Content

from acp_tui.session.text.words import counted
from acp_tui.ui.entries.tool_calls.diff import Layout
from acp_tui.ui.kit.hints import Hint, fitting, key_hints
from acp_tui.ui.questions.permission.full_screen import turning

WRITING = {
    "reason": (("enter", "confirm with reason"), ("↑↓", "select"), ("esc", "back")),
    "reject": (("enter", "reject and tell"), ("esc", "to the prompt")),
}
CONFIRM, SELECT, SAY_WHY = ("enter", "confirm"), ("↑↓", "select"), ("tab", "add a reason")
FULL, SCROLL = ("v", "full screen"), ("pgdn", "scroll")
CANCEL: Hint = ("c", "cancel the turn")


def hints(
    room: int,
    *,
    writing: str = "",
    diffs: bool,
    layout: Layout,
    scrolls: bool = False,
    answer: bool | None = True,
    options: int = 0,
) -> Content:
    """The keys that do something now, as many as have room in so many cells; those that one finds alone go first.

    `writing` is why text is written: as a `reason` for the highlighted answer, or to `reject`. `answer` says whether an
    option is highlighted; it is None where there are no options. `options` says how many there are where not all of
    them are in sight.
    """
    turned, select = turning(layout), ("↑↓", counted(options, "option")) if options else SELECT
    seeing = [*([SCROLL] if scrolls else []), FULL, *([turned] if diffs else [])]
    reading = [CONFIRM, select, SAY_WHY, *seeing, ("esc", "later")]
    said = [select if hint[0] == "↑↓" else hint for hint in WRITING[writing]] if writing else reading
    if answer is None:
        said = [CANCEL, *reading[3:]]
    elif not answer:
        said = said[1:]
    found_alone = [SELECT] if answer else []
    return key_hints(fitting(said, room, (*found_alone, turned, SAY_WHY, SCROLL, CONFIRM, FULL)))
