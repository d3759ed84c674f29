"""What one record held when another session went on from there; must not know sessions.

It is copied, so that either record can be deleted. In the new one a line says where it begins and one where it ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_tui.host.records.lines import LINE_CAP, line_of

BEGINS, ENDS = "history begins", "history ends"
_BEGINS, _ENDS = (line_of({"kind": kind}) for kind in (BEGINS, ENDS))
_ABOUT = (b'{"kind":"record"', b'{"kind":"about"')


@dataclass(frozen=True, slots=True)
class Earlier:
    """On its way to the thread that writes: which record holds what was said before, and how that comes."""

    path: Callable[[], Path | None]
    message: str


@dataclass(frozen=True, slots=True)
class Held:
    """The first `size` bytes of a record."""

    path: Path
    size: int
    message: str

    def lines(self) -> Iterator[bytes]:
        """Its lines, but for those that say what record it is and for a torn one at the end. Raises OSError.

        A history that a crash left without its end has one here.
        """
        open_histories = 0
        with self.path.open("rb") as file:
            while file.tell() < self.size and (line := file.readline(LINE_CAP)).endswith(b"\n"):
                open_histories += (line == _BEGINS) - line.startswith(_ENDS[:-2])
                if not line.startswith(_ABOUT):
                    yield line
        yield from [_ENDS] * open_histories


def held_by(earlier: Earlier) -> Held | None:
    """What that record holds now; None if nothing was recorded. One that is gone has nothing to copy."""
    path = earlier.path()
    if path is None:
        return None
    try:
        return Held(path, path.stat().st_size, earlier.message)
    except OSError:
        return Held(path, 1, earlier.message)  # that it is gone is told when it is to be copied
