"""What the user has set for the screen: by the command line, in a config file, or by a key.

The first of these that says something counts. What a key sets is kept in the state folder, never in the config file.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from acp_tui.host.config.config import Config, ConfigFile
from acp_tui.host.store.view_memory import recall, remember

Source = Literal["command line", "project", "user", "key", "default"]
T = TypeVar("T")

DEFAULTS: Mapping[str, Any] = {
    "theme": "",
    "sidebar": False,
    "details": False,
    "mouse": True,
    "copy_on_select": True,
    "editing": "default",
    "suggestions": True,
    "status_line": (),
    "status_command": (),
}
BY_KEY = ("theme", "sidebar", "details", "mouse", "editing")  # what a key sets, and is kept


class Preferences:
    """The settings of the screen, by the names that the config file has for them.

    `given` is what the command line says. `usable` says whether a value that was kept can be used still.
    """

    def __init__(
        self,
        config: Config | None = None,
        given: Mapping[str, Any] | None = None,
        usable: Callable[[str, Any], bool] = lambda _name, _value: True,
    ) -> None:
        self._config, self._given = config, dict(given or {})
        kept = recall()
        self._kept = {
            name: kept[name]
            for name in BY_KEY
            if type(kept.get(name)) is type(DEFAULTS[name]) and usable(name, kept[name])
        }
        self._now: dict[str, Any] = {}  # what was set in this run, though something else counts in the next one

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
        if file := self._file(name):
            return "project" if self._config is not None and file is self._config.project else "user"
        return "key" if name in self._kept else "default"

    def set(self, name: str, value: Any) -> str:
        """Set what a key sets. The result says in words what counts in the next run instead; empty if nothing does."""
        self._now[name] = value
        source = self.source(name)
        if source == "command line":
            return "The command line sets this, so it is not kept"
        if source in ("project", "user"):
            whose = "The project's config file" if source == "project" else "Your config file"
            return f"{whose} sets {name}, so this lasts until you quit"
        self._kept[name] = value
        remember(name, value)
        return ""

    @property
    def files(self) -> list[Path]:
        """The config files that count: the user's own and the project's, where they say something."""
        files = () if self._config is None else (self._config.own, self._config.project)
        return [file.path for file in files if file is not None and file.text]

    def _lasting(self, name: str) -> Any:
        if name in self._given:
            return self._given[name]
        if file := self._file(name):
            return file.says(name, DEFAULTS[name])
        return self._kept.get(name, DEFAULTS[name])

    def _file(self, name: str) -> ConfigFile | None:
        return self._config.said(name) if self._config is not None else None
