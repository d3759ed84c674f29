"""What one record held when another session went on from there.

It is copied, so that either record can be deleted. In the new one a line says where it begins and one where it ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_tui.host.records.lines import LINE_CAP, line_of

BEGINS, ENDS = "history begins", "history ends"
_BEGINS, _ENDS = (line_of({"kind": kind}) for kind in (BEGINS, ENDS))
_ENDING = _ENDS[:-2]  # a message may follow
_ABOUT = (b'{"kind":"record"', b'{"kind":"about"')


@dataclass(frozen=True, slots=True)
class Earlier:
    """On its way to the thread that writes: which record holds what was said before, and how that comes."""

    path: Callable[[], Path | None]
    message: str


@dataclass(slots=True)
class Held:
    """The first `size` bytes of a record; `problem` says why `lines` did not give all of them."""

    path: Path
    size: int
    message: str
    problem: str = ""

    def lines(self, room: int) -> Iterator[bytes]:
        """At most `room` bytes of its lines, but for those that say what record it is and for a torn one at the end.

        Each history that has no end there, because of a crash or of the room, has one here, for which there is room.
        """
        unended = 0
        try:
            for line in self._read():
                room -= len(line)
                if room < 0:
                    self.problem = "It is longer than there is room for."
                    break
                unended += (line == _BEGINS) - line.startswith(_ENDING)
                yield line
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror}"
        yield from [_ENDS] * unended

    def _read(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            while file.tell() < self.size and (line := file.readline(LINE_CAP)).endswith(b"\n"):
                if not line.startswith(_ABOUT):
                    yield line


def held_by(earlier: Earlier) -> Held | None:
    """What that record holds now; None if nothing was recorded. One that is gone has nothing to copy."""
    path = earlier.path()
    if path is None:
        return None
    try:
        return Held(path, path.stat().st_size, earlier.message)
    except OSError:
        return Held(path, 0, earlier.message)  # that it is gone is told when it is to be copied
