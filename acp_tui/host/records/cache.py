"""What makes many records quick to list and to search, in the cache folder: an index and texts, where they pay."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.search import Found, RecordSearch
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.records.index import RecordIndex

BREAK_EVEN = 100  # records; a list of fewer is read from their files in the time that SQLite takes to be there (15 ms)
SLICE, PAUSE = 0.004, 0.02  # seconds of work, and of rest, of the thread that makes texts
NICE = 10
AT_REST = 10.0  # seconds after which nobody waits for a start any more


class RecordsCache:
    """Of the records in the folder `records`, in the folder `cache`; without one nothing is kept.

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

    def search(
        self,
        infos: Sequence[RecordInfo],
        words: Iterable[str],
        stop: Callable[[], bool],
        on_found: Callable[[Found], object],
    ) -> Found:
        return RecordSearch(self._index()).search(infos, words, stop=stop, on_found=on_found)

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

        RecordSearch(self._index()).catch_up(infos(), breathe, self._closing.is_set)

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
