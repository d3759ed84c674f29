"""The status command: a program of the user's own that is told of the session and answers with one line.

It gets a JSON object on its standard input, has a second, and is ended with all that it started. What it writes to
standard error is dropped.
"""

import errno
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import Any

import anyio
from anyio.abc import Process

from acp_tui import __version__
from acp_tui.errors import UserFault
from acp_tui.host.config.config import own_file
from acp_tui.host.connection.lifecycle import Connection
from acp_tui.host.system.paths import own_environment, user_shell, why_not_started
from acp_tui.host.system.process_tree import ProcessTree
from acp_tui.host.system.processes import LISTS_CHILDREN, table
from acp_tui.host.system.threads import in_joined_thread, in_thread
from acp_tui.host.system.watchdog import marked
from acp_tui.protocol.vocabulary.session_updates import AccountLimit
from acp_tui.safe_text import named
from acp_tui.session.state import Session

WITHIN = 1.0  # seconds that it has
EVERY = 2.0  # seconds from one run to the next, at least
LINE_AT_MOST = 4096  # bytes of its line; what comes after is not read
POLL = 0.01  # seconds between looks at whether it has ended
DRAIN = 0.3  # seconds that its last words may still take when it has ended and something else holds its output
GRACE = 2.0  # seconds that a killed process may take to end
TITLE, HINT = "The status command failed", "Correct status_command in your config file."
WINDOWS = sys.platform == "win32"
LONGEST, HUGE = 1000, 10**15  # characters of a name, and tokens; an agent may tell any number
_SHELL_SIGNS = re.compile(r"[\s|&;<>()$`]")


class StatusCommand:
    """The words of the command; one word that is no program and has blanks or the like is a line for the shell.

    It is shared by all sessions: never two at once, and never more often than every so many seconds.
    """

    def __init__(self, words: Sequence[str], *, every: float = EVERY, within: float = WITHIN) -> None:
        self._words, self._every, self._within = tuple(words), every, within
        self._turn, self._free_at = anyio.Lock(), 0.0
        self._failing = False

    async def ask(self, told: Callable[[], Mapping[str, Any]], folder: str) -> str:
        """The first line that it writes, as it came; `told` is asked when its turn has come.

        Raises `UserFault` if it fails; where it goes on failing, the line is empty.
        """
        async with self._turn:
            await anyio.sleep(max(0.0, self._free_at - time.monotonic()))
            self._free_at = time.monotonic() + self._every
            try:
                line = await self._run(json.dumps(told()).encode() + b"\n", folder)
            except UserFault:
                if self._failing:
                    return ""
                self._failing = True
                raise
            self._failing = False
            return line

    async def _run(self, told: bytes, folder: str) -> str:
        try:
            environment = await in_thread(own_environment)  # which looks at many folders, as the next does
            process = await anyio.open_process(
                await in_thread(command_of, self._words, environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=marked(environment),
                start_new_session=not WINDOWS,
            )
        except (OSError, ValueError) as error:
            raise UserFault(TITLE, why_not_started(error, " ".join(self._words), folder), HINT) from error
        answer = _Answer(process)
        try:
            with anyio.move_on_after(self._within):
                await answer.hear(told)
            if process.returncode is None and not answer.is_whole:
                raise self._fault(f"no answer within {self._within:g} s")
            if process.returncode:
                raise self._fault(f"exit code {process.returncode}")
        finally:
            with anyio.CancelScope(shield=True):  # bounded; nothing of it may stay behind
                await answer.end()
        return answer.line

    def _fault(self, reason: str) -> UserFault:
        return UserFault(TITLE, f"{named(' '.join(self._words))}: {reason}", HINT)


def command_of(words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The argument vector: `~` is the home folder, and a relative path is relative to the config file's folder.

    Raises OSError where there is no such program.
    """
    written = os.path.expanduser(words[0])  # noqa: PTH111 (never fails)
    is_path = os.sep in written or (os.altsep or os.sep) in written
    program = which(str(own_file().parent / written) if is_path else written, path=environment.get("PATH", ""))
    if program is not None:
        return [program, *words[1:]]
    if len(words) > 1 or not _SHELL_SIGNS.search(words[0]):
        if is_path and Path(written).exists():
            raise PermissionError(errno.EACCES, "not executable")
        raise FileNotFoundError(errno.ENOENT, "command not found")
    if WINDOWS:
        return [environment.get("COMSPEC", "cmd.exe"), "/c", words[0]]
    return [user_shell(environment)[0], "-c", words[0]]


class _Answer:
    """What one run says: its first line, and no more is read, so that what floods costs nothing."""

    def __init__(self, process: Process) -> None:
        self._process, self._tree = process, ProcessTree(process.pid)
        self._data, self._read = bytearray(), anyio.Event()

    @property
    def is_whole(self) -> bool:
        return b"\n" in self._data or len(self._data) >= LINE_AT_MOST

    @property
    def line(self) -> str:
        return bytes(self._data).partition(b"\n")[0].decode(errors="replace")

    async def hear(self, told: bytes) -> None:
        """Until it has ended. What it leaves running may hold its output, for whose end Python 3.11 would wait."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._tell, told)
            tasks.start_soon(self._take)
            tasks.start_soon(self._tree.watch)
            while self._process.returncode is None:  # noqa: ASYNC110 (see above)
                await anyio.sleep(POLL)
            with anyio.move_on_after(DRAIN):
                await self._read.wait()
            tasks.cancel_scope.cancel()

    async def end(self) -> None:
        if WINDOWS and self._process.returncode is None:
            self._process.kill()
        # A listing of all processes takes its time, and the screen must answer meanwhile.
        elif self._tree.look(None if LISTS_CHILDREN else await in_joined_thread(table)):
            self._tree.kill()
            await self._tree.ended(GRACE)
        with anyio.move_on_after(GRACE):
            await self._process.aclose()
        self._tree.forget()

    async def _tell(self, told: bytes) -> None:
        if self._process.stdin is not None:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):  # it need not listen
                await self._process.stdin.send(told)
            await self._process.stdin.aclose()

    async def _take(self) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            while self._process.stdout is not None and not self.is_whole:
                self._data += await self._process.stdout.receive(LINE_AT_MOST)
        self._read.set()


def told_of(session: Session, connection: Connection, branch: str, columns: int) -> dict[str, Any]:
    """What the command is told of a session: plain data, in which None is what is not known; `columns` is the room.

    Its members are in docs/configuration.md.
    """
    agent, usage = connection.agent, session.usage
    context = None if usage is None else {"used": min(usage.used, HUGE), "size": min(usage.size, HUGE)}
    cost = None if usage is None else usage.cost
    return {
        "version": __version__,
        "columns": columns,
        "folder": session.cwd,
        "branch": _brief(branch),
        "agent": {"name": _brief(agent.title or agent.name), "version": _brief(agent.version)} if agent else None,
        "session": {"id": _brief(session.id), "title": _brief(session.title)},
        "model": _chosen(session, "model"),
        "mode": _chosen(session, "mode"),
        "context": context,
        "cost": None if cost is None else {"amount": cost.amount, "currency": _brief(cost.currency)},
        "limits": [_limit(limit) for limit in (() if usage is None else usage.limits)],
        "turn": {"state": _brief(session.turn.state), "stop_reason": _brief(session.turn.stop_reason)},
    }


def _limit(limit: AccountLimit) -> dict[str, Any]:
    told = {name: getattr(limit, name) for name in ("standing", "used", "resets_at", "extra")}
    return {"kind": _brief(limit.kind), **told}


def _chosen(session: Session, category: str) -> str | None:
    option = next((option for option in session.config_options if option.category == category), None)
    return None if option is None else _brief(option.value_name())


def _brief(text: str | None) -> str | None:
    return text[:LONGEST] if text else None
