"""What a child session may do on this machine: what its agent says its folders are counts inside the user's own.

Nothing of it is kept from one request to the next: an agent may name any number of children and of folders, and patch
them at any time.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.services.roots import Roots
from acp_tui.host.services.terminal_process import TerminalCommand, read_command
from acp_tui.host.services.workspace import Workspace
from acp_tui.host.system.blocking import in_thread
from acp_tui.protocol.vocabulary.terminals import CreateTerminalRequest

WITHIN = 10.0  # seconds in which it has to be found which folder a path is in


class NamedFolders(Frozen):
    """The folders that the agent names as a child's, as it wrote them: where commands run, and others."""

    cwd: str
    more: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (self.cwd, *self.more)


class ChildRoots(Roots):
    """The folders of a child, as far as they lie in `outer` or in `allowed`, which are real paths; by their real paths.

    Whoever asks waits for the disk: ask in a thread. A folder that the agent exchanges for a link is where that leads,
    and counts as far as that lies inside.
    """

    def __init__(self, named: NamedFolders, outer: Roots, allowed: Sequence[str] = ()) -> None:
        super().__init__(())
        self._named, self._outer, self._allowed = named, outer, allowed

    @property
    def paths(self) -> tuple[Path, ...]:
        """What is left of each folder: all of it, or the folders inside it that are the user's."""
        left = (path for folder in self._named.all if (real := _real(folder)) for path in self._left_of(real))
        return tuple(dict.fromkeys(map(Path, left)))

    @property
    def start(self) -> str:
        """Where commands run that do not say where; outside, if the folder for that is."""
        real = _real(self._named.cwd)
        return next(self._left_of(real), self._named.cwd) if real else self._named.cwd

    def hold(self, path: str) -> bool:
        named = any(True for _ in self._holders(path))
        return named and (self._outer.hold(path) or any(_is_in(path, folder) for folder in self._allowed))

    def have(self, path: str) -> bool:
        return self._outer.have(path) or path in self._allowed

    def wanted(self, target: str) -> str:
        """The real path of the innermost folder of the child that a real path is in, for what is not served.

        Empty where it is in none, and where all files there are would be in it.
        """
        found = max(self._holders(target), key=len, default="")
        return "" if found == Path(found).anchor else found

    def _left_of(self, real: str) -> Iterator[str]:
        outer = [*self._outer.reals, *self._allowed]
        if any(_is_in(real, folder) for folder in outer):
            yield real
        else:
            yield from (folder for folder in outer if _is_in(folder, real))

    def _holders(self, path: str) -> Iterator[str]:
        """The real paths of the folders that hold a real path; those first that do so by their names already."""
        for folder in sorted(self._named.all, key=lambda folder: not _is_in(path, folder)):
            real = _real(folder)
            if real and _is_in(path, real):
                yield real


class ChildWorkspace(Workspace):
    """Files and terminals of a child, for one request: its folders, and the terminals of the user's session."""

    def __init__(self, outer: Workspace, named: NamedFolders, allowed: Sequence[str] = ()) -> None:
        self._roots = ChildRoots(named, outer.files.roots, tuple(allowed))
        self.files, self.terminals, self.written = outer.files.within(self._roots), outer.terminals, outer.written
        self.before_write = outer.before_write

    async def create_terminal(self, request: CreateTerminalRequest) -> str:
        return await self.terminals.create(request, self._read_command)

    async def wanted(self, target: str) -> str:
        with suppress(TimeoutError):
            return await in_thread(self._roots.wanted, target, within=WITHIN)
        return ""

    def _read_command(self, request: CreateTerminalRequest, _: Sequence[Path]) -> TerminalCommand:
        placed = request.model_copy(update={"cwd": request.cwd or self._roots.start})
        return read_command(placed, self._roots.paths)


def _real(folder: str) -> str:
    """The real path of an absolute folder; empty for what is none."""
    with suppress(OSError, ValueError):
        if Path(folder).is_absolute():
            return os.path.realpath(folder)
    return ""


def _is_in(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
