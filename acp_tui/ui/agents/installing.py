"""Installing an agent: the question that tells all of it, the command on the terminal, what came of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textual.app import App

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.installing.installation import RIGHTS, Installation
from acp_tui.host.installing.installed import finish_installation
from acp_tui.ui.agents.agreement import Agreement, Question, facts, in_groups
from acp_tui.ui.agents.attended import CANCELLED, attended
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Unit
from acp_tui.ui.terminal.suspension import run_on_terminal
from acp_tui.views.formatting import home_path

KINDS = {"npm": "npm", "python": "Python"}


class InstallScreen(Agreement):
    """Whether an agent is to be installed, and started then."""

    def __init__(self, installation: Installation) -> None:
        super().__init__(
            Question(
                f"Install {sanitise_line(installation.title, 40)} and start it?",
                in_groups((_package(installation), _command(installation), _afterwards(installation), _rights())),
                no="Do not install",
                yes="Install and start",
                warning="The agent runs with your permissions. Do you trust its publisher?",
            )
        )


def _package(installation: Installation) -> Iterator[Unit]:
    package = installation.package
    yield from facts("agent", installation.name)
    yield from facts("package", f"{package.name} ({KINDS[package.kind]})")
    yield from facts("version", package.version)
    if installation.before is not None and installation.before != package:
        yield from facts("installed now", installation.before.spec)
    yield from facts("licence", installation.licence)
    yield from facts("publisher", installation.publisher)
    if installation.origin == "registry":
        yield from facts("listed by", "the registry, not acp-tui")


def _command(installation: Installation) -> Iterator[Unit]:
    yield from facts("command", installation.command_line)
    yield from facts("folder", home_path(installation.cwd), muted=True)


def _afterwards(installation: Installation) -> Iterator[Unit]:
    yield from facts("then starts", installation.start_line)
    yield from facts("variables", *installation.shown_env)
    yield from facts("written to", home_path(str(installation.own.path)), muted=True)


def _rights() -> Iterator[Unit]:
    return facts("note", *RIGHTS)


async def install(app: App[Any], installation: Installation, roster: Roster) -> Agent | None:
    """Run the command on the terminal, and list what it has installed; None where the user has stopped it.

    Call it in a worker of the app. Raises `UserFault` that says what went wrong, and what to do.
    """
    argv = attended(installation.argv, installation.command_line)
    code = await run_on_terminal(app, argv, installation.cwd, installation.env)
    if code == CANCELLED:
        return None
    if code:
        raise UserFault(
            f"{sanitise_line(installation.title, 60)} was not installed",
            f"{Path(installation.argv[0]).name} failed with exit code {code}",
            f"Try it in your shell: {installation.package.by_hand}",
        )
    return await asyncio.to_thread(_listed, installation, roster)


def _listed(installation: Installation, roster: Roster) -> Agent:
    finish_installation(installation, 0)
    roster.read_again()
    agent = roster.agents.find(installation.name)
    if not agent.program:
        raise UserFault(
            f"{agent.title} was installed, but cannot be found", f"Command not found: {installation.program}"
        )
    return agent
