"""Between which two points changes are looked at: the session, a turn, or HEAD and now; in words."""

import time
from collections.abc import Sequence
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.changes.points import Point
from acp_tui.host.uncommitted.uncommitted import HEAD
from acp_tui.views.styled_text import brief

WORDS = 60  # characters of a prompt's beginning
Wanted = Literal["session", "last", "uncommitted"] | int  # a number is a turn's
NO_UNDO = "No undo of uncommitted changes (1 and 2 have it)"


class Between(Frozen):
    """From `since` until another point, or (None) until now. `turn` is the one that it is about, 0 for no single one.

    `words` are its title, `ends` what it is from and to.
    """

    since: Point
    until: Point | None
    words: str
    ends: str
    turn: int = 0

    @property
    def no_undo(self) -> str:
        """Why nothing is undone from there, in words; empty where it can be."""
        return NO_UNDO if self.since == HEAD else ""


UNCOMMITTED = Between(HEAD, None, "Uncommitted", "HEAD → now, with untracked files")


def wanted_range(wanted: Wanted, points: Sequence[Point], *, active: bool) -> Between | None:
    """What is wanted, if its points are there; `active`: a turn goes on."""
    if wanted == "uncommitted":
        return UNCOMMITTED
    if not points:
        return None
    if wanted == "session":
        return whole_session(points)
    number = next(reversed(turns(points)), 0) if wanted == "last" else wanted
    return one_turn(points, number, active=active)


def whole_session(points: Sequence[Point]) -> Between:
    """From the first point until now; there must be one."""
    return Between(points[0], None, "Since the session began", f"{point_words(points[0])} → now")


def turns(points: Sequence[Point]) -> list[int]:
    """The turns of which the beginning is kept, in order."""
    return [point.turn for point in points if point.kind == "prompt"]


def one_turn(points: Sequence[Point], turn: int, *, active: bool) -> Between | None:
    """A turn from its prompt to its end; an `active` last one until now. None where its beginning is not kept.

    One that has no end of its own ends where the next point is.
    """
    at = next((at for at, point in enumerate(points) if point.kind == "prompt" and point.turn == turn), None)
    if at is None:
        return None
    since, later = points[at], points[at + 1 :]
    ended = next((point for point in later if point.kind == "ended" and point.turn == turn), None)
    goes_on = ended is None and active and all(point.kind != "prompt" for point in later)
    until = ended or (None if goes_on else next((point for point in later if point.kind != "taken_back"), None))
    words = "Since this turn began" if goes_on else f"Turn {turn}"
    said = brief(since.words, WORDS)
    ends = " · ".join(filter(None, (f"“{said}”" if said else "", f"{clock(since)} – {clock(until)}")))
    return Between(since, until, words, ends, turn)


def step(points: Sequence[Point], shown: Between | None, by: int) -> int | None:
    """The turn after or before the one that is shown, from any other view the last one; None where there is none."""
    there = turns(points)
    if not there:
        return None
    if shown is None or shown.turn not in there:
        return there[-1]
    at = there.index(shown.turn) + by
    return there[at] if 0 <= at < len(there) else None


def point_words(point: Point) -> str:
    """`Session opened 14:02`, `Prompt 3: fix the login`, `After turn 3`, `Now`."""
    said = brief(point.words, WORDS)
    match point.kind:
        case "opened":
            return f"Session opened {clock(point)}"
        case "prompt":
            return f"Prompt {point.turn}: {said}" if said else f"Prompt {point.turn}"
        case "ended":
            return f"After turn {point.turn}"
        case "taken_back":
            return f"After undo: {said}" if said else "After undo"
        case "now":
            return "Now"
        case "head":
            return "HEAD"


def clock(point: Point | None) -> str:
    """When it was, in local time, with the day if that is not today."""
    if point is None:
        return "now"
    then = time.localtime(point.time)
    today = then[:3] == time.localtime()[:3]
    return time.strftime("%H:%M" if today else "%d %b %H:%M", then)
