"""Rows to pick from, those of the command palette among them, and the search in every list that is filtered.

A word that is typed answers to an item, from the best: it is one of its names (`EXACT`); a name begins with that word
(`BEGINS`); it is another word of a name, or one of the other words for the item (`CALLED`); a name begins with its
letters (`PREFIX`), a word in a name does (`WORD`), another word for it does (`SYNONYM`); they are inside a name
(`INSIDE`), or in what is told beside it (`BESIDE`). Every word that is typed has to answer, and the one that
answers least counts; then the sum of all, then the items' own order. Letters that are scattered over a name, the first
of them at the beginning of a word (`chmo`: Change model), find something only where nothing else is found.

Words such as *the* and *of* are no words by which something is called: `the` means Choose theme before Tell the agent,
and before another word it does not rank at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted
from acp_tui.views.command_index import Command, SlashOffer
from acp_tui.views.formatting import SEPARATOR, age
from acp_tui.views.past_sessions import PastSession

Item = TypeVar("Item")

BESIDE, INSIDE, SYNONYM, WORD, PREFIX, CALLED, BEGINS, EXACT = range(1, 9)
FILLERS = frozenset(("a", "an", "and", "in", "of", "or", "the", "to"))
WORDS_SHOWN = 24  # characters of words that nothing answers
_ABOVE = EXACT + 1  # a step is worth more than whatever the name says beside it


class SearchTexts(NamedTuple):
    """The texts by which an item is found: its `names`, `also` other words for it, and what is told `beside` it.

    The first name is the one that is shown; the others are only more than other words where they are written whole.
    """

    names: Sequence[str]
    also: str = ""
    beside: Sequence[str] = ()


class SearchIndex(Generic[Item]):
    """Items that can be found, looked at once; thousands are searched within a frame."""

    def __init__(self, items: Iterable[Item], texts: Callable[[Item], SearchTexts]) -> None:
        self._all = [(item, _Lowered(texts(item))) for item in items]

    def find(self, query: str) -> list[Item]:
        """What answers the query, best first; without one all, as they came."""
        words = query.lower().split()
        if not words:
            return [item for item, _ in self._all]
        found: dict[tuple[int, int], list[Item]] = {}
        for item, lowered in self._answering(words):
            found.setdefault(lowered.rank(words), []).append(item)
        if not found:
            for item, lowered in self._all:
                if span := lowered.span(words):
                    found.setdefault((-span, 0), []).append(item)
        return [item for rank in sorted(found, reverse=True) for item in found[rank]]

    def _answering(self, words: Sequence[str]) -> list[tuple[Item, _Lowered]]:
        left = self._all
        for word in words:
            left = [each for each in left if word in each[1].all]
        return left


def matching(query: str, items: Iterable[Item], texts: Callable[[Item], tuple[str, ...]]) -> list[Item]:
    """The items that answer the query, best first. `texts` gives what one is found by: its name, what is beside it."""

    def named(item: Item) -> SearchTexts:
        name, *beside = texts(item)
        return SearchTexts((name,), "", beside)

    return SearchIndex(items, named).find(query)


class _Lowered:
    __slots__ = ("all", "also", "name", "names")

    def __init__(self, texts: SearchTexts) -> None:
        self.names = {name.lower() for name in texts.names}
        self.name = texts.names[0].lower() if texts.names else ""
        self.also = " ".join(("", *texts.names[1:], texts.also, "")).lower()
        self.all = "\n".join((self.name, self.also, *texts.beside)).lower()

    def rank(self, words: Sequence[str]) -> tuple[int, int]:
        """How well words that are all in the texts answer; more is better."""
        words = [*(word for word in words[:-1] if word not in FILLERS), *words[-1:]]
        if len(words) == 1:
            value = self._value(words[0])
            return value, value
        values = [self._value(word) for word in words]
        whole = self._named(" ".join(words))
        return max(min(values), _ABOVE * whole + whole), sum(values)

    def span(self, words: Sequence[str]) -> int:
        """Over how many characters the letters of the words are scattered; 0 where one is not there in that order."""
        spans = 0
        for word in words:
            if word in self.all:
                spans += len(word)
                continue
            span = min(_spans(word, self.name), default=0)
            if not span:
                return 0
            spans += span
        return spans

    def _value(self, word: str) -> int:
        named = self._named(word)
        if named == EXACT:
            return _ABOVE * EXACT + EXACT
        other = BESIDE
        if word in FILLERS:
            other = SYNONYM if any(each.startswith(word) and each != word for each in self.also.split()) else BESIDE
        elif f" {word}" in self.also:
            other = CALLED if f" {word} " in self.also else SYNONYM
        return _ABOVE * max(named, other) + named

    def _named(self, word: str) -> int:
        return EXACT if word in self.names else max(_ranks(word, self.name), default=0)


def _ranks(word: str, name: str) -> Iterator[int]:
    """How well a word answers, for each place in the name where it is."""
    at = name.find(word)
    while at >= 0:
        end = at + len(word)
        whole = end == len(name) or not name[end].isalnum()
        if whole and word in FILLERS and end - at < len(name):
            yield INSIDE
        elif at == 0:
            yield EXACT if end == len(name) else BEGINS if whole else PREFIX
        elif name[at - 1].isalnum():
            yield INSIDE
        else:
            yield CALLED if whole else WORD
        at = name.find(word, at + 1)


def _spans(letters: str, name: str) -> Iterator[int]:
    """Over how many characters letters are scattered in their order, from each word that begins with the first one."""
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


Value = TypeVar("Value")
NAME_AT_MOST = 60  # characters of a slash command's name; cells of any


@dataclass(frozen=True, slots=True)
class PickerRow(Generic[Value]):
    """One row: what it stands for, and sanitised words for it.

    The `current` one is marked. A `shortcut` to a row that stands further below too is there until one filters.
    `also` are other words for it, which are not shown; `texts` is what it is found by where that is not what is shown.
    """

    value: Value
    name: str
    description: str = ""
    heading: str = ""
    hint: str = ""
    current: bool = False
    shortcut: bool = False
    also: str = ""
    texts: SearchTexts | None = None


def texts_of(row: PickerRow[Value]) -> SearchTexts:
    """What a row is found by."""
    return row.texts or SearchTexts((row.name,), row.also, (row.heading, row.description, row.hint))


class RowIndex(SearchIndex[PickerRow[Value]], Generic[Value]):
    """Rows of which, where a name has all that is typed, only those are found that can be seen to answer it, or that
    have another word which begins so.
    """

    def __init__(self, rows: Iterable[PickerRow[Value]]) -> None:
        super().__init__(rows, texts_of)

    def find(self, query: str) -> list[PickerRow[Value]]:
        found, words = super().find(query), tuple(query.lower().split())
        if not any(_has_all(row.name, words) for row in found):
            return found
        return [row for row in found if _has_all(_reasons(row, words), words)]


def _reasons(row: PickerRow[Any], words: tuple[str, ...]) -> str:
    texts = texts_of(row)
    others = " ".join((*texts.names, texts.also)).lower().split()
    begun = (other for other in others if other.startswith(words))
    return " ".join((row.name, row.heading, row.description, row.hint, *begun))


def _has_all(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)


def list_opening(title: str, rows: Sequence[PickerRow[Value]], words: str) -> tuple[str, str]:
    """Title and filter of a list opened with `words`; those that no row answers are named in the title, above all."""
    if not words.strip() or SearchIndex(rows, texts_of).find(words):
        return title, words
    return f'{title} · no match for "{one_line(words.strip(), WORDS_SHOWN)}"', ""


def command_rows(
    commands: Iterable[Command], typed: Mapping[str, str], keys_of: Callable[[Command], str]
) -> list[PickerRow[Command]]:
    """The client's commands; `typed` are the names by which they can be typed now, by their ids."""
    rows = []
    for command in commands:
        if command.in_palette:
            keys = keys_of(command)
            name = f"/{typed[command.id]}" if command.id in typed else ""
            texts = SearchTexts((command.label, *command.slash), command.also, (command.tooltip, keys, command.group))
            hint = keys.split(", ")[0] or name
            rows.append(PickerRow(command, command.label, heading=command.group, hint=hint, texts=texts))
    return rows


def offer_rows(offers: Iterable[SlashOffer], agent: str) -> list[PickerRow[SlashOffer]]:
    """The slash commands of an `agent`, by its name, and own prompts. What cannot run is only said."""
    headings = {"agent": agent, "yours": "Your prompts", "project": "Project prompts"}
    rows = []
    for offer in offers:
        if offer.command is None:
            heading = headings[offer.owner] if offer.can_run else f"Not offered by {agent}"
            words = offer.words if offer.can_run else ""
            texts = SearchTexts((offer.name[:NAME_AT_MOST],), "", (words, heading))
            rows.append(PickerRow(offer, f"/{one_line(offer.name, NAME_AT_MOST)}", words, heading, texts=texts))
    return rows


def _by_title(title: str, *beside: str) -> SearchTexts:
    """A title is prose: a command that is called so stands before it."""
    return SearchTexts((), title, ("Session", *beside))


def tab_row(tab: Value, name: str, state: str, keys: str) -> PickerRow[Value]:
    """Another session that is open."""
    return PickerRow(tab, name, state or "open", "Session", keys, texts=_by_title(name, "open"))


def past_session_rows(known: Iterable[PastSession], now: datetime) -> list[PickerRow[PastSession]]:
    """Sessions of before that one can go back to."""
    return [
        PickerRow(
            each,
            each.title,
            SEPARATOR.join(filter(None, (each.agent, age(each.updated, now)))),
            "Session",
            texts=_by_title(each.title, each.agent),
        )
        for each in known
    ]


def runs_row(hidden: int) -> PickerRow[None]:
    """Leads to the sessions of `acp-tui run`, so many of which are hidden."""
    texts = _by_title("Show runs", "acp-tui run", "automation")
    return PickerRow(None, "Show runs", f"{counted(hidden, 'run')} hidden", "Session", texts=texts)


def theme_row(name: str, ground: str, *, current: bool) -> PickerRow[str]:
    """A theme by its whole name; `dark`, a word of many of them, means a command first."""
    return PickerRow(name, name, ground, "Theme", current=current, texts=SearchTexts((), name, ("theme", ground)))
