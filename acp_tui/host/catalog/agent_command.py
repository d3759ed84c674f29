"""How to start an agent; plain data, which is there before anything that serves one is loaded."""

from collections.abc import Callable, Mapping
from dataclasses import field

from acp_tui.frozen import Frozen
from acp_tui.protocol.introduction import Offer


class AgentCommand(Frozen):
    """How to start an agent: its argument vector (never a shell line), variables on top of ours, what it is offered.

    `title` is what the user calls it; a session has that until the agent introduces itself. `defaults` say, a
    sentence each, what was set because the agent is known to need it. `program` is where the program of an agent that
    was chosen by its name was found; empty where the user wrote the command out. `check` is called before each start,
    in a thread, and raises `UserFault` where what was agreed to has changed.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    protocol: Offer = "1"
    title: str = ""
    defaults: tuple[str, ...] = ()
    program: str = ""
    check: Callable[[], None] | None = field(default=None, compare=False)
