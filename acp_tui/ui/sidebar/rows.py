"""The sidebar's sections as rows of text, cut to its width."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.content import Content

from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal
from acp_tui.session.text.words import done_words
from acp_tui.session.tools.subject import terminal_line
from acp_tui.ui.entries.tool_calls.words import exit_words, place
from acp_tui.ui.kit.tones import ACCENT, AGENT, MUTED
from acp_tui.ui.options.usage import fullness, usage_text
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.ui.sidebar.changed_files import ChangedFile
from acp_tui.ui.status.plan import plan_rows

FILES_SHOWN = 30
TERMINALS_SHOWN = 12

Row = Content


def heading(word: str, count: str = "", width: int = 0) -> Row:
    """A section's name, and how many there are at the right."""
    gap = " " * max(1, width - len(word) - len(count)) if count else ""
    return Content.assemble((word, f"{ACCENT} bold"), gap, (count, MUTED))


def plan_section(session: Session, width: int, palette: Palette) -> Iterator[Row]:
    """Every step of every plan."""
    plans = list(session.plans.values())
    if plans:
        yield heading("Plan", done_words(plans), width)
    for plan in plans:
        yield from (Content.assemble(*row) for row in plan_rows(plan, palette, titled=len(plans) > 1))


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
    added, removed = (f"+{file.added:,}", "$success"), (f"−{file.removed:,}", "$error")
    if file.added and file.removed:
        return [added, (" ", ""), removed]
    return [added] if file.added else [removed] if file.removed else []


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
    """How full the context is, as a bar and in words, and what it cost."""
    usage = session.usage
    if usage is None:
        return
    full = fullness(usage)
    yield heading("Usage")
    if usage.size > 0:
        cells = round((min(usage.used, usage.size) / usage.size) * width)
        yield Content.assemble(
            ("━" * cells, full.tone if full.sign else ACCENT),
            ("━" * (width - cells), "$foreground 20%"),
        )
    yield Content.styled(sanitise_line(usage_text(usage), width), full.tone)


def _two(left: str, right: list[tuple[str, str]], width: int, sign: tuple[str, str] = ("", "")) -> Row:
    used = cell_len(sign[0]) + cell_len(left) + sum(cell_len(text) for text, _ in right)
    return Content.assemble(sign, left, " " * max(1, width - used), *right)
