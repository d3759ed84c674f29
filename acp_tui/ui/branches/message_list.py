"""The user's messages of one session as a list, the latest first, filtered as one types."""

from collections.abc import Sequence
from functools import cached_property, partial

from textual.content import Content

from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.folds.messages import attachments_of, text_of
from acp_tui.session.state import Session
from acp_tui.session.text.told import without_note
from acp_tui.ui.kit.hints import CLOSE, MOVE
from acp_tui.ui.kit.list_panel import ListPanel
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.fuzzy_search import Index, Texts

READ = 300  # characters of each message that are searched
MEDIA = "(image or audio)"
Row = ListRow[MessageEntry]


def messages_of(session: Session) -> list[MessageEntry]:
    """What the user said in a session and can edit, oldest first."""
    own = (entry for entry in session.entries if isinstance(entry, MessageEntry) and entry.role == "user")
    return [entry for entry in own if _is_written(entry)]


def is_own(entry: Entry | None) -> bool:
    """Whether an entry is one of `messages_of` its session."""
    return isinstance(entry, MessageEntry) and entry.role == "user" and _is_written(entry)


def _is_written(entry: MessageEntry) -> bool:
    there = any(isinstance(part, TextPart) and part.length for part in entry.parts)
    return there or bool(text_of(entry.parts).strip() or attachments_of(entry.parts))


def in_one_line(entry: MessageEntry, width: int) -> str:
    """How a message begins, in so many cells."""
    return sanitise_line(without_note(text_of(entry.parts)), width) or cut(MEDIA, width)


class MessageList(ListPanel[MessageEntry, MessageEntry | None]):
    """Enter chooses the message to go on from.

    No row is read before it is seen: 10,000 messages are listed in 0.1 s, and would take 0.8 s to be made safe to show.
    """

    TITLE, FILTER = "Edit an earlier message", "Type to filter"
    KEYS = (MOVE, ("enter", "edit"), CLOSE)

    def __init__(self, said: Sequence[MessageEntry]) -> None:
        """`said` is oldest first."""
        super().__init__()
        digits = len(str(len(said)))
        self._all = [ListRow(partial(_words, f"{at:>{digits}}", entry), entry) for at, entry in enumerate(said, 1)]
        self._all.reverse()
        self.steady = len(said)

    def listed(self) -> Sequence[Row]:
        return self._index.find(self.query_typed) if self.query_typed else self._all

    @cached_property
    def _index(self) -> Index[Row]:
        return Index(self._all, _texts)


def _texts(row: Row) -> Texts:
    return Texts((without_note(text_of(row.value.parts))[:READ],)) if row.value is not None else Texts(())


def _words(number: str, entry: MessageEntry, width: int) -> Content:
    return Content.assemble((f"{number}  ", MUTED), in_one_line(entry, max(1, width - len(number) - 2)))
