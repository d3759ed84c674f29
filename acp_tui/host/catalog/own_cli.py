"""How a session goes on in its agent's own CLI, for agents whose CLI has the sessions that they have over ACP.

The table of known agents has the commands. A session's id is what the agent says, and this line is for a shell: what
is no plain word is refused, not quoted.
"""

import re
import shlex
from collections.abc import Sequence

from acp_tui.errors import UserFault
from acp_tui.host.catalog.known_agents import KNOWN_AGENTS, known_by_argv
from acp_tui.safe_text import named, one_line

SESSION = "{session}"  # where the id stands in the table
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")  # it is no option, and means itself in every shell


def own_cli_line(argv: Sequence[str], title: str, session_id: str, folder: str) -> str:
    """A line for a POSIX shell that goes on with the session in its absolute `folder`.

    `argv` is how the agent was started, `title` what it is called. Raises `UserFault` where there is no such line.
    """
    known = known_by_argv(argv)
    if known is None or not known.own_cli:
        others = ", ".join(agent.title for agent in KNOWN_AGENTS if agent.own_cli)
        raise UserFault(f"No CLI of {named(title or 'this agent')} is known to have this session", f"Known: {others}")
    if not session_id:
        raise UserFault("The session is not open yet", hint="Try again when the agent is ready.")
    if _PLAIN.fullmatch(session_id) is None:
        raise UserFault("The session's ID is not safe in a shell", named(session_id[:80]))
    if one_line(folder) != folder:
        raise UserFault("The name of the session's folder is not safe in a shell", named(folder))
    command = [session_id if word == SESSION else word for word in known.own_cli]
    return f"cd {shlex.quote(folder)} && {shlex.join(command)}"
