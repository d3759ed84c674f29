"""The command line that goes on with a session once the program has ended."""

import shlex

from acp_tui.host.catalog.agent_command import AgentCommand
from acp_tui.host.catalog.own_cli import is_plain_id
from acp_tui.safe_text import one_line


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
    if command.name:
        words += ["--agent", command.name]
    else:
        words += ["--protocol", command.protocol] if command.protocol != "1" else []
        words += ["--", *command.argv]
    line = shlex.join(words)
    return line if one_line(line) == line else ""
