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
        f"Session {number}" if number > 1 else "Session",
        f"Switch to session {number}" if number > 1 else f"Switch to session 1–{DIGITS}",
        leader=str(number),
        in_palette=False,
        in_table=number == 1,
    )


PROGRAM_COMMANDS = (
    _session("new_session", "New session", "New session with this agent in the same folder", ("ctrl+n",), also="tab"),
    _session(
        "new_agent",
        "New session with another agent",
        "New session with another agent",
        leader="n",
        slash=("agents", "agent"),
        also="switch another claude codex gemini opencode",
    ),
    _session(
        "browse_sessions",
        "Sessions",
        "Search, open, rename, delete or export sessions",
        ("ctrl+s",),
        leader="s",
        footer="sessions",
        footer_rank=1,
        slash=("sessions", "session", "resume", "continue"),
        argument="[words]",
        wins=True,
        also="resume continue history open earlier",
    ),
    _session("switch_session", "Switch session", "Switch between open sessions", leader="tab", also="tabs"),
    *(_show_session(number) for number in range(1, DIGITS + 1)),
    _session("next_session", "Next session", "Next open session", ("ctrl+pagedown",), leader="right"),
    _session("previous_session", "Previous session", "Previous open session", ("ctrl+pageup",), leader="left"),
    _session(
        "fork_session",
        "Fork session",
        "Copy the session and its context into a new one (if the agent can)",
        slash=("fork",),
        also="branch duplicate",
    ),
    _session(
        "rename_session",
        "Rename session",
        "Rename the session (also /rename)",
        slash=("rename",),
        argument="<title>",
        also="title name",
    ),
    _session(
        "close_session",
        "Close session",
        "Close the session; asks first while the agent works",
        leader="x",
        slash=("close",),
        also="tab end",
    ),
    _agent(
        "restart_agent",
        "Restart agent",
        "Restart the agent and restore its sessions; asks first while the agent works",
        leader="r",
        slash=("restart",),
        also="reload reconnect kill",
    ),
    _agent("show_stderr", "Agent stderr", "Show the agent's stderr", leader="d", also="log errors debug"),
    _agent("log_in", "Log in", "Log in to the agent", slash=("login",), also="login sign in authenticate account key"),
    _agent("log_out", "Log out", "Log out of the agent (if it can)", slash=("logout",), also="logout sign out account"),
    _agent(
        "keep_choices",
        "Save options as defaults",
        "Use the chosen options in new sessions with this agent",
        leader="plus",
        also="default keep remember",
    ),
    _agent("decline_choices", "Do not save options", "Do not use the chosen options in new sessions", leader="minus"),
    _agent("forget_choices", "Clear saved defaults", "Clear the saved defaults of this agent", also="reset default"),
    _session(
        "search_records",
        "Search all sessions",
        "Search the text of all recorded sessions",
        leader="slash",
        also="find grep history",
    ),
    _program(
        "palette",
        "Command palette",
        "Command palette",
        ("ctrl+p",),
        footer="palette",
        footer_rank=0,
        in_palette=False,
    ),
    _program(
        "help",
        "Help",
        "Help (also ? on an empty prompt)",
        ("f1",),
        leader="question_mark",
        slash=("help", "keys", "key"),
        wins=True,
        also="keys shortcuts keyboard bindings",
    ),
    _program(
        "question_mark",
        "Help, on an empty prompt",
        "Help, on an empty prompt",
        ("question_mark",),
        scope="prompt",
        footer="help",
        footer_rank=2,
        in_palette=False,
        in_table=False,
    ),
    _program(
        "copy_answer",
        "Copy last answer",
        "Copy the agent's last message as Markdown",
        leader="y",
        slash=("copy",),
        also="clipboard yank",
    ),
    _program(
        "copy_code",
        "Copy last code block",
        "Copy the agent's last code block",
        leader="k",
        also="clipboard yank snippet",
    ),
    _program("copy_transcript", "Copy transcript", "Copy the transcript as Markdown", also="clipboard conversation"),
    _program(
        "export_markdown",
        "Export to Markdown",
        "Export the session as Markdown",
        slash=("export",),
        argument="[file]",
        also="save write md share",
    ),
    _program("export_json", "Export to JSON", "Export the session as JSON", also="save write data"),
    _program(
        "inspect",
        "Protocol inspector",
        "Inspect the messages between acp-tui and the agent",
        ("f12",),
        leader="i",
        slash=("inspect",),
        also="debug traffic wire json",
    ),
    _program("toggle_theme", "Toggle dark/light theme", "Toggle dark/light theme", also="dark light colours colors"),
    _program(
        "pick_theme",
        "Choose theme",
        "Choose a theme",
        slash=("theme", "themes"),
        argument="[name]",
        wins=True,
        also="dark light colours colors appearance",
    ),
    _program("redraw", "Redraw screen", "Clear the terminal and draw the screen again", ("ctrl+l",), also="refresh"),
    _program(
        "suspend",
        "Suspend",
        "Suspend to the shell; fg resumes, the agent keeps working",
        ("ctrl+z",),
        also="background shell stop",
    ),
    _program(
        "end_of_input",
        "Quit, on an empty prompt",
        "Quit on an empty prompt; otherwise delete to the right",
        ("ctrl+d",),
        scope="prompt",
        in_palette=False,
    ),
    _program(
        "quit",
        "Quit",
        "Quit; asks first while the agent works",
        ("ctrl+q",),
        footer="quit",
        footer_rank=3,
        slash=("quit", "exit", "q"),
        wins=True,
        also="exit close leave bye",
    ),
)
