"""From an agent that was chosen to all that is needed to start it; must not start it.

An agent is the user's own or one that is known, and starts as they have configured it: for itself, and for the folder
that it works in. Only where it was the project that named it, that needs consent.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_command import AgentCommand
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.launch import Consent, Launch, with_defaults
from acp_tui.host.catalog.mcp_file import filled, with_path
from acp_tui.host.catalog.system_prompts import configured_prompt, with_table
from acp_tui.host.config.config import ConfigFile, ConfiguredAgent, FolderTable
from acp_tui.host.config.settings import AgentSettings, McpServerSettings
from acp_tui.host.config.source_files import Placeholders, Unfilled, UnusableConfig, read_env_file
from acp_tui.host.store.consents import fingerprint
from acp_tui.protocol.capabilities import ClientCapabilities, McpServer
from acp_tui.safe_text import named


def launch_of(agent: Agent, cwd: Path, *, cwd_given: bool = False, proposed_by: ConfigFile | None = None) -> Launch:
    """How to start `agent` in the folder `cwd`; where it is configured with a folder, that counts unless `cwd_given`.

    `proposed_by` is the project's file that names it as the default agent, where the user has not named it. Raises
    `UserFault` when its settings cannot be used.
    """
    if agent.configured is None:
        command = AgentCommand(agent.argv, agent.env, program=agent.program)
        launch = with_defaults(Launch(command, cwd, agent.title))
    else:
        launch = _configured(agent, agent.configured, cwd, cwd_given)
    if proposed_by is None:
        return launch
    folder = proposed_by.path.parent
    agreed = fingerprint(folder, agent.name, "default_agent")
    return replace(launch, consent=Consent(agent.name, folder, agreed, proposed_by.path))


def for_folder(launch: Launch, own: ConfigFile) -> Launch:
    """The launch with what the user's file `own` has for the folder that is worked in, which counts more.

    Raises `UserFault` where that cannot be used.
    """
    table = own.table_of(launch.cwd)
    if table is None:
        return launch
    said, command = table.settings, launch.command
    if said.env_file:
        command = replace(command, env={**command.env, **read_env_file(own.path_of(said.env_file))})
    servers = {server.name: server for server in launch.mcp_servers}
    for name, told in said.mcp_servers.items():
        server = _server(name, told, table, launch.cwd, command.env)
        servers[name] = replace(server, folder=str(table.folder))
    prompt = with_table(launch.system_prompt, table)
    return replace(launch, command=command, mcp_servers=tuple(servers.values()), system_prompt=prompt)


def _configured(agent: Agent, configured: ConfiguredAgent, cwd: Path, cwd_given: bool) -> Launch:
    settings = configured.settings
    env = dict(agent.env)
    if settings.env_file:
        env = {**read_env_file(configured.file.path_of(settings.env_file)), **env}
    cwd = cwd if cwd_given or not settings.cwd else _folder(configured, "cwd", settings.cwd)
    servers = [_server(name, server, configured, cwd, env) for name, server in settings.mcp_servers.items()]
    roots = tuple(str(_folder(configured, "roots", written)) for written in settings.roots)
    launch = Launch(
        AgentCommand(agent.argv, env, settings.protocol, program=agent.program),
        cwd,
        agent.title,
        _capabilities(settings),
        roots,
        tuple(servers),
        system_prompt=configured_prompt(configured),
    )
    return launch if "fs" in settings.model_fields_set else with_defaults(launch)


def _capabilities(settings: AgentSettings) -> ClientCapabilities:
    return replace(
        ClientCapabilities(),
        read_text_file=settings.fs is True,
        write_text_file=bool(settings.fs),
        terminal=settings.terminal,
    )


def _server(
    name: str, told: McpServerSettings, said: ConfiguredAgent | FolderTable, cwd: Path, env: Mapping[str, str]
) -> McpServer:
    server = McpServer(name, told.type, told.command, told.args, told.env, told.url, told.headers)
    try:
        return with_path(filled(server, Placeholders(env, cwd)), cwd, env)
    except Unfilled as error:
        raise UnusableConfig(said.place("mcp_servers", name), str(error)) from error


def _folder(configured: ConfiguredAgent, name: str, written: str) -> Path:
    folder = os.path.realpath(configured.file.path_of(written))
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises, whatever is written
        raise UserFault("The agent cannot be started", f"{configured.place(name)}: {named(folder)} is not a folder")
    return Path(folder)
