"""Filters what an agent replays of a session whose transcript is here already: counted, not shown twice.

The transcript stays as the user saw it. An agent that was killed may remember less than that.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from acp_tui.host.records.record_info import RecordedSetup
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import CURRENT, MessageChunk, MessageUpdate, StateUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import ToolCallContentChunk, ToolCallUpdate
from acp_tui.session.entries import Entry, MessageEntry, TextPart, ToolCallEntry
from acp_tui.session.facts import MessageInjected, Noticed, SessionLoaded
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.session.text.mentions import OwnPrompts, squeezed
from acp_tui.session.text.phrases import counted


def finish_loading(session: Session, setup: RecordedSetup | None) -> None:
    """All that was said in earlier runs has been told: say whose it is."""
    mark_injected(session, setup)
    session.apply(SessionLoaded())


def mark_injected(session: Session, setup: RecordedSetup | None) -> None:
    """Say of what an agent told as the user's messages which of it is not among their recorded prompts.

    What is, is theirs, even a block of tags. In a session that began elsewhere nothing is known of what comes before
    the first of them.
    """
    if setup is None or not setup.prompts:
        return
    own, judging = OwnPrompts(setup.prompts), setup.begun_here
    for entry in list(session.entries):
        if isinstance(entry, MessageEntry) and entry.role == "injected" and own.has(text_of(entry.parts)):
            session.apply(MessageInjected(entry.id, injected=False))
            judging = True
        elif isinstance(entry, MessageEntry) and entry.role == "user":
            is_own = own.knows(text_of(entry.parts))
            judging = judging or is_own
            if judging and not is_own:
                session.apply(MessageInjected(entry.id))


_IN_ORDER = MessageUpdate | MessageChunk | ToolCallUpdate | ToolCallContentChunk


class ReplayFilter:
    """For one replay, from the request that asks for it to its answer."""

    def __init__(self) -> None:
        self._prompts: set[str] = set()

    def sift(self, update: Update) -> list[Update]:
        """What is to be shown now: the update, nothing of it, or with it what was held back."""
        self.count(update)
        return [update] if isinstance(update, CURRENT) else []

    def sift_child(self, update: Update) -> list[Update]:
        """The same of what happens in a subagent; one that is not known here is left out, too."""
        return [update] if isinstance(update, CURRENT) else []

    def count(self, update: Update) -> None:
        if isinstance(update, MessageUpdate | MessageChunk) and update.role == "user":
            self._prompts.add(update.message_id)

    def rest(self) -> list[Update]:
        """What was held back and is no replay after all."""
        return []

    def opened(self) -> "ReplayFilter | None":
        """The request is answered: what takes the place of this one."""
        return None

    def sent(self) -> "ReplayFilter | None":
        """A prompt is sent: what takes the place of this one."""
        return None

    @property
    def prompts(self) -> int:
        return len(self._prompts)

    def shortfall(self, session: Session) -> Noticed | None:
        """What the user is told when the agent replayed fewer prompts than they wrote."""
        ours = sum(isinstance(entry, MessageEntry) and entry.role == "user" for entry in session.entries)
        if self.prompts >= ours:
            return None
        message = f"It sent {self.prompts} of {counted(ours, 'prompt')} again."
        return Noticed("warning", "The agent may not remember all of this", message)


class ForkReplay(ReplayFilter):
    """For a fork, whose agent may tell it again before the answer, after it, in part, or not at all.

    What comes before the answer is a replay, and after it all from the first message of the user's on. Once a prompt
    was sent, only what was said before is one, in the same order and from a prompt on: it is held back until all of a
    message has come, and shown where that goes on in another way.
    """

    def __init__(self, said: Iterable[Entry]) -> None:
        super().__init__()
        self._said = [entry for entry in said if isinstance(entry, MessageEntry | ToolCallEntry)]
        self._prompts_at = [at for at, entry in enumerate(self._said) if _is_own(entry)]
        self._squeezed: dict[int, str] = {}  # what `_text_at` has given
        self._at, self._length = -1, 0  # in `said`, and how many characters of that one were told
        self._phase: Literal["opening", "open", "sent"] = "opening"
        self._begun = self._ended = self._strange = False
        self._held: list[Update] = []

    def opened(self) -> ReplayFilter | None:
        self._phase = "open"
        return self._unless_told

    def sent(self) -> ReplayFilter | None:
        self._phase = "sent"
        return self._unless_told

    def sift(self, update: Update) -> list[Update]:
        if isinstance(update, MessageUpdate) and update.from_here:
            return [update]
        self.count(update)
        if isinstance(update, StateUpdate) and update.state == "idle" and self._phase == "sent":
            return self._end(update)
        replayed = isinstance(update, _IN_ORDER) if self._phase == "sent" else not isinstance(update, CURRENT)
        if self._ended or not replayed:
            return [update]
        self._begun |= self._phase == "opening" or _is_prompt(update)
        if not self._begun:
            return self._end(update) if self._phase == "sent" else [update]
        follows = self._follows(update)
        self._strange |= _is_prompt(update) and not follows
        if self._phase != "sent":
            return []
        return self._hold(update) if follows else self._end(update)

    def exceeds(self, prompts: int) -> bool:
        """Whether the agent told more prompts than that, among them some that nobody knows here.

        Alone the number proves nothing: some agents tell each block of a prompt as a message.
        """
        return self.prompts > prompts and self._strange

    def rest(self) -> list[Update]:
        held, self._held = self._held, []
        return held

    def sift_child(self, update: Update) -> list[Update]:
        return super().sift_child(update) if self._begun and self._phase != "sent" else [update]

    @property
    def _unless_told(self) -> "ForkReplay | None":
        return None if self._ended or (self._at == len(self._said) - 1 and self._is_whole) else self

    @property
    def _is_whole(self) -> bool:
        return self._at < 0 or self._length >= len(self._text_at(self._at))

    def _hold(self, update: Update) -> list[Update]:
        self._held.append(update)
        if self._is_whole:
            self._held = []
            self._ended = self._unless_told is None
        return []

    def _end(self, update: Update) -> list[Update]:
        self._ended = True
        return [*self.rest(), update]

    def _follows(self, update: Update) -> bool:
        """Whether it goes on with what was said, from where the replay is; then the replay is there."""
        if isinstance(update, ToolCallUpdate | ToolCallContentChunk):
            called = update.tool_call_id
            return self._seek(lambda at: _is_call(called, self._said[at]), self._at)
        if not isinstance(update, MessageUpdate | MessageChunk):
            return False
        role, text = update.role, _squeezed(_texts(update))
        if self._at >= 0 and self._begins(self._at, role, text, self._length):
            self._length += len(text)
            return True
        if role == "user":
            found = self._seek_prompt(text)
        else:
            found = self._seek(lambda at: self._begins(at, role, text), self._at + 1)
        if found:
            self._length = len(text)
        return found

    def _seek_prompt(self, text: str) -> bool:
        """Go to the next of all prompts that begins so."""
        for at in self._prompts_at[bisect_right(self._prompts_at, self._at) :]:
            if self._begins(at, "user", text):
                self._at, self._length = at, 0
                return True
        return False

    def _seek(self, is_it: Callable[[int], bool], start: int) -> bool:
        """Go to the first from `start` on that it can be, but not beyond the next prompt."""
        for at in range(max(start, 0), len(self._said)):
            if is_it(at):
                self._at, self._length = at, 0
                return True
            if at > self._at and _is_own(self._said[at]):
                break
        return False

    def _begins(self, at: int, role: str, text: str, length: int = 0) -> bool:
        """Whether a message of this role stands there that says this after so many characters."""
        return _is_by(role, self._said[at]) and self._text_at(at).startswith(text, length)

    def _text_at(self, at: int) -> str:
        """What was said there, put together once: 1 MB that was told again in 1,000 pieces took 26 s."""
        text = self._squeezed.get(at)
        if text is None:
            entry = self._said[at]
            parts = entry.parts if isinstance(entry, MessageEntry) else ()
            text = self._squeezed[at] = _squeezed(part.text for part in parts if isinstance(part, TextPart))
        return text


def _is_own(entry: Entry) -> bool:
    return _is_by("user", entry)


def _is_call(call_id: str, entry: Entry) -> bool:
    return isinstance(entry, ToolCallEntry) and entry.id == call_id


def _is_by(role: str, entry: Entry) -> bool:
    return isinstance(entry, MessageEntry) and entry.role == role


def _is_prompt(update: Update) -> bool:
    return isinstance(update, MessageUpdate | MessageChunk) and update.role == "user"


def _texts(update: MessageUpdate | MessageChunk) -> Iterator[str]:
    blocks = [update.content] if isinstance(update, MessageChunk) else update.content or []
    return (block.text for block in blocks if isinstance(block, TextContent))


def _squeezed(texts: Iterable[str]) -> str:
    return "".join(map(squeezed, texts))
