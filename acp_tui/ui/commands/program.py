"""The commands around a conversation: sessions, the agent, and the program itself, in the order of the help."""

from functools import partial

from acp_tui.ui.commands.command import Command

DIGITS = 9  # sessions that have a key after the leader

_session = partial(Command, group="Sessions")
_agent = partial(Command, group="Agent")
_program = partial(Command, group="Program")


def _show_session(number: int) -> Command:
    """Switch by number; the first stands for all of them in the table of keys."""
    return _session(
        f"show_session_{number}",
        f"Session {number}" if number > 1 else f"Session 1 … {DIGITS}",
        f"Show the first open session; 2 to {DIGITS} show the others",
        leader=str(number),
        in_palette=False,
        in_table=number == 1,
    )


PROGRAM_COMMANDS = (
    _session("new_session", "New session", "Begin one more session with this agent, in the same folder", ("ctrl+n",)),
    _session(
        "new_agent",
        "New session with another agent",
        "Choose an agent, and begin a session with it beside this one",
        leader="n",
    ),
    _session(
        "browse_sessions",
        "Find a session",
        "The agent's sessions and those recorded here: search, open, rename, delete, export",
        ("ctrl+s",),
        leader="s",
        footer="sessions",
        footer_rank=3,
    ),
    _session(
        "switch_session", "Switch to an open session", "The sessions that are open, and how they stand", leader="tab"
    ),
    *(_show_session(number) for number in range(1, DIGITS + 1)),
    _session("next_session", "Next session", "Show the next open session", ("ctrl+pagedown",), leader="right"),
    _session(
        "previous_session", "Previous session", "Show the open session before this one", ("ctrl+pageup",), leader="left"
    ),
    _session("fork_session", "Fork the session", "A new session that knows what this one knows, where the agent can"),
    _session(
        "rename_session",
        "Rename the session",
        "Another title: the agent keeps it where it can, else it is given here (also /rename)",
    ),
    _session(
        "close_session", "Close the session", "Put this session away; asks first if its agent is at work", leader="x"
    ),
    _agent(
        "restart_agent",
        "Restart the agent",
        "End the agent if it lives, start it again and bring every session back; draft and queue stay",
        leader="r",
    ),
    _agent(
        "show_stderr",
        "Show the agent's standard error",
        "What the agent wrote to standard error, as far as it is kept",
        leader="d",
    ),
    _agent("log_in", "Log in", "The agent's ways to log in"),
    _agent("log_out", "Log out", "Have the agent forget who you are, where it can"),
    _agent(
        "keep_choices",
        "Keep the chosen options",
        "Choose the same options in the next sessions with this agent",
        leader="plus",
    ),
    _agent(
        "decline_choices",
        "Do not keep the chosen options",
        "Leave them to the agent, and do not ask again",
        leader="minus",
    ),
    _agent(
        "forget_choices", "Forget all kept options", "Choose nothing by itself in the next sessions with this agent"
    ),
    _session(
        "search_records",
        "Find in all recorded sessions",
        "Words that were said in any session, with any agent; Enter shows its transcript",
        leader="slash",
    ),
    _program(
        "palette",
        "Command palette",
        "Find any command by its name",
        ("ctrl+p",),
        footer="palette",
        footer_rank=0,
        in_palette=False,
    ),
    _program("help", "Help", "All keys and what they do (also ? on an empty prompt)", ("f1",), leader="question_mark"),
    _program(
        "question_mark",
        "Help on an empty prompt",
        "All keys and what they do",
        ("question_mark",),
        scope="prompt",
        footer="help",
        footer_rank=1,
        in_palette=False,
    ),
    _program(
        "copy_answer", "Copy the last answer", "The agent's last message, as markdown, to the clipboard", leader="y"
    ),
    _program(
        "copy_code",
        "Copy the last code block",
        "The last fenced code of the agent's messages, to the clipboard",
        leader="k",
    ),
    _program("copy_transcript", "Copy the whole transcript", "All of the session as markdown, to the clipboard"),
    _program(
        "export_markdown",
        "Export to Markdown",
        "All of the session as a Markdown file; asks for its name and never overwrites",
    ),
    _program(
        "export_json",
        "Export to JSON",
        "Everything that is known of the session as a JSON file; asks for its name and never overwrites",
    ),
    _program(
        "inspect",
        "Protocol inspector",
        "All messages between acp-tui and the agent: filter, times, what is wrong with them, copy",
        ("f12",),
        leader="i",
    ),
    _program("toggle_theme", "Dark or light", "Switch between the dark and the light theme"),
    _program("pick_theme", "Pick a theme", "All themes, in a list"),
    _program("suspend", "Suspend", "Back to the shell; fg returns. The agent goes on", ("ctrl+z",)),
    _program(
        "end_of_input",
        "Quit on an empty prompt",
        "Quits if nothing is written, else deletes to the right",
        ("ctrl+d",),
        scope="prompt",
        in_palette=False,
    ),
    _program("quit", "Quit", "End the agent and leave; asks first if the agent is at work", ("ctrl+q",), footer="quit"),
)
