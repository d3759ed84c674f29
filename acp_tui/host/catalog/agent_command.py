"""How to start an agent; plain data, which is there before anything that serves one is loaded."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from shutil import which
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.system.current_folder import absolute_path
from acp_tui.protocol.introduction import Offer
from acp_tui.startup import late

RECORDED_AT_MOST = 2_000  # characters of a command: the first line of a record is a short one


class AgentCommand(Frozen):
    """How to start an agent: its argument vector (never a shell line), variables on top of ours, what it is offered.

    `title` is what the user calls it; a session has that until the agent introduces itself. `defaults` say, a
    sentence each, what was set because the agent is known to need it. `program` is where the program of an agent that
    was chosen by its name was found; empty where the user wrote the command out. `check` is called before each start,
    in a thread, and raises `UserFault` where what was agreed to has changed. `name` is what it was chosen by.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    protocol: Offer = "1"
    title: str = ""
    defaults: tuple[str, ...] = ()
    program: str = ""
    check: Callable[[], None] | None = field(default=None, compare=False)
    name: str = ""

    def recorded(self) -> dict[str, Any]:
        """How it is started, for who wants to go on with its session later (`recorded_start`).

        An agent that was chosen by its name is looked up again by that: what a record says must never stand in for what
        the user agreed to. Nothing is told of a command with a secret, a long one, or one of a folder that is gone.
        """
        if self.name:
            return {"agent": self.name}
        if not self.argv or _has_secret(self.argv) or sum(map(len, self.argv)) > RECORDED_AT_MOST:
            return {}
        program, *arguments = self.argv
        found = self.program or which(program) or ""
        try:  # it is relative to the folder that we were started in, which is another one next time
            program = str(absolute_path(program)) if os.sep in program else program
            start = {"argv": [program, *arguments], "program": str(absolute_path(found)) if found else ""}
        except UserFault:  # or is gone, with all that was in it
            return {}
        return start | ({"protocol": self.protocol} if self.protocol != "1" else {})


def _has_secret(argv: Sequence[str]) -> bool:
    """Whether a flag, an address or a variable (`env API_KEY=... agent`) seems to hold one."""
    masked: list[str] = late("acp_tui.session.text.secret_masking").masked_words(argv)
    return masked != list(argv)
