"""Moments of a session at which its folders were kept, and what changed between two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.states import PathChange, told_changes
from acp_tui.safe_text import one_line
from acp_tui.session.text.words import counted

PointKind = Literal["opened", "prompt", "ended", "taken_back", "now", "head"]


class Point(Frozen):
    """One moment: the session opened, a prompt went out, its turn ended, files were taken back, or now.

    `number` counts the points of a session in order, from 0; that of `now` is behind all of them. `turn` counts
    prompts from 1; 0 before the first. `words` is how the prompt begins. `time`: Unix seconds. `trees`: the manifest in
    the store, by the root that it is of. `gaps`: what is not kept in it, one idea each, for the user.
    `head`: what Git's HEAD was, by root. `message`: which of the user's messages the prompt is, from 0. `takings`: how
    many had been taken back in the session when this was looked at.
    One of the kind `head` is no moment of the session, but what is committed.
    """

    number: int
    kind: PointKind
    turn: int
    time: float
    words: str = ""
    trees: Mapping[str, str] = field(default_factory=dict)
    gaps: Sequence[str] = ()
    head: Mapping[str, str] = field(default_factory=dict)
    message: int | None = None
    takings: int = 0


class Changes(Frozen):
    """What changed between two points, by path; `notes` is what has to be said of it, one idea each."""

    since: Point
    until: Point
    files: Sequence[PathChange] = ()
    notes: Sequence[str] = ()


class Progress(Frozen):
    """How far a snapshot is: files read, of how many (0: not known yet)."""

    read: int
    of: int

    @property
    def words(self) -> str:
        """`12,000 of 50,000 files`."""
        return f"{self.read:,} of {counted(self.of, 'file')}" if self.of else counted(self.read, "file")


def own_words(own: Sequence[PathChange]) -> str:
    """Changes to an agent's own state: `3 files in .agent`; empty where a user is told of none."""
    told = told_changes(own)
    tops = sorted({each.path.partition("/")[0] for each in told})
    return f"{counted(len(told), 'file')} in {one_line(', '.join(tops))}" if told else ""
