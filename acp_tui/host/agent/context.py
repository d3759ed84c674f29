"""What stays the same while processes of one client's agent come and go."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from acp_tui.host.catalog.launch_plan import AgentCommand
from acp_tui.host.changes.settings import SWITCHED_OFF, SnapshotSettings
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.lifecycle import Lifecycle
from acp_tui.host.recording.traffic import Traffic
from acp_tui.host.sessions.session_source import FindRuns, Recording, SessionSource, no_runs
from acp_tui.protocol.capabilities import ClientCapabilities

StartProcess = Callable[[tuple[str, ...], Mapping[str, str], str], Awaitable[AgentProcess]]
"""Starts an agent by argument vector, variables on top of ours, and folder; raises `Fault`."""


@dataclass(slots=True)
class AgentContext:
    """How the agent is started from now on, what it is offered, and what is known of it and of its sessions.

    `sources` are the sessions of the client in the order in which they began. `recorded`: all of it happened before,
    maybe on another machine, whose folders need not be here. `offered_less`: the agent refused both versions of the
    protocol together.
    """

    command: AgentCommand
    cwd: str
    capabilities: ClientCapabilities
    attended: bool
    start: StartProcess
    lifecycle: Lifecycle = field(default_factory=Lifecycle)
    traffic: Traffic = field(default_factory=Traffic)
    sources: list[SessionSource] = field(default_factory=list)
    recording: Recording = field(default_factory=Recording)
    snapshots: SnapshotSettings = SWITCHED_OFF
    runs: FindRuns = no_runs
    recorded: bool = False
    offered_less: bool = False
