"""All that is needed to start an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_command import AgentCommand
from acp_tui.host.catalog.known_agents import known_by_argv
from acp_tui.host.changes.settings import SWITCHED_OFF, SnapshotSettings
from acp_tui.protocol.capabilities import ClientCapabilities, McpServer, SessionScope, SystemPrompt
from acp_tui.protocol.introduction import Offer

if TYPE_CHECKING:
    from acp_tui.host.recording.wire_record import WireRecords
    from acp_tui.host.records.info import RecordInfo
    from acp_tui.session.forms.form import Settings

BROWSE = "browse"
"""In place of a session's id: the user chooses one from a list."""


class Consent(Frozen):
    """What the user must agree to before the start, and the word for exactly that.

    `file` is the project's, which names the agent as its `default_agent`. Without one the user goes on with a session
    whose agent may run what is in `folder`: `watched` are the files of it that are part of what is agreed to,
    `unwatched` the folders and other things that are named and are not. Without `lasts` there was too much to read: it
    cannot be remembered.
    """

    name: str
    folder: Path
    fingerprint: str
    file: Path | None = None
    watched: tuple[str, ...] = ()
    unwatched: tuple[str, ...] = ()
    lasts: bool = True


class Launch(Frozen):
    """How to start an agent, where it works and what it is offered. `roots` are absolute paths.

    `resume` names a session of the agent's to go on with (`latest`: the last of the folder; BROWSE: the user
    chooses one on the screen), or none. `recorded` says that what happens is written down; `wire` writes
    down the wire. `settings` are options of the session by name. `handed` is the record that it is to go on with.
    `snapshots`: what is kept of files.
    """

    command: AgentCommand
    cwd: Path
    title: str = ""
    capabilities: ClientCapabilities = field(default_factory=ClientCapabilities)
    roots: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    consent: Consent | None = None
    resume: str = ""
    recorded: bool = True
    wire: WireRecords | None = None
    system_prompt: SystemPrompt = field(default_factory=SystemPrompt)
    settings: Settings = ()
    handed: RecordInfo | None = None
    snapshots: SnapshotSettings = SWITCHED_OFF

    @property
    def scope(self) -> SessionScope:
        return SessionScope(str(self.cwd), self.roots, self.mcp_servers)


def by_command(argv: Sequence[str], cwd: Path, protocol: Offer | None = None) -> Launch:
    """How to start what the user has written out."""
    return with_defaults(Launch(AgentCommand(tuple(argv), protocol=protocol or "1"), cwd))


def with_defaults(launch: Launch) -> Launch:
    """The same with what a known agent needs, where nobody has said otherwise; `command.defaults` says what that is."""
    known = known_by_argv(launch.command.argv)
    if known is None or not known.reads_itself:
        return launch
    command = replace(launch.command, defaults=(f'{known.title} has fs = "write": {known.reads_itself}',))
    return replace(launch, command=command, capabilities=replace(launch.capabilities, read_text_file=False))
