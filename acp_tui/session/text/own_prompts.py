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
    text, at = text.strip(), 0
    while at < len(text):
        opening = _OPENING.match(text, at)
        if opening is None:
            return False
        closing = f"</{opening[1]}>"
        if text.endswith(closing) and opening.end() <= len(text) - len(closing):
            return True
        end = text.find(closing, opening.end())
        if end < 0:
            return False
        at = end + len(closing)
    return at > 0


def beginning_of(text: str) -> str:
    """How a prompt begins, as it is kept to be known again."""
    return squeezed(text[: 4 * BEGINNING])[:BEGINNING]


class OwnPrompts:
    """The prompts that the user sent in a session, by their beginnings."""

    def __init__(self, beginnings: Collection[str]) -> None:
        self._beginnings = frozenset(filter(None, beginnings))

    def knows(self, text: str) -> bool:
        """Whether a replayed text is such a prompt, a piece of one, or one to which the agent has added something."""
        told = squeezed(text[:LONGEST])
        if told[:BEGINNING] in self._beginnings:
            return True
        return any(told in each or _is_part(each, told) for each in self._beginnings)


def _is_part(beginning: str, told: str) -> bool:
    """Whether a message holds a prompt; a short one, which many texts hold by chance, at its beginning or end."""
    if len(beginning) >= DISTINCT:
        return beginning in told
    return told.startswith(beginning) or told.endswith(beginning)
