"""The person's file and the project's, as one; must not know what an agent is or what a key does.

The person's file is `config.toml` in the config folder. The project's is `.acp-tui.toml` in the folder that is worked
in, or the nearest one above. A project comes from anybody: it may name agents, which need consent, and a theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.errors import UserFault
from acp_tui.host.config.file import ConfigFile
from acp_tui.host.config.places import Place
from acp_tui.host.folders import config_folder
from acp_tui.safe_text import named

if TYPE_CHECKING:
    from acp_tui.host.config.settings import AgentSettings, Notifications

PROJECT_FILE = ".acp-tui.toml"
_ONLY_OWN = ("keys", "registry", "notifications")


@dataclass(frozen=True, slots=True)
class ConfiguredAgent:
    """An agent of a config file; `project` if that is not the person's own."""

    name: str
    settings: AgentSettings
    file: ConfigFile
    project: bool

    def place(self, *field: str | int) -> Place:
        """Where a field of it stands."""
        return self.file.place("agents", self.name, *field)

    def path(self, written: str) -> Path:
        """A path of its settings: `~` is the home folder, relative is to the folder of the file."""
        return self.file.path.parent / _at_home(written)


@dataclass(frozen=True, slots=True)
class Config:
    """What is configured for one folder. Files that do not exist say nothing."""

    own: ConfigFile
    project: ConfigFile | None = None

    @property
    def agents(self) -> dict[str, ConfiguredAgent]:
        """By name; the project's take the place of the person's own of the same name, and need consent."""
        return {agent.name: agent for file in self._files() for agent in _agents(file, file is self.project)}

    @property
    def default_agent(self) -> str:
        """The agent that is started when none is named; the project's word counts more."""
        return self._said("default_agent")

    @property
    def theme(self) -> str:
        """The name of the theme; the project's word counts more."""
        return self._said("theme")

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Keys by the id of a command, in the order of the person's file."""
        keys: dict[str, tuple[str, ...]] = self.own.says("keys", {})
        return keys

    @property
    def notifications(self) -> Notifications:
        """How the terminal calls a person who looks elsewhere."""
        said: Notifications = self.own.says("notifications", "desktop")
        return said

    @property
    def registry(self) -> str:
        """The registry of agents: an address, or an absolute path; empty if there is none."""
        said: str = self.own.says("registry", "")
        return said if not said or "://" in said else str(self.own.path.parent / _at_home(said))

    @property
    def warnings(self) -> list[str]:
        """What stands in the files and does nothing."""
        told = [warning for file in self._files() for warning in file.warnings]
        if self.project is not None and self.project.text:
            said = self.project.settings.model_fields_set
            only = "counts in your own file only"
            told += [f"{self.project.place(field)}: {only}" for field in _ONLY_OWN if field in said]
        return told

    def place(self, *field: str | int) -> Place:
        """Where a field stands: in the project's file if that says it, else in the person's."""
        project = self.project
        if project is not None and project.text and field[0] in project.settings.model_fields_set:
            return project.place(*field)
        return self.own.place(*field)

    def _files(self) -> Iterator[ConfigFile]:
        yield self.own
        if self.project is not None:
            yield self.project

    def _said(self, field: str) -> str:
        return next((said for file in (self.project, self.own) if file and (said := file.says(field, ""))), "")


def load_config(folder: Path) -> Config:
    """What is configured for work in `folder`. Raises `UserFault` with file, line and field."""
    own, project = own_file(), project_file(folder)
    return Config(ConfigFile.read(own), ConfigFile.read(project) if project else None)


def own_file() -> Path:
    """The person's own config file, whether or not it exists."""
    return config_folder() / "config.toml"


def project_file(folder: Path) -> Path | None:
    """The project's config file: in `folder` or the nearest folder above."""
    return next((path for place in (folder, *folder.parents) if (path := place / PROJECT_FILE).is_file()), None)


def _agents(file: ConfigFile, project: bool) -> Iterator[ConfiguredAgent]:
    agents: dict[str, AgentSettings] = file.says("agents", {})
    for name, settings in agents.items():
        yield ConfiguredAgent(name, settings, file, project)


def _at_home(written: str) -> Path:
    try:
        return Path(written).expanduser()
    except RuntimeError as error:
        raise UserFault(f"{named(written)}: {error}") from error
