"""What the settings screen does to the user's own config file: one setting at a time, each of which can be undone."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from acp_tui.errors import UserFault
from acp_tui.host.config.config import ConfigFile
from acp_tui.host.config.editing import Value, toml
from acp_tui.host.config.masked import masked_value
from acp_tui.host.config.places import UnusableConfig
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.writing import put_back, write_setting


class OwnSettings:
    """Each change is written at once; where it cannot be, the file is read anew, and `UserFault` says why."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences
        self._steps: list[tuple[str, Callable[[], None]]] = []
        self.fault: UnusableConfig | None = None
        """Why the file cannot be used as it is now; nothing is written then, and what it said before counts."""

    @property
    def fault_line(self) -> int:
        """The line (from 1) that the fault is about; 0 if it is about none."""
        return self.fault.line if self.fault is not None else 0

    def read(self) -> None:
        """Look what the file says now."""
        own = self._preferences.own
        try:
            self.fault, read = None, ConfigFile.read(own.path)
        except UnusableConfig as fault:
            self.fault = fault
            return
        if read.digest != own.digest:
            self._steps.clear()  # what the file was before is not what the user would want back
            self._preferences.read_anew(read)

    def set(self, name: str, value: Value) -> str:
        """Write a setting. What came of it, in words."""
        self._write(name, value)
        match self._preferences.source(name):
            case "project":
                return f"Saved, but this project's config file overrides {name}"
            case "folder":
                return f"Saved, but your config file has another {name} for this folder"
            case "command line":
                return f"Saved, but the command line overrides {name} in this run"
        return f"Saved: {name} = {toml(masked_value(value))}"

    def use_default(self, name: str) -> str:
        """Remove the setting from the file or, where it is not there, what a key has set. What came of it, in words."""
        preferences = self._preferences
        own = preferences.own
        if own.text and name in own.settings.model_fields_set:
            self._write(name, None)
            if preferences.source(name) == "key":
                return f"Removed {name} from your config file; the value set by key applies"
            return f"Removed {name} from your config file"
        if not preferences.kept(name):
            return f"{name} is at its default already" if preferences.source(name) == "default" else ""
        before = preferences.get(name, object)
        preferences.forget(name)
        self._steps.append((name, partial(self._keep_again, name, before)))
        return f"Cleared {name}, set by key"

    def undo(self) -> str:
        """Take back the last change; its name, or nothing where there is none."""
        if not self._steps:
            return ""
        name, step = self._steps.pop()
        step()
        return name

    def _keep_again(self, name: str, value: object) -> None:
        self._preferences.set(name, value)

    def _write(self, name: str, value: Value | None) -> None:
        before: bytes | None = None
        with suppress(OSError):
            before = self._preferences.own.path.read_bytes()
        self._take(name, lambda: write_setting(self._preferences.own, name, value))
        self._steps.append((name, lambda: self._take(name, lambda: put_back(self._preferences.own, before))))

    def _take(self, name: str, write: Callable[[], ConfigFile]) -> None:
        if self.fault is not None:
            raise self.fault
        try:
            self._preferences.read_anew(write(), name)
        except UserFault:
            self.read()
            raise
