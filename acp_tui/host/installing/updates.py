"""Newer versions of what was installed from here; found only where the user asks for them, and installed as ever."""

import shutil
from dataclasses import replace
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agents import Agent, list_agents
from acp_tui.host.catalog.known_agents import KNOWN_AGENTS
from acp_tui.host.catalog.package import Package
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.config.config import Config
from acp_tui.host.installing.installation import agents_folder
from acp_tui.safe_text import named


class Update(Frozen):
    """Another version of an installed agent; `package` is None where there is none.

    `note` says why it is left alone, or what else is different.
    """

    agent: Agent
    package: Package | None = None
    note: str = ""

    @property
    def is_older(self) -> bool:
        """Whether the version that is offered has lower numbers: a registry may have taken one back."""
        before = self.agent.package
        return self.package is not None and before is not None and self.package.release < before.release


def find_updates(roster: Roster) -> list[Update]:
    """What there is for each agent of the user's own config that was installed from here; nothing is fetched."""
    listed = list_agents(Config(roster.config.own), roster.folder).listed
    pinned = [agent for agent in listed if agent.origin == "own" and agent.package is not None and _is_pinned(agent)]
    return [_update(agent, roster) for agent in pinned]


def _is_pinned(agent: Agent) -> bool:
    return agent.configured is not None and bool(agent.configured.settings.package)


def _update(agent: Agent, roster: Roster) -> Update:
    if not Path(agent.argv[0]).is_relative_to(agents_folder() / agent.name):
        return Update(agent, note=f"skipped: its command is not in {named(agents_folder())}")
    known = next((known for known in KNOWN_AGENTS if known.name == agent.name), None)
    offer = roster.offered(known.registry or known.name if known is not None else agent.name)
    if offer is not None:
        agent = replace(agent, licence=agent.licence or offer.licence, publisher=agent.publisher or offer.publisher)
    before, offered = agent.package, offer.package if offer is not None else None
    if offered is not None and before is not None and (offered.kind, offered.name) != (before.kind, before.name):
        note = f"the registry now lists a different package, which is not used: {named(offered.spec)}"
        offer, offered = None, None
    else:
        note = _differences(agent, offer)
    if known is None:
        return Update(agent, offered if offered != before else None, note)
    newest = max((one for one in (before, offered, known.package) if one is not None), key=lambda one: one.release)
    return Update(agent, newest if newest != before else None, note)


def _differences(agent: Agent, offer: Agent | None) -> str:
    """What a new entry of the registry would start otherwise; the user's config keeps what it has."""
    if offer is None or (agent.argv[1:], dict(agent.env)) == (offer.argv[1:], dict(offer.env)):
        return ""
    return "the registry now lists other arguments or variables; yours are kept"


def remove_older(name: str, *kept: Package) -> None:
    """Remove versions of an agent that was installed from here, but for those `kept`.

    The one that was just replaced is to be kept: sessions that run go on with it.
    """
    folder = agents_folder() / name
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name not in {package.version for package in kept} and place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
