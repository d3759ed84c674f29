"""Placeholders in what is said of a tool server: `${NAME}`, `${NAME:-default}`, and those of VS Code and OpenCode.

A `$` that is no placeholder (`$5`, `$HOME` in a line for a shell, `${NAME%.*}`) is left as it is.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path


def _text(braces: int) -> str:
    """The pattern of a text with so many braces in each other at most."""
    inner = rf"|\{{{_text(braces - 1)}\}}" if braces else ""
    return rf"(?:[^{{}}]{inner})*+"


_PLACE = re.compile(
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
HIDDEN_FROM = 4  # characters of a value; a shorter one is no secret, and may be part of any word


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
        return _PLACE.sub(self._value, text)

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
