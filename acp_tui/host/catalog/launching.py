"""From an agent that was chosen to all that is needed to start it; must not start it.

Starting what a project names needs consent: for its file, the command, the folder and the environment as they are now,
and for what is in the project's files that these name.
"""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_command import AgentCommand
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.launch import Consent, Launch, with_defaults
from acp_tui.host.catalog.mcp_file import with_path
from acp_tui.host.catalog.system_prompts import configured_prompt
from acp_tui.host.config.config import ConfigFile, ConfiguredAgent
from acp_tui.host.config.consent import fingerprint
from acp_tui.host.config.env_file import read_env_file
from acp_tui.host.config.settings import AgentSettings, McpServerSettings
from acp_tui.host.system.programs import is_inside, project_folders
from acp_tui.host.system.regular_files import open_regular
from acp_tui.protocol.capabilities import ClientCapabilities, McpServer
from acp_tui.safe_text import named

MOST = 512 * 1024 * 1024  # bytes that are read at most of all files together: below a second
_CHUNK = 1024 * 1024
# What separates paths from options, from each other, and from the rest of a shell line.
_BETWEEN = re.compile(r"""[\s=:,;|&()<>{}\[\]"'`$@]+""")
_SHORT_OPTION = re.compile(r"-\w")


@dataclass(slots=True)
class Watched:
    """`files` are digests by path, `others` paths of what is not watched: folders, devices, what cannot be read.

    It is not `whole` where there was more to read than MOST; then it is no proof that nothing has changed.
    """

    files: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    whole: bool = True


def watch(words: Iterable[str], bases: Sequence[Path], project: Sequence[Path]) -> Watched:
    """What the words name inside the folders `project` (resolved); relative paths are relative to any of `bases`."""
    found = Watched()
    room = MOST
    for path, is_path in _candidates(words, bases):
        if path in found.files or path in found.others:
            continue
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - there may be ten thousands of words
        except (OSError, ValueError):
            continue
        if not is_inside(path, project):
            continue
        digest, size = _digest(path, room) if stat.S_ISREG(mode) else ("", 0)
        room -= size
        if digest:
            found.files[path] = f"{digest} {os.path.realpath(path)}"
        elif not stat.S_ISDIR(mode) or is_path:
            found.others.append(path)
        found.whole = found.whole and room > 0
    return found


def _candidates(words: Iterable[str], bases: Sequence[Path]) -> Iterator[tuple[str, bool]]:
    for part in dict.fromkeys(part for word in words for part in _parts(word) if part):
        written = os.path.expanduser(part)  # noqa: PTH111 - `Path` raises for a user that there is not
        for base in bases:
            # Not made shorter: `link/..` is not the folder of `link`.
            yield os.path.join(base, written), os.sep in part or part.startswith(".")  # noqa: PTH118


def _parts(word: str) -> Iterator[str]:
    yield word
    yield word.partition("=")[2]
    yield from _BETWEEN.split(word)
    yield from _BETWEEN.split(_SHORT_OPTION.sub("", word, count=1))  # -r./hook.js
    with suppress(ValueError):
        yield from shlex.split(word)  # quoted within a line for a shell


def _digest(path: str, room: int) -> tuple[str, int]:
    """The SHA-256 of a regular file and how much of it was read; empty where it cannot be read, or not to its end."""
    digest, size = hashlib.sha256(), 0
    try:
        with open_regular(path) as file:
            while size < room and (data := file.read(min(_CHUNK, room - size))):
                digest.update(data)
                size += len(data)
    except OSError:
        return "", size
    return (digest.hexdigest() if size < room else ""), size


def launch_of(agent: Agent, cwd: Path, *, cwd_given: bool = False, proposed_by: ConfigFile | None = None) -> Launch:
    """How to start `agent` in the folder `cwd`; where it is configured with a folder, that counts unless `cwd_given`.

    `proposed_by` is the project's file that names it as the default agent, where the user has not named it. Raises
    `UserFault` when its settings cannot be used.
    """
    if agent.configured is None:
        command = AgentCommand(agent.argv, agent.env, program=agent.program)
        launch = with_defaults(Launch(command, cwd, agent.title))
    else:
        launch = _configured(agent, agent.configured, cwd, cwd_given)
    if agent.configured is not None and agent.configured.project:
        return _with_consent(agent.name, agent.configured.file, launch, agent.configured)
    return launch if proposed_by is None else _with_consent(agent.name, proposed_by, launch, None)


def _configured(agent: Agent, configured: ConfiguredAgent, cwd: Path, cwd_given: bool) -> Launch:
    settings = configured.settings
    env = dict(agent.env)
    if settings.env_file:
        env = {**read_env_file(configured.path(settings.env_file), foreign=configured.project), **env}
    cwd = cwd if cwd_given or not settings.cwd else _folder(configured, "cwd", settings.cwd)
    servers = [_server(name, server) for name, server in settings.mcp_servers.items()]
    roots = tuple(str(_folder(configured, "roots", written)) for written in settings.roots)
    launch = Launch(
        AgentCommand(agent.argv, env, settings.protocol, program=agent.program),
        cwd,
        agent.title,
        _capabilities(settings),
        roots,
        tuple(with_path(server, cwd, env) for server in servers),
        system_prompt=configured_prompt(configured),
    )
    return launch if "fs" in settings.model_fields_set else with_defaults(launch)


def _capabilities(settings: AgentSettings) -> ClientCapabilities:
    return replace(
        ClientCapabilities(),
        read_text_file=settings.fs is True,
        write_text_file=bool(settings.fs),
        terminal=settings.terminal,
    )


def _server(name: str, told: McpServerSettings) -> McpServer:
    return McpServer(name, told.type, told.command, told.args, told.env, told.url, told.headers)


def _folder(configured: ConfiguredAgent, name: str, written: str) -> Path:
    folder = os.path.realpath(configured.path(written))
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises, whatever is written
        raise UserFault("The agent cannot be started", f"{configured.place(name)}: {named(folder)} is not a folder")
    return Path(folder)


def _with_consent(name: str, file: ConfigFile, launch: Launch, configured: ConfiguredAgent | None) -> Launch:
    """The launch with what must be agreed to, and with a look at that before each start."""
    found = _watched(file, launch)
    agreed = _fingerprint(name, file.digest, file, launch, found)
    env_file = configured.settings.env_file if configured is not None else ""
    told = configured.settings.env if configured is not None else {}
    consent = Consent(
        name,
        file.path.parent,
        file.path,
        agreed,
        proposed=configured is None,
        watched=tuple(found.files),
        unwatched=tuple(found.others),
        hidden=frozenset(launch.command.env).difference(told),
        env_file=str(configured.path(env_file)) if configured is not None and env_file else "",
        lasts=found.whole,
    )
    launch = replace(launch, consent=consent)
    if configured is None:
        return launch  # once it is chosen, it is the user's own agent, or one that is known

    def check() -> None:
        now = _watched(file, launch)
        if _fingerprint(name, _digest_now(file), file, launch, now) != agreed:
            raise _changed(file, found, now)

    return replace(launch, command=replace(launch.command, check=check))


def _watched(file: ConfigFile, launch: Launch) -> Watched:
    command = launch.command
    words = [command.program, *command.argv, *command.env.values()]
    for server in launch.mcp_servers:
        words += [server.command, *server.args, *server.env.values()]
    project = (*project_folders(launch.cwd), Path(os.path.realpath(file.path.parent)))
    return watch(words, (launch.cwd, file.path.parent), project)


def _fingerprint(name: str, digest: str, file: ConfigFile, launch: Launch, found: Watched) -> str:
    command = launch.command
    servers = [asdict(server) for server in launch.mcp_servers]
    start = [command.argv, command.program, dict(command.env), str(launch.cwd), launch.roots, servers]
    return fingerprint(file.path.parent, name, [digest, *start, command.protocol, found.files])


def _digest_now(file: ConfigFile) -> str:
    try:
        return ConfigFile.read(file.path, foreign=True).digest
    except UserFault:
        return ""


def _changed(file: ConfigFile, before: Watched, now: Watched) -> UserFault:
    paths = {path for path in before.files.keys() | now.files.keys() if before.files.get(path) != now.files.get(path)}
    return UserFault(
        "The project's agent has changed since you agreed",
        "\n".join(sorted(map(named, paths))) or named(file.path),
        "Start acp-tui again to review the change.",
    )
