"""Initialisation: who speaks, what each side can do, how one logs in and who is logged in."""

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from acp_tui.frozen import Frozen
from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model, NullAsEmpty
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.vocabulary.config_options import read_input_options
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema


def _present(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if value is None or isinstance(value, dict):
        return value is not None
    raise ValueError("an object is required")


Marker = Annotated[bool, BeforeValidator(_present)]
"""An object that is there (`{}`) or not (absent or `null`)."""


class Implementation(Model):
    """The name and version of a program."""

    name: str
    version: str = ""
    title: Lenient[str | None] = None


class AuthVariable(Model):
    """A variable of the environment that a withdrawn kind of log-in asks for."""

    name: str
    label: Lenient[str | None] = None
    secret: Lenient[Boolean] = True
    optional: Lenient[Boolean] = False


class AuthMethod(Model):
    """A way to log in; `type` is agent, terminal, env_var (withdrawn; has `vars` and `link`) or something newer.

    `args` and `env` (terminal) go on top of the agent's own command and environment; of a `command`, which the
    agent names instead of its own, `args` are all arguments.
    """

    type: str = "agent"
    method_id: str
    name: str
    description: Lenient[str | None] = None
    command: str = ""
    args: NullAsEmpty[list[str]] = []
    env: NullAsEmpty[dict[str, str]] = {}
    vars: LenientItems[list[AuthVariable]] = []
    link: Lenient[str | None] = None

    @property
    def usable(self) -> bool:
        """Whether this program knows how to log in by it."""
        return self.type in ("agent", "terminal") or (self.type == "env_var" and bool(self.vars))


AuthState = Literal["authenticated", "unauthenticated", "not_required", "unknown"]


class Account(Frozen):
    """An account or a key that the agent has. `label` names it by itself ("Claude Max"), `more` says whose it is.

    `active`: whether the agent uses it; None where it does not say. All of it may be empty, and none of it is a key
    to anything.
    """

    label: str
    more: tuple[str, ...] = ()
    active: bool | None = None


class AuthStatus(Frozen):
    """`more_accounts` were told and not kept. Accounts are in no record, export or log, and not in the `repr`."""

    state: AuthState
    accounts: tuple[Account, ...] = field(default=(), repr=False)
    more_accounts: int = 0

    @property
    def shown(self) -> tuple[Account, ...]:
        """The accounts in use; all of them where the agent does not say which these are."""
        return tuple(account for account in self.accounts if account.active) or self.accounts


class Initialized(Frozen):
    """What `initialize` was answered with."""

    agent: Implementation | None
    capabilities: AgentCapabilities
    auth_methods: tuple[AuthMethod, ...]
    raw: dict[str, Any]

    @property
    def input_options(self) -> dict[str, ElicitationSchema]:
        """The forms that the agent takes before a session, by method (a draft; see `input_options`)."""
        return read_input_options(self.raw)


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
