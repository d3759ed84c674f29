"""Programs of the user, by their act only: what opens an address or a file, commands of their own in a session's folder
by their shell, and those that have the terminal to themselves (an editor, a log-in). The agent hears nothing of them.
"""

import base64
import hashlib
import os
import re
import shlex
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePath

import anyio
from anyio.abc import Process

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.config.state_files import cache_folder, write_private
from acp_tui.host.prompts.mentions import MEDIA, OTHER_ENDINGS
from acp_tui.host.system import terminals
from acp_tui.host.system.paths import own_environment, own_program, why_not_started
from acp_tui.host.system.processes import hearing
from acp_tui.host.system.pty_relay import TerminalRelay, can_relay, start_on_pty
from acp_tui.host.system.terminals import TerminalOutput, TerminalProcess, shell_command
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import Noticed, OwnCommandEnded, OwnCommandRun
from acp_tui.session.state import Session, Terminal

NAME_AT_MOST = 60  # characters of a title
_OTHER = re.compile(r"[^\w]+")


def free_name(folder: str, title: str, ending: str) -> str:
    """A name for a new file in `folder` that tells the title and the day and is not taken: `fix-it-2026-11-20.md`."""
    words = _OTHER.sub("-", title.lower()[:NAME_AT_MOST]).strip("-") or "session"
    stem = f"{words}-{datetime.now():%Y-%m-%d}"
    names = (f"{stem}{'' if number == 1 else f'-{number}'}.{ending}" for number in range(1, 1_000))
    return next((name for name in names if not os.path.lexists(Path(folder, name))), f"{stem}.{ending}")


async def write_new_file(folder: str, name: str, text: str) -> Path:
    """Write a file that was not there before; its path.

    `name` is a path, relative to `folder`, `~` is the user's home. Raises `UserFault` if there is something of
    that name, or it cannot be written.
    """
    return await in_joined_thread(_write, folder, name, text)


def _write(folder: str, name: str, text: str) -> Path:
    try:
        path = Path(folder) / Path(name).expanduser()
        with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except FileExistsError as error:
        raise UserFault(f"{name} already exists", "It was not overwritten.", "Choose another name.") from error
    except FileNotFoundError as error:
        raise UserFault(f"{name} cannot be written", "No such folder.") from error
    except (OSError, ValueError, RuntimeError) as error:  # no such user for a ~name
        raise UserFault(f"{name} cannot be written", reason_of(error)) from error
    return path


_MEDIA = {mime_type: ending for ending, mime_type in MEDIA.items() if ending not in OTHER_ENDINGS}
ENDINGS = _MEDIA | {
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mp3": "mp3",
    "audio/opus": "opus",
    "audio/webm": "weba",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "application/pdf": "pdf",
    "application/json": "json",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/csv": "csv",
}
"""Types whose files a viewer shows. No markup (HTML, SVG) that a browser would run, nothing that a shell would."""


def has_viewer(mime_type: str | None) -> bool:
    """Whether a file of this type may be given to the system's viewer."""
    return _plain(mime_type) in ENDINGS


async def save_content(data: str | bytes, mime_type: str | None) -> Path:
    """Write base64 text or bytes to a file, once; its path. Raises `UserFault` for what is no base64 or no room."""
    return await in_joined_thread(_save, data, mime_type)


def _save(data: str | bytes, mime_type: str | None) -> Path:
    try:
        content = base64.b64decode(data, validate=True) if isinstance(data, str) else data
    except ValueError as error:
        raise UserFault("Cannot save this", "The agent's data is not valid base64.") from error
    name = f"{hashlib.sha256(content).hexdigest()[:20]}.{ENDINGS.get(_plain(mime_type), 'bin')}"
    path = cache_folder() / "content" / name
    try:
        if not path.is_file() or path.stat().st_size != len(content):
            write_private(path, content)
    except OSError as error:
        raise UserFault("Cannot save this", f"{path}: {error.strerror or error}") from error
    return path


def _plain(mime_type: str | None) -> str:
    return (mime_type or "").split(";")[0].strip().lower()


BROWSER_PATIENCE, VIEWER_PATIENCE = 15.0, 10.0  # seconds that what opens it has; then it is taken as opened

# In a process of its own: browsers of the terminal must not take it, and none may write on the screen. Isolated (-I),
# or a webbrowser.py in the project would be run.
_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


async def open_address(url: str) -> bool:
    """Have the system's browser show a web address; whether one was found. The address is fetched by nobody else."""
    return await _run([sys.executable, "-I", "-c", _OPEN, url], BROWSER_PATIENCE)


async def open_file(path: Path) -> bool:
    """Have the system show a file; whether it could."""
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606 (the user asked for it)
        except OSError:
            return False
        return True
    command = viewer_command(path)
    return command is not None and await _run(command, VIEWER_PATIENCE)


def viewer_command(path: Path, find: Callable[[str], str | None] = own_program) -> list[str] | None:
    """The command that opens a file; None where this system has none (Windows opens files itself)."""
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    return [opener, str(path)] if find(opener) else None


async def _run(command: Sequence[str], within: float) -> bool:
    with anyio.move_on_after(within) as scope, suppress(OSError):  # it is there, but cannot be started
        done = await anyio.run_process(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            env=own_environment(),
            start_new_session=True,
        )
        return done.returncode == 0
    return scope.cancelled_caught


if sys.platform != "win32":
    import termios

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
            process = await terminals.start(
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


END_WITHIN = 2.0  # seconds between asking it to end and ending it
# What the terminal's own keys send to everyone in front of it.
KEYS = [getattr(signal, name) for name in ("SIGINT", "SIGQUIT") if hasattr(signal, name)]


async def run_in_foreground(
    argv: Sequence[str], cwd: str | None = None, env: Mapping[str, str] | None = None, output: bytearray | None = None
) -> int:
    """Run a command with this program's own terminal until it ends; its exit code, negative for a signal.

    `output` gets the last of what it wrote, raw, where the system can tell. Raises `UserFault` where it cannot be
    started. If this task is cancelled the command is ended first. However it ends, the terminal's modes are as they
    were before.
    """
    # Ctrl+C in an editor is the editor's: we hear it too, and do nothing. (To ignore it would be inherited.)
    with hearing(lambda _: None, KEYS), _terminal_modes_kept():
        relay: TerminalRelay | None = None
        try:
            if output is not None and can_relay():
                process, relay = await start_on_pty(argv, cwd, env)
            else:
                process = await anyio.open_process(argv, stdin=None, stdout=None, stderr=None, cwd=cwd, env=env)
        except (OSError, ValueError) as error:
            raise UserFault(f"{argv[0]} cannot be started", why_not_started(error, argv[0], cwd)) from error
        try:
            return await (process.wait() if relay is None else relay.serve(process))
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    await _end(process)
                if relay is not None and output is not None:
                    output += relay.output
                    await relay.aclose()


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
        with anyio.move_on_after(END_WITHIN):
            await process.wait()
            return
        process.kill()
    await process.wait()


@contextmanager
def _terminal_modes_kept() -> Iterator[None]:
    """A command that dies may leave the terminal without echo; what it was is put back."""
    before = None
    if sys.platform != "win32" and sys.__stdin__ is not None:
        with suppress(OSError, ValueError, termios.error):
            before = termios.tcgetattr(sys.__stdin__)
    try:
        yield
    finally:
        if sys.platform != "win32" and before is not None and sys.__stdin__ is not None:
            with suppress(OSError, ValueError, termios.error):
                termios.tcsetattr(sys.__stdin__, termios.TCSADRAIN, before)


VARIABLES = ("VISUAL", "EDITOR")
USUAL = ("nano", "vim", "vi", "micro", "emacs")
WAITING = ("code", "code-insiders", "codium", "cursor", "windsurf", "zed", "zeditor", "subl", "atom", "mate")

_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})  # --goto path:line
_COLON = frozenset({"hx", "helix", "zed", "zeditor", "subl", "atom"})  # path:line


def editor_command(
    path: str,
    line: int | None = None,
    environment: Mapping[str, str] | None = None,
    find: Callable[[str], str | None] = own_program,
) -> list[str]:
    """The command that opens `path` at `line` (from 1) in the user's editor and ends when it is closed.

    `$VISUAL`, `$EDITOR`, else the first of the usual ones on this machine. Raises `UserFault` if there is none.
    """
    words = _chosen(os.environ if environment is None else environment, find)
    name = PurePath(words[0]).name.removesuffix(".exe")
    if name in WAITING and not {"-w", "--wait"} & set(words):
        words.append("--wait")
    if line is None:
        return [*words, path]
    if name in _GOTO:
        return [*words, "--goto", f"{path}:{line}"]
    return [*words, f"{path}:{line}"] if name in _COLON else [*words, f"+{line}", path]


def _chosen(environment: Mapping[str, str], find: Callable[[str], str | None]) -> list[str]:
    for variable in VARIABLES:
        value = environment.get(variable, "")
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise UserFault(f"${variable} is not a valid command", f"{value!r}: {error}") from error
        if words:
            return words
    found = next((path for name in USUAL if (path := find(name))), None)
    if found is None:
        raise UserFault("No editor found", hint="Set $EDITOR to the command of your editor.")
    return [found]
