"""The context that stays the same while processes of one client's agent come and go."""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from acp_tui.errors import Fault
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.lifecycle import Lifecycle
from acp_tui.host.records.traffic import Traffic
from acp_tui.host.rules.command_chain import CommandEnvironment
from acp_tui.host.rules.rule import RuleSetup
from acp_tui.host.sessions.open_session import ClientVerbs, OpenSessions
from acp_tui.host.sessions.session_source import NoRecords, SessionRecords
from acp_tui.host.system.paths import real_path

StartProcess = Callable[[tuple[str, ...], Mapping[str, str], str], Awaitable[AgentProcess]]
"""Starts an agent by argument vector, variables on top of ours, and folder; raises `Fault`."""
NO_RECORDS = NoRecords()


class AgentContext:
    """How the agent is started from now on, what it is offered, and what is known of it and of its sessions.

    `rules` are what answers permission requests in the user's place.

    `offered_less`: the agent refused both versions of the protocol together.
    """

    def __init__(
        self, client: ClientVerbs, plan: LaunchPlan, start: StartProcess, records: SessionRecords, *, attended: bool
    ) -> None:
        self.client, self.start, self.records, self.attended = client, start, records, attended
        self.command, self.cwd, self.snapshots = plan.command, str(real_path(plan.cwd)), plan.snapshots
        alone = replace(plan.capabilities, terminal_login=False, prompt_suggestions=False)
        self.capabilities = plan.capabilities.with_user() if attended else alone
        self.lifecycle, self.traffic, self.sessions = Lifecycle(), Traffic(), OpenSessions()
        self.offered_less = False
        variables = CommandEnvironment.of({**os.environ, **plan.command.env})
        self.rules = RuleSetup(_rules_name(plan.command), variables, plan.policy, remember=plan.recorded)


def _rules_name(command: AgentCommand) -> str:
    """What rules for one agent call it, on the screen and in a run alike, by its name or by its command."""
    known = known_by_argv(command.argv)
    return command.name or (known.name if known is not None else "".join(Path(each).name for each in command.argv[:1]))


class Supervision(Protocol):
    """What a connected agent has its supervisor do."""

    def fail(self, fault: Fault, /) -> None:
        """End the connection, and say why."""

    def offer_less(self) -> None:
        """Start the agent anew, and offer it the oldest version of the protocol alone from then on."""
