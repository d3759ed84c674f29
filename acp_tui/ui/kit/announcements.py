"""Toasts: a few words to the user. What of them is an agent's is text, never markup."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.notifications import Notification, Notify, SeverityLevel

from acp_tui.errors import Fault
from acp_tui.session.text.phrases import counted
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.views.formatting import home_path

Severity = SeverityLevel
SECONDS = 5.0  # that a toast stays, if nothing else is said
NAMED = 4
PATIENCE = 20.0  # seconds that a list of problems and an error stay, and a long text at most
READ = 15  # characters that are read in a second
LONGEST_TITLE = 120  # cells
LONGEST, MOST_LINES = 400, 8  # characters and lines of what stands below a title; it must not hide the screen
LONGEST_ADDRESS = 600  # characters of an address for which a toast gets longer; a longer one is left out whole
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s<>\"]+")


Kind = Callable[[str, str, Severity, float], Notification]  # of text, title, severity and seconds


@dataclass
class News(Notification):
    """What the user did not ask for just now: it waits while they choose or answer something.

    One that is `listed` can be read again where it comes from.
    """

    listed: bool = False


def say(
    app: App[Any], text: str, seconds: float = SECONDS, severity: Severity = "information", *, news: bool = False
) -> None:
    """Show a few words of ours, which may quote the agent."""
    kind = News if news else Notification
    app.post_message(Notify(kind(text, severity=severity, timeout=seconds)))


def announce_fault(app: App[Any], fault: Fault) -> None:
    """Show what the user asked for and cannot have, and why."""
    title, message = headed(fault.title, fault.message)
    say_under(app, title, (message, fault.hint), "error")


def say_under(
    app: App[Any], title: str, parts: Sequence[str], severity: Severity = "information", kind: Kind = Notification
) -> None:
    """Show the beginnings of some texts below a title, as long as it takes to read them; a title alone is the text."""
    body = "\n".join(brief(part) for part in parts if part)
    seconds = PATIENCE if severity == "error" else min(PATIENCE, max(SECONDS, len(title + body) / READ))
    app.post_message(Notify(kind(body or title, title if body else "", severity, seconds)))


def headed(title: str, message: str) -> tuple[str, str]:
    """A title of one line and what stands below it; a title that has to be cut stands below it as a whole, too."""
    line = sanitise_line(title, LONGEST_TITLE)
    return line, message if line == sanitise_line(title, 2 * len(title) + 1) else f"{title}\n{message}".strip()


def brief(text: str) -> str:
    """The beginning of a text, and how much more there is. An address is never cut in two."""
    text = sanitise(text).strip("\n")
    shown = "\n".join(text[:LONGEST].split("\n")[:MOST_LINES])
    for match in _ADDRESS.finditer(text, 0, LONGEST + 2 * LONGEST_ADDRESS):
        if match.start() < len(shown) < match.end():
            whole = match.end() <= LONGEST + LONGEST_ADDRESS
            shown = text[: match.end()] if whole else text[: match.start()].rstrip()
            break
    more = len(text) - len(shown)
    return f"{shown}\n… {counted(more, 'more character')}" if more else shown


def announce_problems(app: App[Any], problems: Sequence[str], title: str = "Config file") -> None:
    """Show what is wrong with what was configured; it stays long enough to be read."""
    told = [sanitise_line(home_path(problem), 300) for problem in problems[:NAMED]]
    more = [f"{len(problems) - NAMED} more: acp-tui config --print"] if len(problems) > NAMED else []
    app.post_message(Notify(News("\n".join([*told, *more]), title, "warning", PATIENCE)))
