"""Lines for a shell that go on with a session: in its agent's own CLI, or here once the program has ended.

The table of known agents says whose CLI has the sessions that it has over ACP. A session's id is what the agent says:
what is no plain word is refused, not quoted.
"""

import re
import shlex
from collections.abc import Sequence

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_command import AgentCommand
from acp_tui.host.catalog.known_agents import KNOWN_AGENTS, known_by_argv
from acp_tui.safe_text import named, one_line

SESSION = "{session}"  # where the id stands in the table
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")  # it is no option, and means itself in every shell


def is_plain_id(session_id: str) -> bool:
    """Whether what an agent calls a session is a word that any shell takes as it is, and no option."""
    return _PLAIN.fullmatch(session_id) is not None


def own_cli_line(argv: Sequence[str], title: str, session_id: str, folder: str) -> str:
    """A line for a POSIX shell that goes on with the session in its absolute `folder`.

    `argv` is how the agent was started, `title` what it is called. Raises `UserFault` where there is no such line.
    """
    known = known_by_argv(argv)
    if known is None or not known.own_cli:
        others = ", ".join(agent.title for agent in KNOWN_AGENTS if agent.own_cli)
        raise UserFault(
            f"{named(title or 'This agent')} has no CLI that is known to continue its sessions", f"Known for: {others}"
        )
    if not session_id:
        raise UserFault("The session is not open yet", hint="Try again when the agent is ready.")
    if not is_plain_id(session_id):
        raise UserFault("The session's ID is not safe in a shell", named(session_id[:80]))
    if one_line(folder) != folder:
        raise UserFault("The name of the session's folder is not safe in a shell", named(folder))
    command = [session_id if word == SESSION else word for word in known.own_cli]
    return f"cd {shlex.quote(folder)} && {shlex.join(command)}"


def continue_line(command: AgentCommand, session_id: str, folder: str, here: str, *, can_resume: bool) -> str:
    """It is for the shell that this program was started in, in the absolute folder `here`.

    Where the agent does not bring sessions back (`can_resume`), what was recorded last in the session's `folder` is
    gone on with. Empty where no such line would be right: the id may be anything that an agent says, and a command with
    a secret in it is not repeated.
    """
    if can_resume and not is_plain_id(session_id):
        return ""
    if not command.recorded():
        return ""
    words = ["acp-tui", *([] if folder == here else ["-C", folder])]
    words += ["--resume", session_id] if can_resume else ["--continue"]
    words += ["--protocol", command.protocol] if command.protocol != "1" else []
    words += ["--agent", command.name] if command.name else ["--", *command.argv]
    line = shlex.join(words)
    return line if one_line(line) == line else ""
