"""Diffs as hunks of numbered lines, whatever shape the agent gave them in.

Lines keep their text as it came; `Hunk.shown` makes it safe.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import NamedTuple

from rich.cells import cell_len

from acp_tui.frozen import Frozen
from acp_tui.safe_text import REPLACEMENT, is_plain, is_text, sanitise
from acp_tui.session.text.line_diff import Row, Sign, hunk_rows, line_diff, lines_of_text
from acp_tui.session.text.line_diff import Span as ChangedSpan
from acp_tui.session.text.phrases import counted
from acp_tui.ui.render.text import clipped
from acp_tui.ui.render.wrap import TAB, StandIn, expand_tabs, tabs_in

MAX_COLUMNS = 2_000
SIDES_APART = 4  # times as many lines on one side, from which on columns show little
MOST_SIGNED = 200_000  # characters of a hunk that are looked at one by one
_TWINS = (  # letters of Greek and Cyrillic, and dashes, that fonts draw as the ASCII before them
    "a0430 e0435 o043E o03BF p0440 c0441 y0443 x0445 i0456 j0458 s0455 d0501 h04BB q051B w051D l04CF v03BD "
    "A0410 A0391 B0412 B0392 E0415 E0395 Z0396 H041D H0397 I0406 I0399 J0408 K041A K039A M041C M039C N039D O041E O039F "
    "P0420 P03A1 C0421 S0405 T0422 T03A4 Y04AE Y03A5 X0425 X03A7 -2010 -2011 -2012 -2013 -2212"
)
_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_FOLDED = {int(twin[1:], 16): twin[0] for twin in _TWINS.split()}


class DrawnLine(NamedTuple):
    """A line as it is drawn, and what its stand-ins are in the file."""

    text: str
    stand_ins: tuple[StandIn, ...] = ()


class Side(NamedTuple):
    """A line of a hunk: `sign` as in a patch, and what is said behind it."""

    sign: str
    text: str
    ending: str


def plain(text: str, most: int = MAX_COLUMNS) -> DrawnLine:
    """A line without signs: safe, tabs as blanks, of at most so many characters (a cut says so)."""
    safe = sanitise(clipped(text, most).replace("\r", "␍")).replace("\n", " ")
    return DrawnLine(expand_tabs(safe), tabs_in(safe))


def shown_lines(lines: Sequence[Side]) -> list[DrawnLine]:
    """The lines of a hunk, with signs where a change and another line look alike, or differ in kinds of blanks only."""
    shown = [plain(line.text) for line in lines]
    room = MOST_SIGNED
    for way in (_signed, _numbered, _counted) if {"+", "-"} <= {line.sign for line in lines} else ():
        alike = [group for group in _groups(lines, shown) if _confusing(lines, shown, group)]
        if not alike:
            break
        for group in alike:
            texts = list(dict.fromkeys(lines[at].text for at in group))
            room -= sum(min(len(lines[at].text), MAX_COLUMNS) for at in group)
            for at in group:
                shown[at] = (way if room >= 0 else _counted)(lines[at].text, texts)
    return shown


def _groups(lines: Sequence[Side], shown: Sequence[DrawnLine]) -> Iterable[list[int]]:
    groups = defaultdict[str, list[int]](list)
    for at, (line, each) in enumerate(zip(lines, shown, strict=True)):
        groups["".join(_folded(each.text).split()) + line.ending].append(at)
    return groups.values()


def _confusing(lines: Sequence[Side], shown: Sequence[DrawnLine], group: Sequence[int]) -> bool:
    texts = {lines[at].text: at for at in group}
    if len(texts) == 1 or not any(lines[at].sign != " " for at in group):
        return False
    looks = {_folded(shown[at].text).rstrip() for at in texts.values()}
    tabs, blanks = ({text.count(sign) for text in texts} for sign in "\t ")
    exchanged = len(tabs) > 1 and len(blanks) > 1 and not any("→" in shown[at].text for at in group)
    return len(looks) < len(texts) or exchanged


def _folded(text: str) -> str:
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFC", text).translate(_FOLDED)
    return _BLANKS.sub(lambda found: " " * cell_len(found[0]), folded)


def _signed(text: str, _others: Sequence[str]) -> DrawnLine:
    return _with_signs(text, frozenset())


def _numbered(text: str, _others: Sequence[str]) -> DrawnLine:
    return _with_signs(text, _FOLDED.keys())


def _counted(text: str, others: Sequence[str]) -> DrawnLine:
    """What differs is beyond the end, written as a sign of ours, or too much: shown with its place and line numbers."""
    shown = plain(text)
    at = _parting(text, next(each for each in others if each != text))
    near = " ".join(f"U+{ord(sign):04X}" for sign in text[at : at + 1]) or "the end"
    number = f", {others.index(text) + 1:,} of {len(others):,}" if len(others) > 2 else ""
    text = f"{shown.text} ⟨column {at + 1:,} is {near}{number}⟩"
    return DrawnLine(text, (*shown.stand_ins, (len(shown.text), len(text), "")))


def _parting(one: str, other: str) -> int:
    """How many characters two texts begin alike, found by halves: a line may be a megabyte."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _with_signs(text: str, letters: Iterable[int]) -> DrawnLine:
    text, rest = text[:MAX_COLUMNS], clipped(text, MAX_COLUMNS)[MAX_COLUMNS:]
    parted = unicodedata.normalize("NFC", text) != text
    body = len(text) if rest else len(text.rstrip(" "))

    def stand_in(at: int, sign: str) -> str:
        if sign == "\t":
            return "→"
        if at >= body:
            return "·"
        marks = parted and (unicodedata.combining(sign) or unicodedata.normalize("NFC", sign) != sign)
        seen = sign == " " or (is_plain(sign) and not marks and ord(sign) not in letters)
        return "" if seen else f"⟨U+{ord(sign):04X}⟩"

    drawn = _drawn((sign, stand_in(at, sign)) for at, sign in enumerate(text))
    return drawn._replace(text=sanitise(drawn.text) + rest)


def _drawn(signs: Iterable[tuple[str, str]]) -> DrawnLine:
    parts: list[str] = []
    stand_ins: list[StandIn] = []
    length = column = 0
    for sign, instead in signs:
        shown = instead or sign
        if sign == "\t":
            shown = instead.ljust(TAB - column % TAB)
        if shown != sign and (sign == "\t" or (is_text(sign) and sanitise(sign) != REPLACEMENT)):
            stand_ins.append((length, length + len(shown), sign))
        parts.append(shown)
        length += len(shown)
        column += cell_len(shown)
    return DrawnLine("".join(parts), tuple(stand_ins))


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
        beside = paired_lines(self, 0, len(self.lines))
        return {old: new for old, new in beside if old is not None and new is not None and old != new}

    @cached_property
    def shown(self) -> list[DrawnLine]:
        """Each line as it is drawn; two that differ differ there, too."""
        return shown_lines([Side(line.sign, line.text, line.ending) for line in self.lines])

    def whole(self, index: int) -> DrawnLine:
        """A line as it is drawn, of any length; what differs in a long one is still written behind it."""
        text, shown = self.lines[index].text, self.shown[index]
        if len(text) <= MAX_COLUMNS:
            return shown
        head, _, tail = shown.text.rpartition(clipped(text, MAX_COLUMNS)[MAX_COLUMNS:])
        rest = plain(text[MAX_COLUMNS:], len(text))
        moved = ((start + len(head), end + len(head), source) for start, end, source in rest.stand_ins)
        stand_ins = (each for each in shown.stand_ins if each[1] <= len(head))
        return DrawnLine(head + rest.text + tail, (*stand_ins, *moved))

    @cached_property
    def one_sided(self) -> bool:
        """Whether nothing is removed, or nothing added, or in columns three quarters of one would be blank."""
        signs = Counter(line.sign for line in self.lines)
        shorter, longer = sorted((signs["-"], signs["+"]))
        return not shorter or SIDES_APART * (signs[" "] + shorter) < signs[" "] + longer

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


def paired_lines(hunk: Hunk, start: int, end: int) -> Iterator[tuple[int | None, int | None]]:
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
