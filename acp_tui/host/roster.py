"""The agents of one folder, and what the person must have agreed to before one starts; must not start any."""

import shlex
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.agents import Agent, Agents, list_agents
from acp_tui.host.config.config import Config, load_config
from acp_tui.host.config.consent import Consents
from acp_tui.host.config.masked import masked_words
from acp_tui.host.config.settings import Protocol
from acp_tui.host.launch import Launch
from acp_tui.host.launching import launch_of
from acp_tui.host.registry import fetch_registry, known_registry, shown
from acp_tui.safe_text import named


class Roster:
    """Lists agents, finds them by name, says how to start them. `folder` is where they are to work."""

    def __init__(
        self, folder: Path, config: Config | None = None, *, cwd_given: bool = False, protocol: Protocol | None = None
    ) -> None:
        """With `cwd_given` and `protocol` the person said so, and the settings of an agent do not count.

        Raises `UserFault` when a config file cannot be used. Nothing is fetched here.
        """
        self.folder = folder
        self.config = config or load_config(folder)
        self._cwd_given, self._protocol = cwd_given, protocol
        self._consents = Consents()
        self._registry = known_registry(self.config.registry)
        self.agents: Agents = list_agents(self.config, self._registry)

    @property
    def to_fetch(self) -> str:
        """The address that `fetch` would ask, as it may be shown; empty if there is no need."""
        return "" if self._registry.fresh else shown(self.config.registry)

    def fetch(self) -> None:
        """Fetch the registry if it is old or was never fetched. Blocks for a few seconds at most; never raises."""
        if not self._registry.fresh:
            self._registry = fetch_registry(self.config.registry)
            self.agents = list_agents(self.config, self._registry)

    def look_again(self) -> None:
        """Something may have been installed in the meantime; config files are not read again."""
        self.agents = list_agents(self.config, self._registry)

    def find(self, name: str) -> Agent:
        """The agent of that name, fetching the registry only if it is not known otherwise. Raises `UserFault`."""
        try:
            return self.agents.find(name)
        except UserFault:
            if self._registry.fresh:
                raise
        self.fetch()
        return self.agents.find(name)

    def require(self, name: str) -> Agent:
        """The agent of that name, which can be started. Raises `UserFault` that says how to install it."""
        agent = self.find(name)
        if not agent.program:
            hint = f"Install it with: {agent.install}" if agent.install else "Install it, or correct its command."
            raise UserFault(f"{agent.title} is not installed", f"There is no program {agent.argv[0]}", hint)
        return agent

    def launch(self, agent: Agent) -> Launch:
        """How to start an agent, as its settings are now. Raises `UserFault` when they cannot be used."""
        launch = launch_of(agent, self.folder, cwd_given=self._cwd_given)
        if self._protocol is None:
            return launch
        return replace(launch, command=replace(launch.command, protocol=self._protocol))

    def is_trusted(self, launch: Launch) -> bool:
        """Whether the person agreed to exactly this start, or need not be asked."""
        return launch.consent is None or self._consents.holds(launch.consent.fingerprint)

    def check_trusted(self, launch: Launch) -> None:
        """Raises `UserFault` where the person would have to be asked and cannot be."""
        if launch.consent is None or self.is_trusted(launch):
            return
        raise UserFault(
            f"The agent {named(launch.consent.name)} is named by the project, and you have not agreed to start it",
            f"{named(launch.consent.file)} would run: {named(shlex.join(masked_words(launch.command.argv)))}",
            "Agree for this run with --trust-project, or for good on the screen: acp-tui --agent "
            + named(shlex.quote(launch.consent.name)),
        )

    def trust(self, launch: Launch) -> None:
        """The person agrees to exactly this start, for good. Raises OSError when that cannot be remembered."""
        if launch.consent is not None:
            self._consents.add(launch.consent.fingerprint, launch.consent.folder, launch.consent.name)
