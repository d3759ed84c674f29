"""Whose a replayed user message is: the user's own, as far as their prompts are known, or added by the agent.

Agents put reminders, contexts and notes of interruptions among the user's messages and tell them again as theirs.
"""

import re
from collections.abc import Collection

BEGINNING = 400  # characters of a prompt, without white space, by which it is known again
DISTINCT = 40  # characters of a beginning that is in no other text by chance
LONGEST = 64 * 1024  # characters of a message that are looked through
_OPENING = re.compile(r"\s*<([A-Za-z][\w.:-]{0,80})(?:\s[^<>]{0,400})?>")


def squeezed(text: str) -> str:
    """Without white space, since agents join and trim what they tell again."""
    return "".join(text.split())


def begins_with_tag(text: str) -> bool:
    """Whether a text begins as such a block does."""
    return _OPENING.match(text) is not None


def is_tag_block(text: str) -> bool:
    """Whether a text is nothing but `<tag>…</tag>` blocks, as agents write what a model is to know."""
    text = text.strip()
    return text != "" and _after_blocks(text) == len(text)


def _after_blocks(text: str) -> int:
    """Where the blocks end with which a text begins; one may tell of its own tag, as far as its end tells it apart."""
    at = 0
    while (opening := _OPENING.match(text, at)) is not None:
        end = _end_of(text, opening)
        if end < 0:
            break
        at = end
    return at


def _end_of(text: str, opening: re.Match[str]) -> int:
    """Where the block ends that begins so, with others of its name in it; -1 where it has no end."""
    depth, end = 0, -1
    for found in re.compile(rf"<(/?){re.escape(opening[1])}(?:\s[^<>]{{0,400}})?>").finditer(text, opening.start()):
        depth += -1 if found[1] else 1
        end = found.end() if found[1] else end
        if depth == 0:
            return end
    return end


def beginning_of(text: str) -> str:
    """How a prompt begins, as it is kept to be known again."""
    return squeezed(text[: 4 * BEGINNING])[:BEGINNING]


class OwnPrompts:
    """The prompts that the user sent in a session, by their beginnings; there may be thousands of them."""

    def __init__(self, beginnings: Collection[str]) -> None:
        self._beginnings = frozenset(filter(None, beginnings))
        self._in_one = "\0".join(self._beginnings)
        self._distinct: dict[str, list[str]] = {}  # the longer ones, by how they begin
        for each in self._beginnings:
            if len(each) >= DISTINCT:
                self._distinct.setdefault(each[:DISTINCT], []).append(each)

    def knows(self, text: str) -> bool:
        """Whether a replayed text is such a prompt, a piece of one, or one to which the agent has added something."""
        if len(text) > 2 * LONGEST:
            text = text[:LONGEST] + text[-LONGEST:]
        told, behind = squeezed(text), squeezed(text[_after_blocks(text) :])[:BEGINNING]
        if self.has(text) or (self._in_one and told in self._in_one):
            return True
        return self._holds_short(told, behind) or self._holds(told)

    def has(self, text: str) -> bool:
        """Whether a text begins as such a prompt does, as far as that is kept."""
        return beginning_of(text) in self._beginnings

    def _holds_short(self, told: str, behind: str) -> bool:
        """Whether a prompt that many texts hold by chance is at the beginning, there behind blocks, or at the end."""
        parts = (part for size in range(1, DISTINCT) for part in (told[:size], behind[:size], told[-size:]))
        return any(part in self._beginnings for part in parts)

    def _holds(self, told: str) -> bool:
        """Whether one of the others is anywhere in it."""
        for at in range(len(told) - DISTINCT + 1):
            found = self._distinct.get(told[at : at + DISTINCT])
            if found is not None and told.startswith(tuple(found), at):
                return True
        return False
