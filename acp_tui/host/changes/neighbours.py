"""What other sessions did in the same folders at the same time: those of this client by what they hold, those of other
runs of this program by what they write down.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from acp_tui.host.changes.comparing import Neighbours
from acp_tui.host.changes.journal import FOLDER, History, read
from acp_tui.host.changes.turn_points import TurnPoints
from acp_tui.host.changes.who import Key, Named

AT_MOST = 20  # journals of others that are read after a turn
OVERLAPPED = "Another session worked in this folder at the same time: its changes may be among these"


def named_beside(mine: TurnPoints, others: Sequence[TurnPoints], since: float, until: float) -> Neighbours:
    """What others named from one time (Unix seconds) to another; it blocks."""
    roots = {folder.root for folder in mine.folders}
    beside = [each for each in others if roots & {folder.root for folder in each.folders}]
    found = [named for each in beside for named in _of_session(each, since, until)]
    own = {each.journal_name for each in (mine, *others)}
    for folder in mine.folders:
        for path in _written_since(folder.place.folder / FOLDER, since):
            if path.name.partition(".")[2] not in own:
                with suppress(OSError):
                    found += _of_history(read(path), since, until, alive=True)
    return Neighbours(tuple(found), (OVERLAPPED,) if found else ())


def _of_session(turns: TurnPoints, since: float, until: float) -> Iterator[Named]:
    yield from _of_history(turns.history, since, until, alive=False)
    if turns.active or turns.calls:
        yield from (calls.named(turns.folders.roots) for calls in list(turns.calls.values()))


def _of_history(history: History, since: float, until: float, *, alive: bool) -> Iterator[Named]:
    """What the turns of a session named that were going on then."""
    prompts = {point.turn: point.time for point in history.points if point.kind == "prompt"}
    ends = {point.turn: point.time for point in history.points if point.kind == "ended"}
    for turn, began in prompts.items():
        ended = ends.get(turn, time.time() if alive and turn == max(prompts) else began)
        if began <= until and ended >= since:
            calls: dict[Key, str] = dict.fromkeys(history.early.get(turn, {}), "")
            if turn in history.files:
                calls |= history.files[turn].calls
            yield Named(calls)


def _written_since(folder: Path, since: float) -> list[Path]:
    """The journals that were written to since then, the last ones."""
    found: list[tuple[float, Path]] = []
    with suppress(OSError):
        for path in folder.glob("*.jsonl"):
            with suppress(OSError):
                if (changed := path.stat().st_mtime) >= since:
                    found.append((changed, path))
    return [path for _, path in sorted(found)[-AT_MOST:]]
