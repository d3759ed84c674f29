"""Sections of the sidebar: subagents, changed files and terminals, each with its name, its count and its rows."""

from collections.abc import Sequence
from typing import NamedTuple

from acp_tui.session.state import Session
from acp_tui.session.terminal import Terminal
from acp_tui.session.tools.diffs import ChangedFile
from acp_tui.session.tools.family import working
from acp_tui.session.tools.subject import terminal_line
from acp_tui.views.changed_files import line_counts, place
from acp_tui.views.formatting import exit_words
from acp_tui.views.styled_text import SplitRow, StyledText, brief
from acp_tui.views.subagents import most_active, tree_rows

FILES_SHOWN = 30
TERMINALS_SHOWN = 12
SUBAGENTS_SHOWN = 12


class Section(NamedTuple):
    """`total` stands at the right of its name; `more` says what has no row."""

    name: str
    total: str
    rows: Sequence[SplitRow]
    more: str = ""


def subagents(session: Session, way: str) -> Section:
    """The tree of all subagents, of many the most active ones; `way` leads to the others."""
    nodes, more = most_active(session, SUBAGENTS_SHOWN)
    works = len(working(session))
    count = f"{works} working" if works else str(len(nodes) + more)
    return Section("Subagents", count, [*tree_rows(nodes)], f"… {more:,} more ({way})" if more else "")


def files(changed: Sequence[ChangedFile], cwd: str) -> Section:
    """`src/login.py  +12 −3`, the last changed one first."""
    shown = list(reversed(changed))[:FILES_SHOWN]
    rows = [SplitRow([], place(file.path, None, cwd), _counts(file), is_path=True) for file in shown]
    return Section("Changed files", str(len(changed)), rows, _more(len(changed) - FILES_SHOWN))


def _counts(file: ChangedFile) -> StyledText:
    return line_counts(file.added, file.removed) or [(file.note or "changed", "muted")]


def terminals(session: Session) -> Section:
    """What runs, then what ended, the last one first; sign, command, how it ended."""
    every = list(session.terminals.values())
    running = [terminal for terminal in every if terminal.exit_status is None]
    ended = [terminal for terminal in every if terminal.exit_status is not None]
    shown = [*reversed(running), *reversed(ended)][:TERMINALS_SHOWN]
    count = f"{len(running)} running" if running else str(len(every))
    return Section("Terminals", count, [_row(each, session) for each in shown], _more(len(every) - TERMINALS_SHOWN))


def _row(terminal: Terminal, session: Session) -> SplitRow:
    sign, tone, words = "◐", "agent", "running"
    if terminal.exit_status is not None:
        good, words = exit_words(terminal.exit_status)
        sign, tone = {True: ("✓", "success"), False: ("✗", "error"), None: ("·", "muted")}[good]
    return SplitRow([(f"{sign} ", tone)], brief(terminal_line(terminal, session), 200), [(words, tone)])


def _more(count: int) -> str:
    return f"… {count} more" if count > 0 else ""
