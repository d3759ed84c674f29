"""From an agent that was chosen to all that is needed to start it; must not start it.

Starting what a project names needs consent: for the command, its folder and its environment, as they are now.
"""

from dataclasses import asdict, replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.agents import Agent
from acp_tui.host.config.config import ConfiguredAgent
from acp_tui.host.config.consent import fingerprint
from acp_tui.host.config.env_file import read_env_file
from acp_tui.host.config.settings import AgentSettings, McpServerSettings
from acp_tui.host.launch import Consent, Launch, with_defaults
from acp_tui.host.lifecycle import AgentCommand
from acp_tui.host.mcp_file import with_path
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.scope import McpServer
from acp_tui.safe_text import named


def launch_of(agent: Agent, cwd: Path, *, cwd_given: bool = False) -> Launch:
    """How to start `agent` in the folder `cwd`; where it is configured with a folder, that counts unless `cwd_given`.

    Raises `UserFault` when its settings cannot be used.
    """
    if agent.configured is None:
        return with_defaults(Launch(AgentCommand(agent.argv, agent.env), cwd, agent.title))
    launch = _configured(agent, agent.configured, cwd, cwd_given)
    return replace(launch, consent=_consent(agent.configured, launch)) if agent.configured.project else launch


def _configured(agent: Agent, configured: ConfiguredAgent, cwd: Path, cwd_given: bool) -> Launch:
    settings = configured.settings
    env = dict(agent.env)
    if settings.env_file:
        env = {**read_env_file(configured.path(settings.env_file)), **env}
    cwd = cwd if cwd_given or not settings.cwd else _folder(configured, "cwd", settings.cwd)
    servers = [_server(name, server) for name, server in settings.mcp_servers.items()]
    roots = tuple(str(_folder(configured, "roots", written)) for written in settings.roots)
    launch = Launch(
        AgentCommand(agent.argv, env, settings.protocol),
        cwd,
        agent.title,
        _capabilities(settings),
        roots,
        tuple(with_path(server, cwd, env) for server in servers),
    )
    return launch if "fs" in settings.model_fields_set else with_defaults(launch)


def _capabilities(settings: AgentSettings) -> ClientCapabilities:
    return replace(
        ClientCapabilities(),
        read_text_file=settings.fs is True,
        write_text_file=bool(settings.fs),
        terminal=settings.terminal,
    )


def _server(name: str, told: McpServerSettings) -> McpServer:
    return McpServer(name, told.type, told.command, told.args, told.env, told.url, told.headers)


def _folder(configured: ConfiguredAgent, name: str, written: str) -> Path:
    folder = configured.path(written).resolve()
    if not folder.is_dir():
        raise UserFault("The agent cannot be started", f"{configured.place(name)}: {named(folder)} is not a folder")
    return folder


def _consent(configured: ConfiguredAgent, launch: Launch) -> Consent:
    folder = configured.file.path.parent
    servers = [asdict(server) for server in launch.mcp_servers]
    cwd = str(launch.cwd) if configured.settings.cwd else ""
    start = [launch.command.argv, dict(launch.command.env), cwd, launch.roots, servers, launch.command.protocol]
    word = fingerprint(folder, configured.name, start)
    return Consent(configured.name, folder, configured.file.path, word)
