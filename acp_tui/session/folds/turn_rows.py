"""The rows at the ends of turns: how each ended and what files of the work tree changed; and files taken back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar

from acp_tui.safe_text import named, one_line
from acp_tui.session.entries import Entry
from acp_tui.session.facts import FilesChanged, FilesTakenBack
from acp_tui.session.folds import info, timeline
from acp_tui.session.state import Session
from acp_tui.session.text import markdown
from acp_tui.session.text.words import counted, duration, plus_minus

NAMES = 3
"""Paths of changed files that are named in a line; the rest is counted."""
CHOSEN = 40
"""Characters of the name of a model or a mode."""
LONGEST_NAME = 60
"""Characters of such a path; of a longer one the end is shown."""
_ENDS = {
    "cancelled": "Cancelled",
    "refusal": "Refused",
    "max_tokens": "Token limit reached",
    "max_turn_requests": "Request limit reached",
    "error": "Failed",
}


@dataclass(slots=True)
class TurnEntry(Entry):
    """How a turn ended, and the files of the work tree that changed in it, whoever changed them.

    `turn` is the number of its prompt, from 1; 0 where nobody looks at files. `added` and `removed` count lines,
    `names` has the first few paths, relative, `unknown` counts files that no tool call names, `gaps` says what is not
    kept. `apart`: the row does not stand at the end of its turn, which was not seen here. `stop_reason` is the agent's
    word, or `error`; `seconds` is how long the turn took, None where that is not known, `model` and `mode` are the
    names of what was chosen at its end, empty where the agent has none.
    """

    aside: ClassVar[bool] = True
    turn: int
    files: int = 0
    added: int = 0
    removed: int = 0
    names: Sequence[str] = ()
    unknown: int = 0
    gaps: Sequence[str] = ()
    apart: bool = False
    stop_reason: str | None = None
    seconds: float | None = None
    model: str = ""
    mode: str = ""
    sealed: bool = field(default=True, kw_only=True)

    @property
    def ended(self) -> str:
        """How a turn ended that did not come to its own end; empty if it did."""
        reason = self.stop_reason
        if reason in (None, "end_turn"):
            return ""
        return _ENDS.get(reason or "", f"Ended: {one_line(reason or '', CHOSEN)}")

    @property
    def changed(self) -> list[str]:
        """What it changed, in pieces: `4 files changed`, `+12 −3`, `1 probably yours`, `src/a.py, b.py +2 more`.

        Empty where nothing is to be said of files.
        """
        if not self.files and not self.gaps:
            return []
        turn = f" in turn {self.turn:,}" if self.apart else ""
        counts = plus_minus(self.added, self.removed)
        unknown = f"{self.unknown:,} probably yours" if self.unknown else ""
        said = f"{counted(self.files, 'file') if self.files else 'No files'} changed{turn}"
        return [piece for piece in (said, " ".join(counts), unknown, _named(self.names, self.files)) if piece]

    @property
    def facts(self) -> list[str]:
        """How long it took, and with which model and mode: `12 s`, `Opus 5.5`, `Plan`."""
        if self.seconds is None:
            return []
        took = duration(max(1, round(self.seconds)))
        return [took, *(one_line(name, CHOSEN) for name in (self.model, self.mode) if name.strip())]

    @property
    def pieces(self) -> list[str]:
        return [piece for piece in (self.ended, *self.changed, *self.facts) if piece]

    @property
    def carried(self) -> bool:
        return bool(self.ended)

    @property
    def opens(self) -> bool:
        return bool(self.files or self.gaps)

    def plain(self) -> str:
        return "\n".join(("  ".join(self.pieces), *self.gaps))

    def report(self) -> list[str]:
        """Of its end the exit code tells."""
        return [" · ".join((*self.changed, *self.gaps))] if self.changed else []


@dataclass(slots=True)
class TakenBackEntry(Entry):
    """The user took back `files` of what `words` names, or undid that (`undone`); so many were `left` alone."""

    aside: ClassVar[bool] = True
    words: str
    files: int = 0
    left: int = 0
    names: Sequence[str] = ()
    undone: bool = False
    sealed: bool = field(default=True, kw_only=True)

    @property
    def pieces(self) -> list[str]:
        """`Undone: "fix the parser"`, `3 files`, `1 left alone`."""
        said = "Redone" if self.undone else "Undone"
        about = f"{said}: {named(self.words)}" if self.words.strip() else said
        left = f"{self.left:,} left alone" if self.left else ""
        return [piece for piece in (about, counted(self.files, "file"), left, _named(self.names, self.files)) if piece]


def _named(names: Sequence[str], count: int) -> str:
    """The first few of so many paths, each as it is safe to be shown."""
    shown = [_end_of(named(name)) for name in names[:NAMES]]
    more = f" +{count - len(shown):,} more" if shown and count > len(shown) else ""
    return ", ".join(shown) + more


def _end_of(path: str) -> str:
    return path if len(path) <= LONGEST_NAME else f"…{path[1 - LONGEST_NAME :]}"


def markdown_turn(entry: TurnEntry, *_: object) -> Iterator[str]:
    head = f"**{markdown.one_line(' · '.join(entry.pieces))}**"
    yield markdown.quote("\n".join((head, *map(markdown.one_line, entry.gaps))))


def add_end(session: Session, *, prompted: bool) -> None:
    """Put a row at the end of a turn in which something was said, but not in what an agent tells again."""
    index, turn = session.index, session.turn
    number, index.turn_number = index.turn_number, 0
    prompted = prompted or any(not entry.aside for entry in session.entries[index.turn_began :])
    if session.parent is not None or index.options_before is not None or not prompted:
        return
    entry = TurnEntry(index.aside(), number, stop_reason=turn.stop_reason, started_at=session.clock())
    entry.seconds = (turn.ended_at or turn.started_at) - turn.started_at
    entry.model, entry.mode = (info.chosen_name(session, category) for category in ("model", "mode"))
    timeline.add(session, entry)


def fold_files_changed(session: Session, fact: FilesChanged) -> None:
    """Show at the end of a turn what it changed, or correct that; without such a row in one of its own."""
    own = islice(reversed(session.entries), len(session.entries) - session.index.branched_at)
    entry = next((entry for entry in own if isinstance(entry, TurnEntry) and entry.turn == fact.turn), None)
    if entry is not None and (fact.files or fact.gaps or not entry.apart):
        _tell(entry, fact)
        timeline.changed(session, entry)
    elif entry is not None:
        timeline.remove(session, entry)
    elif fact.files or fact.gaps:
        entry = TurnEntry(session.index.aside(), fact.turn, apart=True, started_at=session.clock())
        _tell(entry, fact)
        timeline.add(session, entry)


def _tell(entry: TurnEntry, fact: FilesChanged) -> None:
    entry.files, entry.added, entry.removed = fact.files, fact.added, fact.removed
    entry.names, entry.unknown, entry.gaps = fact.names, fact.unknown, fact.gaps


def fold_taken_back(session: Session, fact: FilesTakenBack) -> None:
    id_ = session.index.aside()
    entry = TakenBackEntry(id_, fact.words, fact.files, fact.left, fact.names, fact.undone, started_at=session.clock())
    timeline.add(session, entry)
