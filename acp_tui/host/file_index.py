"""The files and folders below a session's roots, known beside the loop; must not know who looks for them."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence

from acp_tui.host.blocking import in_thread
from acp_tui.host.file_listing import AT_ONCE, listing
from acp_tui.host.file_search import FileList

MOST = 300_000  # paths of one root
FIRST = AT_ONCE  # paths that are shown before the rest is known
FRESH = 5.0  # seconds for which a list is not made again


class FileIndex:
    """Paths below the first root relative to it, below others absolute; folders end in `/`.

    `files` is whole when `reading` is over; `changed` is called in the loop when there is more.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = tuple(roots)
        self.files = FileList()
        self.changed: Callable[[], None] = lambda: None
        self.cut = False
        self._task: asyncio.Task[None] | None = None
        self._whole = False
        self._read_at = float("-inf")
        self._paths: list[str] = []

    @property
    def reading(self) -> bool:
        """Whether the list is being made."""
        return self._task is not None and not self._task.done() and not self._whole

    def refresh(self) -> None:
        """Make the list, or make it anew if it is not fresh; what is known stays until then."""
        if not self.reading and time.monotonic() - self._read_at > FRESH:
            self._task = asyncio.create_task(self._read(), name="file index")

    async def read(self) -> None:
        """Wait until the list is whole."""
        self.refresh()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _read(self) -> None:
        self._whole = False
        paths: list[str] = []
        first_time = not len(self.files)
        for place, root in enumerate(self.roots):
            listed = listing(root, "" if place == 0 else f"{root.rstrip('/')}/", self.roots)
            batch = await in_thread(_take, listed, FIRST)
            paths += batch
            if first_time and len(batch) == FIRST:
                self._show(await in_thread(FileList, paths))
            paths += await in_thread(_take, listed, MOST - len(batch))
            if first_time and place + 1 < len(self.roots):  # the next one may be slow, or never answer
                self._show(await in_thread(FileList, paths))
        self.cut = len(paths) >= MOST
        self._read_at = time.monotonic()
        files = self.files
        if not await in_thread(self._paths.__eq__, paths):
            files = await in_thread(FileList, paths)
            self._paths = paths
        self._whole = True
        self._show(files)

    def _show(self, files: FileList) -> None:
        self.files = files
        self.changed()


def _take(listed: Iterator[str], count: int) -> list[str]:
    """The next `count` paths; runs in a thread."""
    taken: list[str] = []
    for path in listed:
        taken.append(path)
        if len(taken) >= count:
            break
    return taken
