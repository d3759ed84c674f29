"""Words found in recorded sessions, the newest first.

A session is found when all words (or parts of words, in any case) occur in it; its snippet is where most of them stand
together. Of a record that has not changed since the text of it is kept only that is looked at; any other is read from
its beginning to its end, and its text kept.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.frozen import Frozen
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.searched_text import SearchedText, TextPosition, folded, opened, pieces, place_of, text_of
from acp_tui.host.records.usage import Ledger, RecordUsage, read_ledger
from acp_tui.session.text.phrases import counted
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.records.index import RecordIndex, Stamp

HITS = 100
SNIPPET = 160  # characters
_BEFORE = 50  # characters of the snippet before the first word
BREAK_EVEN = 100  # records; a list of fewer is read from their files in the time that SQLite takes to be there (15 ms)
SLICE, PAUSE = 0.004, 0.02  # seconds of work, and of rest, of the thread that makes texts
NICE = 10
AT_REST = 10.0  # seconds after which nobody waits for a start any more


class Hit(Frozen):
    """A session in which the words were found; `snippet` is one line of it, `subagent` as of a piece. Not sanitised."""

    info: RecordInfo
    snippet: str
    subagent: str = ""

    @property
    def line(self) -> str:
        """The snippet, and where it stands if that is not the session itself."""
        return f"in subagent {self.subagent}: {self.snippet}" if self.subagent else self.snippet


class SearchResult(Frozen):
    """What a search came to. `unsearched` were left out, for there were hits enough; `unread` could not be read."""

    hits: Sequence[Hit]
    searched: int
    unsearched: int = 0
    unread: int = 0

    @property
    def shortfall(self) -> str:
        parts = []
        if self.unsearched:
            were = "was" if self.unsearched == 1 else "were"
            parts.append(f"{counted(self.unsearched, 'older session')} {were} not searched")
        if self.unread:
            parts.append(f"{self.unread:,} could not be read")
        return ", ".join(parts)


class RecordSearch:
    """Searches records; `index` keeps their texts, where there is one."""

    def __init__(self, index: "RecordIndex | None" = None) -> None:
        self._index = index
        self._keeps = False

    def search(
        self,
        infos: Sequence[RecordInfo],
        words: Iterable[str],
        *,
        stop: Callable[[], bool] = bool,
        on_found: Callable[[SearchResult], object] = bool,
        most: int = HITS,
    ) -> SearchResult:
        """Search these records in their order; ends early when `stop` says so, or with `most` hits.

        Of several records of one session only the first that answers counts. `on_found` gets what there is so far with
        each hit.
        """
        sought = [word for word in words if word.strip()]
        texts, stamps = dict[str, "Stamp"](), dict[str, "Stamp"]()
        if self._index is not None and sought:
            texts, stamps = self._index.texts(), self._index.stamps()
            self._keeps = self._index.pays(sum(info.size for info in infos))
        hits: list[Hit] = []
        known: set[tuple[str, str]] = set()
        unread = 0
        for number, info in enumerate(infos):
            if not sought or len(hits) >= most or stop():
                return SearchResult(hits, number, len(infos) - number, unread)
            name = (info.agent, info.session_id or str(info.path))
            if name in known:
                continue
            try:
                hit = self._look(info, sought, texts.get(info.path.name), stamps.get(info.path.name))
            except OSError:
                unread += 1
                continue
            if hit is not None:
                known.add(name)
                hits.append(hit)
                on_found(SearchResult(tuple(hits), number + 1, 0, unread))
        return SearchResult(hits, len(infos), 0, unread)

    def catch_up(self, infos: Sequence[RecordInfo], breathe: Callable[[], object], stop: Callable[[], bool]) -> None:
        """Keep the texts of all records that have none, or an old one; raises nothing."""
        if self._index is None or not self._index.pays(sum(info.size for info in infos)):
            return
        self._index.tidy()
        texts, stamps = self._index.texts(), self._index.stamps()
        for info in infos:
            stamp = stamps.get(info.path.name)
            if stop():
                return
            if stamp is not None and texts.get(info.path.name) != stamp:
                with suppress(OSError):
                    self._keep(info, stamp, list(pieces(info.path, breathe=breathe)))

    def _look(self, info: RecordInfo, sought: Sequence[str], kept: "Stamp | None", stamp: "Stamp | None") -> Hit | None:
        """Where most of the words stand together, if all of them are there; raises OSError."""
        if self._index is not None and kept is not None and kept == stamp:
            with suppress(OSError, ValueError):  # the text is gone, or another one
                return _look_at_text(info, sought, self._index)
        said = list(pieces(info.path))
        if stamp is not None and self._keeps:
            self._keep(info, stamp, said)
        return _hit(info, sought, said)

    def _keep(self, info: RecordInfo, stamp: "Stamp", said: Sequence[SearchedText]) -> None:
        found = info.path.stat()
        if self._index is not None and (found.st_size, found.st_mtime_ns) == stamp:  # it did not grow meanwhile
            self._index.add_text(info.path.name, stamp, *text_of(said))


def _look_at_text(info: RecordInfo, sought: Sequence[str], index: "RecordIndex") -> Hit | None:
    """The same from the text of a record; raises OSError, and ValueError where that is not what it was."""
    title, words = folded(info.title), [folded(word) for word in sought]
    with opened(index.text_path(info.path.name)) as text:
        there = [word for word in words if text.find(word) >= 0]
        if not all(word in there or word in title for word in words):
            return None
        places = index.places(info.path.name)
        if places is None:
            raise ValueError("its places are gone")
        place = place_of(text, places, there)
    said = [] if place is None else [each for each in pieces(info.path, place.first, place.end) if _is_at(each, place)]
    named = [replace(each, subagent=places.subagent(place.number)) for each in said if place is not None]
    return _hit(info, sought, named, lacking=False)


def _is_at(piece: SearchedText, place: TextPosition) -> bool:
    return (piece.first, piece.end) == (place.first, place.end)


def _hit(info: RecordInfo, sought: Sequence[str], said: Sequence[SearchedText], *, lacking: bool = True) -> Hit | None:
    """The piece that has most of the words; None where a word is in none, if it may be `lacking`.

    The title is the last piece.
    """
    words = {word.casefold() for word in sought}
    missing, best, hit = set(words), 0, Hit(info, "")
    for piece in [*said, SearchedText(info.title)]:
        text = piece.text.casefold()
        there = {word for word in words if word in text}
        missing -= there
        if len(there) > best:
            best, hit = len(there), Hit(info, _cut(piece.text, text, there), piece.subagent)
    return None if lacking and missing else hit


def _cut(piece: str, text: str, there: set[str]) -> str:
    at = max(0, min(text.index(word) for word in there) - _BEFORE)
    words = " ".join(piece[at : at + 2 * SNIPPET].split())
    rest = words[:SNIPPET]
    return ("…" if at else "") + rest + ("…" if len(words) > SNIPPET or at + 2 * SNIPPET < len(piece) else "")


class RecordsCache:
    """What makes many records quick to list and to search: an index and texts, where they pay.

    Of the records in the folder `records`, in the folder `cache`; without one nothing is kept.

    Everything here blocks: call it in a thread. Nothing raises, but for `forget`.
    """

    def __init__(self, records: Path, cache: Path | None) -> None:
        self._records, self._cache = records, cache
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def infos(self, cwd: str | None) -> list[RecordInfo] | None:
        """The records of a folder (`None`: all), the one that was written last first; None where they must be read."""
        index = self._index() if self._pays() else None
        return index.infos(cwd) if index is not None else None

    def searcher(self) -> RecordSearch:
        return RecordSearch(self._index())

    def ledger(self, infos: Sequence[RecordInfo], stop: Callable[[], bool]) -> Ledger:
        """The usage of these records, the newest first. What is read for it is in the index from then on."""
        index = self._index() if self._pays() else None
        if index is None:
            return read_ledger(infos, stop)
        stamps, packed = index.stamps(), index.usages()
        fresh: dict[str, tuple[Stamp, str]] = {}

        def known(info: RecordInfo) -> RecordUsage | None:
            stamp, text = packed.get(info.file_name, (None, ""))
            return RecordUsage.unpacked(text) if stamp is not None and stamp == stamps.get(info.file_name) else None

        def add(info: RecordInfo, usage: RecordUsage) -> None:
            if info.file_name in stamps:
                fresh[info.file_name] = stamps[info.file_name], usage.packed()

        found = read_ledger(infos, stop, known, add)
        if fresh:
            index.add_usages(fresh)
        return found

    def forget(self, paths: Iterable[Path]) -> None:
        """Leave nothing of records that were deleted; raises OSError where something stays."""
        if self._cache is not None and self._cache.exists() and (index := self._index()) is not None:
            index.forget([path.name for path in paths])

    def keep_texts(self, infos: Callable[[], Sequence[RecordInfo]]) -> None:
        """Have a thread make the texts of all records, once nobody waits for a start, and in slices."""
        if self._cache is not None and self._thread is None:
            self._thread = threading.Thread(target=self._keep_texts, args=[infos], name="texts of records", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._closing.set()

    def _keep_texts(self, infos: Callable[[], Sequence[RecordInfo]]) -> None:
        if self._closing.wait(AT_REST):
            return
        if sys.platform == "linux":  # where a thread may be nicer than its process
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        until = time.monotonic() + SLICE

        def breathe() -> None:
            nonlocal until
            if self._closing.is_set():
                raise InterruptedError
            if time.monotonic() > until:
                time.sleep(PAUSE)
                until = time.monotonic() + SLICE

        self.searcher().catch_up(infos(), breathe, self._closing.is_set)

    def _pays(self) -> bool:
        if self._cache is None or (self._cache / "index.db").exists():
            return True
        with suppress(OSError):
            return len(os.listdir(self._records)) >= BREAK_EVEN  # noqa: PTH208 (names are enough)
        return False

    def _index(self) -> "RecordIndex | None":
        if self._cache is None:
            return None
        made: RecordIndex = late("acp_tui.host.records.index").RecordIndex(self._records, self._cache)
        return made
