"""`acp-tui agents status` and `acp-tui agents update`: who is logged in, and newer versions of installed agents.

An agent says itself who is logged in: it is started, looked at, and ended. Each update is a question.
No session is opened, so nothing is recorded; what was said is printed and kept nowhere.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import anyio

from acp_tui.console import agreed, fault_text, write_error, write_output
from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import Agent
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
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import Client, Connection
from acp_tui.host.user_programs import run_in_foreground
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.phrases import account_names, login_words

FAILED = 1
START_WITHIN = 30.0  # seconds until an agent has introduced itself; npx may fetch it first
TELL_WITHIN = 10.0  # seconds more until it has said who is logged in; Claude's adapter looks for up to 5
AT_ONCE = 4  # agents that run beside each other
NOT_TOLD = "Does not report who is logged in"
NOTHING = ClientCapabilities(read_text_file=False, write_text_file=False, terminal=False, prompt_suggestions=False)


class LoginQuery(Frozen):
    """One agent to ask: what it is called, and how it is started, which raises `Fault` where it cannot be."""

    name: str
    plan: Callable[[], LaunchPlan]


class LoginAnswer(Frozen):
    """An answer in lines; `failed` where the agent could not be asked."""

    lines: tuple[str, ...]
    failed: bool = False


def show_status(agent_list: AgentList, names: Sequence[str], written_out: LaunchPlan | None) -> int:
    """Ask these agents (none: all that are installed), print a row for each as soon as it is known; the exit code.

    `written_out` is asked instead where there is one. Raises `UserFault` for a name that is not known.
    """
    agents = list(_asked(agent_list, names)) if written_out is None else [_written_out(written_out)]
    if not agents:
        write_output("No agents are installed. Choose one to install: acp-tui")
    width = max((len(agent.name) for agent in agents), default=0)

    def show(agent: LoginQuery, answer: LoginAnswer) -> None:
        for number, line in enumerate(answer.lines):
            write_output(f"{'' if number else agent.name:<{width}}  {line}")

    answers = anyio.run(_ask_all, agents, show)
    return FAILED if any(answer.failed for answer in answers) else 0


def _asked(agent_list: AgentList, names: Sequence[str]) -> Iterable[LoginQuery]:
    found = [agent_list.find(name) for name in names] or [
        agent for agent in agent_list.agents.listed if agent.installed
    ]
    return (LoginQuery(named(agent.name), partial(_plan, agent_list, agent)) for agent in found)


def _plan(agent_list: AgentList, agent: Agent) -> LaunchPlan:
    """Raises `Fault` where the agent is not installed, or the user would have to agree to its start first."""
    agent.check_installed()
    plan = agent_list.plan(agent)
    agent_list.check_trusted(plan)
    return plan


def _written_out(plan: LaunchPlan) -> LoginQuery:
    return LoginQuery(named(plan.command.argv[0]), lambda: plan)


async def _ask_all(agents: Sequence[LoginQuery], show: Callable[[LoginQuery, LoginAnswer], None]) -> list[LoginAnswer]:
    limit, answers = anyio.CapacityLimiter(AT_ONCE), list[LoginAnswer]()

    async def limited(agent: LoginQuery) -> LoginAnswer:
        async with limit:
            return await _ask(agent)

    async with asyncio.TaskGroup() as tasks:
        for agent, task in [(agent, tasks.create_task(limited(agent))) for agent in agents]:
            answers.append(await task)
            show(agent, answers[-1])
    return answers


async def _ask(agent: LoginQuery) -> LoginAnswer:
    try:
        plan = agent.plan()
    except Fault as fault:
        return _failed(fault)
    client = Client(LaunchPlan(plan.command, plan.cwd, capabilities=NOTHING))
    connection, changed = client.connection, anyio.Event()

    def look() -> None:
        nonlocal changed
        changed.set()
        changed = anyio.Event()

    async def wait(until: Callable[[Connection], bool], within: float) -> None:
        with anyio.move_on_after(within):
            while connection.phase in ("starting", "ready") and not until(connection):
                await changed.wait()

    client.subscribe(look)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.run)
        await wait(lambda connection: connection.phase == "ready", START_WITHIN)
        can = connection.capabilities
        if connection.phase == "ready" and (can.auth_status or can.tells_auth_status):
            await wait(lambda connection: connection.auth_status is not None, TELL_WITHIN)
        answer = _answer(connection)
        client.close()
    return answer


def _answer(connection: Connection) -> LoginAnswer:
    if connection.fault is not None:
        return _failed(connection.fault)
    if connection.phase != "ready":
        return LoginAnswer((f"Not started within {START_WITHIN:.0f} s",), failed=True)
    if connection.auth_status is None:
        return LoginAnswer((NOT_TOLD,))
    return LoginAnswer((login_words(connection.auth_status), *account_names(connection.auth_status)[1:]))


def _failed(fault: Fault) -> LoginAnswer:
    lines = "\n".join([fault.title, fault.message, fault.hint]).splitlines()
    return LoginAnswer(tuple(one_line(line, 300) for line in lines if line), failed=True)


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
        write_output(f"{title} {installation.before.version} remains for running sessions until the next update.")
    return True


def _question(installation: Installation, update: Update) -> list[str]:
    before, after = installation.before, installation.package
    older = " (older)" if update.is_older else ""
    facts = [
        ("version", f"{before.version if before else '?'} → {after.version}{older}"),
        ("package", f"{after.spec} ({after.kind})"),
        ("publisher", installation.publisher),
        ("license", installation.licence),
        ("runs", installation.command_line),
        ("in", installation.cwd),
        ("starts", installation.start_line),
        *(("variable", shown) for shown in installation.shown_env),
        *([("note", update.note)] if update.note else []),
    ]
    return [named(installation.agent.title), *(f"  {label:<10} {named(words)}" for label, words in facts), *RIGHTS]
