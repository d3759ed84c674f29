"""Subagents in words: what each is called, and the last thing that it did or said."""

from acp_tui.session.entries import MessageEntry, SubagentEntry, ToolCallEntry
from acp_tui.session.state import Subagent
from acp_tui.session.tools.family import name_of, works
from acp_tui.startup import late
from acp_tui.views.formatting import last_line
from acp_tui.views.styled_text import brief

NAME_AT_MOST, SUBJECT = 200, 400  # characters
LOOK_BACK = 40  # entries among which the last thing done is looked for


def title_of(entry: SubagentEntry, most: int = NAME_AT_MOST) -> str:
    """Its name on one line, in at most so many characters."""
    return brief(name_of(entry), most) or "untitled"


def last_of(child: Subagent) -> str:
    """The last thing that it did, while it works; then its last words; before it did anything what it is for."""
    doing = works(child.entry)
    told = ""
    for entry in reversed(child.session.entries[-LOOK_BACK:]):
        if isinstance(entry, ToolCallEntry):
            told = told or brief(late("acp_tui.session.tools.subject").called(entry, child.session), SUBJECT)
        elif isinstance(entry, MessageEntry) and entry.role == "agent":
            words = "Writing an answer" if doing else last_line(entry.parts)
            if words and not (doing and told):
                return words
        elif isinstance(entry, MessageEntry) and entry.role == "thought" and doing:
            told = told or "Thinking"
        elif isinstance(entry, SubagentEntry):
            told = told or f"Subagent {title_of(entry)}"
        if told and doing:
            return told
    described = child.entry.description if child.entry.title else ""
    return told or brief(described or "", NAME_AT_MOST)
