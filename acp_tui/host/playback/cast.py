"""An asciicast: what a terminal would have got, with its times, as other players show it.

Version 2, which every player reads: a header, then lines `[SECONDS, "o", TEXT]`
(https://docs.asciinema.org/manual/asciicast/v2/).
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from acp_tui.errors import Fault
from acp_tui.host.store.new_file import create_new
from acp_tui.safe_text import named

TOGETHER = 0.02  # seconds: what is written within them is one frame


class Cast:
    """Writes the file at `path`, which must not exist; it is `whole` once it was closed.

    `problem` says in words why it cannot be written any more.
    """

    def __init__(self, path: Path, size: tuple[int, int], clock: Callable[[], float] = time.monotonic) -> None:
        """`size` in columns and rows. Raises UserFault if the file exists or cannot be created."""
        self.path, self.size = path, size
        self.problem, self.whole = "", False
        self._clock, self._file = clock, _create(path)
        self._began: float | None = None
        self._at = 0.0  # seconds since it began, of what waits to be written
        self._waiting = ""
        self._ended = False
        columns, rows = size
        self._line({"version": 2, "width": columns, "height": rows, "env": {"TERM": "xterm-256color"}})

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self._at

    def write(self, text: str) -> None:
        """Add what the terminal gets now; it began with the first of it. After its end nothing is added."""
        if self._ended:
            return
        now = self._clock()
        began = self._began = now if self._began is None else self._began
        if self._waiting and now - began - self._at > TOGETHER:
            self._flush()
        if not self._waiting:
            self._at = now - began
        self._waiting += text

    def end(self) -> None:
        """End it now, with as long as the last frame stood; a second time does nothing."""
        if not self._ended:
            self._flush()
            self._ended = True
            if self._began is not None:
                self._at = self._clock() - self._began
                self._line([round(self._at, 3), "o", ""])

    def close(self) -> None:
        """End it. Raises Fault if not all of it could be written."""
        self.end()
        self._file.close()
        self.whole = not self.problem
        if self.problem:
            raise Fault("The cast cannot be written", f"{named(self.path)}: {self.problem}")

    def discard(self) -> None:
        """Leave no file."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._waiting:
            self._line([round(self._at, 3), "o", self._waiting])
            self._waiting = ""

    def _line(self, value: Any) -> None:
        try:
            self._file.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")
            self._file.flush()
        except OSError as error:
            self.problem = error.strerror or str(error)


def _create(path: Path) -> TextIO:
    descriptor = create_new(path, "The cast cannot be written")
    return os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="\n")
