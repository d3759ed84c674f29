"""The right half of the screen: which file it is, what became of it, and its diff, or in words why there is none."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.host.revert.steps import LineSpan
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.session.state import Session
from acp_tui.ui.changes.extensions import Extras
from acp_tui.ui.changes.line_rows import LineSpot
from acp_tui.ui.changes.line_view import LineView
from acp_tui.ui.entries.base_units import FixedUnit, named
from acp_tui.ui.entries.diff_units import UNIT_LINES, HunkText, HunkUnit, Layout
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.diff import CARRIAGE, CRLF, FileDiff, Hunk, compare
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut_path, painted, sanitise_line
from acp_tui.ui.render.wrap import Line, Row, Unit, edge, rows_of
from acp_tui.views.changed_files import change_notes, file_facts, missing_words, shown_path, sizes_words

INDENT = 0  # cells, behind those of the cursor and of marks
LONGEST = 1_000
MOST_COMPARED = 4_000_000  # bytes of a text; a larger one would hold all the rest up for seconds
MOST_COLOURED = 6_000  # lines of a diff; the colours of more would take seconds as well
_SAID_ELSEWHERE = ("new file", "now empty", "no changes")
_CUT = "not shown"


class ShownFile(Frozen):
    """`said` has one idea each, which stands above the hunks. `change` is what was read, None for nothing at all."""

    change: PathChange | None = None
    diff: FileDiff = FileDiff("")
    said: Sequence[str] = ()

    def span(self, hunk: Hunk | None) -> LineSpan | None:
        """The lines of a hunk without those around; None where the rest of the diff is cut, and for no hunk."""
        cut = any(note.endswith(_CUT) for note in self.diff.notes)
        if hunk is None or (cut and hunk is self.diff.hunks[-1]):
            return None
        return span_of(hunk)


def shown_file(change: PathChange, before: bytes | None, after: bytes | None) -> ShownFile:
    """The file with what it held before and after; it takes a while for large texts."""
    said = change_notes(change, before, after)
    is_text = "file" in (change.before.kind, change.after.kind) and "link" not in (
        change.before.kind,
        change.after.kind,
    )
    if not is_text or change.status == "mode":
        return ShownFile(change, FileDiff(change.path), said)
    missing = [*missing_words("earlier", change.before, before), *missing_words("current", change.after, after)]
    if missing:
        return ShownFile(change, FileDiff(change.path), [*said, *missing])
    texts = [_text(before), _text(after)]
    if any(text is None for text in texts):
        return ShownFile(change, FileDiff(change.path), [*said, f"binary file: {sizes_words(change)}"])
    if max(change.before.size, change.after.size) > MOST_COMPARED:
        return ShownFile(change, FileDiff(change.path), [*said, f"too large to compare: {sizes_words(change)}"])
    old, new = (text or "" for text in texts)
    diff = compare(change.path, old, new)
    lines = sum(len(hunk.lines) for hunk in diff.hunks)
    if lines > MOST_COLOURED:
        diff = FileDiff("", diff.hunks, diff.notes, diff.added, diff.removed)
        said.append(f"no syntax colours: more than {MOST_COLOURED:,} lines")
    said += (note for note in diff.notes if note not in _SAID_ELSEWHERE)
    said += _encoding_words(old, new)
    if not diff.hunks:
        said.append("empty" if not (old or new) else "the text is the same")
    return ShownFile(change, diff, said)


def span_of(hunk: Hunk) -> LineSpan:
    """Which lines of both texts a hunk replaces, without the unchanged ones around it."""
    first, *_ = hunk.lines
    old, new = ((first.old or 1) - 1, (first.new or 1) - 1) if first.sign == " " else (0, 0)
    changed: list[tuple[int, int, int, int]] = []
    for line in hunk.lines:
        ends = old + (line.sign != "+"), new + (line.sign != "-")
        if line.sign != " ":
            changed.append((old, new, *ends))
        old, new = ends
    if not changed:
        return LineSpan((old, old), (new, new))
    return LineSpan((changed[0][0], changed[-1][2]), (changed[0][1], changed[-1][3]))


def patch_of(path: str, old_path: str, diff: FileDiff) -> str:
    """The diff as a unified patch of text, without the lines that are cut."""
    lines = [f"--- a/{old_path or path}", f"+++ b/{path}"]
    everywhere = CRLF in diff.notes
    for hunk in diff.hunks:
        olds = [line.old for line in hunk.lines if line.old is not None]
        news = [line.new for line in hunk.lines if line.new is not None]
        lines.append(f"@@ -{_range(olds)} +{_range(news)} @@")
        for line in hunk.lines:
            carriage = line.ending == CARRIAGE or (everywhere and not line.ending)
            lines.append(line.sign + line.text + ("\r" if carriage else ""))
            if line.ending.startswith("⏎"):
                lines.append("\\ No newline at end of file")
    return "\n".join(lines) + "\n"


def _range(numbers: Sequence[int]) -> str:
    return f"{numbers[0]},{len(numbers)}" if numbers else "0,0"


def _text(data: bytes | None) -> str | None:
    """The text that bytes are, each byte that is none as a character of its own; None for what is no text."""
    if data is None:
        return ""
    return None if b"\0" in data else data.decode("utf-8", "surrogateescape")


def _encoding_words(old: str, new: str) -> list[str]:
    odd = any("\udc80" <= character <= "\udcff" for text in (old, new) if not text.isascii() for character in text)
    return ["not UTF-8: other bytes are shown as �"] if odd else []


class SaidUnit(FixedUnit):
    """A few words on a line of their own."""

    def __init__(self, text: str, *, loud: bool = False) -> None:
        self._text, self._loud = sanitise_line(text, LONGEST), loud

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        ink = palette.text if self._loud else palette.muted
        margin = [(" " * INDENT, palette.text)]
        return rows_of([Line([(self._text, ink)])], edge(width), margin=margin)


def units_of(shown: ShownFile, layout: Layout, extras: Extras) -> list[Unit]:
    """What is said of a file, and its hunks with what other rooms say of them."""
    units: list[Unit] = [SaidUnit(words, loud=not shown.diff.hunks) for words in shown.said]
    change = shown.change
    for hunk in shown.diff.hunks if change is not None else ():
        span = shown.span(hunk)
        note = extras.hunk_note(change, span) if change is not None and span is not None else ""
        units += [SaidUnit(note)] if note else []
        text = HunkText(shown.diff, hunk)
        for start in range(0, len(hunk.lines), UNIT_LINES):
            span_of_unit = range(start, min(start + UNIT_LINES, len(hunk.lines)))
            units.append(HunkUnit(text, span_of_unit, INDENT, layout))
    return units


class DiffPane(Vertical):
    """Shows one file. Whether the keys are its is told by the screen (`live`)."""

    DEFAULT_CSS = """
    DiffPane #changes-file { height: 2; margin: 0 1 1 2; text-wrap: nowrap; }
    DiffPane LineView { height: 1fr; margin: 0 1 0 0; }
    """

    def __init__(self, session: Session, extras: Extras, layout: Layout) -> None:
        super().__init__(id="changes-diff")
        self._session, self._extras, self.layout_shown = session, extras, layout
        self._head = Static(id="changes-file")
        self.view = LineView(self._below, self._is_read, id="changes-lines")
        self.view.can_focus = self.view.live = False  # the keys are the screen's
        self.shown = ShownFile()

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.view

    def _is_read(self, unit: Unit) -> bool:
        return self.shown.change is not None and self._extras.is_read(self.shown.change, unit)

    def _below(self, _number: int, spot: LineSpot) -> list[Unit]:
        change = self.shown.change
        return list(self._extras.below(change, spot)) if change is not None else []

    @property
    def file(self) -> PathChange | None:
        return self.shown.change

    def show(self, shown: ShownFile, *, last: bool = False) -> None:
        """Show a file; the place stays where it is the same one, else the first hunk is at hand, or the `last`."""
        before, self.shown = self.shown, shown
        same = before.change is not None and shown.change is not None and before.change.key == shown.change.key
        units = units_of(shown, self.layout_shown, self._extras)
        if same:
            self.view.show(units)
        else:
            self.view.begin(units, last=last)
        self.say()

    def look(self) -> None:
        """Draw anew: the layout is the other one, or other rooms have other things to show."""
        self.show(self.shown)

    def on_resize(self) -> None:
        self.say()

    def say(self) -> None:
        """Path, and where in its hunks the cursor is; below, what became of it and who did that."""
        change = self.file
        if change is None:
            self._head.update(Content(""))
            return
        width = max(8, self._head.size.width)
        number, count = self.view.hunk_number
        at = f"hunk {number} of {count}" if count > 1 and number else ""
        path = cut_path(shown_path(change, self._session.cwd), width - len(at) - 2)
        gap = " " * max(1, width - Content(path).cell_length - len(at))
        call = self._session.index.tool_calls.get(change.tool_call)
        facts = file_facts(change, named(call, self._session) if call is not None else "")
        self._head.update(Content.assemble((path, "bold"), gap, (at, MUTED), "\n", painted(facts)))

    def turn(self) -> None:
        self.layout_shown = "split" if self.layout_shown == "unified" else "unified"
        self.look()

    def patch(self) -> str:
        """The diff as a patch; nothing where there is none."""
        change, diff = self.file, self.shown.diff
        return patch_of(change.path, change.old_path, diff) if change is not None and diff.hunks else ""
