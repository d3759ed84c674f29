"""What each side can do, whatever the version said it in; plain data, which a start needs before any word is read."""

from dataclasses import field, replace

from acp_tui.frozen import Frozen


class ClientCapabilities(Frozen):
    """What this client offers the agent on this connection.

    `elicitation` where a user can fill in forms, `terminal_login` where the agent can be given the real terminal.
    """

    read_text_file: bool = True
    write_text_file: bool = True
    terminal: bool = True
    elicitation: bool = False
    terminal_login: bool = False

    def with_user(self) -> "ClientCapabilities":
        """The same where a user is there to fill in forms and to log in."""
        return replace(self, elicitation=True, terminal_login=True)


class PromptCapabilities(Frozen):
    """Which blocks beside text and resource links a prompt may carry."""

    image: bool = False
    audio: bool = False
    embedded_context: bool = False


class AgentCapabilities(Frozen):
    """What the agent offers, whatever the version said it in."""

    load_session: bool = False
    list_sessions: bool = False
    resume_session: bool = False
    close_session: bool = False
    delete_session: bool = False
    fork_session: bool = False
    archive_session: bool = False
    title_session: bool = False
    session_status: bool = False
    additional_directories: bool = False
    mcp_stdio: bool = True
    mcp_http: bool = False
    mcp_sse: bool = False
    logout: bool = False
    steering: bool = False
    prompt: PromptCapabilities = field(default_factory=PromptCapabilities)
