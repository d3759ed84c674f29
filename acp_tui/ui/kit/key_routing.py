"""Routing of keys while a question is asked: to the question if they answer it, to the prompt if they are text."""

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol, TypeAlias, cast

from textual import events
from textual.app import App, ReturnType
from textual.widget import Widget

from acp_tui.safe_text import is_text
from acp_tui.ui.kit.answer_rule import NEVER, PRINTABLE, READ, AnswerRule, Meaning, Press, Ruling, Verdict
from acp_tui.ui.kit.session_view import say


class Key(events.Key):
    """A key as Textual has it, whose widgets leave out what Python calls unprintable. (The name is its handlers'.)"""

    __slots__ = ()

    @property
    def is_printable(self) -> bool:
        return self.character is not None and all(map(is_text, self.character))


def as_typed(event: events.Key) -> None:
    """Let all that hear of this key ask what is text."""
    event.__class__ = Key


class Clock(Protocol):
    """Seconds of the clock that stamps events."""

    def now(self) -> float: ...

    def call_at(self, when: float, call: Callable[[], object]) -> None:
        """Call once, at this time or soon after it."""
        ...


class SystemClock:
    """The clock of this machine. Textual stamps events with `monotonic`, on Windows with `perf_counter`."""

    now = staticmethod(time.perf_counter if sys.platform == "win32" else time.monotonic)

    def call_at(self, when: float, call: Callable[[], object]) -> None:
        asyncio.get_running_loop().call_later(max(0.0, when - self.now()), call)


EDITING = ("backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "ctrl+h", "ctrl+backspace", "alt+backspace")
SENDING = ("enter", "ctrl+r")  # the keys that may send what a field is part of
ARROWS = {"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1}
STEPS = {"k": -1, "j": 1}
PREFIXES = "/!@?"  # of a command, of a shell command, of a mention; and help: no reason begins with them
TOLD = 2.0  # seconds that a refusal stays
REFUSED = "Typing does not answer this: press one of the keys shown"


Typed: TypeAlias = events.Key | events.Paste


class Asker(Protocol):
    """Something on the screen that asks, and has the keys."""

    rule: AnswerRule

    def meaning(self, event: Typed) -> Meaning:
        """What a key or a paste is in this question: `field` if a field has the focus, which takes it as its text."""
        ...

    def move(self, step: int, /) -> bool | None:
        """Move the highlight; whether it is on an "always" answer now, or None if it did not move."""
        ...

    def mark(self, event: events.Key | None, /) -> None:
        """Show which answer stands unless something follows, or none."""
        ...

    def leave(self) -> bool:
        """Step back, as Esc asks for, at once: keys behind it are no answers. Whether that is all that Esc does."""
        ...


def meaning_of(event: Typed, answers: str = "", commands: str = "") -> Meaning:
    """What a key or a paste is where these characters are shown as answers and as commands."""
    if isinstance(event, events.Paste):
        return "text"
    if event.is_printable and event.character:
        if event.character in answers:
            return "answer"
        if event.character in commands:
            return "command"
        return "step" if event.key in STEPS else "prefix" if event.character in PREFIXES else "text"
    if event.key in ARROWS:
        return "arrow"
    if event.key in ("enter", "escape"):
        return "enter" if event.key == "enter" else "escape"
    return "edit" if event.key in EDITING else "other"


AFTER_CLOSING = 0.5  # seconds after an Esc that closed something in which another one is for that, too


class EscapePresses:
    """The last presses of Esc on any screen, and those that found nothing to close. Times are those of the keys."""

    def __init__(self) -> None:
        self._all, self._idle = deque[float](maxlen=8), deque[float](maxlen=8)

    def note(self, at: float) -> None:
        self._all.append(at)

    def is_surplus(self, at: float) -> bool:
        """Whether the press at this time, which finds nothing to close, comes right after one that closed something."""
        self._idle.append(at)
        closed = max((each for each in self._all if each < at and each not in self._idle), default=float("-inf"))
        return at - closed < AFTER_CLOSING


class AnswerKeys:
    """One for a program: knows when keys came, and asks the rule of the question that has them."""

    def __init__(self, app: "AnswersByRule[Any]") -> None:
        self._app = app
        self.clock: Clock = SystemClock()
        self.escapes = EscapePresses()
        self._last = float("-inf")  # when the last key came, wherever it went
        self._down: events.MouseDown | None = None
        self._up: events.MouseUp | None = None
        self._timed: float | None = None

    def asker(self) -> Asker | None:
        return self._app.asker

    def note(self, event: events.Event) -> float:
        """Note that a key came; the seconds since the one before."""
        gap, self._last = event.time - self._last, event.time
        if isinstance(event, events.Key) and event.key == "escape":
            self.escapes.note(event.time)
        return gap

    def when_idle(self, rule: AnswerRule, call: Callable[[], object]) -> None:
        """Call once the answers have been on the screen, and no key has come, for a second."""
        since = max(self._last, rule.painted)
        if self.clock.now() >= since + READ:
            call()
        else:
            when = since + READ if since < NEVER else self.clock.now() + READ
            self.clock.call_at(when, lambda: self._app.call_later(self.when_idle, rule, call))

    def click_counts(self, rule: AnswerRule) -> bool:
        """Whether the last click answers: its button went down and up in one row, when that was painted."""
        down, up = self._down, self._up
        counts = False
        if down is not None and up is not None:
            counts = down.screen_y == up.screen_y and rule.clicked(down.time, up.time)
        if not counts:
            say(self._app, "Too early: click again", TOLD)
        return counts

    def route(self, event: events.Event) -> Iterator[events.Event]:
        """The events to be handled now, in their order; the focus is where they go."""
        if isinstance(event, events.MouseDown):
            self._down, self._up = event, None
        elif isinstance(event, events.MouseUp):
            self._up = event
        if not isinstance(event, events.Key | events.Paste):
            yield event
            return
        gap, asker = self.note(event), self.asker()
        if asker is None:
            yield event
            return
        key = event.key if isinstance(event, events.Key) else ""
        press = Press(event.time, gap if key else 0.0, key, asker.meaning(event), event)
        if press.meaning != "field":
            yield from self._judged(asker, asker.rule.press(press))
        elif key in SENDING:
            press = press._replace(meaning="enter")
            yield from self._judged(asker, asker.rule.enter_in_field(press))
        elif key == "escape":
            yield from _left(asker, event)
        else:
            yield event

    def _judged(self, asker: Asker, verdict: Verdict) -> Iterator[events.Event]:
        presses = verdict.presses
        match verdict.ruling:
            case Ruling.PASS if presses and presses[0].meaning == "escape":
                yield from _left(asker, presses[0].event)
            case Ruling.PASS:
                yield from (press.event for press in presses)
            case Ruling.MOVE:
                self._move(asker, presses[-1])
            case Ruling.EARLY:
                say(self._app, _too_early(presses[-1]), TOLD)
            case Ruling.PROMPT | Ruling.REASON:
                yield from self._as_text(presses, reason=verdict.ruling is Ruling.REASON)
        marked = asker.rule.marked
        asker.mark(marked.event if marked is not None else None)
        self._await(asker)

    def _move(self, asker: Asker, press: Press) -> None:
        always = asker.move(ARROWS.get(press.key) or STEPS.get(press.key, 0))
        if always is not None:
            asker.rule.moved(press.at, onto_always=always)

    def _as_text(self, presses: Sequence[Press], *, reason: bool) -> Iterator[events.Event]:
        taken = self._app.take_text(reason)
        if taken:  # a pasted Enter sends no reason
            yield from (each.event for each in presses if taken == "prompt" or each.meaning != "enter")
        elif any(press.meaning in PRINTABLE for press in presses):
            say(self._app, REFUSED, TOLD)

    def _await(self, asker: Asker) -> None:
        due = asker.rule.due
        if due is not None and due != self._timed:
            self._timed = due
            # Behind what the app has got by then: a key that was read before that time is handled before.
            self.clock.call_at(due, lambda: self._app.call_later(self._elapse, asker))

    async def _elapse(self, asker: Asker) -> None:
        self._timed = None
        if asker is self.asker():
            for event in self._judged(asker, asker.rule.elapse(self.clock.now())):
                await App.on_event(self._app, event)


class AnswersByRule(App[ReturnType]):
    """An app whose keys go where the rule of answers says.

    A screen has what asks on it as its `asker`, and `keys_under_way` if another widget gets keys that came before the
    focus. Its `take_text` gives the focus to the prompt, or, if that is to be the reason for a rejection, to a line for
    that where there is one; it tells which.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.answer_keys = AnswerKeys(self)

    @property
    def asker(self) -> Asker | None:
        asker: Asker | None = getattr(self.screen, "asker", None)
        return asker

    def take_text(self, reason: bool) -> Literal["", "prompt", "reason"]:
        take: Callable[[bool], Literal["prompt", "reason"]] | None = getattr(self.screen, "take_text", None)
        return take(reason) if take is not None else ""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key):
            as_typed(event)
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            for each in self.answer_keys.route(event):
                await self._forward(each)
        else:
            await super().on_event(event)

    async def _forward(self, event: events.Event) -> None:
        unfocused = self.focused is None
        await super().on_event(event)
        if unfocused and isinstance(event, events.Key) and event.is_forwarded and self._keys_under_way is not None:
            self._keys_under_way.append(event)

    @property
    def _keys_under_way(self) -> deque[events.Key] | None:
        """Keys in the queue of a screen, which came while nothing had the focus."""
        keys: deque[events.Key] | None = getattr(self.screen, "keys_under_way", None)
        return keys

    @property
    def focused(self) -> Widget | None:
        """The widget that gets keys: none while some are under way to the screen, or a later one would come first."""
        widget = super().focused
        return None if widget is not None and self._keys_under_way else widget


def answer_keys_of(app: App[Any]) -> AnswerKeys:
    """Those of an app, which is one of ours."""
    return cast("AnswersByRule[Any]", app).answer_keys


def _left(asker: Asker, event: events.Event) -> Iterator[events.Event]:
    if not asker.leave():
        yield event


def _too_early(press: Press) -> str:
    key = press.event.character if press.meaning in PRINTABLE else press.key
    return f"Too early: press {key} again"
