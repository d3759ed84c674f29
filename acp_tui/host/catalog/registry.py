"""A registry of agents in the format of the public one: read, fetched, cached.

The format: https://github.com/agentclientprotocol/registry/blob/main/FORMAT.md. Nothing is installed from here, nor
does anything start by what a registry says: its npm and Python packages can be installed, and only where they have an
exact version and no variables that change which program runs. A registry is never required: whatever is wrong with it
is said in `problems`.
"""

import hashlib
import json
import platform
import re
import sys
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from acp_tui.errors import reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import PYTHON_REQUEST, Agent, Package, on_its_python, read_package
from acp_tui.host.config.state_files import cache_folder, write_private
from acp_tui.host.system.paths import open_regular
from acp_tui.safe_text import named
from acp_tui.session.text.phrases import counted
from acp_tui.startup import late

if TYPE_CHECKING:
    from ssl import SSLContext

FRESH = 24 * 3600.0  # seconds for which a fetched registry is not fetched again
PATIENCE = 5.0  # seconds that fetching may take
_MAX_BYTES = 8 * 1024 * 1024
_READABLE = 2000  # characters of arguments and variables: all of them are shown before anything is installed
_TOLD = 5  # entries whose refusal is told; the others are counted

_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")  # as the format has it; it names a folder and a table of the config file
_PROGRAM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
# Variables that an entry may set, all of them switches: no other one is known to change neither what runs nor what it
# talks to. The official registry has the first two kinds (`AUGMENT_DISABLE_AUTO_UPDATE`,
# `FACTORY_DROID_AUTO_UPDATE_ENABLED`).
_SWITCH = re.compile(
    r"(?:[A-Z0-9]+_)*(?:DISABLE_AUTO_?UPDATER?|AUTO_?UPDATE(?:_ENABLED|_DISABLED)?|NO_UPDATE_NOTIFIER|DISABLE_TELEMETRY"
    r"|TELEMETRY(?:_ENABLED|_DISABLED|_OPT_?OUT)?|ACP(?:_MODE|_ENABLED)?)|NO_COLOR|DO_NOT_TRACK"
)
_SWITCHED = re.compile(r"[A-Za-z0-9]{0,8}")  # `1`, `true`, `disabled`


class Registry(Frozen):
    """What a registry lists, and what is wrong with it; `fresh` if there is no need to fetch it."""

    listed: tuple[Agent, ...] = ()
    problems: tuple[str, ...] = ()
    fresh: bool = True


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class _Package(_Table):
    package: str
    cmd: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    python: str = ""


class _Binary(_Table):
    archive: str = ""
    cmd: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class _Distribution(_Table):
    npx: _Package | None = None
    uvx: _Package | None = None
    binary: dict[str, _Binary] = {}


class _Entry(_Table):
    id: str
    name: str
    description: str = ""
    repository: str | None = None
    website: str | None = None
    license: str | None = None
    authors: tuple[str, ...] = ()
    distribution: _Distribution


def known_registry(source: str) -> Registry:
    """The registry at `source` as far as it is known without asking anybody: its file, or what was fetched before."""
    if not source:
        return Registry()
    if "://" not in source:
        return _from_file(Path(source), source)
    if not source.startswith("https://"):
        return Registry(problems=(f"The registry {shown(source)} is not used: its address must start with https://",))
    cached = _cache(source)
    try:
        fresh = time.time() - cached.stat().st_mtime < FRESH
    except OSError:
        return Registry(fresh=False)
    return replace(_from_file(cached, source), fresh=fresh)


def fetch_registry(source: str, trusted: "SSLContext | None" = None) -> Registry:
    """The registry at the address `source`, and keep it. Takes PATIENCE at most; falls back to what is kept.

    `trusted` says which servers are, if not those that the system trusts.
    """
    try:
        data = late("acp_tui.host.catalog.download").download(source, PATIENCE, _MAX_BYTES, trusted)
        registry = _read(data, source)
    except ValueError as error:
        known = known_registry(source)
        kept = " Showing the copy fetched earlier." if known.listed else ""
        problem = f"The registry {shown(source)} could not be fetched: {error}.{kept}"
        return replace(known, problems=(problem, *known.problems))
    if not registry.listed:
        return registry
    try:
        write_private(_cache(source), data)
    except OSError as error:
        problem = f"The registry could not be cached: {error.strerror or error}"
        return replace(registry, problems=(*registry.problems, problem))
    return registry


def shown(source: str) -> str:
    """The address without a password or a query, which may be secret."""
    if "://" not in source:
        return source
    try:
        parts = urlsplit(source)
    except ValueError:  # `https://[`: where a password would end is not known
        return "of the config file"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _from_file(path: Path, source: str) -> Registry:
    try:
        with open_regular(path) as file:
            return _read(file.read(_MAX_BYTES + 1), source)
    except (OSError, ValueError) as error:
        return Registry(problems=(f"The registry {shown(source)} cannot be read: {reason_of(error)}",))


def _read(data: bytes, source: str) -> Registry:
    """Raises ValueError when this is no registry at all; entries that cannot be read are left out, and counted."""
    if len(data) > _MAX_BYTES:
        raise ValueError(f"larger than {_MAX_BYTES:,} bytes")
    try:
        told = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    entries = told.get("agents") if isinstance(told, dict) else None
    if not isinstance(entries, list):
        raise ValueError("it has no list of agents")
    found: dict[str, Agent] = {}
    refused: list[str] = []
    elsewhere = 0
    for entry in entries:
        try:
            agent = _agent(entry)
            if agent is None:
                elsewhere += 1
            elif agent.name in found:
                raise ValueError("duplicate id")
            else:
                found[agent.name] = agent
        except ValueError as error:
            refused.append(f"{_called(entry)}: {error}")
    problems = [f"skipped {reason}" for reason in refused[:_TOLD]]
    if more := len(refused[_TOLD:]):
        problems.append(f"skipped {more:,} more {'entry' if more == 1 else 'entries'}")
    if elsewhere:
        has = "has" if elsewhere == 1 else "have"
        problems.append(f"{elsewhere:,} of {counted(len(entries), 'agent')} {has} no build for this machine")
    return Registry(tuple(found.values()), tuple(f"The registry {shown(source)}: {problem}" for problem in problems))


def _called(entry: Any) -> str:
    name = entry.get("id") if isinstance(entry, dict) else None
    return named(name[:80]) if isinstance(name, str) else "entry without an id"


def _agent(entry: Any) -> Agent | None:
    """None where there is nothing for this machine. Raises ValueError with the reason why the entry is left out."""
    try:
        told = _Entry.model_validate(entry)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise ValueError(f"not in the registry format ({named(where[:80])})") from error
    if not _ID.fullmatch(told.id):
        raise ValueError("invalid id")
    page = next((page for page in (told.website, told.repository) if page and _is_page(page)), "")
    words = told.id, told.name, told.description
    publisher = ", ".join(told.authors)
    agent = Agent(*words, (), "registry", homepage=page, licence=told.license or "", publisher=publisher)
    if (npm := told.distribution.npx) is not None:
        return _packaged(agent, npm, read_package("npm", npm.package))
    if (python := told.distribution.uvx) is not None:
        return _packaged(agent, python, read_package("python", python.package))
    binary = told.distribution.binary.get(_platform())
    if binary is None:
        return None
    argv = PurePosixPath(binary.cmd.replace("\\", "/")).name, *binary.args
    return replace(agent, argv=argv, env=_switches(binary.env))


def _is_page(address: str) -> bool:
    """Whether it can be opened, copied and pasted as it is shown: one word, which ends no line."""
    return address.startswith("https://") and address.isprintable() and " " not in address


def _packaged(agent: Agent, told: _Package, package: Package) -> Agent:
    """The agent as it is installed and started; the program has the name that npx or uvx would run."""
    program = told.cmd or package.plain_name
    if not _PROGRAM.fullmatch(program):
        raise ValueError("cmd is not a plain program name")
    words = (*told.args, *told.env, *told.env.values())
    if not all(map(_can_be_given, words)):
        raise ValueError("invalid characters in arguments or variables")
    if sum(map(len, words)) > _READABLE:
        raise ValueError("arguments and variables too long to review")
    argv = (program, *told.args)
    if told.python and not re.fullmatch(PYTHON_REQUEST, told.python, re.ASCII):
        raise ValueError("not a version of Python")
    package = on_its_python(replace(package, python=told.python))
    return replace(agent, argv=argv, env=_switches(told.env), package=package)


def _switches(env: dict[str, str]) -> dict[str, str]:
    """The variables of an entry. Raises ValueError for one that no entry may set."""
    for name, value in env.items():
        if not (_SWITCH.fullmatch(name) and _SWITCHED.fullmatch(value)):
            raise ValueError(f"sets {named(name[:80])}, which no entry may set")
    return env


def _can_be_given(text: str) -> bool:
    return "\0" not in text and text.encode(errors="ignore").decode() == text


def _platform() -> str:
    system = {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    return f"{system}-{ {'arm64': 'aarch64', 'amd64': 'x86_64'}.get(machine, machine) }"


def _cache(source: str) -> Path:
    digest = hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()[:16]
    return cache_folder() / f"registry-{digest}.json"
