"""Installing an agent from its package: what it would do, as values; what came of it; newer versions.

All of it is shown to the user before anything is run. Nothing here is run at a start, nor for a project's file: only
where the user was asked, and agreed; and outside every project.
"""

import json
import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from shutil import which
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import INSTALLERS, KNOWN_AGENTS, Agent, Package, on_its_python
from acp_tui.host.catalog.agent_list import AgentList, list_agents
from acp_tui.host.catalog.launch_plan import installer_start
from acp_tui.host.config.config import Config, ConfigFile
from acp_tui.host.config.config_writer import write_agent
from acp_tui.host.config.state_files import cache_folder, data_folder
from acp_tui.host.config.toml_edit import Value
from acp_tui.host.system.paths import Programs, is_inside, project_folders
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.secret_masking import masked_words
from acp_tui.session.text.secret_names import CONCEALED, option_asks

RIGHTS = (
    "The package, its dependencies and their install scripts run with your permissions.",
    "Only the package itself is pinned to this version; its dependencies are not.",
)
"""What the question must say, whatever is installed."""
NOT_TOLD = "not stated"
_TITLE = 60  # characters of what a registry calls an agent


class Installation(Frozen):
    """One agent at one exact version, and everything that is run and written for it.

    `argv`, `env` (all variables) and `cwd` are what the system is given; `variables` are those of them that are set
    for this command (PATH apart), to be shown with it. The agent is started as `program` (absolute) with its arguments
    and variables. `own` is the user's config file as it was read.
    """

    agent: Agent
    package: Package
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    program: str
    own: ConfigFile
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def before(self) -> Package | None:
        """What is installed now, if it is a pinned package."""
        return self.agent.package if self.agent.configured is not None else None

    @property
    def licence(self) -> str:
        return self.agent.licence or NOT_TOLD

    @property
    def publisher(self) -> str:
        return self.agent.publisher or NOT_TOLD

    @property
    def command_line(self) -> str:
        """The command whole, as it could be typed into a shell."""
        variables = (f"{name}={shlex.quote(value)}" for name, value in self.variables.items())
        return " ".join([*variables, shlex.join(self.argv)])

    @property
    def start_line(self) -> str:
        """The command that starts the agent afterwards; the user's own arguments without secrets."""
        words = self.agent.argv[1:]
        return shlex.join((self.program, *(masked_words(words) if self.agent.origin == "own" else words)))

    @property
    def shown_env(self) -> tuple[str, ...]:
        """The agent's variables, `NAME=value` each: a registry's whole, the user's own without secrets."""
        hidden, env = self.agent.origin == "own", self.agent.env
        return tuple(f"{name}={CONCEALED if hidden and option_asks(name) else value}" for name, value in env.items())


def plan_installation(agent: Agent, agent_list: AgentList, package: Package | None = None) -> Installation:
    """What would be run to install `agent`, or another version of its `package`; nothing is done yet.

    The config file is read again if it was edited since. Raises `UserFault` where there is nothing to install, the
    config file cannot be used, or npm or uv are missing.
    """
    if package is None and ConfigFile.read(agent_list.config.own.path).digest != agent_list.config.own.digest:
        agent_list.read_again()
        agent = agent_list.find(agent.name)
    package = package or agent.package
    if package is None:
        raise UserFault(
            f"{named(agent.title)} cannot be installed from here",
            hint=f"How to install it: {named(agent.homepage)}" if agent.homepage else "",
        )
    package = on_its_python(package)
    _check_apart(agent, agent_list.folder)
    argv, variables, bin_folder = _command(agent, package, _installer(agent, package, agent_list.folder))
    # uv complains of a folder of programs that is not in PATH, and says what to do about it, which nobody needs.
    path = {"PATH": str(bin_folder)} if package.kind == "python" else {}
    try:
        start = installer_start(argv, {**variables, **path}, agent_list.folder)
    except OSError as error:
        raise UserFault(f"{named(agent.title)} cannot be installed", error.strerror or str(error)) from error
    program = str(bin_folder / Path(agent.argv[0]).name)
    return Installation(agent, package, start.argv, start.env, start.cwd, program, agent_list.config.own, variables)


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
    name, hint = INSTALLERS[package.kind]
    programs = Programs(folder)
    if found := programs.find(name):
        return found
    inside = programs.passed_over(name)
    reason = f"{named(inside)} is inside the project and is not used" if inside else f"Command not found: {name}"
    raise UserFault(f"{name} is needed to install {named(agent.title)}", reason, hint)


def finish_installation(installation: Installation, exit_code: int) -> str:
    """Check that the program is there, and write it into the user's own config; the absolute path of the program.

    `exit_code` is the command's; call `AgentList.read_again` afterwards. Raises `UserFault` that says what to do: the
    command failed, the program is not there, or the config file cannot be written (with the lines to add by hand).
    """
    agent = installation.agent
    if exit_code:
        raise UserFault(
            f"{named(agent.title)} was not installed",
            f"The command failed with exit code {exit_code}" if exit_code > 0 else "The command was stopped",
            f"See its output above, or run it yourself: {named(installation.command_line)}",
        )
    program = installed_program(installation)
    values: dict[str, Value] = {
        "title": one_line(agent.title, _TITLE) if agent.origin == "registry" else "",
        "command": program,
        "args": list(agent.argv[1:]),
        "env": dict(agent.env),
        "package": installation.package.pin,
    }
    write_agent(installation.own, agent.name, {name: value for name, value in values.items() if value})
    return program


def installed_program(installation: Installation) -> str:
    """The absolute path of the program that was installed. Raises `UserFault` where it is not there."""
    expected = Path(installation.program)
    names = [expected.name, *_only_program(installation)]
    found = next((path for name in names if (path := which(name, path=str(expected.parent)))), None)
    if found is None:
        raise UserFault(
            f"{named(installation.package.spec)} was installed, but has no program {named(expected.name)}",
            f"Looked in {named(expected.parent)}",
        )
    return found


def _only_program(installation: Installation) -> list[str]:
    """The program of an npm package that has one only; npx takes that, whatever it is called."""
    if installation.package.kind != "npm":
        return []
    expected = Path(installation.program)
    place = expected.parent.parent / "lib" if expected.parent.name == "bin" else expected.parent
    manifest = place / "node_modules" / installation.package.name / "package.json"
    try:
        told: Any = json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    programs = told.get("bin") if isinstance(told, dict) else None
    if not isinstance(programs, dict) or len({str(target) for target in programs.values()}) != 1:
        return []
    return [name for name in programs if name == Path(name).name][:1]


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


def find_updates(agent_list: AgentList) -> list[Update]:
    """What there is for each agent of the user's own config that was installed from here; nothing is fetched."""
    listed = list_agents(Config(agent_list.config.own), agent_list.folder).listed
    pinned = [agent for agent in listed if agent.configured is not None and agent.configured.settings.package]
    return [_update(agent, agent_list) for agent in pinned if agent.package is not None]


def _update(agent: Agent, agent_list: AgentList) -> Update:
    if not Path(agent.argv[0]).is_relative_to(agents_folder() / agent.name):
        return Update(agent, note=f"skipped: its command is not in {named(agents_folder())}")
    known = next((known for known in KNOWN_AGENTS if known.name == agent.name), None)
    offer = agent_list.offered(agent.registry or agent.name)
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
    return "the registry now lists different arguments or variables; yours are unchanged"


def remove_older(name: str, *kept: Package) -> None:
    """Remove versions of an agent that was installed from here, but for those `kept`.

    The one that was just replaced is to be kept: sessions that run go on with it.
    """
    folder = agents_folder() / name
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name not in {package.version for package in kept} and place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
