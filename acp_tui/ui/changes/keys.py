"""The keys of the changes screen, and which of them are told where."""

from collections import deque

from textual import events

from acp_tui.ui.answers.answer_rule import PAUSE
from acp_tui.ui.changes.seam import Extras, Here
from acp_tui.ui.kit.hints import CLOSE, MOVE, Hint
from acp_tui.ui.terminal.typed_key import Key

OTHER = {"unified": "side by side", "split": "unified"}
HUNK, EDIT, COPY = ("n N", "hunk"), ("e", "$EDITOR"), ("y Y", "copy")
MOST_WAITING = 200  # keys
TURNS, RANGE, FILTER, HELP = ("← →", "turns"), ("1 2 3", "range"), ("/", "filter"), ("?", "keys")


class WaitingKeys:
    """Keys of the screen that came before what they act on: those that wait for a diff, and text that is refused."""

    def __init__(self) -> None:
        self._behind = deque[events.Key](maxlen=MOST_WAITING)
        self._refused = float("-inf")  # when the last character came that was refused

    def __bool__(self) -> bool:
        return bool(self._behind)

    @property
    def first(self) -> str:
        """The key that has waited longest."""
        return self._behind[0].key

    def add(self, event: events.Key) -> None:
        self._behind.append(copied(event))

    def take(self) -> events.Key:
        return self._behind.popleft()

    def clear(self) -> None:
        self._behind.clear()

    def refuse(self, event: events.Key) -> None:
        """No command: behind it a pause has to come before a character is one."""
        self._refused = event.time

    def is_text(self, event: events.Key) -> bool:
        """Whether a key goes on with text that was refused: none of its letters is a command."""
        goes_on = event.is_printable and event.time < self._refused + PAUSE
        if goes_on:
            self._refused = event.time
        return goes_on


def copied(event: events.Key) -> events.Key:
    """The same key at the same time, which nothing was done with yet."""
    copy = Key(event.key, event.character)
    copy.time = event.time
    return copy


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
        return [RANGE, CLOSE]
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
