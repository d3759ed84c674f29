"""What installing an agent would do, all of it as values: shown to the user before anything is run.

Nothing here is run at a start, nor for a project's file: only where the user was asked, and agreed.
"""

import os
import shlex
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.known_agents import on_its_python
from acp_tui.host.catalog.launcher import installer_start
from acp_tui.host.catalog.package import Kind, Package
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.config.config import ConfigFile
from acp_tui.host.store.folders import cache_folder, data_folder
from acp_tui.host.system.programs import Programs, is_inside, project_folders
from acp_tui.safe_text import named
from acp_tui.session.text.secret_masking import masked_words
from acp_tui.session.text.secret_names import CONCEALED, option_asks

RIGHTS = (
    "The package, its dependencies and their install scripts run with your permissions.",
    "Only the package itself is pinned to this version; its dependencies are not.",
)
"""What the question must say, whatever is installed."""
NOT_TOLD = "not stated"

_NEEDS = {
    "npm": ("npm", "npm comes with Node.js: https://nodejs.org"),
    "python": ("uv", "Install uv first: https://docs.astral.sh/uv"),
}


class Installation(Frozen):
    """One agent at one exact version, and everything that is run and written for it.

    `argv`, `env` (all variables) and `cwd` are what the system is given; `variables` are those of them that are set
    for this command (PATH apart), to be shown with it. The agent is started as `program` (absolute) with `args` and
    `agent_env`. `own` is the user's config file as it was read; `before` is what is installed now, if it is a pinned
    package.
    """

    name: str
    title: str
    package: Package
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    program: str
    own: ConfigFile
    variables: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    agent_env: Mapping[str, str] = field(default_factory=dict)
    licence: str = NOT_TOLD
    publisher: str = NOT_TOLD
    origin: str = "known"
    before: Package | None = None

    @property
    def command_line(self) -> str:
        """The command whole, as it could be typed into a shell."""
        return " ".join(
            [*(f"{name}={shlex.quote(value)}" for name, value in self.variables.items()), shlex.join(self.argv)]
        )

    @property
    def start_line(self) -> str:
        """The command that starts the agent afterwards; the user's own arguments without secrets."""
        return shlex.join((self.program, *(masked_words(self.args) if self.origin == "own" else self.args)))

    @property
    def shown_env(self) -> tuple[str, ...]:
        """`agent_env` to be shown, `NAME=value` each: a registry's whole, the user's own without secrets."""
        hidden = self.origin == "own"
        return tuple(
            f"{name}={CONCEALED if hidden and option_asks(name) else value}" for name, value in self.agent_env.items()
        )


def plan_installation(agent: Agent, roster: Roster, package: Package | None = None) -> Installation:
    """What would be run to install `agent`, or another version of its `package`; nothing is done yet.

    The config file is read again if it was edited since. Raises `UserFault` where there is nothing to install, the
    config file cannot be used, or npm or uv are missing.
    """
    if package is None and ConfigFile.read(roster.config.own.path).digest != roster.config.own.digest:
        roster.read_again()
        agent = roster.find(agent.name)
    package = package or agent.package
    if package is None:
        raise UserFault(f"{named(agent.title)} cannot be installed from here", hint=_page(agent))
    package = on_its_python(package)
    _check_apart(agent, roster.folder)
    argv, variables, bin_folder = _command(agent, package, _installer(agent, package, roster.folder))
    # uv complains of a folder of programs that is not in PATH, and says what to do about it, which nobody needs.
    path = {"PATH": str(bin_folder)} if package.kind == "python" else {}
    try:
        start = installer_start(argv, {**variables, **path}, roster.folder)
    except OSError as error:
        raise UserFault(f"{named(agent.title)} cannot be installed", error.strerror or str(error)) from error
    return Installation(
        agent.name,
        agent.title,
        package,
        start.argv,
        start.env,
        start.cwd,
        str(bin_folder / Path(agent.argv[0]).name),
        roster.config.own,
        variables,
        agent.argv[1:],
        agent.env,
        agent.licence or NOT_TOLD,
        agent.publisher or NOT_TOLD,
        agent.origin,
        agent.package if agent.configured is not None else None,
    )


def _command(agent: Agent, package: Package, installer: str) -> tuple[tuple[str, ...], dict[str, str], Path]:
    """Argument vector, variables of its own, and the folder that gets the program."""
    prefix = agents_folder() / agent.name / package.version
    if package.kind == "npm":
        argv = (installer, "install", "-g", "--prefix", str(prefix), package.spec)
        return argv, {}, prefix if os.name == "nt" else prefix / "bin"
    folders = {"UV_TOOL_DIR": str(prefix / "tools"), "UV_TOOL_BIN_DIR": str(prefix / "bin")}
    return (installer, "tool", "install", *package.on_python, package.spec), folders, prefix / "bin"


def agents_folder() -> Path:
    """Where agents are installed: `NAME/VERSION/bin/PROGRAM`. Not created here."""
    return data_folder() / "agents"


def missing_installer(kind: Kind, folder: Path) -> tuple[str, str] | None:
    """What installs packages of this kind, and how to get it, where it is not there for work in `folder`."""
    name, hint = _NEEDS[kind]
    return None if Programs(folder).find(name) else (name, hint)


def _check_apart(agent: Agent, project: Path) -> None:
    """Raises `UserFault` where what is installed would lie in the project, or outside of our folder."""
    if agent.name in (".", "..") or Path(agent.name).name != agent.name:
        raise UserFault(
            f"{named(agent.title)} cannot be installed", f"Its name cannot be a folder name: {named(agent.name)}"
        )
    # npm and uv are started in a folder of the cache, and obey the settings that lie there.
    for what, folder in (("DATA", data_folder()), ("CACHE", cache_folder())):
        if not folder.is_absolute() or is_inside(folder, project_folders(project)):
            raise UserFault(
                f"{named(agent.title)} cannot be installed from here",
                f"The {what.lower()} folder is inside the project: {named(folder)}",
                f"Set XDG_{what}_HOME to a folder outside it.",
            )


def _installer(agent: Agent, package: Package, folder: Path) -> str:
    name, hint = _NEEDS[package.kind]
    programs = Programs(folder)
    found = programs.find(name)
    if found:
        return found
    passed_over = programs.passed_over(name)
    told = (
        f"{named(passed_over)} is inside the project and is not used" if passed_over else f"Command not found: {name}"
    )
    raise UserFault(f"{name} is needed to install {named(agent.title)}", told, hint)


def _page(agent: Agent) -> str:
    return f"How to install it: {named(agent.homepage)}" if agent.homepage else ""
