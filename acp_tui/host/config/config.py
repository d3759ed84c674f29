"""The user's config file and the project's, as one.

The user's file is `config.toml` in the config folder. The project's is `.acp-tui.toml` in the folder that is worked
in, or the nearest one above. A project comes from anybody: it may propose an agent by its name, which needs consent,
and a theme, which only colours the screen; what else it needs, the user writes into `[folders."PATH"]` of their own.
A project's file that cannot be used, or that somebody else may have put there, is left out, which is said: it must not
keep anybody from work. What makes settings of a text is loaded only where there is one: most users have no file, and a
start is felt.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.settings_table import SETTINGS, Notifications
from acp_tui.host.config.source_files import PARTS_AT_MOST, ConfigLocation, UnusableConfig, is_ours, read_bytes, spelled
from acp_tui.host.config.state_files import config_folder
from acp_tui.host.system import paths
from acp_tui.safe_text import named, quoted
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.config.settings import AgentSettings, FolderSettings, Settings
    from acp_tui.host.config.toml_edit import TomlLines

PROJECT_FILE = paths.PROJECT_FILE  # it marks a project where programs are looked for, too
OFFICIAL_REGISTRY = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
"""https://github.com/agentclientprotocol/registry"""
FROM_PROJECT = tuple(name for name, setting in SETTINGS.items() if setting.from_project)
"""What a project's file may say; all else is the user's."""
MOVED = ("agents", "append_system_prompt", "env_file", "mcp_servers", "system_prompt")
"""What one project needs, and the user says for its folder."""
WARNINGS_AT_MOST = 100  # of one file
_SETTINGS = "acp_tui.host.config.settings"

T = TypeVar("T")


WENT: Mapping[str, str] = {
    "snapshot_file_mb": "files of more than 32 MB are not saved",
    "snapshot_mb": "snapshot_store_mb limits all snapshots",
}
"""Settings of earlier releases that are told of and ignored, and what holds now."""


class ConfigFile(Frozen):
    """What stands in the file at `path`; an empty `text` where there is no file.

    `digest` is the SHA-256 of the bytes that were read. Of a `foreign` file, a project's, FROM_PROJECT alone is read.
    """

    path: Path
    text: str
    digest: str = ""
    foreign: bool = False

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
            raise UnusableConfig(ConfigLocation(path), error.strerror or str(error)) from error
        file = cls(path, _text(path, data), hashlib.sha256(data).hexdigest(), foreign)
        if file.text:
            file.settings  # noqa: B018 - what is wrong with it is to be said now
        return file

    @cached_property
    def settings(self) -> Settings:
        if any(line.count(".") >= PARTS_AT_MOST for line in self.text.split("\n")):
            self.lines  # noqa: B018 - a name of too many parts is refused before it is parsed
        module = late(_SETTINGS)
        model = module.ProjectSettings if self.foreign else module.FileSettings
        read: Settings = module.read_settings(self.path, self.text, self.place, model)
        return read

    @cached_property
    def lines(self) -> TomlLines:
        lines: TomlLines = late(_SETTINGS).read_lines(self.path, self.text)
        return lines

    def says(self, field: str, otherwise: T) -> T:
        said: T = getattr(self.settings, field) if self.text else otherwise
        return said

    def place(self, *field: str | int) -> ConfigLocation:
        return ConfigLocation(self.path, self.lines.line(field), spelled(field))

    def path_of(self, written: str) -> Path:
        """A path that the file says: `~` is the home folder, relative is to the folder of the file."""
        return self.path.parent / _at_home(written)

    def table_of(self, folder: Path) -> FolderTable | None:
        """What the file has for work in `folder`: of tables for it and for those above the one with the longest path.

        Compared is what links lead to.
        """
        said: Mapping[str, FolderSettings] = self.says("folders", {})
        here = Path(os.path.realpath(folder))
        found = [FolderTable(name, _real(name), settings, self) for name, settings in said.items()]
        above = [table for table in found if here.is_relative_to(table.folder)]
        return max(above, key=lambda table: len(table.folder.parts), default=None)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        if not self.text:
            return ()
        module = late(_SETTINGS)
        unknown = ((field, known) for field, known in module.strangers(self.settings) if not self._is_moved(field))
        told = []
        for field, known in islice(unknown, WARNINGS_AT_MOST):
            if self.foreign and field[0] in SETTINGS:
                told.append(f"{self.place(*field)}: only works in your own config file")
                continue
            if len(field) == 1 and field[0] in WENT:
                told.append(f"{self.place(*field)}: no longer a setting: {WENT[str(field[0])]}")
                continue
            near = module.nearest(field, known)
            told.append(f"{self.place(*field)}: unknown setting.{f' Did you mean {near}?' if near else ''}")
        if more := sum(1 for _ in unknown):
            told.append(f"{ConfigLocation(self.path)}: {more:,} more unknown settings")
        return tuple(told)

    def _is_moved(self, field: Sequence[str]) -> bool:
        return self.foreign and field[0] in MOVED


class ConfiguredAgent(Frozen):
    """An agent of the user's config file."""

    name: str
    settings: AgentSettings
    file: ConfigFile

    def place(self, *field: str | int) -> ConfigLocation:
        return self.file.place("agents", self.name, *field)


class FolderTable(Frozen):
    """A table `[folders."NAME"]` of the user's config file: it counts in its real `folder` and below it."""

    name: str
    folder: Path
    settings: FolderSettings
    file: ConfigFile

    def place(self, *field: str | int) -> ConfigLocation:
        return self.file.place("folders", self.name, *field)


class Config(Frozen):
    """What is configured for one `folder`. Files that do not exist say nothing.

    `left_out` says which files of projects, or parts of them, do not count, each with its path and what to do.
    """

    own: ConfigFile
    project: ConfigFile | None = None
    left_out: tuple[str, ...] = ()
    folder: Path | None = None

    @property
    def agents(self) -> dict[str, ConfiguredAgent]:
        said: dict[str, AgentSettings] = self.own.says("agents", {})
        return {name: ConfiguredAgent(name, settings, self.own) for name, settings in said.items()}

    def saying_table(self, field: str) -> FolderTable | None:
        """The user's table for this folder, if it says something of a field of the top level."""
        table = None if self.folder is None else self.own.table_of(self.folder)
        return table if table is not None and getattr(table.settings, field) else None

    @property
    def own_default_agent(self) -> str:
        table = self.saying_table("default_agent")
        return self.own.says("default_agent", "") if table is None else table.settings.default_agent

    @property
    def proposed_agent(self) -> str:
        """The agent that the project wants to be started when neither the user nor their folder table names one."""
        if self.project is None or self.saying_table("default_agent") is not None:
            return ""
        return self.project.says("default_agent", "")

    @property
    def theme(self) -> str:
        return next((said for file in (self.project, self.own) if file and (said := file.says("theme", ""))), "")

    @property
    def has_prompt(self) -> bool:
        return any(_says(self.own, name) for name in ("system_prompt", "append_system_prompt"))

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
        return said if not said or "://" in said else str(self.own.path_of(said))

    @property
    def warnings(self) -> list[str]:
        files = (self.own,) if self.project is None else (self.own, self.project)
        return [*self.left_out, *(warning for file in files for warning in file.warnings)]

    def place(self, *field: str | int) -> ConfigLocation:
        project = self.project
        if project is not None and field[0] in FROM_PROJECT and _says(project, str(field[0])):
            return project.place(*field)
        return self.own.place(*field)


def load_config(folder: Path) -> Config:
    """What is configured for work in `folder`. Raises `UserFault` with file, line and field of the user's own."""
    project, left_out = _project(folder)
    if project is not None:
        left_out += _moved(project)
    return Config(ConfigFile.read(own_file()), project, tuple(left_out), folder)


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


def _moved(project: ConfigFile) -> list[str]:
    said = (project.settings.model_extra or {}) if project.text else {}
    moved = [name for name in MOVED if name in said]
    if not moved:
        return []
    folder, home = project.path.parent, Path(os.path.expanduser("~"))  # noqa: PTH111 - `Path.home` may raise
    written = str("~" / folder.relative_to(home)) if folder.is_relative_to(home) else str(folder)
    went = f"{named(project.path)}: no longer used in a project's file: {', '.join(moved)}"
    instead = f"Put what you need into [folders.{quoted(written)}] of your own config file, or use --mcp .mcp.json"
    return [f"{went}. {instead}"]


def _real(written: str) -> Path:
    return Path(os.path.realpath(os.path.expanduser(written)))  # noqa: PTH111 - never raises


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
        raise UnusableConfig(ConfigLocation(path, line), "not UTF-8") from error
