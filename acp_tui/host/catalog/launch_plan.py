"""The launch plan: how one agent is started, where it works and what it is offered, as one value that front ends read.

It is made once, of what the user has written out (`by_command`), of an agent of the list (`AgentList.plan`) or of the
last session's (`resume_commands`); then the user's file (`with_settings`) and the command line add to it. All of it is
there before anything that serves an agent is loaded.

An agent that was chosen by its name is started so that the project has no say in which program that is. `npx` and `uvx`
read settings of the folder that they are started in, and of those above: a checkout's `node_modules` is run instead of
the package, its `.npmrc` chooses the registry and the shell, its `node_modules/.bin` holds the `sh` and the `node` that
are used. So they are started in an empty folder of ours, with a PATH that does not lead into the project, and only what
they have fetched goes on to the folder that is worked in, by a few lines of shell.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

from acp_tui.errors import UserFault
from acp_tui.expressions import expression
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.config.preferences import SWITCHED_OFF, SnapshotSettings, snapshot_settings
from acp_tui.host.config.state_files import cache_folder, private_folder, read_private, write_private
from acp_tui.host.rules.rule import RulePolicy
from acp_tui.host.system.paths import absolute_path, project_folders, search_path
from acp_tui.protocol.capabilities import ClientCapabilities, McpServer, Offer, SystemPrompt
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.config.config import Config
    from acp_tui.host.records.record_info import RecordInfo
    from acp_tui.host.records.wire_record import WireRecords
    from acp_tui.session.form import Settings

BROWSE = "browse"
"""In place of a session's id: the user chooses one from a list."""
RECORDED_AT_MOST = 2_000  # characters of a command: the first line of a record is a short one
_SETTINGS = "acp_tui.host.catalog.launch_settings"

_HERE, _SEARCHED, _PATH = "ACP_TUI_FOLDER", "ACP_TUI_SEARCHED", "ACP_TUI_PATH"
_GO_ON = f"""\
cd "${_HERE}" || exit
PATH="${{PATH%"${_SEARCHED}"}}${_PATH}"
unset {_HERE} {_SEARCHED} {_PATH}
"""
# npm runs every script by its shell: those of packages that are installed, and last the agent, which is called `npx`.
_NPM_SHELL = f"""\
#!/bin/sh
unset npm_config_script_shell
if [ "$npm_lifecycle_event" = npx ]; then
{_GO_ON}export INIT_CWD="$PWD"
fi
exec /bin/sh "$@"
"""
_UV_SHELL = f'{_GO_ON}exec "$@"'
_SHELL = "npm-shell"
# Both look for the folder of a project upwards until they find one of these.
_BOUNDARY = {"package.json": "{}\n", "uv.toml": ""}
_TAKES_VALUE = frozenset(("-p", "--package", "-c", "--call"))
_NAMES_A_PLACE = ("-w", "--workspace", "--prefix", "-C")
_LOCAL = (".", "/", "~", "file:")
_HAS_SHELL = sys.platform != "win32"
_PACKAGE = expression(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")


class AgentCommand(Frozen):
    """How to start an agent: its argument vector (never a shell line), variables on top of ours, what it is offered.

    `defaults` say, a sentence each, what was set because the agent is known to need it. `program` is where the program
    of an agent that was chosen by its name was found; empty where the user wrote the command out. `check` is called
    before each start, in a thread, and raises `UserFault` where what was agreed to has changed. `name` is what it was
    chosen by.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    protocol: Offer = "1"
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

    `title` is what the user calls it; a session has that until the agent introduces itself. `resume` names a session of
    the agent's to go on with (`latest`: the last of the folder; BROWSE: the user chooses one on the screen), or none.
    `recorded` says that what happens is written down; `wire` writes down the wire. `settings` are options of the
    session by name. `handed` is the record that it is to go on with. `snapshots`: what is kept of files.
    `prompt` is sent once the session is open; empty if the user writes the first one. `policy`: which rules answer
    permission requests.
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
    prompt: str = ""
    policy: RulePolicy = RulePolicy()

    def with_command(self, **changes: Any) -> LaunchPlan:
        """The plan with another command; `changes` are fields of `AgentCommand`."""
        return replace(self, command=replace(self.command, **changes))


def by_command(argv: Sequence[str], cwd: Path, protocol: Offer | None = None) -> LaunchPlan:
    """How to start what the user has written out."""
    return with_defaults(LaunchPlan(AgentCommand(tuple(argv), protocol=protocol or "1"), cwd))


def with_defaults(plan: LaunchPlan) -> LaunchPlan:
    """The same with what a known agent needs, where nobody has said otherwise; `command.defaults` says what that is."""
    known = known_by_argv(plan.command.argv)
    if known is None:
        return plan
    plan = replace(plan, title=plan.title or known.title)
    if not known.reads_itself:
        return plan
    plan = plan.with_command(defaults=(f'{known.title} has fs = "write": {known.reads_itself}',))
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


class Start(Frozen):
    """What the system is given: argument vector, variables on top of ours, folder."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str


def start_of(command: AgentCommand, cwd: str) -> Start:
    """How to start `command` for work in `cwd`; what the user has written out is started as it stands.

    Raises `UserFault` when it cannot be kept apart from the project.
    """
    env = dict(command.env)
    if not command.program or not Path(cwd).is_dir():
        return Start(command.argv, env, cwd)
    try:
        return _kept_apart(command, env, cwd)
    except OSError as error:
        reason = f"{_folder()}: {error.strerror or error}"
        raise UserFault("The agent could not be isolated from the project", reason) from error


def _kept_apart(command: AgentCommand, env: dict[str, str], cwd: str) -> Start:
    argv = (command.program, *command.argv[1:])
    path = env.get("PATH", os.environ.get("PATH", os.defpath))
    absolute = search_path(path)
    searched = search_path(absolute, project_folders(Path(cwd)))
    after = _with_node_of(searched, absolute)
    if _is_fetched_by_npx(command.argv):
        env["npm_config_script_shell"] = str(_folder() / _SHELL)
        return _in_our_folder(argv, env, cwd, searched, after)
    fetched = _by_uvx(command.argv)
    if fetched is not None:
        source, rest = fetched
        shell = ("/bin/sh", "-c", _UV_SHELL, "sh") if _HAS_SHELL else ()
        return _in_our_folder((command.program, "--from", source, *shell, *rest), env, cwd, searched, after)
    if after != path:
        env["PATH"] = after
    return Start(argv, env, cwd)


def _folder() -> Path:
    return cache_folder() / "launcher"


def _with_boundary() -> Path:
    """Our empty folder, in which a search for a project ends."""
    for name, text in _BOUNDARY.items():
        _put(_folder() / name, text)
    return _folder()


def installer_start(argv: tuple[str, ...], env: Mapping[str, str], away_from: Path) -> Start:
    """How to start a program that installs something, so that the project `away_from` has no say in it.

    `env` of the result is all of its variables. What npm gives to the programs that it starts holds the settings of
    the project that it was called in, and is left out if it has started us. Raises OSError.
    """
    names = ("npm_", "INIT_CWD") if "npm_command" in os.environ else ()
    ours = {name: value for name, value in os.environ.items() if not name.startswith(names)} if names else os.environ
    path = search_path(os.environ.get("PATH", os.defpath), project_folders(away_from))
    added = env.get("PATH")
    searched = os.pathsep.join((path, added)) if added else path
    return Start(argv, {**ours, **env, "PATH": searched}, str(_with_boundary()))


def _in_our_folder(argv: tuple[str, ...], env: dict[str, str], cwd: str, searched: str, after: str) -> Start:
    """The launcher with the PATH `searched`; what it has fetched goes on to `cwd` with the PATH `after`.

    Where there is no POSIX shell, the agent stays in our folder: ACP tells it where to work.
    """
    folder = _with_boundary()
    _put(folder / _SHELL, _NPM_SHELL)
    (folder / _SHELL).chmod(0o700)
    env["PATH"] = searched
    if _HAS_SHELL:
        env |= {_HERE: cwd, _SEARCHED: searched, _PATH: after}
    else:
        env.pop("npm_config_script_shell", None)
    return Start(argv, env, str(folder))


def _with_node_of(searched: str, path: str) -> str:
    """`path`, in which `node` is the one of `searched`: `env node` is the first line of many agents.

    The other programs of an environment in the project that the user has activated are for the agent's commands.
    """
    node = which("node", path=searched)
    if not _HAS_SHELL or node is None or which("node", path=path) == node:
        return path
    name = hashlib.sha256(node.encode(errors="surrogateescape")).hexdigest()[:16]
    folder = private_folder(_folder() / f"node-{name}")
    if not os.path.lexists(folder / "node"):
        with suppress(FileExistsError):
            (folder / "node").symlink_to(node)
    return os.pathsep.join((str(folder), path))


def _put(path: Path, text: str) -> None:
    data = text.encode()
    with suppress(OSError):
        if read_private(path, len(data)) == data:
            return
    write_private(path, data)


def is_kept_apart(argv: Sequence[str]) -> bool:
    """Whether what is run is fetched, in a folder of ours: nothing of a project is meant."""
    return bool(argv) and (_is_fetched_by_npx(argv) or _by_uvx(argv) is not None)


def _is_fetched_by_npx(argv: Sequence[str]) -> bool:
    """Whether npx fetches what is not there without asking (`-y`), so that nothing of the project can be meant."""
    if argv[0] != "npx":
        return False
    agreed, words = False, iter(argv[1:])
    for word in words:
        if word.startswith(_NAMES_A_PLACE):
            return False
        agreed = agreed or word in ("-y", "--yes")
        named = next(words, "") if word in _TAKES_VALUE else word.partition("=")[2] if word.startswith("-") else word
        if named.startswith(_LOCAL):
            return False
        if not word.startswith("-"):
            break
    return agreed


def _by_uvx(argv: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The package that uvx fetches, and the command of it that is run with its arguments; None for another use."""
    if argv[0] != "uvx" or len(argv) < 2:
        return None
    if argv[1] == "--from" and len(argv) > 3 and not argv[2].startswith(_LOCAL):
        return argv[2], tuple(argv[3:])
    name = _PACKAGE.match(argv[1])
    if name is None or name[0] == "python" or "/" in argv[1]:
        return None
    return argv[1], (name[0], *argv[2:])
