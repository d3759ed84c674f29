"""The timing rule of answers: a key answers only if whoever pressed it can have read what it answers.

Everything that asks follows it: permissions, forms, logins, consents, previews. Why: with a guard of 300 ms alone,
six of six people who went on typing as a question opened allowed a command; with this rule 2.6 % of blind typing
allows, and only if it begins with a shown letter and a pause.

Times are seconds of one monotonic clock. A key's time is when the driver read it, not when it is handled. `painted`
is when the answers were last painted: again when what is asked, or its place, has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Literal, NamedTuple

LETTER_AFTER = 0.4  # after painting a shown letter or digit may answer
LETTER_ALONE = 0.3  # that no key comes before and behind it
LETTER_ALONE_SOON = 0.5  # that none follows one that was pressed within READ
READ = 1.0  # after painting Enter may answer, and text is no longer one that was begun before
ASKED_FOR = 0.3  # the same for Enter in what the user's own key opened
CALM = 0.5  # without a key before an Enter that answers
CALM_BEHIND_ARROW = 0.15  # the same behind an arrow that moved the highlight, but not onto an "always"
PAUSE = 0.7  # without a key, which ends a text; and what was too early
PASTED = 0.03  # keys that follow each other faster were not pressed by a hand
CLICK_AFTER = 0.6  # after painting a click may answer
LATE = 0.1  # by which a timer is late where the machine, or this program, was stopped

Meaning = Literal["answer", "command", "step", "prefix", "text", "arrow", "enter", "escape", "edit", "field", "other"]
"""What a key is in this question: a letter or digit that is shown and answers, one that is shown and changes what is
chosen, a letter that moves the highlight, a sign with which a prompt begins, any other character, an arrow, Enter,
Esc, a key that edits text, one that a field with the focus takes, any other key."""
PRINTABLE = ("answer", "command", "step", "prefix", "text")
NEVER = float("inf")


class Press(NamedTuple):
    """A key at its time, `gap` seconds behind the one before; `event` is what the terminal sent."""

    at: float
    gap: float
    key: str
    meaning: Meaning
    event: Any = None


class Ruling(Enum):
    """What becomes of keys."""

    PASS = auto()
    """They do what they do in this place: these answer."""
    MOVE = auto()
    """The highlight moves."""
    HOLD = auto()
    """Nothing yet: the time decides. An answer is marked."""
    DROP = auto()
    """Nothing: they repeat what is decided, or take it back."""
    EARLY = auto()
    """Nothing, which is told."""
    PROMPT = auto()
    """They are text of the prompt; without a prompt they are refused with a word."""
    REASON = auto()
    """They are the reason for a rejection; where nothing rejects, text of the prompt."""


class Verdict(NamedTuple):
    """A ruling for some keys, oldest first."""

    ruling: Ruling
    presses: Sequence[Press] = ()


@dataclass(slots=True)
class AnswerRule:
    """The rule for one question at a time; `by_key` says that the user's own key opened it."""

    painted: float = NEVER
    by_key: bool = False
    _held: list[Press] = field(default_factory=list)  # that may be an answer or the beginning of text
    _due: float | None = None  # when the held answer is one, if nothing follows
    _early: bool = False  # nothing answers before a pause
    _writing: Ruling | None = None  # where text goes, until a pause
    _arrow: bool = False  # the last key moved the highlight so that Enter may follow soon
    _last: float = -NEVER

    def await_paint(self) -> None:
        """What is asked is another, or stands elsewhere: nothing answers until it is painted, and a moment longer."""
        self.painted, self._arrow = NEVER, False
        if self._due is not None:  # it was for what stood there
            self._due, self._early = None, True

    def paint(self, at: float) -> None:
        """The answers are painted now, unless they were already."""
        self.painted = min(self.painted, at)

    def forget(self) -> None:
        """The question has gone, or another one is asked: what was held is not for it."""
        self._held, self._due, self._early, self._writing, self._arrow = [], None, False, None, False
        self.painted, self.by_key = NEVER, False

    @property
    def marked(self) -> Press | None:
        """The answer that stands unless something follows."""
        return self._held[0] if self._due is not None and self._held[0].meaning != "step" else None

    @property
    def due(self) -> float | None:
        """When `elapse` has something to decide, if nothing is pressed before."""
        return self._due if self._due is not None else self._last + PAUSE if self._early else None

    def press(self, press: Press) -> Verdict:
        """Judge a key; for one that moves the highlight call `moved` next."""
        fresh = not (self._held or self._early or self._writing)
        if self.by_key and fresh and press.at - press.gap < self.painted:
            press = press._replace(gap=NEVER)  # the key that opened it is no typing
        if press.gap >= PAUSE:
            self._end_pause()
        self._last = press.at
        arrow, self._arrow = self._arrow, False
        match press.meaning:
            case "command" if press.at >= self.painted + self._read and self._writing is None and not self._held:
                return Verdict(Ruling.PASS, [press])
            case "answer" | "command" | "step" | "prefix" | "text":
                return self._character(press)
            case "enter":
                return self._enter(press, behind_arrow=arrow)
            case "arrow":
                self._take_back()
                return Verdict(Ruling.EARLY if press.at < self.painted else Ruling.MOVE, [press])
            case "escape":
                return Verdict(Ruling.DROP if self._take_back() else Ruling.PASS, [press])
            case "edit":
                return self._edit(press)
        self._take_back()
        return Verdict(Ruling.PASS, [press])

    def moved(self, at: float, *, onto_always: bool) -> None:
        """A key that was pressed at this time has moved the highlight."""
        self._arrow = not onto_always and at >= self.painted + self._read

    def elapse(self, now: float) -> Verdict:
        """Judge what is held, at the time that was `due`."""
        if self._due is not None and now >= self._due:
            if now - self._due > LATE:  # what was pressed while nothing ran is read only now
                self._due = now + LETTER_ALONE
                return Verdict(Ruling.HOLD)
            first, self._held, self._due = self._held[0], [], None
            return Verdict(Ruling.DROP) if first.meaning == "step" else Verdict(Ruling.PASS, [first])
        if self._early and now - self._last >= PAUSE:
            self._end_pause()
        return Verdict(Ruling.DROP)

    def enter_in_field(self, press: Press) -> Verdict:
        """Judge Enter in a text field, which got the focus by the user's key or after a second without one."""
        ready = press.gap >= PASTED and press.at >= self.painted + ASKED_FOR
        return Verdict(Ruling.PASS if ready else Ruling.EARLY, [press])

    def clicked(self, down: float, up: float) -> bool:
        """Whether a click counts whose button went down and up then."""
        return min(down, up) >= self.painted + CLICK_AFTER

    @property
    def _read(self) -> float:
        return ASKED_FOR if self.by_key else READ

    def _end_pause(self) -> None:
        self._early, self._writing = False, None
        if self._due is None:
            self._held = []

    def _take_back(self) -> bool:
        """Drop what is held; whether that was an answer."""
        held = self.marked is not None
        self._held, self._due = [], None
        return held

    def _text(self, presses: Sequence[Press]) -> Verdict:
        to_prompt = presses[0].at < self.painted + READ or presses[0].meaning == "prefix"  # begun before, or a command
        self._writing = self._writing or (Ruling.PROMPT if to_prompt else Ruling.REASON)
        self._held, self._due, self._early = [], None, False
        return Verdict(self._writing, presses)

    def _character(self, press: Press) -> Verdict:
        held, steps = self._held, press.meaning == "step"
        if self._writing is not None or press.meaning in ("prefix", "text"):
            return self._text([*held, press])
        if held:
            same = press.key == held[0].key or (steps and held[0].meaning == "step")
            if not same or press.gap < PASTED:
                return self._text([*held, press])
            held.append(press)
            if self._due is None:
                return Verdict(Ruling.EARLY, [press])
            self._due = press.at + self._alone(held[0])
            return Verdict(Ruling.MOVE if steps else Ruling.HOLD, [press])
        self._held = [press]
        if press.at < self.painted + LETTER_AFTER or press.gap < LETTER_ALONE or self._early:
            self._early = True
            return Verdict(Ruling.EARLY, [press])
        self._due = press.at + self._alone(press)
        return Verdict(Ruling.MOVE if steps else Ruling.HOLD, [press])

    def _alone(self, press: Press) -> float:
        return LETTER_ALONE if press.at >= self.painted + READ else LETTER_ALONE_SOON

    def _enter(self, press: Press, *, behind_arrow: bool) -> Verdict:
        held = self._held
        if self._writing is not None:
            return self._text([press])
        if self.marked is not None:
            if press.gap < PASTED:
                return self._text([*held, press])
            self._take_back()
            return Verdict(Ruling.PASS, held[:1])
        if held and self._due is None:
            held.append(press)
            return Verdict(Ruling.EARLY, [press])
        self._take_back()
        calm = CALM_BEHIND_ARROW if behind_arrow else CALM
        if self._early or press.at < self.painted + self._read or press.gap < calm:
            self._early = True
            return Verdict(Ruling.EARLY, [press])
        return Verdict(Ruling.PASS, [press])

    def _edit(self, press: Press) -> Verdict:
        if self._writing is not None:
            return self._text([press])
        if self._held:
            if self._due is not None or len(self._held) == 1:
                self._take_back()
            elif press.key == "backspace":
                self._held.pop()
            return Verdict(Ruling.DROP, [press])
        return Verdict(Ruling.PASS, [press])
