"""The note that goes before a prompt after files were taken back: a line for the agent, known again by its words.

So is what else this program puts before the user's words, where an agent makes a title of it.
"""

import re
from collections.abc import Sequence

from acp_tui.safe_text import one_line
from acp_tui.session.text.words import CARRIED, CARRIED_URI, TRANSCRIPT_URI

MOST = 20  # files that are named
LONGEST = 200  # characters of a name
BEGIN = "Note from the user: since your last turn I "
END = "Do not assume that they hold what you wrote; read them again before you rely on them."
LEAST_TITLE = 8  # characters by which it is known that a title is ours
_TAG = re.compile(r"\s*(?:<\w+\s+\w+=[\"']?|@?\[[^\]]*\]\(|[\[@(<\"'])")
_AGENTS_TAG = re.compile(
    r"\s*<[a-z]+(?:[-_][a-z]+)*[-_]"
    r"(?:reminder|context|instructions|message|name|notification|stdout|caveat|file|selection|info)(?:>|\s|…|\.\.\.|$)"
)
_ADDRESSES = (CARRIED_URI.removesuffix("so-far.md"), TRANSCRIPT_URI)
_NOTE = re.compile(rf"\A\s*{re.escape(BEGIN)}[^\n]{{1,{(MOST + 2) * 2 * LONGEST}}}?{re.escape(END)}\s*")


def note_of(back: Sequence[str], again: Sequence[str] = (), before: str = "these changes") -> str:
    """The note: which files are `back` to how they were before (`turn 3`), and in which changes are there `again`.

    Empty if there are none; else it ends in a blank line, for what follows belongs to the same message.
    """
    said = []
    if back:
        said.append(f"took back changes to these files: {_names(back)}; they now are as before {before}")
    if again:
        said.append(f"put back changes that I had taken back, to these files: {_names(again)}")
    return f"{BEGIN}{'; and I '.join(said)}. {END}\n\n" if said else ""


def without_note(text: str) -> str:
    """A user's message without the note that this program put before it."""
    return _NOTE.sub("", text, count=1)


def has_note(text: str) -> bool:
    return _NOTE.match(text) is not None


def begins_with_ours(title: str) -> bool:
    """Whether a title begins with what this program put before the user's words; mostly it is cut amid that.

    Or its agent did: `<system-reminder>`, `<session_context>`. Other tags may be the user's, who asks about HTML.
    """
    if _AGENTS_TAG.match(title):
        return True
    tag = _TAG.match(title)
    said = " ".join(title[tag.end() if tag is not None else 0 :].split()).rstrip("….\"'>)]")
    addresses = [said.startswith(each) or (tag is not None and each.startswith(said)) for each in _ADDRESSES]
    return len(said) >= LEAST_TITLE and (any(addresses) or any(_agree(said, each) for each in (CARRIED, BEGIN)))


def _agree(said: str, ours: str) -> bool:
    return said.startswith(ours.rstrip(" .")) or ours.startswith(said)


def _names(paths: Sequence[str]) -> str:
    named = ", ".join(one_line(path, LONGEST) for path in paths[:MOST])
    more = len(paths) - MOST
    return f"{named} and {more:,} more" if more > 0 else named
