"""Texts that settings come from or name: files read with care, places in them, variables and their placeholders.

What a project has comes from anybody, and may be a pipe, a device, huge, or another user's. Of a placeholder there are
`${NAME}`, `${NAME:-default}`, and those of VS Code and OpenCode; a `$` that is none (`$5`, `$HOME` in a line for a
shell, `${NAME%.*}`) is left as it is.
"""

import errno
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.expressions import expression
from acp_tui.frozen import Frozen
from acp_tui.host.system.paths import open_regular
from acp_tui.safe_text import named, quoted

Field = tuple[str | int, ...]
_BARE_NAME = expression(r"[A-Za-z0-9_-]+")
PARTS_AT_MOST = 8  # names in one key, such as `a.b.c`: the time of `tomllib` grows with their square; a setting has six
NAME_AT_MOST = 120  # characters of a name in a complaint
MAX_BYTES = 1024 * 1024
MAX_FOREIGN = 512 * 1024  # bytes of a file of a project: every word of it is looked at, and may have to be read
_VARIABLE = expression(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_COMMENT = expression(r"\s+#.*")
HIDDEN_FROM = 4  # characters of a value; a shorter one is no secret, and may be part of any word


class ConfigLocation(Frozen):
    """A field of a config file, as it is named to the user; line 0 is unknown."""

    path: Path
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        """`FILE, line 12, agents.kimi.args`."""
        parts = [named(self.path), f"line {self.line}" if self.line else "", self.field]
        return ", ".join(part for part in parts if part)


class UnusableConfig(UserFault):
    """A config file that cannot be used, and at which `line` (from 1; 0 if it is about none)."""

    def __init__(self, place: ConfigLocation, reason: str) -> None:
        self.line = place.line
        super().__init__("The config file cannot be used", f"{place}: {reason}", "Correct it with: acp-tui config")


def spelled(field: Sequence[str | int]) -> str:
    """The field as one would write it in TOML: `agents.kimi.args[1]`."""
    text = ""
    for part in field:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if len(part) <= NAME_AT_MOST else f"{part[:NAME_AT_MOST]}…"
            text += ("." if text else "") + (name if _BARE_NAME.fullmatch(name) else quoted(name))
    return text


def is_ours(path: Path, *, here: bool) -> bool:
    """Whether the file belongs to who is here, or to the owner of the folder that one has gone `here` to work in.

    What is only read as colours or after consent needs no more: a file that is exchanged meanwhile wins nothing.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        owners = {path.lstat().st_uid, path.stat().st_uid}
        return owners == {os.geteuid()} or (here and owners == {path.parent.stat().st_uid})
    except OSError:
        return False


def read_bytes(path: Path, *, foreign: bool, most: int | None = None) -> bytes:
    """What the file holds. Raises OSError, also for more than `most` bytes (else MAX_BYTES, or MAX_FOREIGN).

    A `foreign` file, which a project names, must be a regular one.
    """
    most = most or (MAX_FOREIGN if foreign else MAX_BYTES)
    with open_regular(path) if foreign else path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes")
    return data


def read_env_file(path: Path) -> dict[str, str]:
    """The variables in the file at `path`: blank lines and `#` comments are skipped, quotes are taken off.

    Nothing is expanded and no value is shown. Raises `UserFault` with file and line.
    """
    try:
        text = read_bytes(path, foreign=False).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(ConfigLocation(path), "not UTF-8") from error
    except OSError as error:
        raise _unusable(ConfigLocation(path), error.strerror or str(error)) from error
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            told = _VARIABLE.fullmatch(line.strip())
            if told is None or "\0" in line:
                raise _unusable(ConfigLocation(path, number), "not NAME=value")
            variables[told[1]] = _value(told[2])
    return variables


def _value(written: str) -> str:
    quote = written[:1]
    if quote in ("'", '"') and (end := written.find(quote, 1)) > 0:
        return written[1:end]
    return _COMMENT.sub("", written)


def _unusable(place: ConfigLocation, reason: str) -> UserFault:
    return UserFault("The env file cannot be used", f"{place}: {reason}")


def _text(braces: int) -> str:
    inner = rf"|\{{{_text(braces - 1)}\}}" if braces else ""
    return rf"(?:[^{{}}]{inner})*+"


@cache
def _placeholder() -> re.Pattern[str]:
    """Compiled with its first use: few have one, and a start is felt."""
    return re.compile(
        rf"\$\{{(?P<name>[A-Za-z_]\w*)(?::-(?P<default>{_text(8)}))?\}}"
        r"|\$?\{env:(?P<env>[A-Za-z_]\w*)\}"
        r"|(?P<foreign>\$\{(?:input|command|config|workspaceFolder):[^{}]*\}|\{file:[^{}]*\})"
    )


_PLAIN = frozenset(
    [
        *("HOME", "USER", "LOGNAME", "PWD", "SHELL", "PATH", "TMPDIR", "LANG"),
        *("userHome", "cwd", "pathSeparator", "workspaceFolder", "workspaceFolderBasename"),
    ]
)


class Unfilled(ValueError):
    """A placeholder for which there is no value; the words say which."""


class Placeholders:
    """Puts values into texts: of `variables`, which count more than ours, and of work in `folder`.

    `put_in` has those that may be secret, so that they can be hidden where the text is shown.
    """

    def __init__(self, variables: Mapping[str, str], folder: Path) -> None:
        here = {"workspaceFolder": str(folder), "workspaceFolderBasename": folder.name, "cwd": str(folder)}
        home = {"userHome": os.path.expanduser("~"), "pathSeparator": os.sep}  # noqa: PTH111 (never fails)
        self._values = {**here, **home, **os.environ, **variables}
        self.put_in: list[str] = []

    def fill(self, text: str) -> str:
        """The text with values. Raises `Unfilled`."""
        return _placeholder().sub(self._value, text)

    def variable(self, name: str) -> str:
        """The value of a variable. Raises `Unfilled`."""
        if name not in self._values:
            raise Unfilled(f"the variable {name} is not set")
        value = self._values[name]
        if len(value) >= HIDDEN_FROM and name not in _PLAIN:
            self.put_in.append(value)
        return value

    def _value(self, found: re.Match[str]) -> str:
        if found["foreign"]:
            raise Unfilled(f"{found['foreign']} cannot be filled in here; use a variable: ${{NAME}}")
        name, default = found["name"] or found["env"], found["default"]
        if default is not None and not self._values.get(name):
            return self.fill(default)
        return self.variable(name)
