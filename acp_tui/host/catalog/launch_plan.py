"""The launch plan: how one agent is started, where it works and what it is offered, as one value that front ends read.

It is made once, of what the user has written out (`by_command`), of an agent of the list (`AgentList.plan`) or of the
last session's (`resume_commands`); then the user's file (`with_settings`) and the command line add to it. Plain data,
which is there before anything that serves an agent is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.changes.settings import SWITCHED_OFF, SnapshotSettings, snapshot_settings
from acp_tui.host.system.current_folder import absolute_path
from acp_tui.protocol.capabilities import ClientCapabilities, McpServer, SessionScope, SystemPrompt
from acp_tui.protocol.introduction import Offer
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.config.config import Config
    from acp_tui.host.recording.wire_record import WireRecords
    from acp_tui.host.records.info import RecordInfo
    from acp_tui.session.forms.form import Settings

BROWSE = "browse"
"""In place of a session's id: the user chooses one from a list."""
RECORDED_AT_MOST = 2_000  # characters of a command: the first line of a record is a short one
_SETTINGS = "acp_tui.host.catalog.launch_settings"


class AgentCommand(Frozen):
    """How to start an agent: its argument vector (never a shell line), variables on top of ours, what it is offered.

    `title` is what the user calls it; a session has that until the agent introduces itself. `defaults` say, a
    sentence each, what was set because the agent is known to need it. `program` is where the program of an agent that
    was chosen by its name was found; empty where the user wrote the command out. `check` is called before each start,
    in a thread, and raises `UserFault` where what was agreed to has changed. `name` is what it was chosen by.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    protocol: Offer = "1"
    title: str = ""
    defaults: tuple[str, ...] = ()
    program: str = ""
    check: Callable[[], None] | None = field(default=None, compare=False)
    name: str = ""

    def recorded(self) -> dict[str, Any]:
        """How it is started, for who wants to go on with its session later (`resume_commands`).

        An agent that was chosen by its name is looked up again by that: what a record says must never stand in for what
        the user agreed to. Nothing is told of a command with a secret, a long one, or one of a folder that is gone.
        """
        if self.name:
            return {"agent": self.name}
        if not self.argv or _has_secret(self.argv) or sum(map(len, self.argv)) > RECORDED_AT_MOST:
            return {}
        program, *arguments = self.argv
        found = self.program or which(program) or ""
        try:  # it is relative to the folder that we were started in, which is another one next time
            program = str(absolute_path(program)) if os.sep in program else program
            start = {"argv": [program, *arguments], "program": str(absolute_path(found)) if found else ""}
        except UserFault:  # or is gone, with all that was in it
            return {}
        return start | ({"protocol": self.protocol} if self.protocol != "1" else {})


def _has_secret(argv: Sequence[str]) -> bool:
    """Whether a flag, an address or a variable (`env API_KEY=... agent`) seems to hold one."""
    masked: list[str] = late("acp_tui.session.text.secret_masking").masked_words(argv)
    return masked != list(argv)


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


class LaunchPlan(Frozen):
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

    def commanded(self, **changes: Any) -> LaunchPlan:
        """The plan with another command; `changes` are fields of `AgentCommand`."""
        return replace(self, command=replace(self.command, **changes))


def by_command(argv: Sequence[str], cwd: Path, protocol: Offer | None = None) -> LaunchPlan:
    """How to start what the user has written out."""
    return with_defaults(LaunchPlan(AgentCommand(tuple(argv), protocol=protocol or "1"), cwd))


def with_defaults(plan: LaunchPlan) -> LaunchPlan:
    """The same with what a known agent needs, where nobody has said otherwise; `command.defaults` says what that is."""
    known = known_by_argv(plan.command.argv)
    if known is None or not known.reads_itself:
        return plan
    plan = plan.commanded(defaults=(f'{known.title} has fs = "write": {known.reads_itself}',))
    return replace(plan, capabilities=replace(plan.capabilities, read_text_file=False))


def with_settings(plan: LaunchPlan, config: Config) -> LaunchPlan:
    """With what the user's file says for all agents and, unless it was found by its name, for its folder.

    Raises `UserFault` where that cannot be used.
    """
    own, capabilities = config.own, plan.capabilities
    if not plan.command.name and own.says("folders", {}):
        plan = late(_SETTINGS).for_folder(plan, own)
    if config.has_prompt:
        plan = late(_SETTINGS).prompted(plan, own)
    if not own.says("suggestions", True):
        capabilities = replace(capabilities, prompt_suggestions=False)
    return replace(plan, capabilities=capabilities, snapshots=snapshot_settings(own.says))
