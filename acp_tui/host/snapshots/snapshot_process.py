"""The process that takes snapshots, beside the program: its own memory, its own core, the last in turn.

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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from acp_tui.errors import Fault, reason_of
from acp_tui.host.snapshots.capture import Caps, Capture, Control
from acp_tui.host.snapshots.proof import Stamp

PROGRESS_EACH = 0.1  # seconds
NICE = 10
_ENDED_WITHIN = 3.0  # seconds after the end of the input; a file system that does not answer waits for nobody

Answer = dict[str, Any]


class _Stopped(Exception):
    pass


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
                say(_snapshot(command, heard))
            except Fault as fault:
                say({"fault": [fault.title, fault.message, fault.hint]})
            except _Stopped:
                raise
            except Exception as error:  # noqa: BLE001 - the program says in words what went wrong here
                say({"fault": ["Snapshot failed", f"{type(error).__name__}: {reason_of(error)}", ""]})


def _snapshot(command: Answer, control: Control) -> Answer:
    scan = Capture(command["root"], Path(command["store"]), Caps(*command["caps"]), control, command["own"])
    return {"done": scan.take(command["also"], command["run"], command["follow"], command["earlier"])}
