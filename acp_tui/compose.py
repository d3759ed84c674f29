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
from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.catalog.launch_plan import BROWSE, LaunchPlan, by_command, with_settings
from acp_tui.host.client import Client
from acp_tui.host.config.choices import PromptHistory, history_file
from acp_tui.host.config.config import Config, load_config
from acp_tui.host.config.log import open_log
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.process_start import EarlyProcess
from acp_tui.host.sessions.session_source import NoRecords
from acp_tui.host.system.paths import current_folder
from acp_tui.protocol.capabilities import Offer
from acp_tui.session.entries import MessageEntry
from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp, AppSettings
from acp_tui.ui.commands.key_table import config_problems
from acp_tui.ui.kit.theme import theme_names
from acp_tui.ui.sessions.tabs import HandOver, Opened, Tab
from acp_tui.ui.terminal.terminal_capabilities import bound_size, colours_of

if TYPE_CHECKING:
    from acp_tui.host.catalog.agent_list import AgentList
    from acp_tui.host.records.record_info import Runs
    from acp_tui.host.records.records import Records
    from acp_tui.host.records.wire_record import WireLine
    from acp_tui.ui.agents.agents_screen import AgentsScreen


def run_screen(plan: LaunchPlan, config: Config, early: EarlyProcess, given: Mapping[str, object]) -> int:
    """Show a session with this agent, which may run already, until the user leaves; the result is the exit code.

    `given` are settings of the screen that the command line has.
    """

    def agents(begin: Callable[[Opened], object], folder: str) -> "AgentsScreen":
        """To choose from beside the one that was named; a new session of theirs has the same folder."""
        same = Path(folder or plan.cwd) == plan.cwd
        agent_list = _list_agents(plan.cwd if same else Path(folder), config if same else None)

        def start_beside(other: LaunchPlan) -> None:
            begin(_opened(replace(with_settings(other, agent_list.config), wire=plan.wire, policy=plan.policy)))

        return _agents(agent_list, start_beside, demo)

    with _demos(plan.command.protocol) as demo:
        app = AcpTuiApp(_opened(plan, early), _settings(config, given), agents=agents, records=lambda: _records(plan))
        return _run_and_tell(app)


def choose_on_screen(
    agent_list: "AgentList",
    chosen: str | LaunchPlan | None,
    completed: Callable[[LaunchPlan], LaunchPlan],
    early: EarlyProcess,
    given: Mapping[str, object],
) -> int:
    """Show the agents, start the one that the user chooses (or the one that is `chosen` already), and show the session.

    That one is a plan or the name of an agent, None the default one. `completed` adds what the arguments say about the
    session, `given` what they say about the screen. The result is the exit code.
    """

    def start(plan: LaunchPlan) -> None:
        plan = completed(plan)
        app.records = _records(plan)
        app.converse(_opened(plan, early))

    def agents(begin: Callable[[Opened], object], folder: str) -> "AgentsScreen":
        beside = agent_list
        if Path(folder or agent_list.folder) != agent_list.folder:
            beside = _list_agents(Path(folder), None, agent_list.protocol)

        def start_beside(plan: LaunchPlan) -> None:
            begin(_opened(replace(completed(plan), resume="", settings=(), handed=None, prompt="")))

        return _agents(beside, start_beside, demo)

    with _demos(agent_list.protocol) as demo:
        app = AcpTuiApp(
            settings=_settings(agent_list.config, given),
            entrance=lambda: _agents(agent_list, start, demo, chosen),
            agents=agents,
        )
        return _run_and_tell(app)


def _list_agents(folder: Path, config: Config | None, protocol: Offer | None = None) -> "AgentList":
    module = late("acp_tui.host.catalog.agent_list")
    found: AgentList = module.AgentList(folder, config, cwd_given=True, protocol=protocol)
    return found


def _settings(config: Config, given: Mapping[str, object]) -> AppSettings:
    colours = None if sys.platform == "win32" else colours_of(os.environ)  # Windows has other names for them
    preferences = Preferences(config, given, usable=lambda name, value: name != "theme" or value in theme_names())
    return AppSettings(
        preferences.get("theme", str), preferences, config.notifications, open_log(), config_problems(config), colours
    )


def _opened(plan: LaunchPlan, early: EarlyProcess | None = None) -> Opened:
    agreed = plan.command.check

    def check() -> None:
        try:
            if agreed is not None:
                agreed()
        except UserFault:
            if early is not None:
                early.end()
            raise

    snapshots = replace(plan.snapshots, passing=not plan.recorded or _is_demo(plan.command.argv))
    plan = replace(plan.with_command(check=check if agreed else None), snapshots=snapshots)
    client = Client(plan, attended=True, start=partial(AgentProcess.start, early=early), records=RecordedRuns())
    if plan.wire is not None:
        plan.wire.attend(client.traffic, client.sessions)
    session = client.begin_session("" if plan.resume == BROWSE else plan.resume, plan.settings)
    handed = None if plan.handed is None else HandOver(record=plan.handed)
    history = PromptHistory(history_file(plan.cwd))
    return Opened(client, session, history, browse=plan.resume == BROWSE, handed=handed, prompt=plan.prompt)


def _agents(
    agent_list: "AgentList",
    start: Callable[[LaunchPlan], object],
    demo: Callable[[], LaunchPlan],
    chosen: str | LaunchPlan | None = "",
) -> "AgentsScreen":
    screen: AgentsScreen = late("acp_tui.ui.agents.agents_screen").AgentsScreen(agent_list, start, chosen, demo=demo)
    return screen


@contextmanager
def _demos(protocol: Offer | None) -> Iterator[Callable[[], LaunchPlan]]:
    """How to start the demo, each time in a project of its own; these go at the end. It raises `UserFault`."""
    with ExitStack() as projects:

        def plan() -> LaunchPlan:
            demo = late("acp_tui.demo.project")
            try:
                return by_command(demo.COMMAND, projects.enter_context(demo.scratch()), protocol)
            except OSError as error:
                reason = f"No folder for its scratch project: {reason_of(error)}"
                raise UserFault("The demo could not be started", reason) from error

        yield plan


def _records(plan: LaunchPlan) -> "Records | None":
    late("acp_tui.host.agent.connected_agent")  # the agent has answered by now, and waits for this
    return late("acp_tui.host.records.records").Records() if plan.recorded else None


def replay_on_screen(lines: "Sequence[WireLine | None]", name: str, given: Mapping[str, object]) -> int:
    """Show what a record of the wire holds until the user leaves; the result is the exit code."""
    replay = late("acp_tui.host.wire_replay").WireReplay(lines)
    shown = late("acp_tui.ui.sessions.replay_screen").ReplayScreen
    return _run(
        AcpTuiApp(settings=_settings(load_config(current_folder()), given), entrance=lambda: shown(replay, name))
    )


class RecordedRuns(NoRecords):
    """The records of a client whose own sessions are not recorded, or not yet."""

    def runs(self, cwd: str, /) -> "Runs":
        runs: Runs = late("acp_tui.host.records.records").Records().runs(cwd)
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
    line: str = late("acp_tui.host.catalog.resume_commands").continue_line(
        command, session.id, session.cwd, here, can_resume=can_resume
    )
    return line


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
