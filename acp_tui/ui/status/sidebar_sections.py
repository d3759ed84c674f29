"""The sidebar's sections as rows of text in its width, and what the agent changed in which files."""

from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter

from textual.content import Content

from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import FileWritten
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import done_words
from acp_tui.session.tools.patches import ChangedFile, diffs_of, is_written_here
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.diff_files import file_diffs
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, painted
from acp_tui.ui.status.status_line import plan_rows
from acp_tui.views.formatting import SplitRow, fullness, usage_rows
from acp_tui.views.session_facts import FactSection

LEAST = 4  # cells of the text of a row


class ChangedFiles:
    """Adds up the diffs of finished tool calls. Each version of a call is compared once, when there is time."""

    def __init__(self) -> None:
        self._calls: dict[int, tuple[ToolCallEntry, int, list[ChangedFile]]] = {}
        self._waiting: dict[int, ToolCallEntry] = {}

    def look(self, entries: Iterable[Entry]) -> None:
        self._waiting.update((id(entry), entry) for entry in entries if isinstance(entry, ToolCallEntry))

    def count(self, seconds: float) -> bool:
        """Compare what was noted, for about that long; whether something is left to do."""
        stop = perf_counter() + seconds
        while self._waiting and perf_counter() < stop:
            entry = self._waiting.pop(next(iter(self._waiting)))
            held = self._calls.get(id(entry))
            if held is None or held[1] != entry.version:
                self._calls.pop(id(entry), None)  # what changed last stands last
                self._calls[id(entry)] = entry, entry.version, list(_changes(entry))
        return bool(self._waiting)

    def files(self, writes: Mapping[str, FileWritten]) -> list[ChangedFile]:
        """Every file once, the one that was changed last at the end; of `writes` only those that no diff tells of."""
        found: dict[str, ChangedFile] = {}
        for _, _, changes in self._calls.values():
            for change in changes:
                before = found.pop(change.path, None)
                found[change.path] = change if before is None else _together(before, change)
        untold = [
            ChangedFile(write.path, write.added, write.removed, "new file" if write.created else "")
            for write in writes.values()
            if write.path not in found
        ]
        return [*untold, *found.values()]


def _together(before: ChangedFile, after: ChangedFile) -> ChangedFile:
    note = before.note if before.note == "new file" else after.note
    return ChangedFile(after.path, before.added + after.added, before.removed + after.removed, note)


def _changes(entry: ToolCallEntry) -> Iterable[ChangedFile]:
    if entry.status != "completed":
        return
    for diff in diffs_of(entry):
        if diff.changes is not None and is_written_here(entry):
            continue  # how many lines it has is known of the write alone
        for file in file_diffs(diff):
            if file.path:
                yield ChangedFile(file.path, file.added, file.removed, file.notes[0] if file.notes else "")


def heading(word: str, count: str = "", width: int = 0) -> Content:
    gap = " " * max(1, width - len(word) - len(count)) if count else ""
    return painted([(word, "user bold"), (gap, ""), (count, "muted")])


def rows_of(section: FactSection, width: int, gap: int = 2) -> list[tuple[Content, str]]:
    """The rows of a section that has any, each with the id of what it stands for; at least so large a `gap` in each."""
    if not section.rows:
        return []
    rows = [(heading(section.name, section.total, width), "")]
    rows += [(split_row(row, width, gap), row.value) for row in section.rows]
    return [*rows, (Content.styled(section.more, MUTED), "")] if section.more else rows


def split_row(row: SplitRow, width: int, gap: int) -> Content:
    lead, right = painted(row.lead), painted(row.right)
    room = width - lead.cell_length - right.cell_length
    text = cut_left(row.text, room - gap) if row.is_path else cut(row.text, max(LEAST, room - gap))
    return Content.assemble(lead, text, " " * max(1, room - Content(text).cell_length), right)


def plan_section(session: Session, width: int, palette: Palette) -> Iterator[Content]:
    plans = list(session.plans.values())
    if plans:
        yield heading("Plan", done_words(plans), width)
    for plan in plans:
        yield from plan_rows(plan, palette, titled=len(plans) > 1)


def usage_section(session: Session, width: int) -> Iterator[Content]:
    """How full the context is, as a bar and in words, what it cost, and the limits of the account."""
    usage = session.usage
    if usage is None:
        return
    full = fullness(usage)
    yield heading("Usage")
    if usage.size > 0:
        cells = round((min(usage.used, usage.size) / usage.size) * width)
        yield Content.assemble(
            ("━" * cells, f"${full.tone}" if full.sign else ACCENT),
            ("━" * (width - cells), "$foreground 20%"),
        )
    for row in usage_rows(usage):
        yield painted(row, width)
