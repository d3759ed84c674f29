"""The snapshots of `acp-tui run`: whether any are taken, what its end waits for, and the patch of its turn."""

import os
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import anyio

from acp_tui.errors import UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.headless.snapshot_commands import bounds, cut, elsewhere, files_in, patch_pieces, prefix_of, root_of
from acp_tui.host.agent.agent_services import PARTING
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.session_folders import Moment
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.config.preferences import SWITCHED_OFF, Says, SnapshotSettings, snapshot_settings
from acp_tui.host.config.state_files import check_new, create_new
from acp_tui.host.system.paths import written_path
from acp_tui.host.system.threads import in_thread
from acp_tui.safe_text import named, one_line
from acp_tui.session.facts import Noticed

WAIT = 10.0 - PARTING
"""Seconds that the end of a run waits for its snapshots: 10 with those that they have when the client ends."""

UNWRITTEN = "The patch was not written"
_HELP = "See: acp-tui run --help"

Sleep = Callable[[float], Awaitable[object]]


class SnapshotOrder(Frozen):
    """The files that are kept of a run, and the new file in which the patch of its turn is written, if any."""

    settings: SnapshotSettings = SWITCHED_OFF
    patch: Path | None = None


def snapshot_order(options: Namespace, says: Says) -> SnapshotOrder:
    """What the arguments, the user's own settings and the surroundings say. Raises `UserFault`."""
    terminal, automated = sys.stderr.isatty(), bool(os.environ.get("CI"))
    settings = run_settings(options, snapshot_settings(says), terminal=terminal, automated=automated)
    patch = None if options.patch is None else written_path(options.patch)
    if patch is not None:
        check_new(patch, UNWRITTEN)
    return SnapshotOrder(settings, patch)


def run_settings(options: Namespace, own: SnapshotSettings, *, terminal: bool, automated: bool) -> SnapshotSettings:
    """Whether a run takes snapshots: at a terminal that nobody automates, or where an argument asks for them.

    What is asked for counts more than `snapshots = false`. Raises `UserFault` for arguments that contradict each other.
    """
    unwanted = "--no-snapshots" if options.snapshots is False else "--no-record" if options.no_record else ""
    if options.snapshots and unwanted:
        raise UserFault(f"--snapshots cannot be combined with {unwanted}", hint=_HELP)
    if options.patch is not None and options.snapshots is False:
        raise UserFault(f"--patch cannot be combined with {unwanted}", hint=_HELP)
    if options.snapshots or options.patch is not None:
        return replace(own, off="", passing=options.no_record or options.demo)
    if unwanted or automated or not terminal:
        return SWITCHED_OFF
    return replace(own, passing=options.demo)


class RunSnapshots:
    """The snapshots of one run, for which its end waits. What has to be said of them is for the session.

    `sleep` is the clock of that wait.
    """

    def __init__(self, changes: SessionChanges, order: SnapshotOrder, sleep: Sleep = anyio.sleep) -> None:
        self._changes, self._patch, self._sleep = changes, order.patch, sleep
        self._passing = order.settings.passing
        self._scope = anyio.CancelScope()
        self._sent = False
        self._wanted: Sequence[Moment] = ()

    def hurry(self) -> None:
        """Nobody waits any more."""
        self._scope.cancel()

    def look(self) -> None:
        """The run is over: note whether a turn goes on, or has just ended."""
        self._sent = bool(self._changes.turns.calls)

    async def wait(self) -> Sequence[Noticed]:
        """Wait until they are there and compared, for WAIT seconds at most; then write the patch.

        The turn has ended by now. `hurry` ends all of it.
        """
        self._wanted = [*self._changes.turns.moments.unfinished()]
        with self._scope:
            if self._sent:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._expire, tasks.cancel_scope)
                    await self._summed_up()
                    tasks.cancel_scope.cancel()
            if self._patch is not None:
                return await self._write(self._patch)
        return [] if self._patch is None else [Noticed("warning", UNWRITTEN, "It was interrupted.", self._hint)]

    def missing(self) -> Iterator[Noticed]:
        """What is not kept now that nothing more comes."""
        if self._changes.off:
            yield Noticed("info", self._changes.off)
        elif self._sent and self._end is None:
            title = "The snapshot after the turn was not finished"
            yield Noticed("warning", title, hint="This turn's changes cannot be shown or undone.")
        elif self._sent and not self._is_summed_up:
            yield Noticed("warning", "This turn's changes were not compared", hint=self._hint)

    async def _expire(self, waiting: anyio.CancelScope) -> None:
        await self._sleep(WAIT)
        waiting.cancel()

    async def _summed_up(self) -> None:
        await self._changes.turns.moments.settled()
        if self._end is not None and not self._is_over:
            compared = anyio.Event()
            self._changes.subscribe(lambda: compared.set() if self._is_over else None)
            await compared.wait()

    @property
    def _is_over(self) -> bool:
        return self._is_summed_up or self._changes.turns.turn in self._changes.turns.not_compared

    @property
    def _end(self) -> Point | None:
        """The point at the turn's end, the last of all: a run has one turn."""
        points = self._changes.points
        done = all(moment.done.is_set() for moment in self._wanted)
        return points[-1] if done and points and points[-1].kind == "ended" else None

    @property
    def _is_summed_up(self) -> bool:
        """Whether it is known what the turn changed, or that nobody will know: what is missing was said then."""
        turns = self._changes.turns
        ends = [point for point in self._changes.points if point.turn == turns.turn]
        return turns.turn in turns.history.files or not all(point.trees for point in ends)

    @property
    def _hint(self) -> str:
        kept = self._end is not None and not self._passing
        return f"Print them with: acp-tui changes --turn {self._changes.turns.turn}" if kept else ""

    async def _write(self, path: Path) -> Sequence[Noticed]:
        changes = self._changes
        try:
            if changes.off or not self._sent:
                raise UserFault(changes.off or "The prompt was not sent")
            since, until = bounds(changes.points, changes.turns.turn)
            root = root_of(changes.turns.session.cwd, since)
            between = await changes.between(since, until)
            said, files = list(between.notes), files_in(between, root)
            await _write_new(path, patch_pieces(files, changes.texts, prefix_of(root), said))
        except UserFault as fault:
            return [Noticed("warning", UNWRITTEN, ": ".join(filter(None, (fault.title, fault.message))), self._hint)]
        said += elsewhere(between, root)
        lines = "\n".join(map(one_line, cut(said)))
        if files:
            return [Noticed("info", "Notes on the patch", lines)] if said else []
        return [Noticed("info", f"No files {'are known to have ' if said else ''}changed: the patch is empty", lines)]


async def _write_new(path: Path, pieces: AsyncIterator[bytes]) -> None:
    """Write a new file whole or not at all; raises `UserFault`."""
    with anyio.CancelScope(shield=True):  # or it would be created when nobody is left to remove it
        descriptor = await in_thread(create_new, path, UNWRITTEN)
    whole = False
    try:
        with os.fdopen(descriptor, "wb") as file:
            async for piece in pieces:
                await in_thread(file.write, piece)
        whole = True
    except OSError as error:
        raise UserFault(named(path), reason_of(error)) from error
    finally:
        if not whole:
            with anyio.CancelScope(shield=True), suppress(OSError):
                await in_thread(path.unlink)
