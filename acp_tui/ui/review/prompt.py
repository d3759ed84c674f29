"""Comments as text for the agent: where, the quoted lines, and what the user says of them."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from acp_tui.session.tools.subject import short_path
from acp_tui.ui.prompt.draft import clean_paste
from acp_tui.ui.review.comments import Comment

_TICKS = re.compile(r"`+")
GONE = "gone since"
BEFORE = "before the change"


def place_of(comment: Comment, cwd: str) -> str:
    """`src/a.py:10-14`, relative to the session's folder."""
    lines = f"{comment.first}" if comment.first == comment.last else f"{comment.first}-{comment.last}"
    path = comment.path if comment.plan else short_path(comment.path, None, cwd)
    return f"{path}:{lines}"


def notes_of(comment: Comment) -> list[str]:
    """What the numbers do not tell."""
    before = comment.side == "old" and not comment.plan
    return [*([BEFORE] if before else []), *([GONE] if comment.gone else [])]


def heading_of(comment: Comment, cwd: str) -> str:
    """The first line of what is sent about a comment; a path that looks like Markdown or a command is none."""
    place = clean_paste(place_of(comment, cwd)).replace("\n", " ").replace("`", "'")
    notes = ", ".join(notes_of(comment))
    return f"`{place}` ({notes})" if notes else f"`{place}`"


def text_of(comment: Comment, cwd: str) -> str:
    """One comment: its heading, the quote in a fence that nothing in it ends, and the comment."""
    changed = any(line.sign != " " for line in comment.quote)
    rows = [f"{line.sign if changed else ''}{line.text}" for line in comment.quote]
    quote = clean_paste("\n".join(rows))
    longest = max((len(ticks) for ticks in _TICKS.findall(quote)), default=0)
    fence = "`" * max(3, longest + 1)
    tag = "diff" if changed else "markdown" if comment.plan else _language(comment.path)
    return f"{heading_of(comment, cwd)}\n{fence}{tag}\n{quote}\n{fence}\n{clean_paste(comment.text).strip()}"


def prompt_of(comments: Sequence[Comment], cwd: str) -> str:
    """All of them as one text."""
    return "\n\n".join(text_of(each, cwd) for each in comments)


def _language(path: str) -> str:
    """The tag of a fence: the ending of a name, where it is a plain word."""
    ending = PurePath(path).suffix.removeprefix(".")
    return ending if ending.isascii() and ending.isalnum() else ""
