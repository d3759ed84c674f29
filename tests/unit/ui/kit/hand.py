"""A hand on the keys of one question: times of keys, what becomes of each, and what the rule of answers gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from acp_tui.ui.kit.answer_rule import PRINTABLE, AnswerRule, Meaning, Press, Ruling, Verdict

MEANINGS: dict[str, Meaning] = {
    **dict.fromkeys("yn12", "answer"),
    **dict.fromkeys("jk", "step"),
    **dict.fromkeys("abe ", "text"),
    **dict.fromkeys("/!", "prefix"),
    **dict.fromkeys(("up", "down"), "arrow"),
    "enter": "enter",
    "escape": "escape",
    "backspace": "edit",
    "tab": "other",
}
PAINTED = 100.0


class Key(NamedTuple):
    """A key, by when the driver read it."""

    at: float
    name: str


@dataclass
class Hand:
    """Presses keys, one after the other, on a question that was painted at PAINTED; time passes in between.

    `always`: each move of the highlight ends on an "always" answer. With `prompt`, text leaves the question.
    """

    rule: AnswerRule = field(default_factory=AnswerRule)
    always: bool = False
    answered: list[Press] = field(default_factory=list)
    early: list[Press] = field(default_factory=list)
    to_prompt: list[Press] = field(default_factory=list)
    to_reason: list[Press] = field(default_factory=list)
    _last: float = float("-inf")
    _late: float = 0.0

    def __post_init__(self) -> None:
        self.rule.paint(PAINTED)

    def presses(self, keys: Sequence[Key]) -> "Hand":
        for key in keys:
            self.press(key)
        self.wait(keys[-1].at + 10)
        return self

    def press(self, key: Key) -> None:
        self.wait(key.at)
        gap, self._last = key.at - self._last, key.at
        self._take(self.rule.press(Press(key.at, gap, key.name, MEANINGS[key.name])))

    def wait(self, until: float) -> None:
        """Let the time pass: what is due is judged, `_late` seconds after its time."""
        while (due := self.rule.due) is not None and due + self._late < until:
            self._take(self.rule.elapse(due + self._late))

    def stop_for(self, seconds: float) -> None:
        """Timers are called that much late from now on."""
        self._late = seconds

    def _take(self, verdict: Verdict) -> None:
        match verdict.ruling:
            case Ruling.PASS:
                self.answered += [press for press in verdict.presses if press.meaning in ("answer", "enter")]
            case Ruling.EARLY:
                self.early += verdict.presses
            case Ruling.PROMPT:
                self.to_prompt += verdict.presses
            case Ruling.REASON:
                self.to_reason += verdict.presses
            case Ruling.MOVE:
                self.rule.moved(verdict.presses[-1].at, onto_always=self.always)

    @property
    def told(self) -> str:
        return names(self.early)

    @property
    def text(self) -> str:
        return names([*self.to_prompt, *self.to_reason])


def names(presses: Sequence[Press]) -> str:
    """The keys in a row: characters as they are, others in angle brackets."""
    return "".join(press.key if press.meaning in PRINTABLE else f"<{press.key}>" for press in presses)


def keys(text: str) -> list[Key]:
    """Keys with times in milliseconds after painting: `400 y  700 enter`."""
    words = text.split()
    return [
        Key(PAINTED + int(at) / 1000, name.replace("_", " ")) for at, name in zip(words[::2], words[1::2], strict=True)
    ]


def presses_of(after: float, gap: float) -> list[Press]:
    """Enter, so many seconds after painting and behind the key before."""
    return [Press(PAINTED + after, gap, "enter", "enter")]


def is_given(
    pressed: Sequence[Key], at: int, meanings: Mapping[str, Meaning], *, by_key: bool, onto_always: bool
) -> bool:
    """Whether the rule gives an answer by the key in this place, told by all keys before and behind it."""
    key = pressed[at]
    before = key.at - pressed[at - 1].at if at else 99.0
    if by_key and at and pressed[at - 1].at < PAINTED:
        before = 99.0
    after_paint = round(key.at - PAINTED, 4)
    if meanings[key.name] == "enter":
        least = 0.3 if by_key else 1.0
        arrow = at > 0 and meanings.get(pressed[at - 1].name) in ("arrow", "step") and not onto_always
        arrow = arrow and pressed[at - 1].at >= PAINTED + least
        return after_paint >= least and before >= (0.15 if arrow else 0.5) - 1e-9
    if after_paint < 0.4 or before < 0.3 - 1e-9:
        return False
    window = 0.3 if after_paint >= 1.0 else 0.5
    for one, following in pairwise(pressed[at:]):
        gap = following.at - one.at
        if gap > window - 1e-9:
            return True
        if following.name == "enter":
            return gap >= 0.03 - 1e-9
        if following.name != key.name or gap < 0.03 - 1e-9:
            return False
    return True
