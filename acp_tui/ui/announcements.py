"""What is said in a toast when the session tells of it; the words are agent text, never markup."""

from collections.abc import Sequence
from typing import Any, Literal

from textual.app import App

from acp_tui.errors import Fault
from acp_tui.session.changes import ConfigOptionsChanged
from acp_tui.session.entries import NoticeEntry
from acp_tui.ui.figures import home_path
from acp_tui.ui.render.text import sanitise, sanitise_line

Severity = Literal["information", "warning", "error"]
NAMED = 4
PATIENCE = 20.0  # seconds that a list of problems stays


def announce_notice(app: App[Any], notice: NoticeEntry) -> None:
    """Show a live notice of the agent."""
    severity: Severity = "information"
    if notice.severity in ("warning", "error"):
        severity = "warning" if notice.severity == "warning" else "error"
    body = "\n".join(part for part in (notice.message, notice.hint) if part)
    title = sanitise_line(notice.title)
    app.notify(sanitise(body) or title, title=title if body else "", severity=severity, markup=False)


def announce_options(app: App[Any], change: ConfigOptionsChanged) -> None:
    """Say why a choice was refused, and what else a choice altered."""
    if change.refused:
        app.notify(sanitise(change.refused), title="The agent refused", severity="warning", markup=False)
    if told := altered_line(change):
        app.notify(told, markup=False, timeout=4)


def announce_fault(app: App[Any], fault: Fault) -> None:
    """Show what a person asked for and cannot have, and why."""
    body = "\n".join(part for part in (fault.message, fault.hint) if part)
    title = sanitise_line(fault.title)
    app.notify(sanitise(body) or title, title=title if body else "", severity="error", markup=False, timeout=PATIENCE)


def announce_problems(app: App[Any], problems: Sequence[str], title: str = "In the config file") -> None:
    """Show what is wrong with what was configured; it stays long enough to be read."""
    told = [sanitise_line(home_path(problem), 300) for problem in problems[:NAMED]]
    more = [f"and {len(problems) - NAMED} more: acp-tui config --print"] if len(problems) > NAMED else []
    app.notify("\n\n".join([*told, *more]), title=title, severity="warning", markup=False, timeout=PATIENCE)


def altered_line(change: ConfigOptionsChanged) -> str:
    """One line that tells what changed beside what was asked for: `Also changed: Effort → Low · new: Fast`."""
    first = "The agent changed" if change.by_agent else "Also changed"
    told = ((first, change.altered), ("new", change.appeared), ("gone", change.vanished))
    line = " · ".join(f"{word}: {_named(names)}" for word, names in told if names)
    return line[:1].upper() + line[1:]


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(sanitise_line(name, 60) for name in names[:NAMED])
    return shown + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
