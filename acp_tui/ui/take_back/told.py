"""What the agent is told with the next prompt: files were taken back since it worked on them."""

import time
from collections.abc import Collection, Iterable, Sequence
from posixpath import join

from acp_tui.frozen import Frozen
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.snapshots.states import PathChange, told_changes
from acp_tui.host.take_back.steps import TakenBack
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.state import Session
from acp_tui.session.text.told import note_of
from acp_tui.ui.take_back.words import brief_names

LOOKED_AT = 200  # entries from the end among which a prompt that was just sent stands


class News(Frozen):
    """The files that are `back` as they were before, and those in which changes are there `again`; both sorted."""

    back: Sequence[str] = ()
    again: Sequence[str] = ()
    before: str = "these changes"

    def __bool__(self) -> bool:
        return bool(self.back or self.again)

    @property
    def words(self) -> str:
        """`files were undone (src/a.py, b.py +2)`."""
        said = [f"files were undone ({brief_names(self.back)})"] if self.back else []
        said += [f"files were redone ({brief_names(self.again)})"] if self.again else []
        return ", ".join(said)

    @property
    def note(self) -> str:
        return note_of(self.back, self.again, self.before)


def news_of(taken: Iterable[TakenBack], cwd: str) -> News:
    """What it comes to: what was undone again among these is not there at all."""
    done = {each.number: each for each in taken}
    files: dict[str, bool] = {}  # whether a file is back
    for each in done.values():
        undone = done.get(each.undoes) if each.undoes is not None else None
        for change in told_changes([step.change for step in each.steps]):
            path = _told(change, cwd)
            if undone is None:
                files[path] = each.undoes is None
            else:
                files.pop(path, None)
    turns = {turn_of(each) for each in done.values() if each.undoes is None and not each.undone}
    turn = next(iter(turns)) if len(turns) == 1 else 0
    before = f"turn {turn}" if turn else "these changes"
    back = sorted(path for path, is_back in files.items() if is_back)
    return News(back, sorted(path for path, is_back in files.items() if not is_back), before)


def _told(change: PathChange, cwd: str) -> str:
    return change.path if change.root == cwd else join(change.root, change.path)


class Tellings:
    """Which takings back of one session the agent knows of. What earlier runs left untold counts too.

    `clock` gives Unix seconds.
    """

    def __init__(self, session: Session, changes: SessionChanges) -> None:
        self._session, self._changes = session, changes
        self._began = time.time()
        self._known = 0  # the number of the last one that was told, or left out, in this run
        self._sent: tuple[str, int] | None = None  # a note on its way, and what was known before it
        self._left_out = 0  # the number of the last one when the user took the line out

    def news(self, besides: Collection[int] = ()) -> News:
        """What the next prompt tells; nothing if the user has taken that out."""
        waiting = [each for each in self._waiting() if each.number not in besides]
        return News() if self.is_left_out else news_of(waiting, self._session.cwd)

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


def turn_of(taken: TakenBack) -> int:
    """The number of the one turn that was undone; 0 where it was something else, or a redo."""
    return taken.turns.start if len(taken.turns) == 1 and taken.undoes is None else 0


def _is_command(blocks: Sequence[ContentBlock]) -> bool:
    first = next((block.text for block in blocks if isinstance(block, TextContent)), "")
    return first.startswith("/")


def _led(note: str, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
    return [TextContent(text=note), *blocks] if note else list(blocks)
