"""A command line as the grammar of rules reads it: simple commands under `&&`, `||`, `;`, `|` and newlines."""

import os
import sys
from collections.abc import Mapping
from typing import Literal

from acp_tui.frozen import Frozen

Operator = Literal["", "&&", "||", ";", "|", "\n"]


class ShellWord(Frozen):
    """One word behind a program: its `text` as the program gets it. `quoted`: some of it stood in quotes."""

    text: str
    quoted: bool = False


class CommandPart(Frozen):
    """One simple command of a chain. `operator` stands before it: `|` feeds it. `source` is its text, as it was
    written, without redirects."""

    program: str
    words: tuple[ShellWord, ...] = ()
    operator: Operator = ""
    source: str = ""

    @property
    def argv(self) -> tuple[str, ...]:
        return (self.program, *(word.text for word in self.words))

    @property
    def piped(self) -> bool:
        """Whether its standard input is what the part before it writes."""
        return self.operator == "|"


class CommandChain(Frozen):
    """A command that was read whole. `folder` is the word of a `cd` at its beginning, which is no part, else empty."""

    parts: tuple[CommandPart, ...]
    folder: str = ""


class UnreadCommand(Frozen):
    """A command that the grammar does not read; `reason` names what it has, for the screen: "it has a variable"."""

    reason: str


class CommandEnvironment(Frozen):
    """What in the agent's environment changes the meaning of a command.

    `utf8`: the locale is one of UTF-8. `cdpath` and `ripgrep_config`: these variables are set; `git` are the names of
    the variables that begin with GIT_. `path` is the search path.
    """

    utf8: bool = True
    cdpath: bool = False
    ripgrep_config: bool = False
    git: tuple[str, ...] = ()
    path: str = ""
    windows: bool = False

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "CommandEnvironment":
        """That of a process with these variables."""
        locale = next(filter(None, (variables.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))), "")
        return cls(
            utf8=locale.lower().replace("-", "").endswith("utf8"),
            cdpath=bool(variables.get("CDPATH")),
            ripgrep_config=bool(variables.get("RIPGREP_CONFIG_PATH")),
            git=tuple(sorted(name for name in variables if name.startswith("GIT_"))),
            path=variables.get("PATH", os.defpath),
            windows=sys.platform == "win32",
        )


class CommandPlace(Frozen):
    """Where a part runs: its real folder, and the real paths of the session's folders, the first of which is its own.

    `settled`: nothing before it in its chain may have written, so what is looked up on the disk holds (law 7).
    """

    folder: str
    roots: tuple[str, ...]
    environment: CommandEnvironment
    settled: bool = True
