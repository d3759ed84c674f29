"""Packages that agents come in, each with an exact version: nothing else is ever installed."""

import re
import shlex
from dataclasses import field
from typing import Literal

from acp_tui.frozen import Frozen

Kind = Literal["npm", "python"]

# Compiled when a package is read: a start reads none.
_NPM_NAME = r"(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*"
# What is nearly a version is for npm a tag, which its publisher may move: empty parts, numbers beyond 2^53.
_WORDS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_NPM_VERSION = rf"\d{{1,15}}\.\d{{1,15}}\.\d{{1,15}}(?:-(?!\d{{16}}){_WORDS})?(?:\+{_WORDS})?"
_PYTHON_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._-]+(?:,[A-Za-z0-9._-]+)*\])?"
_PYTHON_VERSION = (
    r"(?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9]+(?:[._-][a-z0-9]+)*)?"
)
PYTHON_REQUEST = r"(?:[<>=!~]=?)?3(?:\.\d{1,3}){0,2}(?:,(?:[<>=!~]=?)3(?:\.\d{1,3}){0,2}){0,3}"
"""A version of Python that uv may be told, or versions: `3.12`, `>=3.12,<3.14`. No path or name of a program."""
_ARCHIVES = (".tgz", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".zip", ".whl")  # a file, for npm even as a version
_AT_MOST = 200  # characters


class Package(Frozen):
    """A package at exactly one version. `name` is as it is installed: with its scope (npm) or its extras (Python).

    `python` is the version of Python that it wants; without one it gets the one that uv finds first.
    """

    kind: Kind
    name: str
    version: str
    python: str = field(default="", compare=False)

    @property
    def spec(self) -> str:
        """What npm or uv is told."""
        return f"{self.name}@{self.version}" if self.kind == "npm" else f"{self.name}=={self.version}"

    @property
    def pin(self) -> str:
        """As it stands in the config file: `npm:opencode-ai@1.18.33`, `python:hermes-agent[acp]==0.19.0`."""
        return f"{self.kind}:{self.spec}"

    @property
    def plain_name(self) -> str:
        """The name without scope and extras; npm and uv run the program of that name where no other is named."""
        return self.name.rpartition("/")[2].partition("[")[0]

    @property
    def on_python(self) -> tuple[str, ...]:
        """What uv is told of the Python that it wants."""
        return ("--python", self.python) if self.python else ()

    @property
    def by_hand(self) -> str:
        """A shell command by which a user may install it without this program."""
        words = ("npm", "install", "-g") if self.kind == "npm" else ("uv", "tool", "install", *self.on_python)
        return shlex.join([*words, self.spec])

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers of the version, to tell which of two is newer; what follows them is not compared."""
        numbers = re.match(r"\d+(?:\.\d+)*", self.version.rpartition("!")[2])
        return tuple(map(int, numbers[0].split("."))) if numbers else ()


def read_package(kind: Kind, spec: str) -> Package:
    """The package that a registry names, as npx or uvx are told. Raises ValueError with the reason to refuse it."""
    if spec.startswith("-"):
        raise ValueError('package name starts with "-"')
    name, version = _npm_parts(spec) if kind == "npm" else _python_parts(spec)
    names, versions = (_NPM_NAME, _NPM_VERSION) if kind == "npm" else (_PYTHON_NAME, _PYTHON_VERSION)
    if len(spec) > _AT_MOST or not re.fullmatch(names, name) or name.lower().endswith(_ARCHIVES):
        raise ValueError("not a plain package name")
    if not re.fullmatch(versions, version, re.ASCII) or version.lower().endswith(_ARCHIVES):
        raise ValueError("package without an exact version")
    return Package(kind, name, version)


def read_pin(text: str) -> Package:
    """The package of a config file. Raises ValueError."""
    kind, _, spec = text.partition(":")
    if kind == "npm":
        return read_package("npm", spec)
    if kind == "python":
        return read_package("python", spec)
    raise ValueError("must start with npm: or python:")


def _npm_parts(spec: str) -> tuple[str, str]:
    name, _, version = spec[1:].partition("@")
    return spec[:1] + name, version


def _python_parts(spec: str) -> tuple[str, str]:
    name, equals, version = spec.partition("==")
    if not equals:  # uvx takes `name@1.2.3` for the same
        name, _, version = spec.partition("@")
    return name, version
