"""What one session's agent may do on this machine: the table of its requests; must not know who sends answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_tui.host.files import Files
from acp_tui.host.request_fault import not_offered
from acp_tui.host.terminals import Terminals
from acp_tui.protocol.base import Model
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.files import ReadTextFileRequest, WriteTextFileRequest
from acp_tui.protocol.scope import SessionScope
from acp_tui.protocol.terminals import CreateTerminalRequest, TerminalRequest
from acp_tui.protocol.updates import Update
from acp_tui.session.facts import EditFound, FileWritten
from acp_tui.session.state import Session
from acp_tui.session.writes import diffs_of, unfinished_edits

Result = dict[str, Any]
EDITS_AT_MOST = 20  # of one turn that are looked at


class Workspace:
    """The files and terminals of one session, inside its folders; `written` is told of each file that was written."""

    def __init__(
        self,
        scope: SessionScope,
        capabilities: ClientCapabilities,
        apply: Callable[[str, Update], None],
        written: Callable[[str, FileWritten], None] = lambda _session_id, _fact: None,
    ) -> None:
        self.written = written
        roots = [Path(scope.cwd), *map(Path, scope.additional_directories)]
        self.files = Files(roots, read=capabilities.read_text_file, write=capabilities.write_text_file)
        self.terminals = Terminals(roots[0], roots, apply)


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


@dataclass(frozen=True, slots=True)
class Service:
    """A request that is served here: the model of its params, the capability that offers it, what it does."""

    model: type[Model]
    capability: str
    serve: Callable[[Workspace, Any], Awaitable[Result]]

    def check_offered(self, method: str, capabilities: ClientCapabilities) -> None:
        """Raise `RequestFault` when this connection does not offer it."""
        if not getattr(capabilities, self.capability):
            raise not_offered(method)


async def _read_text_file(workspace: Workspace, request: ReadTextFileRequest) -> Result:
    return {"content": await workspace.files.read_text_file(request)}


async def _write_text_file(workspace: Workspace, request: WriteTextFileRequest) -> Result:
    workspace.written(request.session_id, await workspace.files.write_text_file(request))
    return {}


async def _create_terminal(workspace: Workspace, request: CreateTerminalRequest) -> Result:
    return {"terminalId": await workspace.terminals.create(request)}


async def _terminal_output(workspace: Workspace, request: TerminalRequest) -> Result:
    return workspace.terminals.output(request)


async def _wait_for_terminal_exit(workspace: Workspace, request: TerminalRequest) -> Result:
    return await workspace.terminals.wait_for_exit(request)


async def _kill_terminal(workspace: Workspace, request: TerminalRequest) -> Result:
    await workspace.terminals.kill(request)
    return {}


async def _release_terminal(workspace: Workspace, request: TerminalRequest) -> Result:
    await workspace.terminals.release(request)
    return {}


SERVICES = {
    "fs/read_text_file": Service(ReadTextFileRequest, "read_text_file", _read_text_file),
    "fs/write_text_file": Service(WriteTextFileRequest, "write_text_file", _write_text_file),
    "terminal/create": Service(CreateTerminalRequest, "terminal", _create_terminal),
    "terminal/output": Service(TerminalRequest, "terminal", _terminal_output),
    "terminal/wait_for_exit": Service(TerminalRequest, "terminal", _wait_for_terminal_exit),
    "terminal/kill": Service(TerminalRequest, "terminal", _kill_terminal),
    "terminal/release": Service(TerminalRequest, "terminal", _release_terminal),
}
