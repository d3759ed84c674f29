"""The rows above the prompt: what undo waits for, and what the next prompt tells the agent of it, or carries along."""

import time
from collections.abc import Callable, Collection, Sequence

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.revert.steps import TakenBack
from acp_tui.host.sessions.continuation import size_carried, toggle_carrying
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.session.digest import tokens_in
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import MUTED, Hint, key_hints
from acp_tui.ui.prompt.banners import NO_KEYS, Banner
from acp_tui.views.formatting import tokens
from acp_tui.views.undo import RestoredFiles, news_of

LEAST = 20  # cells of the words beside the key
LOOKED_AT = 200  # entries from the end among which a prompt that was just sent stands
_WORDS = {
    "wanted": ("Your next prompt includes the conversation so far", "leave out"),
    "offered": ("Your next prompt can include the conversation so far", "include"),
}


def banner_of(words: str, action: Callable[[], object], hint: Hint | None = None, tone: str = MUTED) -> Banner:
    """What is said, with the key that takes it away where there is room for it; a click does that too."""
    keyed = [(words, key_hints([hint]))] if hint is not None else []
    return Banner([*keyed, (words, NO_KEYS)], tone, LEAST, action=action)


class ConversationBanner:
    """What is carried is measured once for each state; it takes milliseconds."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._measured: tuple[int, int] | None = None  # entries, and characters

    def banners(self) -> list[Banner]:
        """One, or none where the agent knows what was said."""
        session = self._view.session
        if not session.carrying or session.turn.active:
            return []
        words, act = _WORDS[session.carrying]
        said = f"{words} (≈{tokens(tokens_in(self._size()))} tokens)"
        return [banner_of(said, self.toggle, (first_way("tell_taken_back"), act))]

    def toggle(self) -> bool:
        """Include it, or leave it out; whether there is anything that the agent does not know."""
        return toggle_carrying(self._view.session)

    def _size(self) -> int:
        session = self._view.session
        count = len(session.entries)
        if self._measured is None or self._measured[0] != count:
            self._measured = count, size_carried(session)
        return self._measured[1]


class AgentNotes:
    """Which takings back of one session the agent knows of. What earlier runs left untold counts too.

    `clock` gives Unix seconds.
    """

    def __init__(self, session: Session, changes: SessionChanges) -> None:
        self._session, self._changes = session, changes
        self._began = time.time()
        self._known = 0  # the number of the last one that was told, or left out, in this run
        self._sent: tuple[str, int] | None = None  # a note on its way, and what was known before it
        self._left_out = 0  # the number of the last one when the user took the line out

    def news(self, besides: Collection[int] = ()) -> RestoredFiles:
        """What the next prompt tells; nothing if the user has taken that out."""
        waiting = [each for each in self._waiting() if each.number not in besides]
        return RestoredFiles() if self.is_left_out else news_of(waiting, self._session.cwd)

    @property
    def is_left_out(self) -> bool:
        """Whether there was something to tell, and the user does not want that."""
        waiting = self._waiting()
        return bool(waiting) and self._left_out >= waiting[-1].number

    def toggle(self) -> bool:
        """Leave it out, or take it in again; whether there is anything to tell."""
        waiting = self._waiting()
        if not news_of(waiting, self._session.cwd):
            return False
        self._left_out = 0 if self.is_left_out else waiting[-1].number
        return True

    def leading(self, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
        """A prompt with the note before it; from now on that is told.

        A slash command has to be the first word of its prompt: the next one tells.
        """
        waiting = self._waiting()
        if not waiting or _is_command(blocks):
            return list(blocks)
        note = self.news().note
        self._sent, self._known = (note, self._known) if note else None, waiting[-1].number
        return _led(note, blocks)

    def noted(self, blocks: Sequence[ContentBlock], besides: Collection[int]) -> list[ContentBlock]:
        """A prompt for another session with the note before it; takings `besides` are no news there."""
        return list(blocks) if _is_command(blocks) else _led(self.news(besides).note, blocks)

    def look(self) -> None:
        """A prompt that came back to the user has told nothing."""
        if self._sent is None:
            return
        note, known = self._sent
        if not self._is_there(note.strip()):
            self._known, self._sent = known, None
        elif not self._session.turn.active and not self._session.queue:
            self._sent = None

    def _is_there(self, note: str) -> bool:
        session = self._session
        waiting = (block for prompt in (*session.queue, *session.steering) for block in prompt.blocks)
        said = (each for each in reversed(session.entries[-LOOKED_AT:]) if isinstance(each, MessageEntry))
        parts = (part for each in said if each.role == "user" for part in each.parts)
        texts = (each.text for each in (*waiting, *parts) if isinstance(each, TextContent | TextPart))
        return any(note in text for text in texts)

    def _waiting(self) -> list[TakenBack]:
        """Those of which the agent was told nothing, in order. In earlier runs each prompt told of those before it."""
        prompts = [each.time for each in self._changes.points if each.kind == "prompt" and each.time < self._began]
        last = max(prompts, default=0.0)
        told = [each.number for each in self._changes.taken_back if each.time <= last]
        known = max([self._known, *told])
        return [each for each in self._changes.taken_back if each.number > known]


def _is_command(blocks: Sequence[ContentBlock]) -> bool:
    first = next((block.text for block in blocks if isinstance(block, TextContent)), "")
    return first.startswith("/")


def _led(note: str, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
    return [TextContent(text=note), *blocks] if note else list(blocks)
