"""The user's preferences: set on the command line, in a config file, or by a key; those of snapshots among them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from acp_tui.frozen import Frozen
from acp_tui.host.config.config import Config, ConfigFile, own_file
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.host.config.source_files import ConfigLocation
from acp_tui.host.config.state_files import JsonFile, read_object, state_folder


def recall() -> dict[str, Any]:
    """What was kept, by name; nothing where nothing (or nothing readable) was."""
    return _file().load(read_object) or {}


def remembered(name: str) -> bool:
    """Whether something was left on; off where nothing (or nothing readable) was kept."""
    return recall().get(name) is True


def remember(name: str, value: object) -> None:
    """Keep it; trouble with the file is passed over, the screen is as it is."""
    _file().store({**recall(), name: value})


def forget(name: str) -> None:
    kept = recall()
    if kept.pop(name, None) is not None:
        _file().store(kept)


def _file() -> JsonFile:
    return JsonFile(state_folder() / "view.json")


Source = Literal["command line", "folder", "project", "user", "key", "default"]
T = TypeVar("T")

DEFAULTS: Mapping[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}
LIMITS = ("session_cost", "turn_minutes", "context_percent")
BY_FOLDER = ("default_agent", "limits")
BY_KEY = tuple(name for name, setting in SETTINGS.items() if setting.by_key)


class Preferences:
    """The settings by the names that the config file has for them.

    `given` is what the command line says. `usable` says whether a value that was kept can be used still.
    """

    def __init__(
        self,
        config: Config | None = None,
        given: Mapping[str, Any] | None = None,
        usable: Callable[[str, Any], bool] = lambda _name, _value: True,
    ) -> None:
        self._config = config or Config(ConfigFile(own_file(), ""))
        self._given = dict(given or {})
        kept = recall()
        self._kept = {name: kept[name] for name in BY_KEY if _can_be(name, kept.get(name)) and usable(name, kept[name])}
        self._now: dict[str, Any] = {}  # what was set in this run, though something else counts in the next one

    @property
    def own(self) -> ConfigFile:
        """The user's own config file, as it was read last."""
        return self._config.own

    def get(self, name: str, kind: type[T]) -> T:
        """The value that counts now; `kind` is its type."""
        value = self._now.get(name, self._lasting(name))
        if not isinstance(value, kind):
            raise TypeError(f"{name} is {value!r}")
        return value

    def source(self, name: str) -> Source:
        """Where the value comes from that counts in the next run too."""
        if name in self._given:
            return "command line"
        if name in BY_FOLDER and self._config.saying_table(name):
            return "folder"
        if file := self._config.said(name):
            return "project" if file is self._config.project else "user"
        return "key" if name in self._kept else "default"

    def kept(self, name: str) -> bool:
        """Whether a key has set it, though something else may count more."""
        return name in self._kept

    def passing(self, name: str) -> bool:
        """Whether it was set in this run only: something else counts in the next one."""
        return name in self._now

    def place(self, name: str) -> ConfigLocation:
        """Where in a config file it stands, or would stand in the user's own."""
        if self.source(name) == "folder" and (table := self._config.saying_table(name)):
            return table.place(name)
        return (self._config.said(name) or self.own).place(name)

    def set(self, name: str, value: Any) -> str:
        """Set what a key sets. The result says in words what counts in the next run instead; empty if nothing does."""
        source = self.source(name)
        if source in ("key", "default"):
            self._kept[name] = value
            self._now.pop(name, None)
            remember(name, value)
            return ""
        self._now[name] = value
        if source == "command line":
            return f"Only until you quit: the command line sets {name}"
        if source == "project":
            return f"Only until you quit: the project's config file sets {name}"
        return f"Only until you quit: your config file sets {name} (/settings {name})"

    def forget(self, name: str) -> None:
        self._kept.pop(name, None)
        self._now.pop(name, None)
        forget(name)

    def read_anew(self, own: ConfigFile, written: str = "") -> None:
        """Take the user's own file as it is now; what has changed there, or was `written` again, counts at once."""
        before = {name: self._lasting(name) for name in DEFAULTS}
        self._config = replace(self._config, own=own)
        for name in DEFAULTS:
            if name == written or self._lasting(name) != before[name]:
                self._now.pop(name, None)

    @property
    def files(self) -> list[Path]:
        """The config files that count: the user's own and the project's, where they say something."""
        files = self._config.own, self._config.project
        return [file.path for file in files if file is not None and file.text]

    def _lasting(self, name: str) -> Any:
        if name in self._given:
            return self._given[name]
        if name in BY_FOLDER and (table := self._config.saying_table(name)):
            return getattr(table.settings, name)
        if file := self._config.said(name):
            return file.says(name, DEFAULTS[name])
        return self._kept.get(name, DEFAULTS[name])


def _can_be(name: str, value: object) -> bool:
    choices = SETTINGS[name].choices
    return type(value) is type(DEFAULTS[name]) and (not choices or value in choices)


MB = 1024 * 1024


class SnapshotSettings(Frozen):
    """Whether snapshots are taken (`off` says in words why not), and how much of them is kept.

    `everywhere`: in the home folder and the like, too. `passing`: nothing outlives this run. `store`: bytes that all
    stores together may take. `days`: since a session was used last.
    """

    off: str = ""
    everywhere: bool = False
    passing: bool = False
    store: int = 4096 * MB
    days: int = 30

    @property
    def kept(self) -> int:
        """Bytes over which the oldest sessions go, so that there is room for the one that runs."""
        return self.store - self.store // 8


class Says(Protocol):
    """What the user's own config file says of a setting, or `otherwise`."""

    def __call__(self, name: str, otherwise: Any, /) -> Any: ...


def snapshot_settings(says: Says) -> SnapshotSettings:
    wanted = says("snapshots", True)
    return SnapshotSettings(
        "" if wanted else SWITCHED_OFF.off,
        wanted == "everywhere",
        store=says("snapshot_store_mb", SWITCHED_OFF.store // MB) * MB,
        days=says("snapshot_days", SWITCHED_OFF.days),
    )


SWITCHED_OFF = SnapshotSettings(off="Snapshots are switched off")


class LimitSettings(Frozen):
    """Limits of each session, 0 for none: its cost in the agent's currency, minutes of a turn, percent of the context
    window.
    """

    session_cost: float = 0.0
    turn_minutes: float = 0.0
    context_percent: float = 0.0


NO_LIMITS = LimitSettings()


def limit_settings(config: Config) -> LimitSettings:
    """What the user's own file has, for the folder or for all."""
    table = config.saying_table("limits")
    source = table or (config.own if config.said("limits") else None)
    limits: Any = None if source is None else source.settings.limits  # type: ignore[attr-defined]
    return LimitSettings(**{name: getattr(limits, name) for name in LIMITS}) if limits else NO_LIMITS
