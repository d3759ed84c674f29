"""Agents as all sources have them, and the packages that they come in; those that are known are in `known_agents.json`.

A source is that table, a registry, or the user's config file. Nothing of an agent is started or installed here.
"""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import dropwhile
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Literal

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.config.config import ConfiguredAgent
from acp_tui.host.system.paths import absolute_path
from acp_tui.safe_text import named

Kind = Literal["npm", "python"]
Origin = Literal["known", "own", "registry"]
INSTALLERS: Mapping[Kind, tuple[str, str]] = {
    "npm": ("npm", "npm comes with Node.js: https://nodejs.org"),
    "python": ("uv", "Install uv first: https://docs.astral.sh/uv"),
}
"""What installs packages of a kind, and how to get that."""
CHOOSE = "Choose it in the list to install it"

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
        return release_of(self.version)


def read_package(kind: Kind, spec: str) -> Package:
    """The package that a registry names, as npx or uvx are told. Raises ValueError with the reason to refuse it."""
    if spec.startswith("-"):
        raise ValueError('package name starts with "-"')
    name, version = _parts(kind, spec)
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


def _parts(kind: str, spec: str) -> tuple[str, str]:
    if kind == "npm":
        name, _, version = spec[1:].partition("@")
        return spec[:1] + name, version
    name, equals, version = spec.partition("==")
    if not equals:  # uvx takes `name@1.2.3` for the same
        name, _, version = spec.partition("@")
    return name, version


class Agent(Frozen):
    """An agent to choose, whichever source it has.

    `program` is where its command was found, empty if it was not; `passed_over` where it was, but is not looked for: in
    the project, or by a relative entry of PATH. `package` is what can be installed for it from here, once there is what
    it `needs` (see INSTALLERS); without one its `homepage` says how to get it. `configured` is what a config file says.

    What else is known of some: `registry` is what the public registry calls it, where that differs from `name`.
    `reads_itself` says why it is not offered to read files through us; empty where it is offered. `own_cli` is the
    command that goes on with a session of it (`{session}`) in its own CLI, where that was tried. `forks_at_message` is
    the first version of it that forks a session at a message (see `fork_point`), which no capability
    says. `own_folders` are those in a project, relative to it, in which it keeps its own state, or makes mount points
    of its sandbox. `asking_more` are values of its options, by their ids, in which it is known to ask before it changes
    anything. `aliases` are names that none of its other columns has.
    """

    name: str
    title: str
    description: str
    argv: tuple[str, ...]
    origin: Origin = "known"
    env: Mapping[str, str] = field(default_factory=dict)
    homepage: str = ""
    licence: str = ""
    publisher: str = ""
    package: Package | None = None
    needs: tuple[str, str] | None = None
    program: str = ""
    passed_over: str = ""
    configured: ConfiguredAgent | None = None
    registry: str = ""
    reads_itself: str = ""
    forks_at_message: str = ""
    own_cli: tuple[str, ...] = ()
    own_folders: tuple[str, ...] = ()
    asking_more: Mapping[str, Sequence[str | bool]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names that start it: `gemini`, its title as one word (`gemini-cli`), its program's and the registry's."""
        title = "-".join(self.title.lower().split())
        return tuple(filter(None, dict.fromkeys((self.name, title, self.argv[0], self.registry, *self.aliases))))

    @property
    def installed(self) -> bool:
        return bool(self.program)

    @property
    def install(self) -> str:
        """A shell command that installs it; empty where there is no package of it, or the command is the user's own."""
        own = self.configured is not None and self.configured.settings.command
        return self.package.by_hand if self.package is not None and not own else ""

    @property
    def missing(self) -> tuple[str, str, str]:
        """What is said where its program is not there, unless it is passed over: title, message and hint of a fault."""
        looked_for = "" if self.origin == "registry" else f"{named(self.argv[0])}: command not found"
        return f"{named(self.title)} is not installed", looked_for, self._how_to_install

    @property
    def _how_to_install(self) -> str:
        if self.package is not None and not self.install:
            return f"{CHOOSE} again: acp-tui"
        if (
            self.package is not None
        ):  # what was installed from here is not in PATH, nor is a registry's looked for there
            by_hand = "" if self.origin == "registry" else f"\nOr install it yourself: {named(self.install)}"
            return f"{CHOOSE}: acp-tui{by_hand}"
        if self.origin == "registry":
            page = named(self.homepage) or "the registry lists no page for it"
            return f"Download it: {page}\nThen start it by its path: acp-tui -- /path/to/{named(shlex.join(self.argv))}"
        if self.homepage:
            return f"How to install it: {named(self.homepage)}"
        return "Install it, or fix its command: acp-tui config"

    def check_installed(self) -> None:
        """Raises `UserFault` that says what to do where it cannot be started."""
        if self.program:
            return
        if not self.passed_over:
            raise UserFault(*self.missing)
        found = absolute_path(self.passed_over)
        raise UserFault(
            f"{named(self.title)} was found only inside the project",
            f"{named(found)}: project programs are not started by name",
            f"If you trust it, give its path: acp-tui -- {named(shlex.join([str(found), *self.argv[1:]]))}",
        )


def _known(row: dict[str, Any]) -> Agent:
    """A row of the table: `pin` is its package at an exact version, `python` the version of Python that it runs on."""
    kind, _, spec = row.pop("pin", "").partition(":")
    package = Package(kind, *_parts(kind, spec), python=row.pop("python", "")) if spec else None
    row |= {name: tuple(row[name]) for name in ("argv", "own_cli", "own_folders", "aliases") if name in row}
    return Agent(**row, package=package)


KNOWN_AGENTS = tuple(map(_known, json.loads(Path(__file__).with_name("known_agents.json").read_text("utf-8"))))

_NUMBERS = re.compile(r"\d{1,15}(?:\.\d{1,15})*", re.ASCII)  # of a version, which an agent says itself
_RUNNERS = ("npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun")  # of packages, by name
_INTERPRETERS = ("node", "bun", "deno")
_ENDINGS = (".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs")


def known_by_name(name: str) -> Agent | None:
    """The known agent that has this among its names."""
    return next((known for known in KNOWN_AGENTS if name in known.names), None)


def known_by_argv(argv: Sequence[str]) -> Agent | None:
    """The known agent that a command starts: by its program, its package, or its script; however it is spelled."""
    if argv and program_name(argv[0]) == "env":
        argv = list(dropwhile(lambda word: word.startswith("-") or "=" in word, argv[1:]))
    return next((known for known in KNOWN_AGENTS if argv and _starts(known, argv)), None)


def on_its_python(package: Package) -> Package:
    """The package with the version of Python that it is known to run on, if nobody has said another one."""
    if package.kind != "python" or package.python:
        return package
    known = (agent.package for agent in KNOWN_AGENTS if agent.package is not None)
    return replace(package, python=next((one.python for one in known if one.name == package.name), ""))


def forks_at_message(name: str, version: str) -> bool:
    """Whether the agent that introduces itself so forks at a message; the scope of its package does not matter."""
    own = name.rpartition("/")[2]
    since = (each.forks_at_message for each in KNOWN_AGENTS if each.package and each.package.plain_name == own)
    return any(first and release_of(version) >= release_of(first) for first in since)


def release_of(version: str) -> tuple[int, ...]:
    """The numbers to tell which of two is newer: `(0, 71, 0)` for `0.71.0`, and for `v0.71.0-beta.1`."""
    numbers = _NUMBERS.search(version.rpartition("!")[2])
    return tuple(map(int, numbers[0].split("."))) if numbers else ()


def _starts(known: Agent, argv: Sequence[str]) -> bool:
    name = program_name(argv[0])
    if name == known.argv[0]:
        return True
    package = known.package.name if known.package else ""
    if name in _RUNNERS and package:
        options = [word.partition("=")[2] if word.startswith("--package=") else word for word in argv[1:]]
        if any(word == package or word.startswith(f"{package}@") for word in options):
            return True
    if name not in _INTERPRETERS:
        return False
    script = next((word for word in argv[1:] if not word.startswith("-")), "")
    inside = f"/{package}/" in script.replace("\\", "/") if package else False
    return inside or program_name(script) == known.argv[0]


def program_name(program: str) -> str:
    """`gemini` for `/usr/bin/gemini`, `gemini.CMD` and `C:\\npm\\gemini.cmd`."""
    path = PureWindowsPath(program) if "\\" in program else PurePosixPath(program)
    name = path.name.lower()
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
