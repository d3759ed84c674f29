"""The sidebar's sections as rows of text, cut to its width, and what the agent changed in which files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter

from rich.cells import cell_len
from textual.content import Content

from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.facts import FileWritten
from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal
from acp_tui.session.text.words import done_words
from acp_tui.session.tools.diffs import ChangedFile, diffs_of, is_written_here
from acp_tui.session.tools.family import working
from acp_tui.session.tools.subject import terminal_line
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.entries.tool_calls.words import exit_words, place
from acp_tui.ui.kit.theme import ACCENT, AGENT, MUTED
from acp_tui.ui.render.diff_files import file_diffs
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, painted, sanitise_line
from acp_tui.ui.status.plan import plan_rows
from acp_tui.ui.subagents.tree import most_active, tree_rows
from acp_tui.views.limits import fullness, usage_rows

FILES_SHOWN = 30
TERMINALS_SHOWN = 12
SUBAGENTS_SHOWN = 12

Row = Content


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


def heading(word: str, count: str = "", width: int = 0) -> Row:
    """A section's name, and how many there are at the right."""
    gap = " " * max(1, width - len(word) - len(count)) if count else ""
    return Content.assemble((word, f"{ACCENT} bold"), gap, (count, MUTED))


def plan_section(session: Session, width: int, palette: Palette) -> Iterator[Row]:
    plans = list(session.plans.values())
    if plans:
        yield heading("Plan", done_words(plans), width)
    for plan in plans:
        yield from (Content.assemble(*row) for row in plan_rows(plan, palette, titled=len(plans) > 1))


def subagents_section(session: Session, width: int) -> Iterator[tuple[Row, str]]:
    """The tree of all subagents, of many the most active ones; each row with the id of what it stands for, if any."""
    nodes, more = most_active(session, SUBAGENTS_SHOWN)
    if nodes:
        works = len(working(session))
        yield heading("Subagents", f"{works} working" if works else str(len(nodes) + more), width), ""
    yield from tree_rows(nodes, width)
    if more:
        yield Content.styled(f"… {more:,} more ({first_way('open_subagent')})", MUTED), ""


def files_section(files: Sequence[ChangedFile], cwd: str, width: int) -> Iterator[Row]:
    """`src/login.py  +12 −3`, the last changed one first."""
    if files:
        yield heading("Changed files", str(len(files)), width)
    for file in list(reversed(files))[:FILES_SHOWN]:
        told = _counts(file) or [(file.note or "changed", MUTED)]
        room = width - sum(cell_len(text) for text, _ in told) - 2
        yield _two(cut_left(place(file.path, None, cwd), room), told, width)
    if len(files) > FILES_SHOWN:
        yield Content.styled(f"… {len(files) - FILES_SHOWN} more", MUTED)


def _counts(file: ChangedFile) -> list[tuple[str, str]]:
    added = [(f"+{file.added:,}", "$success")] if file.added else []
    removed = [(f"−{file.removed:,}", "$error")] if file.removed else []
    return [*added, (" ", ""), *removed] if added and removed else added or removed


def terminals_section(session: Session, width: int) -> Iterator[Row]:
    """What runs, then what ended, the last one first; sign, command, how it ended."""
    terminals = list(session.terminals.values())
    running = [terminal for terminal in terminals if terminal.exit_status is None]
    ended = [terminal for terminal in terminals if terminal.exit_status is not None]
    if terminals:
        yield heading("Terminals", f"{len(running)} running" if running else str(len(terminals)), width)
    for terminal in [*reversed(running), *reversed(ended)][:TERMINALS_SHOWN]:
        sign, ink, told = _state(terminal)
        command = sanitise_line(terminal_line(terminal, session), 200)
        shown = cut(command, max(4, width - 4 - cell_len(told)))
        yield _two(shown, [(told, ink)], width, sign=(f"{sign} ", ink))
    if len(terminals) > TERMINALS_SHOWN:
        yield Content.styled(f"… {len(terminals) - TERMINALS_SHOWN} more", MUTED)


def _state(terminal: Terminal) -> tuple[str, str, str]:
    if terminal.exit_status is None:
        return "◐", AGENT, "running"
    good, words = exit_words(terminal.exit_status)
    sign, ink = {True: ("✓", "$success"), False: ("✗", "$error"), None: ("·", MUTED)}[good]
    return sign, ink, words


def usage_section(session: Session, width: int) -> Iterator[Row]:
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


def _two(left: str, right: list[tuple[str, str]], width: int, sign: tuple[str, str] = ("", "")) -> Row:
    used = cell_len(sign[0]) + cell_len(left) + sum(cell_len(text) for text, _ in right)
    return Content.assemble(sign, left, " " * max(1, width - used), *right)
