"""The only place that builds host, session and screen together."""

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.console import write_output
from acp_tui.errors import Fault, UserFault
from acp_tui.host.catalog.continuing import continue_line
from acp_tui.host.catalog.launch import BROWSE, Launch, by_command
from acp_tui.host.client import Client
from acp_tui.host.config.config import Config, load_config
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.early_process import EarlyProcess
from acp_tui.host.store.log import open_log
from acp_tui.host.store.prompt_history import PromptHistory, history_file
from acp_tui.host.system.current_folder import current_folder
from acp_tui.protocol.introduction import Offer
from acp_tui.session.entries import MessageEntry
from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp, AppSettings
from acp_tui.ui.commands.rebinding import config_problems
from acp_tui.ui.kit.theme import theme_names
from acp_tui.ui.sessions.tabs import HandOver, Opened, Tab
from acp_tui.ui.terminal.colours import colours_of
from acp_tui.ui.terminal.size import bound_size

if TYPE_CHECKING:
    from acp_tui.host.catalog.roster import Roster
    from acp_tui.host.recording.wire_record import WireLine
    from acp_tui.host.records.records import Records
    from acp_tui.host.records.runs import Runs
    from acp_tui.ui.agents.screen import AgentsScreen


def run_screen(launch: Launch, config: Config, early: EarlyProcess, given: Mapping[str, object]) -> int:
    """Show a session with this agent, which may run already, until the user leaves; the result is the exit code.

    `given` are settings of the screen that the command line has.
    """

    def agents(begin: Callable[[Opened], object], folder: str) -> "AgentsScreen":
        """To choose from beside the one that was named; a new session of theirs has the same folder."""
        same = Path(folder or launch.cwd) == launch.cwd
        roster = late("acp_tui.host.catalog.roster").Roster(
            launch.cwd if same else Path(folder), config if same else None, cwd_given=True
        )
        return _agents(roster, lambda other: begin(beside(other, roster.config)), demo)

    def beside(other: Launch, its: Config) -> Opened:
        if its.has_prompt:
            other = late("acp_tui.host.catalog.system_prompts").prompted(other, its.own)
        wanted = replace(other.capabilities, prompt_suggestions=launch.capabilities.prompt_suggestions)
        return _opened(replace(other, wire=launch.wire, capabilities=wanted, snapshots=launch.snapshots))

    with _demos(launch.command.protocol) as demo:
        app = AcpTuiApp(
            _opened(launch, early), _settings(config, given), agents=agents, records=lambda: _records(launch)
        )
        return _run_and_tell(app)


def choose_on_screen(
    roster: "Roster",
    chosen: str | Launch | None,
    scoped: Callable[[Launch], Launch],
    early: EarlyProcess,
    given: Mapping[str, object],
) -> int:
    """Show the agents, start the one that the user chooses (or the one that is `chosen` already), and show the session.

    That one is a launch or the name of an agent, None the default one. `scoped` adds what the arguments say about the
    session, `given` what they say about the screen. The result is the exit code.
    """

    def start(launch: Launch) -> None:
        launch = scoped(launch)
        app.records = _records(launch)
        app.converse(_opened(launch, early))

    def agents(begin: Callable[[Opened], object], folder: str) -> "AgentsScreen":
        beside = roster
        if Path(folder or roster.folder) != roster.folder:
            beside = late("acp_tui.host.catalog.roster").Roster(Path(folder), cwd_given=True, protocol=roster.protocol)

        def start_beside(launch: Launch) -> None:
            begin(_opened(replace(scoped(launch), resume="", settings=(), handed=None)))

        return _agents(beside, start_beside, demo)

    with _demos(roster.protocol) as demo:
        app = AcpTuiApp(
            settings=_settings(roster.config, given),
            entrance=lambda: _agents(roster, start, demo, chosen),
            agents=agents,
        )
        return _run_and_tell(app)


def _settings(config: Config, given: Mapping[str, object]) -> AppSettings:
    colours = None if sys.platform == "win32" else colours_of(os.environ)  # Windows has other names for them
    preferences = Preferences(config, given, usable=lambda name, value: name != "theme" or value in theme_names())
    return AppSettings(
        preferences.get("theme", str), preferences, config.notifications, open_log(), config_problems(config), colours
    )


def _opened(launch: Launch, early: EarlyProcess | None = None) -> Opened:
    def check() -> None:
        try:
            if launch.command.check is not None:
                launch.command.check()
        except UserFault:
            if early is not None:
                early.end()
            raise

    client = Client(
        replace(launch.command, title=launch.title, check=check if launch.command.check else None),
        str(launch.cwd),
        launch.capabilities,
        attended=True,
        additional_directories=launch.roots,
        mcp_servers=launch.mcp_servers,
        system_prompt=launch.system_prompt,
        start=partial(AgentProcess.start, early=early),
        snapshots=replace(launch.snapshots, passing=not launch.recorded or _is_demo(launch.command.argv)),
        runs=_recorded_runs,
    )
    if launch.wire is not None:
        launch.wire.attend(client.traffic, client.sessions)
    session = client.begin_session("" if launch.resume == BROWSE else launch.resume, launch.settings)
    handed = None if launch.handed is None else HandOver(record=launch.handed)
    history = PromptHistory(history_file(launch.cwd))
    return Opened(client, session, history, browse=launch.resume == BROWSE, handed=handed)


def _agents(
    roster: "Roster", start: Callable[[Launch], object], demo: Callable[[], Launch], chosen: str | Launch | None = ""
) -> "AgentsScreen":
    screen: AgentsScreen = late("acp_tui.ui.agents.screen").AgentsScreen(roster, start, chosen, demo=demo)
    return screen


@contextmanager
def _demos(protocol: Offer | None) -> Iterator[Callable[[], Launch]]:
    """How to start the demo, each time in a project of its own; these go at the end. It raises OSError."""
    with ExitStack() as projects:

        def launch() -> Launch:
            demo = late("acp_tui.demo.project")
            return by_command(demo.COMMAND, projects.enter_context(demo.scratch()), protocol)

        yield launch


def _records(launch: Launch) -> "Records | None":
    late("acp_tui.host.agent.connected_agent")  # the agent has answered by now, and waits for this
    return late("acp_tui.host.records.records").Records() if launch.recorded else None


def replay_on_screen(lines: "Sequence[WireLine | None]", name: str, given: Mapping[str, object]) -> int:
    """Show what a record of the wire holds until the user leaves; the result is the exit code."""
    replay = late("acp_tui.host.playback.wire_replay").WireReplay(lines)
    shown = late("acp_tui.ui.replay.screen").ReplayScreen
    return _run(
        AcpTuiApp(settings=_settings(load_config(current_folder()), given), entrance=lambda: shown(replay, name))
    )


def _recorded_runs(folder: str) -> "Runs":
    runs: Runs = late("acp_tui.host.records.records").Records().runs(folder)
    return runs


def _run_and_tell(app: AcpTuiApp) -> int:
    """Run it, and say how to go on with the session that was looked at last."""
    code = _run(app)
    tabs = sorted(app.tabs.entries, key=lambda tab: tab is app.tabs.current)
    last_recorded = app.records is not None and len(tabs) == 1  # of several nobody knows here which was the last
    lines = [line for tab in tabs if (line := _continue_line(tab, last_recorded=last_recorded))]
    if lines and app.return_code == 0:
        with suppress(Fault, SystemExit):  # the terminal may be gone
            write_output(f"Continue with: {lines[-1]}")
    return code


def _continue_line(tab: Tab, *, last_recorded: bool) -> str:
    """How to go on with a session in which something was said; the demo's project is gone by then."""
    session, command, can = tab.session, tab.client.command, tab.client.connection.capabilities
    said = any(isinstance(entry, MessageEntry) for entry in session.entries)
    can_resume = can.load_session or can.resume_session
    if not said or not (can_resume or last_recorded) or _is_demo(command.argv):
        return ""
    try:
        here = str(current_folder())
    except UserFault:  # it went meanwhile
        here = ""
    return continue_line(command, session.id, session.cwd, here, can_resume=can_resume)


def _is_demo(argv: Sequence[str]) -> bool:
    """Whether it works in a project that goes at the end."""
    return "acp_tui.demo" in argv


def _run(app: AcpTuiApp) -> int:
    # A key waits for each collection, and little here makes cycles. One of 15,000 young objects takes 5 ms. One of all
    # objects, of which 100,000 tool calls have a million, comes after six million new ones; until then a cycle that got
    # old, such as a screen that was closed, is held.
    gc.set_threshold(5_000, 2, 400)
    sys.setswitchinterval(0.001)  # seconds (else 0.005) that a key waits for a thread which imports, draws or searches
    bound_size(os.environ)
    result = app.run(mouse=app.preferences.get("mouse", bool))
    return (app.return_code or 0) if result is None else result
