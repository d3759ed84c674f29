"""Diffs as hunks of numbered lines, whatever shape the agent gave them in.

Lines keep their text as it came; `Hunk.shown` makes it safe.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from io import StringIO
from itertools import zip_longest
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.session.text.words import counted
from acp_tui.ui.render.diff_signs import Shown, Side, shown_lines

CONTEXT = 3
MAX_COMPARED = 20_000  # lines per side; more are shown as removed and added
MAX_LINES = 20_000
MOST_TOKENS = 300  # of a line whose words are compared
CARRIAGE, CRLF = "␍", "CRLF line endings"  # behind a line, and of all lines of both texts
LEAST_ALIKE = 0.3  # of both lines' characters
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Sign = Literal[" ", "+", "-"]
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


def compare(path: str, old: str | None, new: str, start: int = 1) -> FileDiff:
    """The diff of one file's old and new text, which begin in line `start`; no old text means a new file."""
    if "\0" in (old or "") or "\0" in new:
        return FileDiff(path, notes=(f"binary: {len(old or ''):,} → {counted(len(new), 'character')}",))
    before, after = _lines(old or ""), _lines(new)
    notes = ["new file"] if not old else ["now empty"] if not new else []
    if old and before == after:
        notes.append("no changes")
    if _all_carriage(old or "") and _all_carriage(new):
        notes.append(CRLF)
        before, after = ([line.replace("\r\n", "\n") for line in side] for side in (before, after))
    if before and after and not (before[-1].endswith("\n") or after[-1].endswith("\n")):
        before[-1], after[-1] = before[-1] + "\n", after[-1] + "\n"  # nothing changes there, or these are excerpts
    operations, whole = _operations(before, after)
    if whole:
        notes.append("too large for a line-by-line diff")
    removed, added = sum(op[1] - op[0] for op in operations), sum(op[3] - op[2] for op in operations)
    if removed + added > MAX_LINES:
        operations, hidden = _clipped(operations)
        before = before[: operations[-1][1]]
        notes.append(f"{counted(hidden, 'more changed line')} not shown")
    return FileDiff(path, tuple(_hunks(before, after, operations, start)), tuple(notes), added, removed)


def _lines(text: str) -> list[str]:
    """Lines with their `\\n`, so that a last line without one differs from the same with one."""
    return list(StringIO(text, newline="\n"))


def _all_carriage(text: str) -> bool:
    return 0 < text.count("\n") == text.count("\r\n")


Operation = tuple[int, int, int, int]


def _operations(before: list[str], after: list[str]) -> tuple[list[Operation], bool]:
    """What differs, as (i1, i2, j1, j2), and whether it was too much to look inside."""
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    tail = next((n for n in range(shorter - head) if before[-1 - n] != after[-1 - n]), shorter - head)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return [], False
    too_long = bool(old and new) and max(len(old), len(new)) > MAX_COMPARED
    if not old or not new or too_long:
        return [(head, len(before) - tail, head, len(after) - tail)], too_long
    codes = SequenceMatcher(None, old, new).get_opcodes()  # autojunk stays on: big inputs
    return [(i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in codes if tag != "equal"], False


def _hunks(before: list[str], after: list[str], operations: list[Operation], start: int) -> Iterator[Hunk]:
    """Group operations that lie close together and put context around them."""
    group: list[Operation] = []
    end = 0
    for operation in operations:
        if group and operation[0] - group[-1][1] > 2 * CONTEXT:
            yield _hunk(before, after, group, end, start)
            end = group[-1][1] + CONTEXT
            group = []
        group.append(operation)
    if group:
        yield _hunk(before, after, group, end, start)


def _hunk(before: list[str], after: list[str], group: list[Operation], end: int, start: int) -> Hunk:
    lines: list[DiffLine] = []
    first = max(end, group[0][0] - CONTEXT)
    old, new = first, group[0][2] - (group[0][0] - first)
    stop = min(len(before), group[-1][1] + CONTEXT)
    for i1, i2, j1, j2 in [*group, (stop, stop, new, new)]:
        shift = new - old
        lines += (_line(" ", n + start, n + shift + start, before[n]) for n in range(old, i1))
        lines += (_line("-", n + start, None, before[n]) for n in range(i1, i2))
        lines += (_line("+", None, n + start, after[n]) for n in range(j1, j2))
        old, new = i2, j2
    return Hunk(tuple(lines), first - end)


def _line(sign: Sign, old: int | None, new: int | None, raw: str) -> DiffLine:
    if raw.endswith("\r\n"):
        return DiffLine(sign, old, new, raw[:-2], CARRIAGE)
    return DiffLine(sign, old, new, raw[:-1]) if raw.endswith("\n") else DiffLine(sign, old, new, raw, "⏎ no newline")


def _clipped(operations: list[Operation]) -> tuple[list[Operation], int]:
    room, hidden, kept = MAX_LINES, 0, []
    for i1, i2, j1, j2 in operations:
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
