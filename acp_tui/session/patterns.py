"""An agent's `pattern` (ECMA-262) tried on a text, in time that no pattern can blow up; must not know forms.

Python's `re` backtracks, and a pattern that an agent sends could stop the program with it. Here all ways
through a pattern are followed at once, so that the work is at most (steps of the pattern) × (characters).
What cannot be followed that way, or would be too much, is not tried at all.
"""

from acp_tui.session.pattern_reading import NotTried, PatternReader, Step

MAX_WORK = 200_000
"""Steps times characters: some 15 ms, because a form may have hundreds of patterns."""


def matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found anywhere in the text; `None` if it is not one that is tried here."""
    try:
        read = PatternReader(pattern)
    except NotTried:
        return None
    if len(read.steps) * (len(text) + 1) > MAX_WORK:
        return None
    return _found(read.steps, read.first, text)


def _found(steps: list[Step], first: int, text: str) -> bool:
    now: set[int] = set()
    for at in range(len(text) + 1):
        _enter(steps, first, at, len(text), now)
        if 0 in now:
            return True
        if at < len(text):
            before, now = now, set()
            for number in before:
                step = steps[number]
                if step.test is not None and step.test(text[at]):
                    _enter(steps, step.ways[0], at + 1, len(text), now)
    return False


def _enter(steps: list[Step], number: int, at: int, end: int, reached: set[int]) -> None:
    """Reach a step and all that can be reached from it without a character."""
    waiting = [number]
    while waiting:
        number = waiting.pop()
        step = steps[number]
        if number in reached or (step.edge and at != (0 if step.edge == "^" else end)):
            continue
        reached.add(number)
        if step.test is None:
            waiting.extend(step.ways)
