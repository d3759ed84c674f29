"""The user's config file and the project's, as one.

The user's file is `config.toml` in the config folder. The project's is `.acp-tui.toml` in the folder that is worked
in, or the nearest one above. A project comes from anybody: it may name agents and a system prompt, which need consent,
and a theme, which only colours the screen. A project's file that cannot be used, or that somebody else may have put
there, is left out, which is said: it must not keep anybody from work. What makes settings of a text is loaded only
where there is one: most users have no file, and a start is felt.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.foreign import is_ours, read_bytes
from acp_tui.host.config.places import PARTS_AT_MOST, Field, Place, UnusableConfig, line_of, spelled
from acp_tui.host.store.folders import config_folder
from acp_tui.host.system import programs
from acp_tui.safe_text import named
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.config.settings import AgentSettings, FileSettings, Notifications

PROJECT_FILE = programs.PROJECT_FILE  # it marks a project where programs are looked for, too
OFFICIAL_REGISTRY = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""https://github.com/agentclientprotocol/registry"""
FROM_PROJECT = ("agents", "default_agent", "theme", "append_system_prompt", "system_prompt")
"""What a project's file may say; all else is the user's."""
WARNINGS_AT_MOST = 100  # of one file
_SETTINGS = "acp_tui.host.config.settings"

T = TypeVar("T")


class ConfigFile(Frozen):
    """What stands in the file at `path`; an empty `text` where there is no file.

    `digest` is the SHA-256 of the bytes that were read.
    """

    path: Path
    text: str
    digest: str = ""

    @classmethod
    def read(cls, path: Path, *, foreign: bool = False) -> ConfigFile:
        """Read the file. Raises `UserFault` with file, line and field; no file at all is an empty one.

        A `foreign` file must be a regular one: a pipe or a device never ends, or never begins.
        """
        try:
            data = read_bytes(path, foreign=foreign)
        except (FileNotFoundError, NotADirectoryError):
            return cls(path, "")
        except OSError as error:
            raise UnusableConfig(Place(path), error.strerror or str(error)) from error
        file = cls(path, _text(path, data), hashlib.sha256(data).hexdigest())
        if file.text:
            file.settings  # noqa: B018 - what is wrong with it is to be said now
        return file

    @cached_property
    def settings(self) -> FileSettings:
        if any(line.count(".") >= PARTS_AT_MOST for line in self.text.split("\n")):
            self.lines  # noqa: B018 - a name of too many parts is refused before it is parsed
        read: FileSettings = late(_SETTINGS).read_settings(self.path, self.text, self.place)
        return read

    @cached_property
    def lines(self) -> Mapping[Field, int]:
        lines: Mapping[Field, int] = late(_SETTINGS).read_lines(self.path, self.text)
        return lines

    def says(self, field: str, otherwise: T) -> T:
        said: T = getattr(self.settings, field) if self.text else otherwise
        return said

    def place(self, *field: str | int) -> Place:
        return Place(self.path, line_of(self.lines, field), spelled(field))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        if not self.text:
            return ()
        unknown = late(_SETTINGS).strangers(self.settings)
        told = []
        for field, known in islice(unknown, WARNINGS_AT_MOST):
            near = late(_SETTINGS).nearest(field, known)
            told.append(f"{self.place(*field)}: unknown setting.{f' Did you mean {near}?' if near else ''}")
        if more := sum(1 for _ in unknown):
            told.append(f"{Place(self.path)}: {more:,} more unknown settings")
        return tuple(told)


class ConfiguredAgent(Frozen):
    """An agent of a config file; `project` if that is not the user's own."""

    name: str
    settings: AgentSettings
    file: ConfigFile
    project: bool

    def place(self, *field: str | int) -> Place:
        return self.file.place("agents", self.name, *field)

    def path(self, written: str) -> Path:
        """A path of its settings: `~` is the home folder, relative is to the folder of the file."""
        return self.file.path.parent / _at_home(written)


class Config(Frozen):
    """What is configured for one folder. Files that do not exist say nothing.

    `left_out` says which files of projects do not count, each with its path, the reason and what to do.
    """

    own: ConfigFile
    project: ConfigFile | None = None
    left_out: tuple[str, ...] = ()

    @property
    def agents(self) -> dict[str, ConfiguredAgent]:
        return {agent.name: agent for agent in self.all_agents}

    @property
    def all_agents(self) -> list[ConfiguredAgent]:
        agents: list[ConfiguredAgent] = []
        for file in self._files():
            said: dict[str, AgentSettings] = file.says("agents", {})
            agents += [ConfiguredAgent(name, settings, file, file is self.project) for name, settings in said.items()]
        return agents

    @property
    def default_agent(self) -> str:
        """The agent that is started when none is named; the project's word counts more, but needs consent."""
        return self.proposed_agent or self.own_default_agent

    @property
    def own_default_agent(self) -> str:
        return self.own.says("default_agent", "")

    @property
    def proposed_agent(self) -> str:
        """The agent that the project wants to be started when none is named: nothing is done for it unasked."""
        return self.project.says("default_agent", "") if self.project is not None else ""

    @property
    def theme(self) -> str:
        return next((said for file in (self.project, self.own) if file and (said := file.says("theme", ""))), "")

    @property
    def has_prompt(self) -> bool:
        """Whether a file says something of the system prompt of all agents."""
        names = ("system_prompt", "append_system_prompt")
        return any(_says(file, name) for file in self._files() for name in names)

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        return self.own.says("keys", {})

    @property
    def notifications(self) -> Notifications:
        return self.own.says("notifications", "desktop")

    def said(self, field: str) -> ConfigFile | None:
        """The file that says something of a field of the top level, and counts."""
        files = (self.project, self.own) if field in FROM_PROJECT else (self.own,)
        return next((file for file in files if file is not None and _says(file, field)), None)

    @property
    def registry(self) -> str:
        """Its address, or the path of its file; empty where none is named."""
        said = self.own.says("registry", "")
        if said == "official":
            return OFFICIAL_REGISTRY
        return said if not said or "://" in said else str(self.own.path.parent / _at_home(said))

    @property
    def warnings(self) -> list[str]:
        told = [*self.left_out, *(warning for file in self._files() for warning in file.warnings)]
        if self.project is not None and self.project.text:
            said, known = self.project.settings.model_fields_set, type(self.project.settings).model_fields
            only = "only works in your own config file"
            told += [
                f"{self.project.place(field)}: {only}" for field in known if field in said and field not in FROM_PROJECT
            ]
            pinned = [name for name, agent in self.project.settings.agents.items() if agent.package]
            told += [f"{self.project.place('agents', name, 'package')}: {only}" for name in pinned]
        return told

    def place(self, *field: str | int) -> Place:
        project = self.project
        if project is not None and project.text and field[0] in project.settings.model_fields_set:
            return project.place(*field)
        return self.own.place(*field)

    def _files(self) -> Iterator[ConfigFile]:
        yield self.own
        if self.project is not None:
            yield self.project


def load_config(folder: Path) -> Config:
    """What is configured for work in `folder`. Raises `UserFault` with file, line and field of the user's own."""
    project, left_out = _project(folder)
    return Config(ConfigFile.read(own_file()), project, tuple(left_out))


def _says(file: ConfigFile, field: str) -> bool:
    return bool(file.text) and field in file.settings.model_fields_set and file.says(field, "") != ""


def own_file() -> Path:
    """The user's own config file, whether or not it exists."""
    return config_folder() / "config.toml"


def _project(folder: Path) -> tuple[ConfigFile | None, list[str]]:
    left_out: list[str] = []
    for path in (place / PROJECT_FILE for place in (folder, *folder.parents)):
        if not os.path.isfile(path):  # noqa: PTH113 - never raises
            continue
        if not is_ours(path, here=path.parent == folder):
            left_out.append(f"{path}: belongs to another user, so it is ignored. Remove it, or take ownership.")
            continue
        try:
            return ConfigFile.read(path, foreign=True), left_out
        except UserFault as fault:
            # No other file stands in for it: what it says of this folder is not what this one meant to say.
            return None, [*left_out, f"{fault.message}. The file is ignored: correct or remove it."]
    return None, left_out


def _at_home(written: str) -> Path:
    try:
        return Path(written).expanduser()
    except RuntimeError as error:
        raise UserFault(f"{named(written)}: {error}") from error


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UnusableConfig(Place(path, line), "not UTF-8") from error
