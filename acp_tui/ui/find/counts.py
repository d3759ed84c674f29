"""How often words occur in every entry of a transcript; must not know what the entries look like.

Texts are made once and held while somebody searches, so that another letter costs a count and nothing else.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from acp_tui.session.entries import Entry
from acp_tui.ui.transcript.heights import Heights


class Query:
    """Words as they were typed. Capitals in them count; all in lower case they stand for both."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.exact = words != words.lower()

    def __bool__(self) -> bool:
        return bool(self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.words), re.NOFLAG if self.exact else re.IGNORECASE)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in self.pattern.finditer(text)] if self else []


_Version = tuple[int, ...]
_Text = tuple[Entry, _Version, str]  # an entry, the version that was read, its text


class Counts:
    """Counts by place. Matches are numbered from 0 through all entries.

    `text_of` gives an entry's text, `version_of` what is another one whenever that may have changed.
    """

    def __init__(
        self,
        text_of: Callable[[Entry], str],
        version_of: Callable[[Entry], _Version] = lambda entry: (entry.version,),
    ) -> None:
        self._text_of, self._version_of = text_of, version_of
        self._texts: dict[bool, dict[int, _Text]] = {True: {}, False: {}}  # as it is, and in lower case, by identity
        self._query = Query("")
        self._counts = Heights()

    @property
    def total(self) -> int:
        return self._counts.total

    def search(self, query: Query, entries: Sequence[Entry | None]) -> None:
        self._query = query
        self._counts = Heights(self._count(entry) for entry in entries)

    def look_again(self, entries: Sequence[Entry | None], places: Iterable[int]) -> None:
        """Count the entries at some places again, and those that are new at the end."""
        for place in places:
            if place < len(self._counts):
                self._counts.set(place, self._count(entries[place]))
        for place in range(len(self._counts), len(entries)):
            self._counts.append(self._count(entries[place]))

    def correct(self, place: int, count: int) -> None:
        """An entry was shown as a whole, and that many matches are to be seen."""
        self._counts.set(place, count)

    def at(self, place: int) -> int:
        return self._counts[place] if place < len(self._counts) else 0

    def before(self, place: int) -> int:
        return self._counts.before(min(place, len(self._counts)))

    def find(self, number: int) -> tuple[int, int]:
        """The place of a match, and which of its entry's it is."""
        return self._counts.at(number)

    def _count(self, entry: Entry | None) -> int:
        if entry is None or not self._query:
            return 0
        return self._text(entry, exact=self._query.exact).count(self._query.words)

    def _text(self, entry: Entry, *, exact: bool) -> str:
        texts = self._texts[exact]
        held, version = texts.get(id(entry)), self._version_of(entry)
        if held is None or held[0] is not entry or held[1] != version:
            text = self._text_of(entry)
            held = texts[id(entry)] = entry, version, text if exact else text.lower()
        return held[2]
