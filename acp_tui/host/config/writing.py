"""One agent's table, written into the user's own config file, of which everything else stays as it is, byte by byte.

The file is read and written as text, not made anew from what it says. What was written must say exactly what was
meant, or the file is left alone: however the user has set it out, nothing is lost.
"""

import copy
import errno
import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.host.config.config import ConfigFile
from acp_tui.host.config.field_lines import tokens
from acp_tui.host.config.places import spelled
from acp_tui.host.config.settings import TEMPLATE
from acp_tui.host.store.folders import private_folder
from acp_tui.safe_text import named, quoted

_BOM = "\ufeff"
Value = str | Sequence[str] | Mapping[str, str]


def write_agent(own: ConfigFile, name: str, values: Mapping[str, Value]) -> None:
    """Write `values` into the table of the agent `name`; what else stands there stays.

    `own` is the file as it was read. Raises `UserFault`, with the lines to add by hand, where the file has changed
    since, cannot be written, or would not say what is meant.
    """
    try:
        _write(own, name, values)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        lines = "\n".join(map(named, agent_lines(name, values)))
        raise UserFault(
            "The config file was not written",
            f"{named(own.path)}: {reason}",
            f"Add these lines yourself (acp-tui config):\n{lines}",
        ) from error


def agent_lines(name: str, values: Mapping[str, Value]) -> list[str]:
    """The table as TOML, a line each."""
    return [_heading(name), *(f"{key} = {_toml(value)}" for key, value in values.items())]


def _write(own: ConfigFile, name: str, values: Mapping[str, Value]) -> None:
    target = Path(os.path.realpath(own.path))
    before = _bytes(target)
    _check_unchanged(before, own)
    text = before.decode() if before or target.exists() else TEMPLATE.read_text(encoding="utf-8")
    written = _BOM * text.startswith(_BOM) + _with_table(text.removeprefix(_BOM), name, values)
    _check_meaning(text, written, name, values)
    _check_usable(own.path, written)
    _replace(target, before, written.encode())


def _check_unchanged(data: bytes, own: ConfigFile) -> None:
    if hashlib.sha256(data).hexdigest() != (own.digest or hashlib.sha256(b"").hexdigest()):
        raise ValueError("it was edited in the meantime")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _with_table(text: str, name: str, values: Mapping[str, Value]) -> str:
    """The text with the values in the agent's table, at its end where it has none; in the file's own line ends."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    end = "\r\n" if "\r\n" in text else "\n"
    at = next((number for number, line in enumerate(lines) if _is_heading(line, name)), None)
    if at is None:
        between = end * ((not text.endswith(("\n", "\r"))) + 1) if text else ""
        return text + between + "".join(line + end for line in agent_lines(name, values))
    if not lines[at].endswith("\n"):
        lines[at] += end
    added: list[str] = []
    for key, value in values.items():
        place = _line_of(lines, at + 1, key)
        if place is None:
            added.append(f"{key} = {_toml(value)}{end}")
        elif isinstance(value, str):
            lines[place] = _with_value(lines[place], key, value)
    return "".join([*lines[: at + 1], *added, *lines[at + 1 :]])


def _is_heading(line: str, name: str) -> bool:
    if not line.lstrip().startswith("[") or line.lstrip().startswith("[["):
        return False
    try:
        return bool(tomllib.loads(line) == {"agents": {name: {}}})
    except ValueError:
        return False


def _line_of(lines: Sequence[str], start: int, key: str) -> int | None:
    """Which line gives `key` its value, of the table that begins before `start`."""
    for number in range(start, len(lines)):
        if lines[number].lstrip().startswith("["):
            return None
        if re.match(rf"\s*{key}\s*[=.]", lines[number]):
            return number
    return None


def _with_value(line: str, key: str, value: str) -> str:
    """The line with another value; its comment and its end stay."""
    begins = len(line) - len(line.lstrip())
    comment = next((token.start() for token in tokens(line) if token[0].startswith("#")), len(line.rstrip("\r\n")))
    while comment and line[comment - 1] in " \t":
        comment -= 1
    return f"{line[:begins]}{key} = {quoted(value)}{line[comment:]}"


def _check_meaning(before: str, after: str, name: str, values: Mapping[str, Value]) -> None:
    """Raises ValueError unless the text says now what it said before, and the values."""
    meant = copy.deepcopy(tomllib.loads(before.removeprefix(_BOM)))
    agents = meant.setdefault("agents", {})
    agents[name] = {**agents.get(name, {}), **{key: _plain(value) for key, value in values.items()}}
    try:
        said: Any = tomllib.loads(after.removeprefix(_BOM))
    except ValueError as error:
        raise ValueError(f"the agent cannot be added to it ({error})") from error
    if said != meant:
        raise ValueError("the way this agent is written there cannot be edited automatically")


def _check_usable(path: Path, text: str) -> None:
    """Raises ValueError unless the text is a config file that can be used."""
    try:
        ConfigFile(path, text.removeprefix(_BOM)).settings  # noqa: B018 - what is wrong with it is to be said now
    except UserFault as fault:
        raise ValueError(fault.message) from fault


def _replace(target: Path, before: bytes, data: bytes) -> None:
    """Put `data` into the place of what the file holds, whole or not at all; mode and owner stay."""
    folder = private_folder(target.parent)
    kept = target.stat() if target.exists() else None
    if kept is not None and not stat.S_ISREG(kept.st_mode):  # a link to /dev/null, by which some switch a file off
        raise ValueError("not a regular file")
    if kept is not None and (not kept.st_mode & 0o222 or not os.access(target, os.W_OK)):
        raise PermissionError(errno.EACCES, "read-only")
    beside = folder / f".{target.name}.{os.urandom(6).hex()}"
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if kept is not None:
            _keep(beside, kept)
        if _bytes(target) != before:
            raise ValueError("it was edited in the meantime")
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _keep(path: Path, kept: os.stat_result) -> None:
    """Give a file the owner and the mode of the one whose place it takes."""
    ours = path.stat()
    if hasattr(os, "chown") and (ours.st_uid, ours.st_gid) != (kept.st_uid, kept.st_gid):
        os.chown(path, kept.st_uid, kept.st_gid)
    path.chmod(stat.S_IMODE(kept.st_mode))


def _plain(value: Value) -> Any:
    return value if isinstance(value, str) else dict(value) if isinstance(value, Mapping) else list(value)


def _heading(name: str) -> str:
    return f"[{spelled(('agents', name))}]"


def _toml(value: Value) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_pairs(value)) + " }" if value else "{}"
    return "[" + ", ".join(map(quoted, value)) + "]"


def _pairs(value: Mapping[str, str]) -> Iterator[str]:
    for name, text in value.items():
        yield f"{spelled((name,))} = {quoted(text)}"
