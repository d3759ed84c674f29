"""The agents that can be started here: known ones, configured ones, a registry's; must not start any.

Of several with the same name the configured one counts; a known one that is installed counts more than the
registry's, which would be fetched.
"""

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.known_agents import KNOWN_AGENTS
from acp_tui.host.config.config import Config, ConfiguredAgent
from acp_tui.host.config.places import spelled
from acp_tui.host.system.programs import Programs
from acp_tui.safe_text import named

Origin = Literal["known", "own", "project", "registry"]


class Agent(Frozen):
    """An agent to choose. `program` is where its command was found, empty if it was not.

    `passed_over` is where its command was found, but is not looked for: in the project, or by a relative entry of PATH.
    `fetched` says that its command downloads it when it is started first. `configured` is what a config file says.
    """

    name: str
    title: str
    description: str
    argv: tuple[str, ...]
    origin: Origin
    env: Mapping[str, str] = field(default_factory=dict)
    install: str = ""
    homepage: str = ""
    program: str = ""
    passed_over: str = ""
    fetched: bool = False
    configured: ConfiguredAgent | None = None

    @property
    def installed(self) -> bool:
        return bool(self.program) and not self.fetched


class Agents(Frozen):
    """Agents, of all those that can be started first; what is wrong with others is in `problems`."""

    listed: tuple[Agent, ...] = ()
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> Agent:
        """The agent of that name. Raises `UserFault`."""
        for agent in self.listed:
            if agent.name == name:
                return agent
        names = [agent.name for agent in self.listed]
        near = difflib.get_close_matches(name, names, 3)
        hint = f"Did you mean {' or '.join(map(named, near))}?" if near else "List agents with: acp-tui agents"
        problem = next((problem for problem in self.problems if f"{spelled(('agents', name))}:" in problem), "")
        raise UserFault(f"Unknown agent: {named(name)}", problem, hint)


def list_agents(config: Config, folder: Path, registry: Agents | None = None) -> Agents:
    """All agents for work in `folder`, which `config` was loaded for."""
    told = registry or Agents()
    programs = Programs(folder)
    unconfigured = {agent.name: agent for agent in _unconfigured(told.listed, programs)}
    by_name, problems = dict(unconfigured), [*told.problems]
    for configured in config.all_agents:  # what a project says and is no agent leaves the user's own in its place
        try:
            agent = _configured(configured, unconfigured.get(configured.name), programs)
        except UserFault as fault:
            problems.append(f"{configured.place()}: {fault}")
            continue
        if agent is None:
            problems.append(f"{configured.place()}: needs a command, since it is not a known agent")
        else:
            by_name[agent.name] = agent

    def rank(agent: Agent) -> tuple[bool, bool, bool, int]:
        origin = ("project", "own", "known", "registry").index(agent.origin)
        return agent.name != config.own_default_agent, not agent.installed, not agent.program, origin

    return Agents(tuple(sorted(by_name.values(), key=rank)), tuple(problems))


def _unconfigured(offers: Sequence[Agent], programs: Programs) -> Iterator[Agent]:
    offered = {agent.name: agent for agent in offers}
    for known in KNOWN_AGENTS:
        words = known.name, known.title, known.description
        other = offered.pop(known.registry or known.name, None)
        agent = _found(Agent(*words, known.argv, "known", install=known.install, homepage=known.homepage), programs)
        if not agent.program and other is not None and (fetched := _found(other, programs)).program:
            agent = replace(fetched, name=known.name, title=known.title, description=known.description)
        yield agent
    yield from (_found(other, programs) for other in offered.values())


def _configured(configured: ConfiguredAgent, known: Agent | None, programs: Programs) -> Agent | None:
    settings = configured.settings
    if not settings.command and known is None:
        return None
    base = known or Agent(configured.name, configured.name, "", (), "own")
    if settings.command:
        # A name is looked for in PATH; what is written as a path is one.
        is_path = os.sep in settings.command or settings.command.startswith("~")
        command = str(configured.path(settings.command)) if is_path else settings.command
        argv = (command, *(settings.args or ()))
    else:
        argv = base.argv if settings.args is None else (base.argv[0], *settings.args)
    agent = replace(
        base,
        title=settings.title or base.title,
        description=settings.description or base.description,
        argv=argv,
        origin="project" if configured.project else "own",
        env={**base.env, **settings.env},
        install="" if settings.command else base.install,
        fetched=base.fetched and not settings.command,
        configured=configured,
    )
    return _found(agent, programs)


def _found(agent: Agent, programs: Programs) -> Agent:
    """The agent with its program, which the project does not supply unless a PATH that is configured says so."""
    agreed = agent.configured is not None and "PATH" in agent.configured.settings.env
    program = programs.find(agent.argv[0], path := agent.env.get("PATH"), agreed=agreed)
    return replace(agent, program=program, passed_over="" if program else programs.passed_over(agent.argv[0], path))
