"""A registry of agents in the format of the public one: read, fetched, cached.

The format: https://github.com/agentclientprotocol/registry/blob/main/FORMAT.md. Nothing is installed from here.
A registry is never required: whatever is wrong with it is said in `problems`.
"""

import hashlib
import json
import platform
import sys
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from acp_tui.host.catalog.agents import Agent, Agents
from acp_tui.host.store.folders import cache_folder, write_private
from acp_tui.startup import late

FRESH = 24 * 3600.0  # seconds for which a fetched registry is not fetched again
PATIENCE = 5.0  # seconds that fetching may take
_MAX_BYTES = 8 * 1024 * 1024


class Registry(Agents):
    """What a registry lists, and what is wrong with it; `fresh` if there is no need to fetch it."""

    fresh: bool = True


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class _Package(_Table):
    package: str
    cmd: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}

    def words(self, option: str) -> tuple[str, ...]:
        """What a runner is to run, whose `option` names the package where the command is called otherwise."""
        what = (option, self.package, self.cmd) if self.cmd else (self.package,)
        return *what, *self.args


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
    distribution: _Distribution


def known_registry(source: str) -> Registry:
    """The registry at `source` as far as it is known without asking anybody: its file, or what was fetched before."""
    if not source:
        return Registry()
    if "://" not in source:
        return _from_file(Path(source), source)
    cached = _cache(source)
    try:
        fresh = time.time() - cached.stat().st_mtime < FRESH
    except OSError:
        return Registry(fresh=False)
    return replace(_from_file(cached, source), fresh=fresh)


def fetch_registry(source: str) -> Registry:
    """The registry at the address `source`, and keep it. Takes PATIENCE at most; falls back to what is kept."""
    try:
        data = late("acp_tui.host.catalog.download").download(source, PATIENCE, _MAX_BYTES)
        registry = _read(data, source)
    except ValueError as error:
        known = known_registry(source)
        kept = " What was fetched before is shown." if known.listed else ""
        problem = f"The registry {shown(source)} could not be fetched: {error}.{kept}"
        return replace(known, problems=(problem, *known.problems))
    if not registry.listed:
        return registry
    try:
        write_private(_cache(source), data)
    except OSError as error:
        problem = f"The registry could not be kept: {error.strerror or error}"
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
        with path.open("rb") as file:
            return _read(file.read(_MAX_BYTES + 1), source)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return Registry(problems=(f"The registry {shown(source)} cannot be read: {reason}",))


def _read(data: bytes, source: str) -> Registry:
    """Raises ValueError when this is no registry at all; entries that cannot be read are left out, and counted."""
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it is larger than {_MAX_BYTES:,} bytes")
    try:
        told = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    entries = told.get("agents") if isinstance(told, dict) else None
    if not isinstance(entries, list):
        raise ValueError("it lists no agents")
    read = [agent for entry in entries if (agent := _agent(entry)) is not None]
    left_out = len(entries) - len(read)
    problem = f"The registry {shown(source)}: {left_out} of {len(entries)} agents cannot be started on this machine"
    return Registry(tuple(read), (problem,) if left_out else ())


def _agent(entry: Any) -> Agent | None:
    try:
        told = _Entry.model_validate(entry)
    except ValidationError:
        return None
    agent = Agent(told.id, told.name, told.description, (), "registry", homepage=told.website or told.repository or "")
    npx, uvx, binary = told.distribution.npx, told.distribution.uvx, told.distribution.binary.get(_platform())
    if npx is not None:
        argv = ("npx", "-y", *npx.words("--package"))
        return replace(agent, argv=argv, env=npx.env, install="needs npx, which comes with Node.js", fetched=True)
    if uvx is not None:
        argv = ("uvx", *uvx.words("--from"))
        return replace(agent, argv=argv, env=uvx.env, install="needs uvx, which comes with uv", fetched=True)
    if binary is None:
        return None
    program = PurePosixPath(binary.cmd.replace("\\", "/")).name
    return replace(agent, argv=(program, *binary.args), env=binary.env, install=f"download {binary.archive}")


def _platform() -> str:
    system = {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    return f"{system}-{ {'arm64': 'aarch64', 'amd64': 'x86_64'}.get(machine, machine) }"


def _cache(source: str) -> Path:
    digest = hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()[:16]
    return cache_folder() / f"registry-{digest}.json"
