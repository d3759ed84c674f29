"""Agents that are known to speak ACP: how each is started and installed, and what it needs (the file beside this)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import dropwhile
from pathlib import Path, PurePosixPath, PureWindowsPath

from acp_tui.frozen import Frozen
from acp_tui.host.catalog.package import Package, read_pin
from acp_tui.safe_text import named

CHOOSE = "Choose it in the list to install it: acp-tui"


class KnownAgent(Frozen):
    """`registry` is what the public registry calls it, where that differs from `name`.

    `pin` is the package that is installed, `python` the version of Python that it is to run on, where it is one of
    Python; without a pin, its `homepage` says how to get it. `reads_itself` says why
    this agent is not offered to read files through us; empty where it is offered. `own_cli` is the command that goes on
    with a session of it (`{session}`) in its own CLI, where that was tried. `forks_at_message` is the first version of
    it that forks a session at a message (see `protocol.shared.fork_point`), which no capability says. `own_folders` are
    those in a project, relative to it, in which it keeps its own state, or makes mount points of its sandbox.
    `asking_more` are values of its options, by their ids, in which it is known to ask before it changes anything.
    """

    name: str
    title: str
    description: str
    argv: tuple[str, ...]
    homepage: str
    pin: str = ""
    python: str = ""
    licence: str = ""
    publisher: str = ""
    registry: str = ""
    reads_itself: str = ""
    forks_at_message: str = ""
    own_cli: tuple[str, ...] = ()
    own_folders: tuple[str, ...] = ()
    asking_more: Mapping[str, Sequence[str | bool]] = field(default_factory=dict)

    @cached_property
    def package(self) -> Package | None:
        return replace(read_pin(self.pin), python=self.python) if self.pin else None

    @property
    def install(self) -> str:
        """A shell command that installs it; empty where there is no package of it."""
        return self.package.by_hand if self.package else ""

    @property
    def how_to_install(self) -> str:
        """What to do where its program is not in PATH; what was installed from here is not there either."""
        if not self.install:
            return f"How to install it: {self.homepage}"
        return f"{CHOOSE}\nOr install it yourself: {self.install}"


_TABLE = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_LISTS = ("argv", "own_cli", "own_folders")
KNOWN_AGENTS = tuple(
    KnownAgent(**{**agent, **{name: tuple(agent[name]) for name in _LISTS if name in agent}}) for agent in _TABLE
)

_NUMBER = re.compile(r"\d{1,9}")  # of a version, which an agent says itself
_RUNNERS = ("npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun")  # of packages, by name
_INTERPRETERS = ("node", "bun", "deno")
_ENDINGS = (".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs")


def not_installed(title: str, program: str, how: str) -> tuple[str, str, str]:
    """What a user is told where an agent's program is not there: title, message and hint of a fault."""
    return f"{named(title)} is not installed", f"{named(program)}: command not found", how


def known_by_argv(argv: Sequence[str]) -> KnownAgent | None:
    """The known agent that a command starts: by its program, its package, or its script; however it is spelled."""
    if argv and _name(argv[0]) == "env":
        argv = list(dropwhile(lambda word: word.startswith("-") or "=" in word, argv[1:]))
    return next((known for known in KNOWN_AGENTS if argv and _starts(known, argv)), None)


def on_its_python(package: Package) -> Package:
    """The package with the version of Python that it is known to run on, if nobody has said another one."""
    if package.kind != "python" or package.python:
        return package
    known = (agent for agent in KNOWN_AGENTS if agent.package is not None and agent.package.name == package.name)
    return replace(package, python=next((agent.python for agent in known), ""))


def forks_at_message(name: str, version: str) -> bool:
    """Whether the agent that introduces itself so forks at a message; the scope of its package does not matter."""
    own = name.rpartition("/")[2]
    since = (each.forks_at_message for each in KNOWN_AGENTS if each.package and each.package.plain_name == own)
    return any(first and _numbers(version) >= _numbers(first) for first in since)


def _numbers(version: str) -> list[int]:
    """`[0, 71, 0]` for `0.71.0`, and for `v0.71.0-beta.1`."""
    return [int(number) for number in _NUMBER.findall(version)[:3]]


def _starts(known: KnownAgent, argv: Sequence[str]) -> bool:
    name, script = _name(argv[0]), next((word for word in argv[1:] if not word.startswith("-")), "")
    if name == known.argv[0]:
        return True
    if name not in _RUNNERS and name not in _INTERPRETERS:
        return False
    package = known.package.name if known.package else ""
    if name in _RUNNERS and package:
        options = [word.partition("=")[2] if word.startswith("--package=") else word for word in argv[1:]]
        if any(word == package or word.startswith(f"{package}@") for word in options):
            return True
    if name not in _INTERPRETERS:
        return False
    inside = f"/{package}/" in script.replace("\\", "/") if package else False
    return inside or _name(script) == known.argv[0]


def _name(program: str) -> str:
    """`gemini` for `/usr/bin/gemini`, `gemini.CMD` and `C:\\npm\\gemini.cmd`."""
    path = PureWindowsPath(program) if "\\" in program else PurePosixPath(program)
    name = path.name.lower()
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
