"""The agents that can be started here: known ones, configured ones, a registry's; must not start any.

Of several with the same name the configured one counts, then the known one: no registry takes the place of either.
What a registry lists is never looked for in PATH, for then it would choose which program of this machine is started:
it has to be installed, and stands in the config file from then on.
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
from acp_tui.host.catalog.package import Package, read_pin
from acp_tui.host.config.config import Config, ConfiguredAgent
from acp_tui.host.config.source_files import spelled
from acp_tui.host.system.programs import Programs
from acp_tui.safe_text import named

Origin = Literal["known", "own", "registry"]


class Agent(Frozen):
    """An agent to choose. `program` is where its command was found, empty if it was not.

    `passed_over` is where its command was found, but is not looked for: in the project, or by a relative entry of PATH.
    `package` is what can be installed for it from here, `install` a shell command that does the same by hand; without
    them `homepage` says how to get it. `configured` is what a config file says.
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
    package: Package | None = None
    licence: str = ""
    publisher: str = ""
    configured: ConfiguredAgent | None = None

    @property
    def installed(self) -> bool:
        return bool(self.program)


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
    by_name = {agent.name: agent for agent in _unconfigured(told.listed, programs)}
    problems = [*told.problems]
    for configured in config.agents.values():
        try:
            agent = _configured(configured, by_name.get(configured.name), programs)
        except UserFault as fault:
            problems.append(f"{configured.place()}: {fault}")
            continue
        if agent is None:
            problems.append(f"{configured.place()}: needs a command, since it is not a known agent")
            continue
        by_name[agent.name] = agent
        if configured.settings.package and agent.package is None:
            problems.append(f"{configured.place('package')}: must be npm:NAME@VERSION or python:NAME==VERSION")

    def rank(agent: Agent) -> tuple[bool, bool, int]:
        origin = ("own", "known", "registry").index(agent.origin)
        return agent.name != config.own_default_agent, not agent.program, origin

    return Agents(tuple(sorted(by_name.values(), key=rank)), tuple(problems))


def _unconfigured(offers: Sequence[Agent], programs: Programs) -> Iterator[Agent]:
    taken = set[str]()
    for known in KNOWN_AGENTS:
        taken |= {known.name, known.registry}
        agent = Agent(
            known.name,
            known.title,
            known.description,
            known.argv,
            "known",
            install=known.install,
            homepage=known.homepage,
            package=known.package,
            licence=known.licence,
            publisher=known.publisher,
        )
        yield _found(agent, programs)
    yield from (offer for offer in offers if offer.name not in taken)


def _configured(configured: ConfiguredAgent, known: Agent | None, programs: Programs) -> Agent | None:
    settings = configured.settings
    if not settings.command and known is None:
        return None
    if known is None or (settings.command and known.origin == "registry"):  # which says nothing of what is the user's
        known = Agent(configured.name, configured.name, "", (), "own")
    agent = replace(
        known,
        title=settings.title or known.title,
        description=settings.description or known.description,
        argv=_argv(configured, known),
        origin="own",
        env={**known.env, **settings.env},
        install="" if settings.command else known.install,
        package=_package(configured, known),
        configured=configured,
    )
    return agent if known.origin == "registry" else _found(agent, programs)


def _argv(configured: ConfiguredAgent, known: Agent) -> tuple[str, ...]:
    settings = configured.settings
    if not settings.command:
        return known.argv if settings.args is None else (known.argv[0], *settings.args)
    # A name is looked for in PATH; what is written as a path is one.
    is_path = os.sep in settings.command or settings.command.startswith("~")
    command = str(configured.file.path_of(settings.command)) if is_path else settings.command
    return command, *(settings.args or ())


def _package(configured: ConfiguredAgent, known: Agent) -> Package | None:
    """What may be installed for a configured agent: nothing for a command of the user's own."""
    settings = configured.settings
    if not settings.package:
        return None if settings.command else known.package
    try:
        return read_pin(settings.package)
    except ValueError:
        return None


def _found(agent: Agent, programs: Programs) -> Agent:
    """The agent with its program, which the project does not supply unless a PATH that is configured says so."""
    agreed = agent.configured is not None and "PATH" in agent.configured.settings.env
    program = programs.find(agent.argv[0], path := agent.env.get("PATH"), agreed=agreed)
    return replace(agent, program=program, passed_over="" if program else programs.passed_over(agent.argv[0], path))
