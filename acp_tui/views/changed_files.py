"""Changed files as they are shown: signs, who changed them, counts; and between which two points they are looked at."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.changes.uncommitted_files import HEAD
from acp_tui.host.snapshots.path_state import PathChange, PathState, Status, Who
from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted, plus_minus
from acp_tui.session.tools.subject import short_path
from acp_tui.views.formatting import StyledText, Tone, brief, byte_size, joined

LONGEST = 1_000  # characters of a path
EXECUTABLE = 0o111
_KINDS = {"link": "symlink", "folder": "folder", "file": "file"}


class StatusSign(NamedTuple):
    """A status on the screen, in a tone that says no more than the sign, and by Git's letter where it is printed."""

    sign: str
    tone: Tone
    letter: str


SIGNS: dict[Status, StatusSign] = {
    "new": StatusSign("+", "success", "A"),
    "changed": StatusSign("~", "muted", "M"),
    "deleted": StatusSign("−", "error", "D"),
    "renamed": StatusSign("→", "muted", "R"),
    "mode": StatusSign("·", "muted", "M"),
    "kind": StatusSign("≠", "warning", "T"),
}


class ChangeAuthor(NamedTuple):
    """Author of a change: above the rows of a list, beside one file, in a column, and why undo does not choose it."""

    heading: str
    beside: str
    brief: str
    reason: str = ""


WHO: dict[Who, ChangeAuthor] = {  # in the order of a list
    "agent": ChangeAuthor("Agent", "by the agent", "agent"),
    "command": ChangeAuthor("Agent's commands", "by a command of the agent", "by a command"),
    "afterwards": ChangeAuthor(
        "Agent, then changed again",
        "by the agent, then changed again",
        "agent, then you?",
        "Changed again after the agent's last call",
    ),
    "unknown": ChangeAuthor(
        "Unattributed, probably yours",
        "unattributed, probably yours",
        "probably yours",
        "Not from a tool call, probably yours",
    ),
    "outside": ChangeAuthor(
        "Outside this session",
        "outside this session, probably yours",
        "probably yours",
        "Changed between turns, probably yours",
    ),
    "session": ChangeAuthor("Another session", "by another session", "another session", "Changed by another session"),
    "own": ChangeAuthor("Agent's own state", "the agent's own state", "agent's own state", "The agent's own state"),
    "anyone": ChangeAuthor("Uncommitted", "uncommitted", ""),
}
BY_A_CALL = ("agent", "afterwards")
"""Whose changes a tool call names."""


def status_words(change: PathChange) -> str:
    """What became of it: `changed`, `new symlink`, `now a folder`."""
    after, before = change.after.kind, change.before.kind
    kind = after if change.status != "deleted" else before
    if change.status == "kind":
        return f"now a {_KINDS[after]}" if after in _KINDS else "type changed"
    noun = "" if kind == "file" else _KINDS.get(kind, "")
    match change.status:
        case "new":
            return f"new {noun}".rstrip()
        case "mode":
            return "mode"
        case _:
            return f"{noun} {change.status}".strip()


def place(path: str, line: int | None, cwd: str, limit: int = 400) -> str:
    """A path and the line on one line, relative to the session's folder where it is in there."""
    return one_line(short_path(path, line, cwd), limit)


def shown_path(change: PathChange, cwd: str) -> str:
    return place(change.absolute, None, cwd, LONGEST)


def line_counts(added: int | None, removed: int | None) -> StyledText:
    """`+12 −3`; nothing for none of them, and where they are not known."""
    counts = plus_minus(added or 0, removed or 0)
    return joined(([(words, "success" if words.startswith("+") else "error")] for words in counts), (" ", ""))


def total_counts(files: Sequence[PathChange]) -> StyledText:
    return line_counts(sum(each.added or 0 for each in files), sum(each.removed or 0 for each in files))


def total_words(files: Sequence[PathChange]) -> StyledText:
    """`12 files  +340 −51`."""
    return joined(([(counted(len(files), "file"), "")], total_counts(files)), ("  ", ""))


def file_facts(change: PathChange, call: str = "") -> StyledText:
    """What became of one file and who did that: `~ changed · +12 −3 · Edit a.py`; `call` names its tool call."""
    sign, tone, _ = SIGNS[change.status]
    who = call if call and change.who in BY_A_CALL else WHO[change.who].beside
    counts = line_counts(change.added, change.removed)
    return joined(([(f"{sign} {status_words(change)}", tone)], counts, [(who, "muted")]))


def file_columns(change: PathChange, comments: int, verb: str) -> StyledText:
    """What may stand behind a path in a list: comments, what its tool call did (`Edit`), its status, lines + and −."""
    noted = f"{comments} ✎" if comments else ""
    added, removed = (
        f"{sign}{count:,}" if count else "" for sign, count in (("+", change.added), ("−", change.removed))
    )
    texts = noted, verb, status_words(change), added, removed
    return list(zip(texts, ("user", "muted", "muted", "success", "error"), strict=True))


def fewer_columns(change: PathChange, columns: StyledText) -> Iterator[StyledText]:
    """The columns without what is usual, then without the status; for where there is little room."""
    comments, _, status, *counts = columns
    if change.status != "changed":
        yield [comments, status, *counts]
    yield [comments, *counts]


def by_who(files: Iterable[PathChange]) -> list[PathChange]:
    """The files in the order of their headings."""
    order = {who: number for number, who in enumerate(WHO)}
    return sorted(files, key=lambda file: order[file.who])


def change_notes(change: PathChange, before: bytes | None, after: bytes | None) -> list[str]:
    """What a diff does not show: another name, kind or mode, and where links lead; one idea each."""
    states, notes = (change.before, change.after), list[str]()
    was, now = (f"a {_KINDS[state.kind]}" if state.kind in _KINDS else None for state in states)
    if change.status == "renamed":
        notes.append(f"renamed from {change.old_path}")
    if change.status == "kind" and was and now:
        notes.append(f"was {was}, is now {now}")
    elif "a folder" in (was, now):
        notes.append({"new": "new folder", "deleted": "folder deleted"}.get(change.status, "folder"))
    if change.before.mode != change.after.mode and was == now in ("a file", "a folder"):
        notes.append(mode_words(*states) + _executable(*states))
    sides = zip(states, (before, after), ("was a symlink to", "symlink to"), strict=True)
    links = ((word, data) for state, data, word in sides if state.kind == "link" and data is not None)
    return notes + [f"{word} {os.fsdecode(data)}" for word, data in links]


def mode_words(before: PathState, after: PathState) -> str:
    return f"mode {before.mode:04o} → {after.mode:04o}"


def _executable(before: PathState, after: PathState) -> str:
    was, is_now = before.mode & EXECUTABLE, after.mode & EXECUTABLE
    if bool(was) == bool(is_now):
        return ""
    return " (executable now)" if is_now else " (no longer executable)"


def missing_words(when: str, state: PathState, data: bytes | None) -> list[str]:
    """That the bytes of a state are not kept; nothing where they are, or where there are none."""
    if state.kind in ("absent", "folder") or data is not None:
        return []
    reason = f": {state.reason}" if state.reason else ""
    size = f" ({byte_size(state.size)})" if state.size else ""
    return [f"{when} content not saved{reason}{size}"]


def sizes_words(change: PathChange) -> str:
    """`2.0 KB → 10.2 KB`."""
    return " → ".join(byte_size(state.size) for state in (change.before, change.after) if state.kind == "file")


WORDS = 60  # characters of a prompt's beginning
Wanted = Literal["session", "last", "uncommitted"] | int  # a number is a turn's
NO_UNDO = "Uncommitted changes cannot be undone here. Press 1 or 2 first."


class ChangeSpan(Frozen):
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


UNCOMMITTED = ChangeSpan(HEAD, None, "Uncommitted", "HEAD → now, with untracked files")


def wanted_range(wanted: Wanted, points: Sequence[Point], *, active: bool) -> ChangeSpan | None:
    """What is wanted, if its points are there; `active`: a turn goes on."""
    if wanted == "uncommitted":
        return UNCOMMITTED
    if not points:
        return None
    if wanted == "session":
        return whole_session(points)
    number = next(reversed(turns(points)), 0) if wanted == "last" else wanted
    return one_turn(points, number, active=active)


def whole_session(points: Sequence[Point]) -> ChangeSpan:
    """From the first point until now; there must be one."""
    return ChangeSpan(points[0], None, "Since the session began", f"{point_words(points[0])} → now")


def turns(points: Sequence[Point]) -> list[int]:
    """The turns of which the beginning is kept, in order."""
    return [point.turn for point in points if point.kind == "prompt"]


def one_turn(points: Sequence[Point], turn: int, *, active: bool) -> ChangeSpan | None:
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
    ends = " · ".join(filter(None, (f'"{said}"' if said else "", f"{clock(since)} – {clock(until)}")))
    return ChangeSpan(since, until, words, ends, turn)


def step(points: Sequence[Point], shown: ChangeSpan | None, by: int) -> int | None:
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
