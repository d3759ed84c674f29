"""Sessions that an agent knows."""

from acp_tui.protocol.base import Lenient, LenientItems, Model


class SessionInfo(Model):
    """A session that can be gone on with; `updated_at` is ISO 8601, `archived` is unstable."""

    session_id: str
    cwd: str
    additional_directories: LenientItems[list[str]] = []
    title: Lenient[str | None] = None
    updated_at: Lenient[str | None] = None
    archived: Lenient[bool | None] = None


class SessionPage(Model):
    """One page of sessions; `next_cursor` (opaque) asks for the next, none means the end."""

    sessions: LenientItems[list[SessionInfo]]
    next_cursor: Lenient[str | None] = None


class SessionTitle(Model):
    """The answer to `session/set_title` (unstable): the title that the agent keeps, which need not be the given one."""

    title: str


class ForegroundState(Model):
    """What a session is doing, as a snapshot and no event."""

    state: str


class SessionStatus(Model):
    """The answer to `session/status` (unstable): `open` is in the agent's memory, anything else counts as saved."""

    status: str
    state: Lenient[ForegroundState | None] = None

    @property
    def words(self) -> str:
        """What the session is doing, in a word or two; empty where nothing is known to happen."""
        if self.status != "open" or self.state is None:
            return "open" if self.status == "open" else ""
        return {"running": "working", "requires_action": "needs an answer"}.get(self.state.state, "open")
