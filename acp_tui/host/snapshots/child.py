"""The process that takes and compares snapshots, beside the program: its own memory, its own core, the last in turn.

One JSON object a line comes on standard input (`{"do": …}`) and what is to say goes out in the same way; bytes of paths
that are no text are lone surrogates. It ends with its input. Only the standard library and modules of ours that need
nothing else are imported here.
"""

import gc
import json
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from acp_tui.errors import Fault, reason_of
from acp_tui.host.snapshots.compare import LineCounts, changes, told
from acp_tui.host.snapshots.known import forget_pruned, load_known
from acp_tui.host.snapshots.manifest import Manifest, Manifests
from acp_tui.host.snapshots.proof import Stamp
from acp_tui.host.snapshots.scan import Caps, Control, Scan
from acp_tui.host.snapshots.store import Store
from acp_tui.host.snapshots.table import NOT_THERE, UNKNOWN

PROGRESS_EACH = 0.1  # seconds
AT_ONCE = 100  # changes in one line: what reads it has a screen to draw
NICE = 10
_ENDED_WITHIN = 3.0  # seconds after the end of the input; a file system that does not answer waits for nobody

Answer = dict[str, Any]


class _Stopped(Exception):
    """Nobody waits any more."""


class _Heard(Control):
    """What comes on standard input, read in a thread; commands, and answers, are in `commands`, None at the end."""

    def __init__(self, source: BinaryIO, say: Callable[[Answer], None]) -> None:
        self.commands: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._source, self._say, self._stopped, self._said = source, say, False, 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def check(self, read: int = 0, of: int = 0) -> None:
        if self._stopped:
            raise _Stopped
        now = time.monotonic()
        if now - self._said > PROGRESS_EACH:
            self._said = now
            self._say({"read": read, "of": of})

    def stamp(self) -> Stamp | None:
        """It is asked for, and not told of: whatever was read before the question is then before a later prompt."""
        self._say({"stamp": True})
        if (answer := self.commands.get()) is None:
            raise _Stopped
        return Stamp(*answer["stamp"]) if answer["stamp"] else None

    def _listen(self) -> None:
        for line in self._source:
            self.commands.put(json.loads(line))
        self._stopped = True
        self.commands.put(None)
        time.sleep(_ENDED_WITHIN)
        _end_group()


def _end_group() -> NoReturn:
    """End this process, and a Git that it waits for, if they are a group of their own."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Do what is asked, one command after another, until the input ends."""
    gc.disable()  # 50,000 rows are no garbage, and looked at again and again they take a tenth of the time
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)

    def say(answer: Answer) -> None:
        sink.write(json.dumps(answer).encode() + b"\n")
        sink.flush()

    heard = _Heard(source, say)
    with suppress(_Stopped, BrokenPipeError):
        while (command := heard.commands.get()) is not None:
            try:
                for answer in _DOES[command["do"]](command, heard):
                    heard.check()
                    say(answer)
            except Fault as fault:
                say({"fault": [fault.title, fault.message, fault.hint]})
            except _Stopped:
                raise
            except Exception as error:  # noqa: BLE001 - the program says in words what went wrong here
                say({"fault": ["The snapshot failed", f"{type(error).__name__}: {reason_of(error)}", ""]})


def _snapshot(command: Answer, control: Control) -> Iterator[Answer]:
    store = Store(Path(command["store"]))
    scan = Scan(command["root"], store, Caps(*command["caps"]), control)
    yield {"done": scan.take(command["also"], command["run"], command["follow"], command["earlier"])}


def _compare(command: Answer, control: Control) -> Iterator[Answer]:
    """All changes, however many: undo has to know each. What a snapshot may hold (`Caps.paths`) bounds them."""
    store = Store(Path(command["store"]))
    manifests = Manifests(store)
    chain = [manifests.read(name) for name in command["chain"]]
    found, counts = changes(chain), LineCounts(store)
    for start in range(0, len(found), AT_ONCE):
        lines = []
        for change in found[start : start + AT_ONCE]:
            control.check(start, len(found))
            lines.append([*change.plain, counts.of(change) if command["counts"] else None])
        yield {"changes": lines}
    first, last = chain[0].info, chain[-1].info
    gaps = dict.fromkeys([*first["gaps"], *last["gaps"]])
    refs = list(told(first["head"], last["head"]))
    yield {"done": {"gaps": list(gaps), "refs": refs}}


def _states(command: Answer, control: Control) -> Iterator[Answer]:
    """How paths are in a manifest; with `below` all that it has below a folder."""
    manifest = Manifests(Store(Path(command["store"]))).read(command["manifest"])
    below = f"{command['below']}/" if command.get("below") else ""
    paths = command["paths"] if "below" not in command else [p for p in manifest.rows() if p and p.startswith(below)]
    for start in range(0, len(paths), AT_ONCE):
        control.check(start, len(paths))
        yield {"states": [[path, *_state(manifest, path)] for path in paths[start : start + AT_ONCE]]}
    yield {"done": {}}


def _state(manifest: Manifest, path: str) -> list[Any]:
    row = manifest.row(path)
    if row is not None and row.kind == NOT_THERE:
        return [-1, 0, 0, 0, ""]
    if row is not None:
        return [*row[:4], row.digest.hex()]
    cover = manifest.cover(path)
    return [UNKNOWN if cover else -1, cover, 0, 0, ""]


def _prune(command: Answer, control: Control) -> Iterator[Answer]:
    store = Store(Path(command["store"]))
    manifests = Manifests(store)
    with store.locked(exclusive=True):
        known = load_known(store)
        manifests.drop(command["drop"], control.check)
        forget_pruned(store, known, store.digests())
    yield from _sizes(command, control)


def _sizes(command: Answer, _control: Control) -> Iterator[Answer]:
    folder = Path(command["store"])
    files = [path.stat().st_size for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    yield {"done": {"bytes": sum(files), "manifests": Manifests(Store(folder)).names()}}


_DOES: dict[str, Callable[[Answer, Control], Iterator[Answer]]] = {
    "snapshot": _snapshot,
    "compare": _compare,
    "states": _states,
    "prune": _prune,
    "measure": _sizes,
}
