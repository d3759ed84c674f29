"""What one session's agent may do on this machine: its files, its terminals and the table of its requests."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.services.file_reading import SkipBudget
from acp_tui.host.services.files import Files
from acp_tui.host.services.request_fault import not_offered
from acp_tui.host.services.roots import Roots
from acp_tui.host.services.terminals import Terminals
from acp_tui.protocol.base import Model
from acp_tui.protocol.capabilities import ClientCapabilities, SessionScope
from acp_tui.protocol.vocabulary.terminals import (
    CreateTerminalRequest,
    ReadTextFileRequest,
    TerminalRequest,
    WriteTextFileRequest,
)
from acp_tui.protocol.vocabulary.updates import Update
from acp_tui.session.facts import EditFound, FileWritten
from acp_tui.session.folds.writes import unfinished_edits
from acp_tui.session.state import Session
from acp_tui.session.tools.diffs import diffs_of

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
        self.files.roots, self.terminals.roots = Roots(roots), tuple(roots)


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
