"""Snapshots of one folder as the program asks for them: each call is a short-lived process (`child`) that does it."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio

import acp_tui
from acp_tui.errors import UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.scan import Caps, Late
from acp_tui.host.system.programs import why_not_started
from acp_tui.safe_text import one_line

SILENT_FOR = 60.0  # seconds after which a process is given up that says nothing; it does all the time
ENDS_WITHIN = 4.0  # seconds for which one that is not wanted any more may clear up
_LINE_AT_MOST = 4 << 20  # bytes
_SURROUNDINGS = ("PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_PROGRAM = f"""
import sys
sys.path.append({os.path.dirname(os.path.dirname(acp_tui.__file__))!r})
from acp_tui.host.snapshots.child import serve
serve(sys.stdin.buffer, sys.stdout.buffer)
"""  # noqa: PTH120 (a text)

Answer = dict[str, Any]


class Snapshot(Frozen):
    """A snapshot: `id` names it in the store. `files`: how many it has; `bytes_new`: what they added there, before
    compression. `gaps`: what is not kept, one idea each, for the user. `head`: where the checkout is, in words.
    `late`: paths that were first read after `mark_late`.
    """

    id: str
    files: int
    bytes_new: int
    gaps: Sequence[str]
    head: str
    late: int


class Worker:
    """Snapshots of the folder `root` (absolute, real) in the store at `folder`.

    Every call raises `UserFault` where it fails; one that is cancelled ends its process. Paths are relative to `root`.
    `run`: what snapshots say of whose they are, so that one of which nobody heard is found.
    """

    def __init__(self, root: str, folder: Path, caps: Caps | None = None, run: str = "") -> None:
        self.root, self.folder, self.caps, self.run = root, folder, caps or Caps(), run
        self._running: set[asyncio.subprocess.Process] = set()
        self._starting: list[list[Answer]] = []  # what is said to each before all else

    async def snapshot(
        self,
        progress: Callable[[int, int], None] = lambda _read, _of: None,
        also: Sequence[str] = (),
        late: Late | None = None,
        follow: str = "",
    ) -> Snapshot:
        """Take one; `also` are paths that are kept though they are ignored. `progress`: files read, of how many.

        `late`: the prompt has gone out already, and when. What the snapshot `follow` keeps is looked at though it is
        ignored now.
        """
        command = {"do": "snapshot", "root": self.root, "caps": [*self.caps], "also": [*also], "run": self.run}
        command["follow"] = follow
        with _in_words():
            done = await self._done(command, lambda answer: progress(answer["read"], answer["of"]), late)
            head = _head(*done["head"])
            return Snapshot(done["id"], done["files"], done["new"], _lines(done["gaps"]), head, done["late"])

    def mark_late(self) -> None:
        """What running snapshots read for the first time from now on is not how it was before."""
        late = _late(Late(time.monotonic(), time.time_ns()))
        for ahead in self._starting:
            ahead.append(late)
        for process in self._running:
            _say(process, late)

    async def _done(
        self, command: Answer, take: Callable[[Answer], None] = lambda _: None, late: Late | None = None
    ) -> Answer:
        """What a process says at its end; `take` gets what it says before."""
        async with aclosing(self._answers(command, late)) as answers:
            async for answer in answers:
                if "fault" in answer:
                    raise UserFault(*map(one_line, answer["fault"]))
                if "done" in answer:
                    done: Answer = answer["done"]
                    return done
                take(answer)
        raise UserFault("The snapshot failed", "its process ended before it was done")

    async def _answers(self, command: Answer, late: Late | None) -> AsyncGenerator[Answer, None]:
        ahead = [_late(late)] if late is not None else []
        self._starting.append(ahead)
        try:
            process = await _started()
        finally:
            self._starting = [each for each in self._starting if each is not ahead]
        try:
            for each in ahead:
                _say(process, each)
            _say(process, command | {"store": str(self.folder)})
            self._running.add(process)
            while line := await _line(process):
                yield json.loads(line)
        finally:
            self._running.discard(process)
            await _end(process)


@contextmanager
def _in_words() -> Iterator[None]:
    """A process that cannot be started, or talks nonsense, is a `UserFault`."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UserFault("The snapshot failed", one_line(reason_of(error))) from error


async def _started() -> asyncio.subprocess.Process:
    names = [name for name in os.environ if name in _SURROUNDINGS or name.startswith("LC_")]
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", "-X", f"utf8={sys.flags.utf8_mode}", "-c", _PROGRAM),  # paths are decoded there as here
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LINE_AT_MOST,
            cwd=Path(sys.executable).anchor,
            env={name: os.environ[name] for name in names},
            start_new_session=True,  # Ctrl+C in our terminal is none of its business
        )
    except OSError as error:
        raise UserFault("The snapshot failed", why_not_started(error, sys.executable)) from error


def _late(late: Late) -> Answer:
    return {"do": "late", "monotonic": late.monotonic, "wall": late.wall}


def _say(process: asyncio.subprocess.Process, command: Answer) -> None:
    if process.stdin is not None:
        process.stdin.write(json.dumps(command).encode() + b"\n")


async def _line(process: asyncio.subprocess.Process) -> bytes:
    """The next line; empty at the end. Raises `UserFault` if none comes."""
    if process.stdout is None:
        return b""
    try:
        return await asyncio.wait_for(process.stdout.readline(), SILENT_FOR)
    except TimeoutError as error:
        raise UserFault("The snapshot takes too long", f"nothing was heard of it for {SILENT_FOR:.0f} s") from error


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let it end by itself, for it clears up then, or kill it; nothing keeps that from being done."""
    if process.stdin is not None:
        process.stdin.close()
    with anyio.move_on_after(ENDS_WITHIN, shield=True):
        await _emptied(process)
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # with the Git that it may wait for
        with anyio.move_on_after(ENDS_WITHIN, shield=True):  # one that hangs in the system cannot be waited for
            await _emptied(process)


async def _emptied(process: asyncio.subprocess.Process) -> None:
    while process.stdout is not None and await process.stdout.read(1 << 16):
        pass
    await process.wait()


def _lines(words: Sequence[str]) -> list[str]:
    return [one_line(each) for each in words]


def _head(head: str, commit: str, _stash: str) -> str:
    """Where a checkout is, in words: `main at 1a2b3c4d5e6f`; empty where there is none."""
    name = head.removeprefix("ref: ").removeprefix("refs/heads/")
    return one_line(f"{name} at {commit[:12]}" if commit and name != commit else name[:12] if commit else name)
