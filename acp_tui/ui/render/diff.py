"""Diffs as hunks of numbered lines, whatever shape the agent gave them in.

Lines keep their text as it came; `Hunk.shown` makes it safe.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import zip_longest

from acp_tui.frozen import Frozen
from acp_tui.session.text.line_diff import Row, Sign, hunk_rows, line_diff, lines_of_text
from acp_tui.session.text.line_diff import Span as ChangedSpan
from acp_tui.session.text.words import counted
from acp_tui.ui.render.diff_signs import Shown, Side, shown_lines

MAX_LINES = 20_000
MOST_TOKENS = 300  # of a line whose words are compared
CARRIAGE, CRLF = "␍", "CRLF line endings"  # behind a line, and of all lines of both texts
LEAST_ALIKE = 0.3  # of both lines' characters
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line; numbers count from 1 and are None on the side where the line is not. `ending` says what is odd."""

    sign: Sign
    old: int | None
    new: int | None
    text: str
    ending: str = ""


class Hunk(Frozen):
    """Lines that belong together; `skipped` counts the unchanged lines between the hunk before and this one."""

    lines: tuple[DiffLine, ...]
    skipped: int = 0
    heading: str = ""

    @cached_property
    def pairs(self) -> dict[int, int]:
        """Removed line → the added line that stands in its place, both as indices into `lines`."""
        beside = side_by_side(self, 0, len(self.lines))
        return {old: new for old, new in beside if old is not None and new is not None and old != new}

    @cached_property
    def shown(self) -> list[Shown]:
        """Each line as it is drawn; two that differ differ there, too."""
        return shown_lines([Side(line.sign, line.text, line.ending) for line in self.lines])

    @cached_property
    def one_sided(self) -> bool:
        return len({line.sign for line in self.lines}) == 1

    @cached_property
    def _partners(self) -> dict[int, int]:
        return self.pairs | {added: removed for removed, added in self.pairs.items()}

    def words(self, index: int) -> tuple[Span, ...]:
        """The changed characters of a line (offsets into its shown text); none where the whole line changed."""
        partner = self._partners.get(index)
        if partner is None:
            return ()
        removed, added = sorted((index, partner))
        spans = changed_words(self.shown[removed].text, self.shown[added].text)
        return spans[index == added]


class FileDiff(Frozen):
    """What changes in one file. `notes` tell what the hunks cannot: a new file, a move, a cap, binary content."""

    path: str
    hunks: tuple[Hunk, ...] = ()
    notes: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0

    @cached_property
    def digits(self) -> int:
        ends = (hunk.lines[-1] for hunk in self.hunks if hunk.lines)
        return len(str(max((max(line.old or 0, line.new or 0) for line in ends), default=1)))


def compare(path: str, old: str | None, new: str, start: int = 1, *, excerpts: bool = False) -> FileDiff:
    """The diff of one file's old and new text, which begin in line `start`; no old text means a new file.

    `excerpts`: the texts may be parts of a file, where no newline at the end of both means nothing.
    """
    if "\0" in (old or "") or "\0" in new:
        return FileDiff(path, notes=(f"binary: {len(old or ''):,} → {counted(len(new), 'character')}",))
    before, after = lines_of_text(old or ""), lines_of_text(new)
    notes = ["new file"] if not old else ["now empty"] if not new else []
    if old and before == after:
        notes.append("no changes")
    if _all_carriage(old or "") and _all_carriage(new):
        notes.append(CRLF)
        before, after = ([line.replace("\r\n", "\n") for line in side] for side in (before, after))
    if excerpts and before and after and not (before[-1].endswith("\n") or after[-1].endswith("\n")):
        before[-1], after[-1] = before[-1] + "\n", after[-1] + "\n"
    diff = line_diff(before, after)
    spans, end = diff.spans, len(before)
    if diff.coarse:
        notes.append("too large for a line-by-line diff")
    if diff.removed + diff.added > MAX_LINES:
        spans, hidden = _clipped(spans)
        end = spans[-1][1]
        notes.append(f"{counted(hidden, 'more changed line')} not shown")
    hunks: list[Hunk] = []
    shown = 0
    for rows in hunk_rows(spans, end):
        lines = tuple(_line(row, before, after, start) for row in rows)
        hunks.append(Hunk(lines, rows[0][1] - shown))
        shown = rows[-1][1] + (rows[-1][0] != "+")
    return FileDiff(path, tuple(hunks), tuple(notes), diff.added, diff.removed)


def _all_carriage(text: str) -> bool:
    return 0 < text.count("\n") == text.count("\r\n")


def _line(row: Row, before: Sequence[str], after: Sequence[str], start: int) -> DiffLine:
    sign, old, new = row
    raw = after[new] if sign == "+" else before[old]
    numbers = None if sign == "+" else old + start, None if sign == "-" else new + start
    if raw.endswith("\r\n"):
        return DiffLine(sign, *numbers, raw[:-2], CARRIAGE)
    return DiffLine(sign, *numbers, raw[:-1]) if raw.endswith("\n") else DiffLine(sign, *numbers, raw, "⏎ no newline")


def _clipped(spans: Sequence[ChangedSpan]) -> tuple[list[ChangedSpan], int]:
    room, hidden, kept = MAX_LINES, 0, []
    for i1, i2, j1, j2 in spans:
        old = min(i2 - i1, room)
        new = min(j2 - j1, room - old)
        if old or new:
            kept.append((i1, i1 + old, j1, j1 + new))
        room -= old + new
        hidden += (i2 - i1 - old) + (j2 - j1 - new)
    return kept, hidden


def side_by_side(hunk: Hunk, start: int, end: int) -> Iterator[tuple[int | None, int | None]]:
    """Which lines stand beside each other, as indices; a replaced block's lines are paired from the top."""
    index = start
    while index < end:
        if hunk.lines[index].sign == " ":
            yield index, index
            index += 1
            continue
        removed = _run_of("-", hunk, index, end)
        added = _run_of("+", hunk, index + len(removed), end)
        yield from zip_longest(removed, added)
        index += len(removed) + len(added)


def _run_of(sign: str, hunk: Hunk, start: int, end: int) -> range:
    return range(start, next((index for index in range(start, end) if hunk.lines[index].sign != sign), end))


@lru_cache(maxsize=256)  # a line and the one that replaces it are asked for one after the other
def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The changed characters of both lines, as (start, end); none where too little is alike to compare."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if not before or not after or max(len(before), len(after)) > MOST_TOKENS:
        return (), ()
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    alike = sum(len(word) for block in blocks for word in before[block.a : block.a + block.size] if not word.isspace())
    length = sum(len("".join(side.split())) for side in (old, new))
    if length == 0 or 2 * alike / length < LEAST_ALIKE:
        return (), ()
    return (
        _gaps(old, before, [(block.a, block.a + block.size) for block in blocks]),
        _gaps(new, after, [(block.b, block.b + block.size) for block in blocks]),
    )


def _gaps(line: str, tokens: list[str], kept: list[Span]) -> tuple[Span, ...]:
    """What lies between the kept runs of tokens, in characters; neighbours with only blanks between them are joined."""
    edges = [0]
    for word in tokens:
        edges.append(edges[-1] + len(word))
    spans: list[Span] = []
    end = 0
    for start, stop in kept:
        if edges[start] > edges[end]:
            span = edges[end], edges[start]
            if spans and line[spans[-1][1] : span[0]].isspace():
                span = spans.pop()[0], span[1]
            spans.append(span)
        end = stop
    return tuple(spans)
