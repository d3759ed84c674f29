"""A process that we started, and those that descend from it: found, signalled, and none of them left behind.

A descendant that leads a session of its own (`setsid`) is in no process group that we know, and one whose parent has
ended has no parent that leads to us. So the tree is looked at again and again while it lives, and who was seen in it
once belongs to it until it ends. What leaves its parents between two looks, as a daemon does on purpose, is not ours
to end: `left_running` says what is known of it.
"""

import math
import os
import signal
import sys
import time
from contextlib import suppress

import anyio

from acp_tui.host.system import processes, watchdog
from acp_tui.host.system.processes import Process, Table, same
from acp_tui.host.system.threads import in_joined_thread

FIRST, CLOSEST, LONGEST = 0.01, 0.2, 4.0
"""Seconds between looks: the first, the shortest after a sign of life, the longest while it is quiet.

Each pause is twice the one before: what a process starts, it starts at its beginning or about when it says something.
A look each second costs 0.06 % of a processor, in this way 0.02 %.
"""
POLL = 0.02 if processes.LISTS_CHILDREN else 0.1
"""Seconds between looks at whether anybody is left, when all are to end; the system has no event for that.

Where a look lists all processes (`ps` takes 10 ms and more), half of the time would go into looking.
"""
SHARE = 500
"""How many times longer than a look the pause after it is: 0.2 % of a processor (1 % while something is heard)."""
ROUNDS = 10  # of stopping whoever was started meanwhile, before all are killed

_clock = time.thread_time if processes.LISTS_CHILDREN else time.perf_counter  # others' work counts where it is done


def left_running() -> list[tuple[int, str]]:
    """Number and command line of each process that was started by ours, has left their tree and runs (Linux).

    Call it at the end of the program, when all trees are ended.
    """
    return [(pid, line) for pid, line in processes.with_variable(watchdog.RUN.encode()) if not watchdog.ends(pid)]


class ProcessTree:
    """The tree of a process that leads a session of its own. `forget` must be called once nothing of it is left.

    Where the system does not tell of its processes, the tree is the process group. On Windows it is empty.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._root: Process | None = None
        self._root_ended = sys.platform == "win32"
        self._seen: dict[int, Process] = {}
        self._heard = anyio.Event()
        if not self._root_ended:
            watchdog.end_group(pid)
            if processes.LISTS_CHILDREN:
                self.look()

    async def watch(self) -> None:
        """Look again and again until the root has ended; being cancelled is the usual end."""
        gap, closest, looked = FIRST, FIRST, -math.inf
        while not self._root_ended:
            with anyio.move_on_after(gap):
                await self._heard.wait()
                gap = closest
                await anyio.sleep(max(0.0, looked + closest - time.monotonic()))
            self._heard = anyio.Event()
            began = _clock()
            # A listing of all processes takes its time, and the screen must answer meanwhile.
            if processes.LISTS_CHILDREN:
                self.look()
            elif (table := await in_joined_thread(processes.table)) is not None:
                self.look(table)
            cost, looked = _clock() - began, time.monotonic()
            gap, closest = max(min(2 * gap, LONGEST), cost * SHARE), max(CLOSEST, cost * SHARE / 5)

    def hear(self) -> None:
        self._heard.set()

    def look(self, table: Table | None = None) -> bool:
        """See who is in the tree now, and give whether anybody is."""
        table = table or processes.table()
        if table is None:
            self._root_ended = self._root_ended or not self._signal_group(0)
            return not self._root_ended
        with suppress(OSError):  # no more files can be opened, or `/proc` is closed to us: what is known stays so
            found = self._find(table)
            new = [one for one in found.values() if one.pid != self.pid and not same(self._seen.get(one.pid), one)]
            watchdog.forget([pid for pid in self._seen if pid not in found])
            watchdog.end(new)
            self._seen = found
        return bool(self._seen) or not self._root_ended

    def signal(self, number: int) -> None:
        self.signal_group(number)
        for one in self._seen.values():
            if one.group != self.pid:
                processes.send(number, one)

    def signal_group(self, number: int) -> None:
        """Signal the root's process group, as a key of the terminal would."""
        self.look()
        if not self._root_ended:  # which holds the group's number
            self._signal_group(number)
            return
        for one in self._seen.values():
            if one.group == self.pid:
                processes.send(number, one)

    def kill(self) -> None:
        """End all that are in the tree, now. They are stopped first, so that none starts another one meanwhile."""
        if sys.platform == "win32":
            return
        stopped: set[Process] = set()
        for _ in range(ROUNDS):
            self.signal(signal.SIGSTOP)
            if stopped >= (seen := set(self._seen.values())):
                break
            stopped = seen
        self.signal(signal.SIGKILL)

    async def ended(self, within: float) -> bool:
        """Whether nobody is left of it, or is not within that many seconds."""
        until = time.monotonic() + within
        while self.look():
            if time.monotonic() > until:
                return False
            await anyio.sleep(POLL)
        return True

    def forget(self) -> None:
        """Nothing is left of it, or nobody can end what is left."""
        watchdog.forget([self.pid, *self._seen])

    def _find(self, table: Table) -> dict[int, Process]:
        known = [(one, table.find(one.pid)) for one in self._seen.values()]
        living = [now for one, now in known if now is not None and now.start == one.start]
        if not self._root_ended:
            living += self._look_at_root(table)
        found = {one.pid: one for one in living}
        queue = list(found.values())
        for one in queue:  # which grows
            new = [child for child in table.children(one) if child.pid not in found]
            found |= {child.pid: child for child in new}
            queue += new
        return found

    def _look_at_root(self, table: Table) -> list[Process]:
        root = table.find(self.pid)
        if root is not None and (self._root is None or root.start == self._root.start):
            self._root = root
            return [root]
        self._root_ended = True
        watchdog.forget([self.pid])
        # Its number was its own until a moment ago, and stays so as long as anybody is in its group or session.
        return table.members(self.pid) if root is None else []

    def _signal_group(self, number: int) -> bool:
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):  # macOS: EPERM where only zombies are left
                os.killpg(self.pid, number)
                return True
        return False
