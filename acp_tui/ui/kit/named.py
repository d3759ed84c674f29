"""What the words after a command mean: one thing of a list, by its name or id, else a list that they filter."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def meant_by(words: str, items: Iterable[Item], names: Callable[[Item], Sequence[str]]) -> Item | None:
    """The only item that has these words for a name, whatever their case; else the only one that has them in a name.

    None without words, and where that is more than one item or none.
    """
    words = words.lower().strip()
    if not words:
        return None
    named = [(item, [name.lower() for name in names(item)]) for item in items]
    same = [item for item, theirs in named if words in theirs]
    found = same or [item for item, theirs in named if any(_has(name, words) for name in theirs)]
    return found[0] if len(found) == 1 else None


def _has(name: str, words: str) -> bool:
    return all(word in name for word in words.split())
