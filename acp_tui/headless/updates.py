"""`acp-tui agents update`: newer versions of the agents that were installed from here, each after a question."""

from pathlib import Path

import anyio

from acp_tui.console import fault_text, write_error, write_output
from acp_tui.errors import Fault
from acp_tui.headless.asking import agreed
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.installation import (
    RIGHTS,
    Installation,
    Update,
    find_updates,
    finish_installation,
    plan_installation,
    remove_older,
)
from acp_tui.host.desktop.user_commands import run_in_foreground
from acp_tui.safe_text import named, one_line

FAILED = 1


def update_agents(folder: Path) -> int:
    """Show old and new versions, ask for each, install; the exit code. Needs a terminal.

    `folder` is the project that has no say in it. Raises `UserFault` where the config file cannot be used.
    """
    agent_list = AgentList(folder)
    agent_list.fetch()
    for problem in [*agent_list.agents.problems, *agent_list.config.warnings]:
        write_output(one_line(problem))
    updates = find_updates(agent_list)
    for update in updates:
        if update.package is None:
            write_output(_as_it_is(update))
    failed = [update for update in updates if update.package is not None and not _offer(update, agent_list)]
    if not updates:
        write_output("No agents were installed with acp-tui. Choose one to install: acp-tui")
    elif not any(update.package for update in updates):
        write_output("Nothing to update.")
    return FAILED if failed else 0


def _as_it_is(update: Update) -> str:
    package = update.agent.package
    version = package.version if package is not None else ""
    return f"{named(update.agent.title)}  {named(version)}  {update.note or 'up to date'}"


def _offer(update: Update, agent_list: AgentList) -> bool:
    """Ask, and install where the user agrees; whether nothing went wrong."""
    try:
        installation = plan_installation(update.agent, agent_list, update.package)
        write_output("\n".join(["", *_question(installation, update)]))
        if not agreed(f"Install {named(installation.package.spec)}? [y/N]"):
            write_output("Skipped.")
            return True
        code = anyio.run(run_in_foreground, installation.argv, installation.cwd, installation.env)
        program = finish_installation(installation, code)
        agent_list.read_again()
    except Fault as fault:
        write_error(fault_text(fault))
        return False
    title = named(installation.agent.title)
    write_output(f"{title} {installation.package.version} is installed: {named(program)}")
    if installation.before is not None:
        remove_older(installation.agent.name, installation.package, installation.before)
        write_output(f"{title} {installation.before.version} is kept for running sessions until the next update.")
    return True


def _question(installation: Installation, update: Update) -> list[str]:
    before, after = installation.before, installation.package
    older = " (older)" if update.is_older else ""
    facts = [
        ("version", f"{before.version if before else '?'} → {after.version}{older}"),
        ("package", f"{after.spec} ({after.kind})"),
        ("publisher", installation.publisher),
        ("licence", installation.licence),
        ("runs", installation.command_line),
        ("in", installation.cwd),
        ("starts", installation.start_line),
        *(("variable", shown) for shown in installation.shown_env),
        *([("note", update.note)] if update.note else []),
    ]
    return [named(installation.agent.title), *(f"  {label:<10} {named(words)}" for label, words in facts), *RIGHTS]
