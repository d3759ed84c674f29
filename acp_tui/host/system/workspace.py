"""The workspace of one session's agent on this machine: its files, its terminals and the table of its requests."""

import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.system.sandbox_paths import SandboxRoots, not_offered
from acp_tui.host.system.terminals import TerminalCommand, Terminals, read_command
from acp_tui.host.system.threads import in_thread
from acp_tui.host.system.workspace_files import Files, SkipBudget
from acp_tui.protocol.base import Model
from acp_tui.protocol.capabilities import ClientCapabilities, SessionScope
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import (
    CreateTerminalRequest,
    ReadTextFileRequest,
    TerminalRequest,
    WriteTextFileRequest,
)
from acp_tui.session.facts import EditFound, FileWritten
from acp_tui.session.folds.file_changes import unfinished_edits
from acp_tui.session.state import Session
from acp_tui.session.tools.patches import diffs_of

Result = dict[str, Any]
EDITS_AT_MOST = 20  # of one turn that are looked at


async def nothing_before(_path: str) -> None:
    """Nobody looks at a file before it is written."""


class Workspace:
    """The files and terminals of one session, inside its folders.

    `before_write` is awaited before a file is written, and `written` told of each that was. `budget`: of its agent.
    """

    def __init__(
        self,
        scope: SessionScope,
        apply: Callable[[str, Update], None],
        written: Callable[[str, FileWritten], None] = lambda _session_id, _fact: None,
        before_write: Callable[[str], Awaitable[None]] = nothing_before,
        budget: SkipBudget | None = None,
    ) -> None:
        self.written, self.before_write = written, before_write
        roots = _roots(scope)
        self.files, self.terminals = Files(roots, budget), Terminals(roots, apply)

    async def create_terminal(self, request: CreateTerminalRequest) -> str:
        return await self.terminals.create(request)

    async def wanted(self, _target: str) -> str:
        """The folder to ask the user for, so that this session may reach a real path; empty where there is none."""
        return ""

    def reach(self, scope: SessionScope) -> None:
        """From now on these are the session's folders; what was asked for already is not looked at again."""
        roots = _roots(scope)
        self.files.roots, self.terminals.roots = SandboxRoots(roots), tuple(roots)


def _roots(scope: SessionScope) -> list[Path]:
    return [Path(scope.cwd), *map(Path, scope.additional_directories)]


async def find_edits(workspace: Workspace, session: Session) -> None:
    """Look whether the files of edits that the agent never ended were changed; some agents end none of theirs."""
    for entry in unfinished_edits(session)[:EDITS_AT_MOST]:
        diffs = [(diff.path, diff.old_text or "", diff.new_text) for diff in diffs_of(entry)]
        found = [
            path is not None and new is not None and await workspace.files.holds(path, new, old)
            for path, old, new in diffs
        ]
        if all(found):
            session.apply(EditFound(entry.id))


class Service(Frozen):
    """A request that is served here: the model of its params, the capability that offers it, what it does.

    Its result is the answer, or the `member` of it that is named.
    """

    model: type[Model]
    capability: str
    serve: Callable[[Workspace, Any], Awaitable[Any]]
    member: str = ""

    async def answer(self, workspace: Workspace, params: Any) -> Result:
        result = await self.serve(workspace, params)
        return {self.member: result} if self.member else result or {}

    def check_offered(self, method: str, capabilities: ClientCapabilities) -> None:
        """Raise `RequestFault` when this connection does not offer it."""
        if not getattr(capabilities, self.capability):
            raise not_offered(method)


async def _write(workspace: Workspace, request: WriteTextFileRequest) -> None:
    await workspace.before_write(request.path)
    workspace.written(request.session_id, await workspace.files.write_text_file(request))


async def _output(workspace: Workspace, request: TerminalRequest) -> Result:
    return workspace.terminals.output(request)


SERVICES = {
    "fs/read_text_file": Service(
        ReadTextFileRequest, "read_text_file", lambda its, request: its.files.read_text_file(request), "content"
    ),
    "fs/write_text_file": Service(WriteTextFileRequest, "write_text_file", _write),
    "terminal/create": Service(
        CreateTerminalRequest, "terminal", lambda its, request: its.create_terminal(request), "terminalId"
    ),
    "terminal/output": Service(TerminalRequest, "terminal", _output),
    "terminal/wait_for_exit": Service(
        TerminalRequest, "terminal", lambda its, request: its.terminals.wait_for_exit(request)
    ),
    "terminal/kill": Service(TerminalRequest, "terminal", lambda its, request: its.terminals.kill(request)),
    "terminal/release": Service(TerminalRequest, "terminal", lambda its, request: its.terminals.release(request)),
}


WITHIN = 10.0  # seconds in which it has to be found which folder a path is in


class NamedFolders(Frozen):
    """The folders that the agent names as a child's, as it wrote them: where commands run, and others."""

    cwd: str
    more: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (self.cwd, *self.more)


class ChildRoots(SandboxRoots):
    """The folders of a child, as far as they lie in `outer` or in `allowed`, which are real paths; by their real paths.

    Whoever asks waits for the disk: ask in a thread. A folder that the agent exchanges for a link is where that leads,
    and counts as far as that lies inside.
    """

    def __init__(self, named: NamedFolders, outer: SandboxRoots, allowed: Sequence[str] = ()) -> None:
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
    with suppress(OSError, ValueError):
        if Path(folder).is_absolute():
            return os.path.realpath(folder)
    return ""


def _is_in(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
