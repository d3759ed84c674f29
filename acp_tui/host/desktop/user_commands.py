"""The commands that the user runs in a session's folder, by their own shell; the agent hears nothing of them."""

import uuid
from pathlib import Path

import anyio

from acp_tui.host.services import terminal_process
from acp_tui.host.services.terminal_process import TerminalProcess, shell_command
from acp_tui.host.services.terminals import TerminalOutput
from acp_tui.host.system.programs import why_not_started
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import Noticed, OwnCommandEnded, OwnCommandRun
from acp_tui.session.state import Session, Terminal

OUTPUT_AT_MOST = 20_000  # bytes of a command's output that go to the agent


class OwnCommands:
    """The commands of one session. Each `run` belongs to a task, whose cancelling ends the command."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._running: dict[str, TerminalProcess] = {}
        self._stopped: set[str] = set()
        self._shell_problem = ""

    async def run(self, line: str) -> None:
        """Run a line until it ends; what it writes and how it ended is told to the session. Raises nothing."""
        session, command_id = self._session, f"own-{uuid.uuid4().hex[:12]}"
        session.apply(OwnCommandRun(command_id, line, session.cwd))
        command, problem = shell_command(line, Path(session.cwd))
        if problem not in ("", self._shell_problem):
            instead = f"Commands run in {command.argv[0]} instead."
            session.apply(Noticed("warning", "Your shell was not found", problem, instead))
        self._shell_problem = problem
        try:
            process = await terminal_process.start(
                command, lambda data: session.apply(TerminalOutputChunk(terminal_id=command_id, data=data))
            )
        except (OSError, ValueError) as error:
            session.apply(OwnCommandEnded(command_id))
            reason = why_not_started(error, command.argv[0], command.cwd)
            session.apply(Noticed("error", "Cannot run the command", reason))
            return
        self._running[command_id] = process
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                process.serve, lambda status: session.apply(TerminalUpdate(terminal_id=command_id, exit_status=status))
            )
            try:
                await process.ended.wait()
            finally:
                await self._end(command_id, process)

    def stop(self) -> bool:
        """End the command that was begun last; whether one runs."""
        for command_id, process in reversed(self._running.items()):
            if command_id in self._stopped:
                process.kill_now()  # asked once, it went on
            else:
                process.interrupt()
            self._stopped.add(command_id)
            return True
        return False

    def kill_all(self) -> None:
        for process in self._running.values():
            process.kill_now()

    async def _end(self, command_id: str, process: TerminalProcess) -> None:
        with anyio.CancelScope(shield=True):  # bounded; whatever becomes of this task, the command must end
            if not process.ended.is_set():
                await process.kill()
            process.detach()
        self._running.pop(command_id, None)
        self._session.apply(TerminalUpdate(terminal_id=command_id, released=True))
        self._session.apply(OwnCommandEnded(command_id, stopped=command_id in self._stopped))


def told_output(entry: ToolCallEntry, terminal: Terminal) -> str:
    """A command and its output as the user would paste it: plain, fenced, its end if it is long, which is said."""
    output = TerminalOutput(OUTPUT_AT_MOST)
    for chunk in terminal.chunks:
        output.feed(chunk)
    output.feed(b"", final=True)
    text, cut = output.read()
    lines = [line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    if cut or terminal.dropped:
        lines.insert(0, f"[only the last {OUTPUT_AT_MOST // 1000} KB of the output]")
    fence = "`" * max(3, 1 + max((len(line) - len(line.lstrip("`")) for line in lines), default=0))
    return "\n".join(
        ["", f"Output of `{terminal.command or entry.title}`{_ending(terminal)}:", fence, *lines, fence, ""]
    )


def _ending(terminal: Terminal) -> str:
    status = terminal.exit_status
    if status is None:
        return ", still running"
    return f", terminated by {status.signal}" if status.signal else f", exit code {status.exit_code}"
