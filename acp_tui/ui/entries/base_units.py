"""Units, groups of entries and words of tool calls that several drawings share."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES
from acp_tui.session.entries import Entry, SubagentEntry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.subject import ToolSubject, called, short_path
from acp_tui.session.tools.title import NOT_FINISHED, TODO
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import Drawing, Row, Unit, blank_row


class Appearance(NamedTuple):
    """How entries of a kind are shown. Each file of drawings has a table `DRAWS` of its kinds.

    `text` is what is found in one by its words, and `version` another one whenever that may be another.
    """

    draw: Callable[[Any, Session], Drawing]
    text: Callable[[Any, Session], str] = lambda entry, _session: str(entry.plain())
    version: Callable[[Any, Session], tuple[int, ...]] = lambda entry, _session: (entry.version,)


Draws = dict[type[Entry], Appearance]


class FixedUnit:
    """A unit that never comes out differently; one row, where it does not say otherwise."""

    __slots__ = ()
    version = 0

    def estimate(self, width: int) -> int:  # noqa: ARG002 - the unit's contract
        return 1


class BlankUnit(FixedUnit):
    """The blank row after an entry."""

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:  # noqa: ARG002 - the unit's contract
        return [blank_row()]


class NeverFolds:
    """A drawing of which nothing folds."""

    folded = None

    def toggle(self) -> None:
        pass


class OneUnit(NeverFolds):
    """The drawing of an entry that is one unit, which sees for itself what changed."""

    def __init__(self, unit: Unit) -> None:
        self.units: Sequence[Unit] = [unit]

    def update(self) -> int:
        return 0


def in_a_group(entry: Entry, session: Session) -> bool:
    """Whether a tool call or a subagent comes after this one, or nothing yet: those stand together."""
    return isinstance(_following(entry, session), ToolCallEntry | SubagentEntry | None)


def _following(entry: Entry, session: Session) -> Entry | None:
    """The entry that is seen after this one; entries are in the order in which they began.

    A subagent that a tool call shows is not seen where it was announced.
    """
    entries, anchors = session.entries, session.index.anchors
    if entries and entries[-1] is entry:
        return None
    index = bisect_left(entries, entry.started_at, key=lambda other: other.started_at)
    after = next((at + 1 for at in range(index, len(entries)) if entries[at] is entry), len(entries))
    seen = (
        each for each in islice(entries, after, None) if not isinstance(each, SubagentEntry) or each.id not in anchors
    )
    return next(seen, None)


SUBJECT_LIMIT = 400
VERB_WIDTH = 8

ICONS = {"edit": "✎", "delete": "−", "move": "→", "think": "✻", "fetch": "↓", "switch_mode": "⇄", TODO: "≡"}
ANY_TOOL = "●"
COMMAND_SIGN = "$"  # stands before what runs, and before nothing else
WAITING = "waiting for you"
STATUSES = {  # sign, and ink, which says no more than the sign
    "pending": ("○", "muted"),
    "in_progress": ("◐", "accent"),
    "failed": ("✗", "error"),
    "cancelled": ("⊘", "muted"),
    "rejected": ("⊘", "muted"),
    "paused": ("◑", "warning"),
    WAITING: ("△", "warning"),
}
UNFINISHED = ("pending", "in_progress")
STOPPED = ("rejected", "cancelled")  # by the user: how it ended is no news, and nothing was changed
LEFT_OPEN = "◌"


def status_of(entry: ToolCallEntry, session: Session) -> str:
    """The status, or `rejected`, WAITING while the user is asked, NOT_FINISHED where the turn ended first."""
    if entry.status in FINISHED_STATUSES:
        return entry.stopped if entry.status == "cancelled" and entry.stopped else entry.status
    if any(pending.tool_call_id == entry.id for pending in session.own_permissions):
        return WAITING
    return NOT_FINISHED if entry.sealed and entry.status in UNFINISHED else entry.status


def sign_of(subject: ToolSubject, status: str) -> str:
    """A command's is `$` unless it waits for an answer; any other call has its kind's icon once it is done, before that
    its status's sign.
    """
    if subject.lead == "command" and status != WAITING:
        return COMMAND_SIGN
    return ICONS.get(subject.kind, ANY_TOOL) if status == "completed" else STATUSES.get(status, (LEFT_OPEN,))[0]


def named(entry: ToolCallEntry, session: Session) -> str:
    """What a call is about, as other lines tell of it: `make all`, `Read a.py`, else its title."""
    return sanitise_line(called(entry, session), SUBJECT_LIMIT)


def line(text: str, cwd: str = "") -> str:
    """A text on one line, with files of the session's folder relative to it."""
    if len(cwd) > 1:
        text = text.replace(cwd.rstrip("/") + "/", "")
    return sanitise_line(text, SUBJECT_LIMIT)


def place(path: str, line: int | None, cwd: str) -> str:
    """A path and the line, safe and on one line: within the session's folder relative to it."""
    return sanitise_line(short_path(path, line, cwd), SUBJECT_LIMIT)
