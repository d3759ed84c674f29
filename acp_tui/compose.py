"""The only place that builds host, session and screen together."""

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.errors import UserFault
from acp_tui.host.catalog.launch import BROWSE, Launch
from acp_tui.host.client import Client
from acp_tui.host.config.config import Config, load_config
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.early_process import EarlyProcess
from acp_tui.host.store.log import open_log
from acp_tui.host.store.prompt_history import PromptHistory, history_file

if TYPE_CHECKING:
    from textual.screen import Screen

    from acp_tui.host.catalog.roster import Roster
    from acp_tui.host.recording.wire_record import WireLine
    from acp_tui.host.records import Records
    from acp_tui.ui.app import AcpTuiApp, AppSettings
    from acp_tui.ui.sessions.tabs import Opened


def run_screen(launch: Launch, config: Config, early: EarlyProcess) -> int:
    """Show a session with this agent, which may run already, until the user leaves; the result is the exit code."""
    with textual_settings():
        from acp_tui.ui.app import AcpTuiApp
    app = AcpTuiApp(
        _opened(launch, early),
        _settings(config),
        agents=lambda: _other_agents(app, launch, config),
        records=lambda: _records(launch),
    )
    return _run(app)


def choose_on_screen(
    roster: "Roster", name: str | None, scoped: Callable[[Launch], Launch], early: EarlyProcess
) -> int:
    """Show the agents, start the one that the user chooses (or the one that is named), and show the session.

    Without a name (None) the default agent is started. `scoped` adds what the arguments say about the session. The
    result is the exit code.
    """
    with textual_settings():
        from acp_tui.ui.agents.screen import AgentsScreen
        from acp_tui.ui.app import AcpTuiApp

    def start(launch: Launch) -> None:
        launch = scoped(launch)
        app.records = _records(launch)
        app.converse(_opened(launch, early))

    def start_beside(launch: Launch) -> None:
        app.converse(_opened(replace(scoped(launch), resume="")))

    app = AcpTuiApp(
        settings=_settings(roster.config),
        entrance=lambda: AgentsScreen(roster, start, name),
        agents=lambda: AgentsScreen(roster, start_beside),
    )
    return _run(app)


def config_problems(config: Config) -> list[str]:
    """Give the commands the keys of the config file; what is wrong with it, none of which keeps the screen away."""
    from acp_tui.ui.commands.rebinding import rebind
    from acp_tui.ui.kit.theme import theme_names

    problems = [f"{config.place('keys', problem.id)}: {problem.message}" for problem in rebind(config.keys)]
    if config.theme and config.theme not in theme_names():
        near = get_close_matches(config.theme, theme_names(), 1)
        meant = f" Do you mean {near[0]}?" if near else ""
        problems.append(f"{config.place('theme')}: there is no theme {config.theme!r}.{meant}")
    return [*config.warnings, *problems]


def key_settings(config: Config) -> list[str]:
    """Lines for `acp-tui config --print`: what is wrong with keys and theme, and the keys of all commands."""
    problems = config_problems(config)[len(config.warnings) :]

    from acp_tui.ui.commands.key_table import key_lines

    return [*(f"# {problem}" for problem in problems), "[keys]", *key_lines()]


def _settings(config: Config) -> "AppSettings":
    from acp_tui.ui.app import AppSettings

    return AppSettings(config.theme, config.notifications, open_log(), config_problems(config))


def _opened(launch: Launch, early: EarlyProcess | None = None) -> "Opened":
    from acp_tui.ui.sessions.tabs import Opened

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
        start=partial(AgentProcess.start, early=early),
    )
    if launch.wire is not None:
        launch.wire.attend(client.traffic, client.sessions)
    session = client.begin_session("" if launch.resume == BROWSE else launch.resume)
    return Opened(client, session, PromptHistory(history_file(launch.cwd)), browse=launch.resume == BROWSE)


def _other_agents(app: "AcpTuiApp", launch: Launch, config: Config) -> "Screen[None]":
    """The agents to choose from beside the one that was named; a new session of theirs has the same folder."""
    from acp_tui.host.catalog.roster import Roster
    from acp_tui.ui.agents.screen import AgentsScreen

    return AgentsScreen(
        Roster(launch.cwd, config, cwd_given=True),
        lambda other: app.converse(_opened(replace(other, wire=launch.wire))),
    )


def _records(launch: Launch) -> "Records | None":
    if not launch.recorded:
        return None
    from acp_tui.host.records import Records

    return Records()


def replay_on_screen(lines: "Sequence[WireLine]", name: str, speed: float, *, stepping: bool) -> int:
    """Play a record of the wire until the user leaves; the result is the exit code."""
    from acp_tui.host.playback.player import Player

    config = load_config(Path.cwd())
    with textual_settings():
        from acp_tui.ui.replay.app import ReplayApp
    player = Player(lines, name, speed, stepping=stepping)
    return _run(ReplayApp(player, name, _settings(config)._replace(calls_by="desktop")))


def _run(app: "AcpTuiApp") -> int:
    gc.freeze()  # modules stay for good: no collection need look at them
    gc.set_threshold(10_000, 20, 20)  # a key waits for each collection, and little here makes cycles
    gc.enable()
    sys.setswitchinterval(0.001)  # seconds (else 0.005) that a key waits for a thread which imports, draws or searches
    result = app.run()
    return (app.return_code or 0) if result is None else result


@contextmanager
def textual_settings() -> Iterator[None]:
    """What Textual reads from the environment while it is imported, and agents and their commands must not inherit.

    120 frames a second halve what a key waits for its frame; textual-speedups gained nothing that could be measured.
    """
    ours = {"TEXTUAL_FPS": os.environ.get("TEXTUAL_FPS", "120"), "TEXTUAL_SPEEDUPS": "0"}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
