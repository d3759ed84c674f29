"""Edits that fail because a read through us failed: some agents cannot go on after any error of `fs/read_text_file`.

They read a file before they create it, and take the answer that it does not exist for the end of the edit.
"""

from collections import deque

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session

HELD = 20  # errors of one turn, the last ones; agents probe for files that need not be there
OPAQUE = "[object Object]"  # what JavaScript makes of an error object that is put into a text
TITLE = "Edit failed: the file could not be read first"
MESSAGE = "Some agents cannot create files while acp-tui reads files for them."
HINT = 'To let it create files, set fs = "write" for this agent in the config file (acp-tui config).'


class FailedReads:
    """The errors that one session's agent got for reads in this turn. A notice, once, names the setting that helps."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._messages: deque[str] = deque(maxlen=HELD)
        self._said = False

    def add(self, message: str) -> None:
        self._messages.append(message)

    def forget(self) -> None:
        self._messages.clear()

    def look(self, call: ToolCallEntry) -> None:
        """Whether this call, of the session or of a subagent, failed for one of them, and says so."""
        if self._said or not self._messages or call.status != "failed" or call.kind != "edit":
            return
        items = [item.content for item in call.content if isinstance(item, ContentItem)]
        told = "\n".join(item.text for item in items if isinstance(item, TextContent)) + str(call.raw_output)
        if any(message in told for message in (*self._messages, OPAQUE)):
            self._said = True
            self._session.apply(Noticed("warning", TITLE, MESSAGE, HINT))
