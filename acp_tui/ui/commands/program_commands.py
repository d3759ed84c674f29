"""The commands around a conversation: sessions, the agent, and the program itself, in the order of the help."""

from functools import partial

from acp_tui.session.export_formats import EXPORTS, MARKDOWN, ExportFormat
from acp_tui.views.command_index import Command

DIGITS = 9  # sessions that have a key after the leader

_session = partial(Command, group="Sessions")
_agent = partial(Command, group="Agent")
_program = partial(Command, group="Program")


def _show_session(number: int) -> Command:
    """Switch by number; the first stands for all of them in the table of keys."""
    return _session(
        f"show_session_{number} = sessions.show_number({number})",
        f"Session {number}" if number > 1 else "Session",
        f"leader:{number}",
        f"Switch to session {number}" if number > 1 else f"Switch to session 1–{DIGITS}",
        short="session by number",
        in_palette=False,
        in_table=number == 1,
    )


def _export(one: ExportFormat, do: str = "", ways: str = "", short: str = "") -> Command:
    row = f"{one.command} = {do or f'exports.ask({one.suffix!r})'}"
    return _program(row, one.title, ways, f"Export the session as {one.label}", short=short, also=one.also)


PROGRAM_COMMANDS = (
    _session(
        "new_session = sessions.begin",
        "New session",
        "ctrl+n leader:n",
        "New session with this agent in the same folder",
        also="tab",
    ),
    _session(
        "fresh_session = sessions.begin_here",
        "New session here",
        "/new /clear",
        "New session in this tab (the old one stays in the list)",
        wins=True,
        yields=("clear",),
        also="clear reset empty start over",
    ),
    _session(
        "new_agent = hand_over.choose_agent",
        "New session with another agent",
        "leader:N /agents /agent",
        short="new, another agent",
        also="switch another claude codex gemini opencode",
    ),
    _session(
        "hand_over = hand_over.begin",
        "Continue with another agent",
        "leader:j /handoff /handover",
        "Hand the conversation over to another agent (you review it first)",
        short="hand over to agent",
        also="hand over transfer migrate switch agent digest",
    ),
    _session(
        "hand_over_output = hand_over.toggle_outputs",
        "Tool output in the handoff: on or off",
        tooltip="Include tool output in an unsent handoff, or leave it out",
        also="remove transcript results",
    ),
    _session(
        "browse_sessions = program.browse_sessions",
        "Sessions",
        "ctrl+s leader:s leader:l /sessions /session /resume /continue [words]",
        "Search, open, rename, delete or export sessions",
        wins=True,
        yields=("continue",),
        also="resume continue history open earlier",
    ),
    _session(
        "show_board = sessions.show_board",
        "Board",
        "leader:w /board",
        "Show which open sessions need you, have finished or are working",
        short="session board",
        also="inbox dashboard overview waiting finished working permissions approve",
    ),
    _session(
        "switch_session = sessions.pick", "Switch session", "leader:tab", "Switch between open sessions", also="tabs"
    ),
    *(_show_session(number) for number in range(1, DIGITS + 1)),
    _session("next_session = app.tabs.step(1)", "Next session", "ctrl+pagedown leader:right", "Next open session"),
    _session(
        "previous_session = app.tabs.step(-1)", "Previous session", "ctrl+pageup leader:left", "Previous open session"
    ),
    _session(
        "fork_session = sessions.fork",
        "Fork session",
        "/fork",
        "Copy the session and its context into a new one (if supported)",
        also="branch duplicate",
    ),
    _session(
        "copy_own_cli = exports.own_cli",
        "Continue in the agent's own CLI",
        tooltip="Copy the command that continues the session in the agent's own CLI",
        also="claude codex opencode kimi resume command shell terminal clipboard",
    ),
    _session(
        "rename_session = sessions.rename", "Rename session", "/rename <title>", "Rename the session", also="title name"
    ),
    _session(
        "add_folder = folders.add",
        "Add folder",
        "/add-dir /add-dirs <folder>",
        "Let the agent work in an additional folder",
        also="directory workspace root add-dir",
    ),
    _session(
        "close_session = sessions.close",
        "Close session",
        "leader:X /close",
        "Close the session (asks first if the agent is working)",
        also="tab end",
    ),
    _agent(
        "answer_permission = sessions.answer_oldest",
        "Go to question",
        "alt+a",
        "Go to the oldest open question in any session",
        also="permission approve waiting inbox",
    ),
    _agent(
        "cancel_work = work.pick",
        "Background work",
        "leader:k /tasks /task /jobs",
        "List, open or cancel background work",
        short="background work",
        also="stop kill background jobs tasks",
    ),
    _agent(
        "restart_agent = agent.restart",
        "Restart agent",
        "leader:R /restart",
        "Restart the agent and its sessions (asks first if it is working)",
        also="reload reconnect kill",
    ),
    _agent(
        "open_without_prompt = agent.open_without_prompt",
        "Open without the system prompt",
        tooltip="Open a refused session again, without your system prompt",
        also="refused append instructions retry",
        in_table=False,
    ),
    _agent(
        "show_stderr = overlays.stderr",
        "Agent stderr",
        "leader:D",
        "Show the agent's error output (stderr)",
        also="log errors debug",
    ),
    _agent(
        "show_status = overlays.status",
        "Status",
        "/status",
        "Show the agent, the session, its options and files",
        also="about info information version session id account log files",
    ),
    _agent(
        "answer_limit = limits.ask",
        "Continue past a limit",
        "leader:L /limit",
        "Continue past a limit that has been reached, or change it",
        short="decide at a limit",
        also="cost budget minutes context limits stopped queue continue",
    ),
    _agent(
        "show_mcp_servers = overlays.mcp_servers",
        "MCP servers",
        "/mcp /mcps",
        "Show the session's MCP servers",
        also="tools tool servers",
    ),
    _agent(
        "log_in = questions.log_in",
        "Log in",
        "/login",
        "Log in to the agent",
        also="login sign in authenticate account key",
    ),
    _agent(
        "log_out = questions.logins.log_out",
        "Log out",
        "/logout",
        "Log out of the agent (if supported)",
        also="logout sign out account",
    ),
    _agent(
        "keep_choices = kept.keep",
        "Save options as defaults",
        "leader:plus",
        "Use the current options in new sessions with this agent",
        short="save as defaults",
        also="default keep remember",
    ),
    _agent(
        "decline_choices = kept.decline",
        "Don't save options",
        "leader:minus",
        "Don't use the current options in new sessions",
        short="keep old defaults",
    ),
    _agent(
        "forget_choices = kept.forget",
        "Clear saved defaults",
        tooltip="Clear this agent's saved defaults",
        also="reset default",
    ),
    _session(
        "search_records = program.search_records",
        "Search all sessions",
        "leader:slash",
        "Search the text of all recorded sessions",
        short="search sessions",
        also="find grep history",
    ),
    _program("palette = program.open_palette", "Command palette", "ctrl+p", in_palette=False),
    _program(
        "help = overlays.help",
        "Help",
        "f1 leader:question_mark /help /keys /key",
        "Show all keys (also ? on an empty prompt)",
        wins=True,
        also="keys shortcuts keyboard bindings",
    ),
    _program(
        "question_mark = screen.editing.question_mark",
        "Help, on an empty prompt",
        "question_mark",
        scope="prompt",
        in_palette=False,
        in_table=False,
    ),
    _program(
        "copy_answer = copies.last_answer",
        "Copy last answer",
        "leader:y /copy",
        "Copy the agent's last message as Markdown",
        also="clipboard yank",
    ),
    _program(
        "copy_code = copies.last_code",
        "Copy last code block",
        "leader:Y",
        "Copy the agent's last code block",
        short="copy last code",
        also="clipboard yank snippet",
    ),
    _program(
        "copy_transcript = copies.transcript",
        "Copy transcript",
        tooltip="Copy the transcript as Markdown",
        also="clipboard conversation",
    ),
    _export(MARKDOWN, "exports.to_file", "leader:x /export [file]", "export"),
    *(_export(one) for one in EXPORTS.values() if one is not MARKDOWN),
    _program(
        "inspect = overlays.inspect",
        "Protocol inspector",
        "f12 leader:i /inspect",
        "Inspect the messages between acp-tui and the agent",
        short="inspector",
        also="debug traffic wire json",
    ),
    _program(
        "toggle_theme = themes.toggle",
        "Toggle dark/light theme",
        tooltip="Switch between dark and light",
        also="dark light colours colors",
    ),
    _program(
        "pick_theme = themes.pick",
        "Choose theme",
        "/theme /themes [name]",
        "Choose a theme",
        wins=True,
        also="dark light colours colors appearance",
    ),
    _program(
        "redraw = app.action_redraw",
        "Redraw screen",
        "ctrl+l",
        "Clear and redraw the screen",
        also="refresh",
    ),
    _program(
        "settings = program.open_settings",
        "Settings",
        "/settings /setting /config [name]",
        "Show and change your settings",
        wins=True,
        yields=("config",),
        also="preferences config options configure",
    ),
    _program(
        "toggle_mouse = terminal.toggle_mouse",
        "Toggle mouse",
        "/mouse",
        "Turn the mouse on or off (off: the terminal selects text)",
        also="select copy selection terminal click",
    ),
    _program(
        "suspend = terminal.suspend",
        "Suspend",
        "ctrl+z",
        "Suspend to the shell (fg resumes)",
        also="background shell stop",
    ),
    _program(
        "end_of_input = screen.editing.end_of_input",
        "Quit, on an empty prompt",
        "ctrl+d",
        "Delete the character to the right",
        scope="prompt",
        in_palette=False,
    ),
    _program(
        "quit = leaving.quit",
        "Quit",
        "ctrl+q leader:q /quit /exit /q",
        "Quit (asks first if the agent is working)",
        wins=True,
        also="exit close leave bye",
    ),
    _program(
        "show_usage = overlays.usage",
        "Usage and cost",
        "/cost /costs /usage /context [by]",
        "Show context, tokens, cost and account limits, and the usage of all sessions",
        wins=True,
        yields=("context",),
        also="tokens price money budget spent limit limits quota rate reset",
    ),
    _session(
        "side_question = aside.ask",
        "Ask a side question",
        "/btw [question]",
        "Ask a side question outside the conversation (if supported)",
        wins=True,
        also="by the way aside fork",
    ),
)
