"""Fuzzy matching: ranks names by a few letters of them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def score(query: str, text: str) -> int:
    """How well `text` answers `query`, both in lower case: 0 not at all, more is better."""
    if not query:
        return 1
    at = text.find(query)
    if at == 0:
        return 1000 - min(len(text), 400)
    if at > 0:
        begins_word = not text[at - 1].isalnum()
        return (500 if begins_word else 300) - min(at, 200)
    place = -1
    for letter in query:
        place = text.find(letter, place + 1)
        if place < 0:
            return 0
    return max(1, 100 - min(place, 99))


def matching(query: str, items: Iterable[Item], texts: Callable[[Item], tuple[str, ...]]) -> list[Item]:
    """The items that answer every word of `query`, best first, else in their own order.

    `texts` gives what an item can be found by, weightiest first. The first text may be matched by scattered
    letters, the others only by whole words or parts of them.
    """
    words = query.lower().split()
    if not words:
        return list(items)
    found: list[tuple[int, int, Item]] = []
    for index, item in enumerate(items):
        scores = [_best(word, texts(item)) for word in words]
        if all(scores):
            found.append((-sum(scores), index, item))
    return [item for _, _, item in sorted(found, key=lambda entry: entry[:2])]


def _best(word: str, texts: tuple[str, ...]) -> int:
    first, *others = (text.lower() for text in texts)
    return max(score(word, first) * 4, *(score(word, text) for text in others if word in text), 0)
