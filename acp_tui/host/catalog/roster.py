"""The agents of one folder, and what the user must have agreed to before one starts; must not start any."""

import shlex
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agents import Agent, Agents, list_agents
from acp_tui.host.catalog.known_agents import CHOOSE, not_installed
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.catalog.launching import for_folder, launch_of
from acp_tui.host.catalog.registry import fetch_registry, known_registry, shown
from acp_tui.host.config.config import Config, ConfigFile, load_config
from acp_tui.host.store.consents import Consents
from acp_tui.host.system.current_folder import absolute_path
from acp_tui.protocol.introduction import Offer
from acp_tui.safe_text import named
from acp_tui.session.text.secret_masking import masked_words


class Roster:
    """Lists agents, finds them by name, says how to start them. `folder` is where they are to work."""

    def __init__(
        self, folder: Path, config: Config | None = None, *, cwd_given: bool = False, protocol: Offer | None = None
    ) -> None:
        """With `cwd_given` and `protocol` the user said so, and the settings of an agent do not count.

        Raises `UserFault` when a config file cannot be used. Nothing is fetched here.
        """
        self.folder = folder
        self.config = config or load_config(folder)
        self._cwd_given, self._protocol = cwd_given, protocol
        self._consents = Consents()
        self._registry = known_registry(self.config.registry)
        self.agents: Agents = list_agents(self.config, folder, self._registry)

    @property
    def protocol(self) -> Offer | None:
        """What the user wants to be offered to every agent, if they said so."""
        return self._protocol

    @property
    def to_fetch(self) -> str:
        """The address that `fetch` would ask, as it may be shown; empty if there is no need."""
        return "" if self._registry.fresh else shown(self.config.registry)

    def fetch(self) -> None:
        """Fetch the registry if it is old or was never fetched. Blocks for a few seconds at most; never raises."""
        if not self._registry.fresh:
            self._registry = fetch_registry(self.config.registry)
            self.agents = list_agents(self.config, self.folder, self._registry)

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
        name = self.config.proposed_agent
        return name if any(agent.name == name and agent.origin != "registry" for agent in self.agents.listed) else ""

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
        agent = next((agent for agent in self.agents.listed if agent.name == name), None)
        own = agent is not None and agent.origin == "own" and agent.package is not None
        return agent.program if agent is not None and own else ""

    def check_installed(self, agent: Agent) -> None:
        """Raises `UserFault` that says how to install the agent where it cannot be started."""
        if agent.program:
            return
        if agent.passed_over:
            raise passed_over(agent)
        if agent.origin == "registry":  # whose program is not looked for
            raise UserFault(f"{named(agent.title)} is not installed", hint=_how(agent))
        raise UserFault(*not_installed(agent.title, agent.argv[0], _how(agent)))

    def launch(self, agent: Agent, *, proposed: bool = False) -> Launch:
        """How to start an agent, as its settings are now; `proposed` by the project, where nobody else has named it.

        Raises `UserFault` when its settings cannot be used.
        """
        proposed_by = self.config.project if proposed else None
        launch = launch_of(agent, self.folder, cwd_given=self._cwd_given, proposed_by=proposed_by)
        launch = for_folder(launch, self.config.own)
        protocol = self._protocol or launch.command.protocol
        return replace(launch, command=replace(launch.command, name=agent.name, protocol=protocol))

    def chosen(self, name: str | None) -> Launch | None:
        """How to start the agent of that name (None: the default one), if it is installed; nothing is fetched.

        Raises `UserFault` when it is not known, or its settings cannot be used.
        """
        wanted = self.default_agent if name is None else name
        agent = self.agents.find(wanted) if wanted else None
        proposed = name is None and bool(self.proposed)
        return self.launch(agent, proposed=proposed) if agent is not None and agent.program else None

    def is_trusted(self, launch: Launch) -> bool:
        """Whether the user agreed to exactly this start, or need not be asked."""
        consent = launch.consent
        return consent is None or (consent.lasts and self._consents.holds(consent.fingerprint))

    def check_trusted(self, launch: Launch) -> None:
        """Raises `UserFault` where the user would have to be asked and cannot be."""
        if launch.consent is None or self.is_trusted(launch):
            return
        consent, command = launch.consent, named(shlex.join(masked_words(launch.command.argv)))
        if consent.file is None:
            raise UserFault(
                "Consent needed: the last session's agent may run files of this project",
                f"It was started with: {command}",
                f"Agree for this run with --trust-project, or name it again: acp-tui run -c ... -- {command}",
            )
        raise UserFault(
            f"Consent needed: the project wants to start {named(consent.name)}",
            f"{named(consent.file)} would run: {command}",
            "Agree for this run with --trust-project, or permanently on the screen: acp-tui",
        )

    def trust(self, launch: Launch) -> None:
        """The user agrees to exactly this start, for good. Raises OSError when that cannot be remembered."""
        if launch.consent is not None and launch.consent.lasts:
            self._consents.add(launch.consent.fingerprint, launch.consent.folder, launch.consent.name)


def _how(agent: Agent) -> str:
    """How to get an agent that is not installed."""
    if agent.package is not None and not agent.install:
        return "Choose it in the list to install it again: acp-tui"
    if agent.package is not None and agent.origin == "registry":  # what else is installed is not looked for
        return CHOOSE
    if agent.package is not None:
        return f"{CHOOSE}\nOr install it yourself: {named(agent.install)}"
    if agent.origin == "registry":
        page = named(agent.homepage) or "the registry lists no page for it"
        return f"Download it: {page}\nThen start it by its path: acp-tui -- /path/to/{named(shlex.join(agent.argv))}"
    if agent.homepage:
        return f"How to install it: {named(agent.homepage)}"
    return "Install it, or fix its command: acp-tui config"


def passed_over(agent: Agent) -> UserFault:
    """Why an agent is not started although PATH leads to it."""
    found = absolute_path(agent.passed_over)
    return UserFault(
        f"{named(agent.title)} was found only inside the project",
        f"{named(found)}: project programs are not started by name",
        f"If you trust it, give its path: acp-tui -- {named(shlex.join([str(found), *agent.argv[1:]]))}",
    )
