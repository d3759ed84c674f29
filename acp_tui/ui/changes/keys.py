"""The keys of the changes screen, and which of them are told where."""

from acp_tui.ui.changes.seam import Extras, Here
from acp_tui.ui.kit.hints import CLOSE, MOVE, Hint

OTHER = {"unified": "side by side", "split": "unified"}
HUNK, EDIT, COPY = ("n N", "hunk"), ("e", "$EDITOR"), ("y Y", "copy")
TURNS, RANGE, FILTER, HELP = ("← →", "turns"), ("1 2 3", "range"), ("/", "filter"), ("?", "keys")


def hints(here: Here, extras: Extras, layout: str, *, wide: bool, filtering: bool) -> list[Hint]:
    """The most wanted first, what other rooms add among them; the last one is how to leave."""
    if filtering:
        return [MOVE, ("enter", "done"), ("esc", "all files")]
    there = [extra for extra in extras.keys if extra.counts(here)] if here.file is not None else []
    first, lesser = ([extra.hint for extra in there if extra.lesser == which] for which in (False, True))
    turn = ("s", OTHER[layout])
    call = [("t", "tool call")] if here.file is not None and here.file.tool_call else []
    if here.pane == "diff":
        return [*first, HELP, *lesser, HUNK, turn, ("⇧↑↓", "select"), *call, EDIT, COPY, ("esc", "files")]
    if here.changes is None:
        return [CLOSE]
    if here.file is None:
        return [TURNS, RANGE, HELP, CLOSE]
    beside = [HUNK, turn] if wide else []
    return [("enter", "diff"), *first, HELP, *lesser, TURNS, RANGE, FILTER, *beside, *call, EDIT, COPY, CLOSE]


def act_of(key: str, here: Here, extras: Extras) -> bool:
    """Do what another room has for a key; whether one has anything."""
    for extra in extras.keys:
        if key in extra.keys and extra.counts(here):
            extra.act(here)
            return True
    return False
