"""Names near a word that is none: what it was most likely a slip for."""

from collections.abc import Iterable

MOST_EDITS = 2


def near_names(word: str, names: Iterable[str]) -> list[str]:
    """Names that share the first letter and are at most two edits away, the nearest first.

    The edits are fewer than half of the word's letters, or `vi` would be a slip for `vibe`. Dashes before an option
    do not count.
    """
    plain = word.lstrip("-").lower()
    begun = [name for name in names if plain and name.lstrip("-").lower().startswith(plain[0])]
    edits = {name: _edits(plain, name.lstrip("-").lower()) for name in begun}
    near = [name for name, count in edits.items() if count <= MOST_EDITS and 2 * count < len(plain)]
    return sorted(near, key=edits.__getitem__)


def nearest_name(word: str, names: Iterable[str]) -> str:
    """The first of `near_names`; empty if there is none."""
    return next(iter(near_names(word, names)), "")


def _edits(word: str, name: str) -> int:
    """Letters to add, drop or change, and neighbours to swap; beyond MOST_EDITS it need not be exact."""
    if abs(len(word) - len(name)) > MOST_EDITS:
        return MOST_EDITS + 1
    before: list[int] = []
    row = list(range(len(name) + 1))
    for at, letter in enumerate(word, 1):
        older, before, row = before, row, [at]
        for place, other in enumerate(name, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != other)))
            if older and place > 1 and letter == name[place - 2] and word[at - 2] == other:
                row[-1] = min(row[-1], older[place - 2] + 1)
    return row[-1]
