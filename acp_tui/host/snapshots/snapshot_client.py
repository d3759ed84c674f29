"""Snapshots of one folder as the program asks for them: a short-lived process (`snapshot_process`) does each call."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio

import acp_tui
from acp_tui.errors import UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import OPEN_FILES
from acp_tui.host.snapshots.capture import Caps
from acp_tui.host.snapshots.proof import Stamp
from acp_tui.host.system.paths import why_not_started
from acp_tui.safe_text import one_line

SILENT_FOR = 60.0  # seconds after which a process is given up that says nothing; it does all the time
ENDS_WITHIN = 4.0  # seconds for which one that is not wanted any more may clear up
_LINE_AT_MOST = 4 << 20  # bytes
_SURROUNDINGS = ("PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_PROGRAM = f"""
import sys
sys.path.append({os.path.dirname(os.path.dirname(acp_tui.__file__))!r})
from acp_tui.host.snapshots.snapshot_process import serve
serve(sys.stdin.buffer, sys.stdout.buffer)
"""  # noqa: PTH120 (a text)

Answer = dict[str, Any]
Stamped = Callable[[], Stamp | None]
"""When a prompt went out, if one has by now."""


def unstamped() -> None:
    """No prompt has, or what is looked at has nothing to do with one."""


class Snapshot(Frozen):
    """A snapshot: `id` names it in the store. `files`: how many it has; `bytes_new`: what they added there, before
    compression. `gaps`: what is not kept, one idea each, for the user. `head`: where the checkout is, in words.
    """

    id: str
    files: int
    bytes_new: int
    gaps: Sequence[str]
    head: str


class SnapshotClient:
    """Snapshots of the folder `root` (absolute, real) in the store at `folder`.

    Every call raises `UserFault` where it fails; one that is cancelled ends its process. Paths are relative to `root`.
    `run`: what snapshots say of whose they are, so that one of which nobody heard is found.
    """

    def __init__(self, root: str, folder: Path, caps: Caps | None = None, run: str = "") -> None:
        self.root, self.folder, self.caps, self.run = root, folder, caps or Caps(), run

    async def snapshot(
        self,
        progress: Callable[[int, int], None] = lambda _read, _of: None,
        also: Sequence[str] = (),
        stamp: Stamped = unstamped,
        follow: str = "",
        earlier: str = "",
    ) -> Snapshot:
        """Take one; `also` are paths that are kept though they are ignored. `progress`: files read, of how many.

        What is read behind the `stamp` counts where it is proved to have been so then, else what the snapshot `earlier`
        says of it. What the snapshot `follow` keeps is looked at though it is ignored now.
        """
        command = {"do": "snapshot", "root": self.root, "caps": [*self.caps], "also": [*also], "run": self.run}
        command |= {"follow": follow, "earlier": earlier, "own": [*_open_below(self.root)]}
        with _in_words():
            done = await self._done(command, lambda answer: progress(answer["read"], answer["of"]), stamp)
            head = _head(*done["head"])
            return Snapshot(done["id"], done["files"], done["new"], _lines(done["gaps"]), head)

    async def _done(
        self, command: Answer, take: Callable[[Answer], None] = lambda _: None, stamp: Stamped = unstamped
    ) -> Answer:
        """What a process says at its end; `take` gets what it says before."""
        async with aclosing(self._answers(command, stamp)) as answers:
            async for answer in answers:
                if "fault" in answer:
                    raise UserFault(*map(one_line, answer["fault"]))
                if "done" in answer:
                    done: Answer = answer["done"]
                    return done
                take(answer)
        raise UserFault("Snapshot failed", "its process ended early")

    async def _answers(self, command: Answer, stamp: Stamped) -> AsyncGenerator[Answer, None]:
        process = await _started()
        try:
            _say(process, command | {"store": str(self.folder)})
            while line := await _line(process):
                answer = json.loads(line)
                if "stamp" in answer:
                    _say(process, {"stamp": stamp()})
                else:
                    yield answer
        finally:
            await _end(process)


def _open_below(root: str) -> Iterator[str]:
    """Files that this program is writing in the folder, such as a trace: no change of the project's."""
    for path in map(Path, OPEN_FILES):
        if path.is_relative_to(root):
            yield str(path.relative_to(root))


@contextmanager
def _in_words() -> Iterator[None]:
    """A process that cannot be started, or talks nonsense, is a `UserFault`."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UserFault("Snapshot failed", one_line(reason_of(error))) from error


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
        raise UserFault("Snapshot failed", why_not_started(error, sys.executable)) from error


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
        raise UserFault("Snapshot timed out", f"no progress for {SILENT_FOR:.0f} s") from error


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
