"""Getting an agent that is not installed: from its page, or by its package once the user has agreed to all of it.

The question tells what would run; the command has the terminal; what came of it is listed.
"""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual.app import App

from acp_tui.console import take_streams, write_error, write_output
from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.installation import RIGHTS, Installation, finish_installation, plan_installation
from acp_tui.host.system.paths import why_not_started
from acp_tui.host.system.processes import deferred, hearing, leave
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.host.user_programs import open_address
from acp_tui.safe_text import one_line
from acp_tui.ui.agents.agent_rows import DetailsPanel, leads_to_page
from acp_tui.ui.agents.consent_dialog import ConsentDialog, ConsentQuestion, facts, in_groups
from acp_tui.ui.export_actions import OpeningMethod, opening_of_address
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.wrap import Unit
from acp_tui.ui.terminal.suspension import run_on_terminal
from acp_tui.ui.terminal.terminal_capabilities import write_clipboard
from acp_tui.views.formatting import home_path
from acp_tui.views.row_search import PickerRow

KINDS = {"npm": "npm", "python": "Python"}


class InstallScreen(ConsentDialog):
    """Whether an agent is to be installed, and started then."""

    def __init__(self, installation: Installation) -> None:
        package, command, afterwards = _package(installation), _command(installation), _afterwards(installation)
        whom = "its publisher" if installation.agent.publisher else "this package"
        super().__init__(
            ConsentQuestion(
                f"Install {sanitise_line(installation.agent.title, 40)} and start it?",
                in_groups((package, command, afterwards, facts("note", *RIGHTS))),
                no="Don't install",
                yes="Install and start",
                warning=f"The agent runs with your permissions. Do you trust {whom}?",
            )
        )


def _package(installation: Installation) -> Iterator[Unit]:
    package = installation.package
    yield from facts("agent", installation.agent.name)
    yield from facts("package", f"{package.name} ({KINDS[package.kind]})")
    yield from facts("version", package.version)
    if installation.before is not None and installation.before != package:
        yield from facts("installed now", installation.before.spec)
    yield from facts("license", installation.licence)
    yield from facts("publisher", installation.publisher)
    if installation.agent.origin == "registry":
        yield from facts("listed by", "the registry, not acp-tui")


def _command(installation: Installation) -> Iterator[Unit]:
    yield from facts("command", installation.command_line)
    yield from facts("runs in", f"{home_path(installation.cwd)} (outside your project)", muted=True)


def _afterwards(installation: Installation) -> Iterator[Unit]:
    yield from facts("then starts", installation.start_line)
    yield from facts("variables", *installation.shown_env)
    yield from facts("saved in", home_path(str(installation.own.path)), muted=True)


async def install(app: App[Any], installation: Installation, agent_list: AgentList) -> Agent | None:
    """Run the command on the terminal, and list what it has installed; None where the user has stopped it.

    Call it in a worker of the app. Raises `UserFault` that says what went wrong, and what to do.
    """
    argv = attended(installation.argv, installation.command_line)
    code = await run_on_terminal(app, argv, installation.cwd, installation.env)
    if code == CANCELLED:
        return None
    if code:
        raise UserFault(
            f"{sanitise_line(installation.agent.title, 60)} was not installed",
            f"{Path(installation.argv[0]).name} failed with exit code {code}",
            f"Try it in your shell: {installation.package.by_hand}",
        )
    return await in_joined_thread(_listed, installation, agent_list)


def _listed(installation: Installation, agent_list: AgentList) -> Agent:
    finish_installation(installation, 0)
    agent_list.read_again()
    agent = agent_list.agents.find(installation.agent.name)
    if not agent.program:
        raise UserFault(
            f"{agent.title} was installed, but cannot be found", f"Command not found: {installation.program}"
        )
    return agent


class InstallFlow:
    """What Enter does with an agent that is not there. `found` gets one that was installed."""

    def __init__(
        self, app: App[Any], agent_list: AgentList, details: DetailsPanel, found: Callable[[Agent], None]
    ) -> None:
        self._app, self._agent_list, self._details, self._found = app, agent_list, details, found
        self.at_work = False

    def get(self, agent: Agent) -> None:
        """Ask whether to install it, or what to do with the page that says how."""
        if agent.package is not None:
            self._ask(agent)
        elif leads_to_page(agent):
            self._show_page(agent)
        else:
            self.tell_missing(agent)

    def tell_missing(self, agent: Agent) -> None:
        """Say why an agent cannot be started, and what to do."""
        with self._details.saying_faults():
            agent.check_installed()

    def copy(self, text: str) -> None:
        write_clipboard(self._app, text)
        self._details.say("Copied", text)

    def _ask(self, agent: Agent) -> None:
        def answered(agreed: bool | None) -> None:
            if agreed:
                # In the app: who closes the list has not called the command off.
                self._app.run_worker(self._install(installation), exit_on_error=False)

        with self._details.saying_faults():
            installation = plan_installation(agent, self._agent_list)
            self._app.push_screen(InstallScreen(installation), answered)

    async def _install(self, installation: Installation) -> None:
        self.at_work = True
        with self._details.saying_faults():
            try:
                agent = await install(self._app, installation, self._agent_list)
            finally:
                self.at_work = False
            if agent is None:
                self._details.say("Installation cancelled", severity="warning")
            else:
                self._found(agent)

    def _show_page(self, agent: Agent) -> None:
        details, ways = opening_of_address(agent.homepage)
        title = f"Install {sanitise_line(agent.title, 40)} from its page"
        rows = [PickerRow(way, way.label) for way in ways]

        def chosen(way: OpeningMethod | None) -> None:
            if way is not None:
                self._app.run_worker(self._follow(way), exit_on_error=False)

        self._app.push_screen(Picker(title, rows, details), chosen)

    async def _follow(self, way: OpeningMethod) -> None:
        if way.act == "copy":
            self.copy(way.subject)
        elif not await open_address(way.subject):
            self._details.say("No browser could be started", f"Open it yourself: {way.subject}", severity="warning")


if sys.platform != "win32":
    import termios

CANCELLED = 130  # exit code after Ctrl+C, as shells have it
_NOT_STARTED = 127  # the same for a command that cannot be started
_KILLED_AFTER = 1.5  # seconds; who told us to end waits no longer than two
_LONGEST = 4_000  # characters of what is told


def attended(argv: Sequence[str], told: str) -> tuple[str, ...]:
    """How to run a command in this way; `told` is what is said of it before its output."""
    return (sys.executable, "-P", "-m", __name__, told, *argv)


def main(told: str, *argv: str) -> int:
    take_streams()
    write_output(f"\n$ {one_line(told, _LONGEST)}\n")
    code = _run(argv)
    _drop_what_was_typed()
    if code not in (0, CANCELLED):
        with suppress(KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            write_output(f"\nFailed with exit code {code}. Press Enter to return to acp-tui.")
            sys.stdin.readline()
    return code


def _run(argv: Sequence[str]) -> int:
    """The command's exit code, as a shell tells it."""
    cancelled = False

    def cancel(_number: int, _frame: object) -> None:
        nonlocal cancelled
        cancelled = True  # the terminal has told the command as well

    signal.signal(signal.SIGINT, cancel)
    command = None
    with hearing(leave):
        try:
            with deferred():
                command = subprocess.Popen(argv)  # noqa: S603 (the user has agreed to it)
            code = command.wait()
        except (OSError, ValueError) as error:
            write_error(why_not_started(error, argv[0]))
            return _NOT_STARTED
        except SystemExit:
            if command is not None:
                _end(command)
            raise
    if cancelled:
        return CANCELLED
    return code if code >= 0 else 128 - code


def _end(command: "subprocess.Popen[bytes]") -> None:
    with hearing(lambda _number: None):  # told twice, we still wait for its end
        command.terminate()
        try:
            command.wait(_KILLED_AFTER)
        except subprocess.TimeoutExpired:
            command.kill()
            command.wait()


def _drop_what_was_typed() -> None:
    if sys.platform != "win32":
        with suppress(OSError, ValueError, termios.error):
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
