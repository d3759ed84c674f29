"""A tool call in words: sign, verb, subject, ending; must not know rows or colours."""

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from acp_tui.protocol.terminals import TerminalExitStatus
from acp_tui.protocol.tool_calls import FINISHED_STATUSES, TerminalReference
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.terminals import Terminal
from acp_tui.session.writes import diffs_of
from acp_tui.ui.render.text import sanitise_line

SUBJECT_LIMIT = 400
SHORTEST_TOLD = 1.0  # seconds; a quicker call does not tell how long it took


@dataclass(frozen=True, slots=True)
class KindWords:
    """How a kind of tool is shown: its icon, its verb, and verbs that agents begin their titles with."""

    icon: str
    verb: str
    openings: tuple[str, ...] = ()


KINDS: Mapping[str, KindWords] = {
    "read": KindWords("●", "Read", ("read file", "reading", "read", "view")),
    "edit": KindWords("✎", "Edit", ("edit file", "editing", "edit", "write file", "writing", "write", "update")),
    "delete": KindWords("✕", "Delete", ("delete file", "deleting", "delete", "remove")),
    "move": KindWords("→", "Move", ("moving", "move", "rename")),
    "search": KindWords("●", "Search", ("searching for", "searching", "search for", "search", "grep", "glob", "find")),
    "execute": KindWords(
        "$", "Run", ("running command:", "running:", "execute:", "run:", "bash:", "shell:", "bash", "shell")
    ),
    "think": KindWords("✻", "Think", ("thinking", "think")),
    "fetch": KindWords("↓", "Fetch", ("fetching", "fetch")),
    "switch_mode": KindWords("⇄", "Mode", ()),
    "other": KindWords("●", "Tool", ()),
}
WAITING = "waiting for you"
STATUS_SIGNS = {"pending": "○", "in_progress": "◐", "failed": "✗", "cancelled": "⊘", "paused": "◑", WAITING: "△"}
STATUS_WORDS = {"pending": "pending", "in_progress": "running"}
LEFT_OPEN = "◌"

# What raw input is asked for, in this order, when the title does not tell what a call is about.
_TELLING = ("command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "prompt", "description")
_EMPTY = re.compile(
    r"(?:tool|(?:tool )?call|unknown|untitled|running a command|run this command)?[\s.…?]*", re.IGNORECASE
)


def words_of(kind: str) -> KindWords:
    """The words of a kind; one that is not known is any tool."""
    return KINDS.get(kind, KINDS["other"])


def status_of(entry: ToolCallEntry, session: Session) -> str:
    """The status; WAITING while the person is asked, `left open` where it was to go on and the turn ended."""
    if entry.status in FINISHED_STATUSES:
        return entry.status
    if any(pending.tool_call_id == entry.id for pending in session.permissions):
        return WAITING
    return "left open" if entry.sealed and entry.status in STATUS_WORDS else entry.status


def sign_of(entry: ToolCallEntry, status: str) -> str:
    """The kind's icon once it is done, before that and otherwise a sign for the status; a command is always `$`."""
    if entry.kind == "execute" or status == "completed":
        return words_of(entry.kind).icon
    return STATUS_SIGNS.get(status, LEFT_OPEN)


def says_nothing(entry: ToolCallEntry) -> bool:
    """Whether the title only repeats what kind of call it is."""
    title = entry.title.strip()
    words = words_of(entry.kind)
    idle = {entry.id, entry.kind, entry.name or "", words.verb, *words.openings}
    return bool(_EMPTY.fullmatch(title)) or title.lower() in {word.lower() for word in idle}


def subject_of(entry: ToolCallEntry, cwd: str) -> str:
    """What the call is about, on one line: its title without the verb, else its file, else its input."""
    if says_nothing(entry):
        return _untitled(entry, cwd)
    title = entry.title.strip()
    for path, line in _places(entry):  # a path is a title too; agents may drop its first slash
        if path.strip("/") == title.strip("/"):
            return place(path, line, cwd)
    for opening in words_of(entry.kind).openings:
        rest = title[len(opening) :]
        if title[: len(opening)].lower() == opening and rest[:1] in (" ", "`", '"', "'"):
            title = rest.strip()
            break
    title = title.replace(cwd.rstrip("/") + "/", "") if len(cwd) > 1 else title
    title = title[1:-1] if len(title) > 2 and title[0] == title[-1] == "`" and title.count("`") == 2 else title
    return sanitise_line(title.removeprefix("$ ") if entry.kind == "execute" else title, SUBJECT_LIMIT)


def _untitled(entry: ToolCallEntry, cwd: str) -> str:
    """What a call is about whose title does not say it."""
    if entry.kind == "execute":
        told = command_of(entry.raw_input) or ""
    else:
        path, line = next(_places(entry), ("", None))
        told = place(path or telling_input(entry.raw_input), line, cwd)
    return sanitise_line(told or entry.title or entry.name or entry.id, SUBJECT_LIMIT)


def _places(entry: ToolCallEntry) -> Iterator[tuple[str, int | None]]:
    """The files that the call touches, as far as it tells."""
    yield from ((location.path, location.line) for location in entry.locations)
    yield from ((diff.path, None) for diff in diffs_of(entry) if diff.path is not None)


def place(path: str, line: int | None, cwd: str) -> str:
    """A path and the line: within the session's folder relative to it, within the person's own from `~` on."""
    short = path
    for folder, stands_for in ((cwd, ""), (os.path.expanduser("~"), "~/")):  # noqa: PTH111 (text, not a file)
        inside = folder.rstrip("/") + "/"
        if len(inside) > 1 and path.startswith(inside):
            short = stands_for + path[len(inside) :]
            break
    return sanitise_line(f"{short}:{line}" if line else short, SUBJECT_LIMIT)


def telling_input(raw: Any) -> str:
    """One line of what a tool was given."""
    if isinstance(raw, str):
        return raw
    if not isinstance(raw, dict) or not raw:
        return ""
    for name in _TELLING:
        value = raw.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            return " ".join(value)
        if isinstance(value, str) and value.strip():
            return value
    return json.dumps(raw, ensure_ascii=False, default=str)[:SUBJECT_LIMIT]


def command_of(raw: Any) -> str | None:
    """The whole command that raw input names, if it names one."""
    value = raw.get("command", raw.get("cmd")) if isinstance(raw, dict) else None
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return shlex.join(value)
    return value if isinstance(value, str) and value.strip() else None


def terminals_of(entry: ToolCallEntry, terminals: Mapping[str, Terminal]) -> list[Terminal]:
    """The terminals that the call shows and that are known."""
    references = (item.terminal_id for item in entry.content if isinstance(item, TerminalReference))
    return [terminals[name] for name in references if name in terminals]


def exit_words(status: TerminalExitStatus) -> tuple[bool, str]:
    """Whether a command ended well, and how in words."""
    if status.signal:
        return False, f"ended by {sanitise_line(status.signal, 20)}"
    if status.exit_code is None:
        return False, "ended without a code"
    return status.exit_code == 0, f"exit {status.exit_code}"


def seconds(span: float) -> str:
    """A duration with tenths as long as they matter: `3.2 s`, `48 s`, `2 min 05 s`."""
    if span < 10:
        return f"{span:.1f} s"
    whole = int(span)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"


def duration_of(entry: ToolCallEntry) -> str:
    """How long a call took, if it is over and took long enough to tell."""
    if entry.finished_at is None or entry.finished_at - entry.started_at < SHORTEST_TOLD:
        return ""
    return seconds(entry.finished_at - entry.started_at)
