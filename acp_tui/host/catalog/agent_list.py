"""The agents that can be started in a folder, whatever their source, and what the user must have agreed to before.

Of several with the same name the configured one counts, then the known one: no registry takes the place of either.
What a registry lists is never looked for in PATH, for then it would choose which program of this machine is started:
it has to be installed, and stands in the config file from then on. Nothing is started here.
"""

import os
import shlex
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import INSTALLERS, KNOWN_AGENTS, Agent, known_by_name, read_pin
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.catalog.launch_settings import plan_of
from acp_tui.host.catalog.registry import Registry, fetch_registry, known_registry, shown
from acp_tui.host.config.choices import Consents
from acp_tui.host.config.config import Config, ConfigFile, ConfiguredAgent, load_config
from acp_tui.host.config.source_files import spelled
from acp_tui.host.system.paths import Programs
from acp_tui.protocol.capabilities import Offer
from acp_tui.safe_text import named
from acp_tui.session.text.near_names import near_names
from acp_tui.session.text.secret_masking import masked_words


class Agents(Frozen):
    """Agents, of all those that can be started first; what is wrong with others is in `problems`."""

    listed: tuple[Agent, ...] = ()
    problems: tuple[str, ...] = ()

    def get(self, name: str) -> Agent | None:
        """The agent of that name, else the known one that has it among its other names."""
        known = known_by_name(name)
        names = (name, known.name) if known else (name,)
        return next((agent for each in names for agent in self.listed if agent.name == each), None)

    def find(self, name: str) -> Agent:
        """The agent of that name. Raises `UserFault`."""
        if (agent := self.get(name)) is not None:
            return agent
        near = near_names(name, [agent.name for agent in self.listed])[:3]
        hint = f"Did you mean {' or '.join(map(named, near))}?" if near else "List agents with: acp-tui agents"
        problem = next((problem for problem in self.problems if f"{spelled(('agents', name))}:" in problem), "")
        raise UserFault(f"Unknown agent: {named(name)}", problem, hint)


def list_agents(config: Config, folder: Path, registry: Registry | None = None) -> Agents:
    """All agents for work in `folder`, which `config` was loaded for."""
    offers, programs = registry or Registry(), Programs(folder)
    taken = {name for known in KNOWN_AGENTS for name in (known.name, known.registry)}
    by_name = {offer.name: offer for offer in offers.listed if offer.name not in taken}
    by_name = {known.name: _found(known, programs) for known in KNOWN_AGENTS} | by_name
    problems = [*offers.problems]
    for configured in config.agents.values():
        try:
            agent = by_name[configured.name] = _configured(configured, by_name.get(configured.name), programs)
        except UserFault as fault:
            problems.append(f"{configured.place()}: {fault}")
            continue
        if configured.settings.package and agent.package is None:
            problems.append(f"{configured.place('package')}: must be npm:NAME@VERSION or python:NAME==VERSION")

    def rank(agent: Agent) -> tuple[bool, bool, int]:
        origin = ("own", "known", "registry").index(agent.origin)
        return agent.name != config.own_default_agent, not agent.program, origin

    missing = {kind: needed for kind, needed in INSTALLERS.items() if not programs.find(needed[0])}
    agents = (
        replace(agent, needs=missing.get(agent.package.kind)) if agent.package and not agent.program else agent
        for agent in sorted(by_name.values(), key=rank)
    )
    return Agents(tuple(agents), tuple(problems))


def _configured(configured: ConfiguredAgent, known: Agent | None, programs: Programs) -> Agent:
    settings = configured.settings
    if known is None and not settings.command:
        raise UserFault("needs a command, since it is not a known agent")
    if known is None or (settings.command and known.origin == "registry"):  # which says nothing of what is the user's
        known = Agent(configured.name, configured.name, "", (), "own")
    package = None if settings.command else known.package  # for a command of the user's own nothing may be installed
    if settings.package:
        try:
            package = read_pin(settings.package)
        except ValueError:
            package = None
    agent = replace(
        known,
        title=settings.title or known.title,
        description=settings.description or known.description,
        argv=_argv(configured, known),
        origin="own",
        env={**known.env, **settings.env},
        package=package,
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


def _found(agent: Agent, programs: Programs) -> Agent:
    """The agent with its program, which the project does not supply unless a PATH that is configured says so."""
    agreed = agent.configured is not None and "PATH" in agent.configured.settings.env
    program = programs.find(agent.argv[0], path := agent.env.get("PATH"), agreed=agreed)
    return replace(agent, program=program, passed_over="" if program else programs.passed_over(agent.argv[0], path))


class AgentList:
    """Lists agents, finds them by name, says how to start them. `folder` is where they are to work."""

    def __init__(
        self, folder: Path, config: Config | None = None, *, cwd_given: bool = False, protocol: Offer | None = None
    ) -> None:
        """With `cwd_given` and `protocol` the user said so, and the settings of an agent do not count.

        Raises `UserFault` when a config file cannot be used. Nothing is fetched here.
        """
        self.folder = folder
        self.config = config or load_config(folder)
        self.protocol, self._cwd_given = protocol, cwd_given
        self._consents = Consents()
        self._registry = known_registry(self.config.registry)
        self.agents = Agents()
        self.look_again()

    @property
    def to_fetch(self) -> str:
        """The address that `fetch` would ask, as it may be shown; empty if there is no need."""
        return "" if self._registry.fresh else shown(self.config.registry)

    def fetch(self) -> None:
        """Fetch the registry if it is old or was never fetched. Blocks for a few seconds at most; never raises."""
        if not self._registry.fresh:
            self._registry = fetch_registry(self.config.registry)
            self.look_again()

    def look_again(self) -> None:
        """Something may have been installed in the meantime; config files are not read again."""
        self.agents = list_agents(self.config, self.folder, self._registry)

    def read_again(self) -> None:
        """The user's config file was written; all else stays. Raises `UserFault` when it cannot be used."""
        self.config = replace(self.config, own=ConfigFile.read(self.config.own.path))
        self.look_again()

    def offered(self, name: str) -> Agent | None:
        """What the registry, as far as it is fetched, has under that id."""
        return next((agent for agent in self._registry.listed if agent.name == name), None)

    def find(self, name: str) -> Agent:
        """The agent of that name, fetching the registry only if it is not known otherwise. Raises `UserFault`."""
        try:
            return self.agents.find(name)
        except UserFault:
            if self._registry.fresh:
                raise
        self.fetch()
        return self.agents.find(name)

    @property
    def proposed(self) -> str:
        """The agent that the project's file names, if it is a known one or the user's own; else nothing."""
        agent = self.agents.get(self.config.proposed_agent)
        return agent.name if agent is not None and agent.origin != "registry" else ""

    @property
    def default_agent(self) -> str:
        """The agent that starts where none is named; the project's word counts more, but needs consent."""
        return self.proposed or self.config.own_default_agent

    @property
    def ignored(self) -> str:
        """Why what the project's file names is not started, in words; empty where there is no such thing."""
        name = self.config.proposed_agent
        if not name or self.proposed:
            return ""
        reason = "neither a known agent nor one of your own, so it is ignored"
        return f"{self.config.place('default_agent')}: {named(name)} is {reason}"

    def installed_program(self, name: str) -> str:
        """The absolute path of the user's own agent of that name, if it was installed from here; else empty."""
        agent = self.agents.get(name)
        own = agent is not None and agent.origin == "own" and agent.package is not None
        return agent.program if agent is not None and own else ""

    def plan(self, agent: Agent, *, by_default: bool = False) -> LaunchPlan:
        """How to start an agent, as its settings are now; `by_default` nobody has named it, unless the project has.

        Raises `UserFault` when its settings cannot be used.
        """
        proposed_by = self.config.project if by_default and self.proposed else None
        plan = plan_of(agent, self.folder, self.config.own, cwd_given=self._cwd_given, proposed_by=proposed_by)
        return plan.with_command(protocol=self.protocol) if self.protocol else plan

    def plan_of_installed(self, name: str | None) -> LaunchPlan | None:
        """The plan for the agent of that name (None: the default one), if it is there; nothing is fetched.

        Raises `UserFault` when its settings cannot be used.
        """
        agent = self.agents.get(self.default_agent if name is None else name)
        return self.plan(agent, by_default=name is None) if agent is not None and agent.program else None

    def is_trusted(self, plan: LaunchPlan) -> bool:
        """Whether the user agreed to exactly this start, or need not be asked."""
        consent = plan.consent
        return consent is None or (consent.lasts and self._consents.holds(consent.fingerprint))

    def check_trusted(self, plan: LaunchPlan) -> None:
        """Raises `UserFault` where the user would have to be asked and cannot be."""
        if plan.consent is None or self.is_trusted(plan):
            return
        consent, command = plan.consent, named(shlex.join(masked_words(plan.command.argv)))
        if consent.file is None:
            raise UserFault(
                "Consent needed: the last session's agent may run files of this project",
                f"It was started with: {command}",
                f"Agree for this run with --trust-project, or name it again: acp-tui run -c ... -- {command}",
            )
        raise UserFault(
            f"Consent needed: the project wants to start {named(consent.name)}",
            f"{named(consent.file)} would run: {command}",
            "Agree for this run with --trust-project, or permanently: start acp-tui and agree there",
        )

    def trust(self, plan: LaunchPlan) -> None:
        """The user agrees to exactly this start, for good. Raises OSError when that cannot be remembered."""
        if plan.consent is not None and plan.consent.lasts:
            self._consents.add(plan.consent.fingerprint, plan.consent.folder, plan.consent.name)
