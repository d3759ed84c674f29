"""The one writer of the user's own config file: an agent's table, a setting, or what stood there before.

The file is read anew for each change, and left alone where it is not the one that the user was shown. It is replaced
whole or not at all, through links, and keeps its mode and owner. `OwnSettings` is what the settings screen does to it.
"""

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.settings import AgentSettings, template
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.host.config.source_files import UnusableConfig
from acp_tui.host.config.state_files import private_folder, regular_stat, write_private
from acp_tui.host.config.toml_edit import Value, table_lines, toml, with_values
from acp_tui.safe_text import named
from acp_tui.startup import late

if sys.platform != "win32":
    import fcntl

_BOM = "\ufeff"


def write_agent(own: ConfigFile, name: str, values: Mapping[str, Value]) -> ConfigFile:
    """Write `values` into the table of the agent `name`; what else stands there stays. The file as it is then.

    `own` is the file as it was read. Raises `UserFault`, with the lines to add by hand, where the file has changed
    since, cannot be written, or would not say what is meant; and where arguments or variables stand there that are
    others, which are the user's.
    """
    table = ("agents", name)

    def change(text: str) -> str:
        agents: dict[str, AgentSettings] = own.says("agents", {})
        said = agents.get(name)
        for field, value in values.items():
            theirs = getattr(said, field, None)
            if not isinstance(value, str | int) and theirs and theirs not in (tuple(value), value):
                raise ValueError(f"{field} has a different value there")
        return with_values(text, table, values)

    lines = "\n".join(map(named, table_lines(table, values)))
    return _write(own, change, f"Add these lines yourself (acp-tui config):\n{lines}")


def write_setting(own: ConfigFile, name: str, value: Value | None) -> ConfigFile:
    """Write a setting of the top level, or remove its line (None). The file as it is then. Raises as `write_agent`."""
    hint = f"Remove {name} yourself: acp-tui config"
    if value is not None:
        hint = f"Write it yourself: {named(table_lines((), {name: value})[0])}"
    return _write(own, lambda text: with_values(text, (), {name: value}), hint)


def put_back(own: ConfigFile, before: bytes | None) -> ConfigFile:
    """Let the file hold what it held `before` it became `own`; None where there was none. Raises as `write_agent`."""
    text = None if before is None else before.decode()
    return _write(own, lambda _: text, "Edit it yourself: acp-tui config")


def is_read_only(path: Path) -> bool:
    """Whether the file is there and is not to be written, as its mode has it even for root."""
    return path.exists() and (not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK))


def create() -> Path:
    """Make the user's own file if there is none, with all settings as comments; its path. Raises `UserFault`."""
    path = own_file()
    try:
        if not path.exists():
            _replace(Path(os.path.realpath(path)), b"", template().encode())
    except OSError as error:
        raise UserFault("Cannot create the config file", f"{named(path)}: {error.strerror or error}") from error
    return path


class BusyFile(ValueError):
    """Another acp-tui writes a file just now."""


def rewrite(path: Path, change: Callable[[bytes], bytes | None]) -> None:
    """Put what `change` makes of a file's bytes (None: no file) into its place, through links, alone and whole or not
    at all. Raises OSError and ValueError, as `change` may; `BusyFile` where another acp-tui is at it.
    """
    target = Path(os.path.realpath(path))
    private_folder(target.parent)
    with _alone(target.parent):
        before = _bytes(target)
        _replace(target, before, change(before))


def _write(own: ConfigFile, change: Callable[[str], str | None], hint: str) -> ConfigFile:
    def changed(before: bytes) -> bytes | None:
        _check_unchanged(before, own)
        made = change(before.decode() if before or own.path.exists() else template())
        if made is not None:
            _check_usable(own.path, made)
        return None if made is None else made.encode()

    try:
        rewrite(own.path, changed)
    except (OSError, ValueError) as error:
        raise UserFault("The config file was not written", f"{named(own.path)}: {reason_of(error)}", hint) from error
    return ConfigFile.read(own.path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one acp-tui writes there at a time; a system that has no such lock does without. Raises ValueError."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BusyFile("another acp-tui is writing it; try again") from error
        yield
    finally:
        os.close(descriptor)


def _check_unchanged(data: bytes, own: ConfigFile) -> None:
    if hashlib.sha256(data).hexdigest() != (own.digest or hashlib.sha256(b"").hexdigest()):
        raise ValueError("it was edited in the meantime")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _check_usable(path: Path, text: str) -> None:
    """Raises ValueError unless the text is a config file that can be used."""
    try:
        ConfigFile(path, text.removeprefix(_BOM)).settings  # noqa: B018 - what is wrong with it is to be said now
    except UserFault as fault:
        raise ValueError(fault.message.removeprefix(f"{named(path)}, ")) from fault


def _replace(target: Path, before: bytes, data: bytes | None) -> None:
    """Put `data` into the place of what the file holds, whole or not at all; mode and owner stay. None: no file."""
    kept = regular_stat(target)  # a link to /dev/null, by which some switch a file off, is left alone
    if is_read_only(target):
        raise PermissionError(errno.EACCES, "read-only")

    def finish(descriptor: int) -> None:
        if kept is not None:
            _keep(descriptor, kept)
        if _bytes(target) != before:
            raise ValueError("it was edited in the meantime")

    if data is None:
        target.unlink(missing_ok=True)
    else:
        write_private(target, data, finish=finish)


def _keep(descriptor: int, kept: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        ours = os.fstat(descriptor)
        if (ours.st_uid, ours.st_gid) != (kept.st_uid, kept.st_gid):
            os.fchown(descriptor, kept.st_uid, kept.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(kept.st_mode))


class OwnSettings:
    """The user's settings: each change is written at once, and can be undone.

    Where it cannot be written the file is read anew, and `UserFault` says why.
    """

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
        title = SETTINGS[name].title
        match self._preferences.source(name):
            case "project":
                return f"Saved, but this project's config file overrides {title}"
            case "folder":
                return f"Saved, but your config file has a different value for this folder: {title}"
            case "command line":
                return f"Saved, but the command line overrides {title} in this run"
        shown = late("acp_tui.session.text.secret_masking").masked_value(value)
        return f"Saved: `{name} = {toml(shown)}`"

    def use_default(self, name: str) -> str:
        """Remove the setting from the file or, where it is not there, what a key has set. What came of it, in words."""
        preferences, title = self._preferences, SETTINGS[name].title
        own = preferences.own
        if own.text and name in own.settings.model_fields_set:
            self._write(name, None)
            if preferences.source(name) == "key":
                return f"Removed from your config file: {title}. The value you set with a shortcut now applies"
            return f"Removed from your config file: {title}"
        if not preferences.kept(name):
            return f"{title} already has its default" if preferences.source(name) == "default" else ""
        before = preferences.get(name, object)
        preferences.forget(name)
        self._steps.append((name, partial(self._keep_again, name, before)))
        return f"Cleared: {title}, set with a shortcut"

    def undo(self) -> str:
        """Undo the last change; its name, or nothing where there is none."""
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
