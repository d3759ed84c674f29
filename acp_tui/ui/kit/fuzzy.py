"""What a few letters find, best first: one rule for every list that is filtered as one types.

A word that is typed answers to an item, from the best: it is one of its names (`EXACT`), or one of the other words for
it (`CALLED`); a name begins with it (`PREFIX`), a word in a name does (`WORD`), another word for it does (`SYNONYM`);
it is inside a name (`INSIDE`), or in what is told beside it (`BESIDE`). Every word that is typed has to answer, and the
one that answers least counts; then the sum of all, then the items' own order. Letters that are scattered over a name,
the first of them at the beginning of a word (`chmo`: Change model), find something only where nothing else is found.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

BESIDE, INSIDE, SYNONYM, WORD, PREFIX, CALLED, EXACT = range(1, 8)
_ABOVE = EXACT + 1  # a step is worth more than whatever the name says beside it


class Texts(NamedTuple):
    """What an item is found by: its `names`, `also` other words for it, and what is told `beside` it."""

    names: Sequence[str]
    also: str = ""
    beside: Sequence[str] = ()


class Index(Generic[Item]):
    """Items that can be found, looked at once; thousands are searched within a frame."""

    def __init__(self, items: Iterable[Item], texts: Callable[[Item], Texts]) -> None:
        self._all = [(item, _Lowered(texts(item))) for item in items]

    def find(self, query: str) -> list[Item]:
        """What answers the query, best first; without one all, as they came."""
        words = query.lower().split()
        if not words:
            return [item for item, _ in self._all]
        found: dict[tuple[int, int], list[Item]] = {}
        for item, lowered in self._all:
            text = lowered.all
            if all(word in text for word in words):
                found.setdefault(lowered.rank(words), []).append(item)
        if not found:
            for item, lowered in self._all:
                spans = [_span(word, lowered) for word in words]
                if all(spans):
                    found.setdefault((-sum(spans), 0), []).append(item)
        return [item for rank in sorted(found, reverse=True) for item in found[rank]]


def matching(query: str, items: Iterable[Item], texts: Callable[[Item], tuple[str, ...]]) -> list[Item]:
    """The items that answer the query, best first. `texts` gives what one is found by: its name, what is beside it."""

    def named(item: Item) -> Texts:
        name, *beside = texts(item)
        return Texts((name,), "", beside)

    return Index(items, named).find(query)


class _Lowered:
    """The texts of one item in lower case."""

    __slots__ = ("all", "also", "names")

    def __init__(self, texts: Texts) -> None:
        self.names = [name.lower() for name in texts.names]
        self.also = f" {texts.also.lower()} "
        self.all = "\n".join((*self.names, self.also, *texts.beside)).lower()

    def rank(self, words: Sequence[str]) -> tuple[int, int]:
        """How well words that are all in the texts answer; more is better."""
        if len(words) == 1:
            value = self._value(words[0])
            return value, value
        values = [self._value(word) for word in words]
        whole = self._named(" ".join(words))
        return max(min(values), _ABOVE * whole + whole), sum(values)

    def _value(self, word: str) -> int:
        named = self._named(word)
        if named == EXACT:
            return _ABOVE * EXACT + EXACT
        other = BESIDE
        if (synonym := self.also.find(f" {word}")) >= 0:
            other = CALLED if f" {word} " in self.also else SYNONYM
        return _ABOVE * max(named, other) + named

    def _named(self, word: str) -> int:
        """How well a word answers by the names alone; 0 where it is in none."""
        best = 0
        for name in self.names:
            at = name.find(word)
            if at == 0:
                if len(name) == len(word):
                    return EXACT
                best = max(best, PREFIX)
            elif at > 0 and best < WORD:
                best = WORD if _begins_word(name, word, at) else max(best, INSIDE)
        return best


def _begins_word(text: str, word: str, at: int) -> bool:
    """Whether a word in the text begins with this one, which is found first `at` a place after the beginning."""
    while at > 0:
        if not text[at - 1].isalnum():
            return True
        at = text.find(word, at + 1)
    return False


def _span(word: str, texts: _Lowered) -> int:
    """Over how many characters of a name the letters of a word are scattered, in their order; 0 where they are not."""
    if word in texts.all:
        return len(word)
    return min((span for name in texts.names for span in _spans(word, name)), default=0)


def _spans(letters: str, name: str) -> Iterator[int]:
    """The same for every word of the name with which the first letter begins."""
    start = name.find(letters[0])
    while start >= 0:
        if start == 0 or not name[start - 1].isalnum():
            at = start
            for letter in letters[1:]:
                at = name.find(letter, at + 1)
                if at < 0:
                    return
            yield at + 1 - start
        start = name.find(letters[0], start + 1)
