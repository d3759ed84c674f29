"""Initialisation: who speaks, what each side can do, how one logs in, who is logged in; read as far as both versions
say it alike.

A convention outside of the spec, older than its terminal methods: `_meta` of a log-in method has `terminal-auth` with a
`command`, `args`, `env` and a `label`, where the client asked for that (`capabilities.TERMINAL_LOGIN`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from acp_tui.frozen import Frozen
from acp_tui.protocol.base import Boolean, Lenient, LenientItems, Model, NullAsEmpty, read
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.faults import ProtocolFault
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


AUTH_STATUS = "auth/status"
PUSHED = "_auth/status_update"
MARKER = "authStatus"
KEPT = 20  # accounts; of more only the number is known
LOOKED_AT = 1_000  # members of the list
LONGEST = 200  # characters of one member of an account

STATES: Mapping[str, AuthState] = {
    "authenticated": "authenticated",
    "unauthenticated": "unauthenticated",
    "not_required": "not_required",
}
_OURS = re.compile(r'auth(?:\\?/|\\u002f)status|"accounts"', re.IGNORECASE)
_TITLE = "The agent sent an invalid login status"


def may_name_accounts(text: str) -> bool:
    """Whether a line that cannot be read, or answers nothing, may be of this file's kind."""
    return _OURS.search(text) is not None


def is_marked(*owners: Any) -> bool:
    """Whether the `_meta` of any of these objects says that the agent pushes who is logged in."""
    metas = (owner.get("_meta") for owner in owners if isinstance(owner, dict))
    return any(isinstance(meta, dict) and isinstance(meta.get(MARKER), dict) for meta in metas)


def read_auth_status(told: Any) -> AuthStatus:
    """Read the answer to `auth/status`, or what `auth/status_update` says. Raises `ProtocolFault` without a state."""
    state = told.get("state") if isinstance(told, dict) else None
    if not isinstance(state, str):
        raise ProtocolFault(_TITLE, "state", "a string is required")
    items = told.get("accounts")
    items = items if isinstance(items, list) else []
    accounts = [account for item in items[:LOOKED_AT] if (account := _account(item)) is not None]
    more = len(accounts) - KEPT + max(0, len(items) - LOOKED_AT)
    return AuthStatus(STATES.get(state, "unknown"), tuple(accounts[:KEPT]), max(0, more))


def _account(told: Any) -> Account | None:
    if not isinstance(told, dict) or not isinstance(told.get("label"), str):
        return None  # the schema marks the items of this array as skipped when invalid
    active = told.get("active")
    more = (_text(told.get(name)) for name in ("name", "email", "organization"))
    return Account(_text(told["label"]), tuple(filter(None, more)), active if isinstance(active, bool) else None)


def _read_pushed(told: Any) -> AuthStatus:
    """Read `_auth/status_update`. Any kind of log-in but `none` is one; without a kind nothing is known."""
    status = told.get(MARKER) if isinstance(told, dict) else None
    if not isinstance(status, dict):
        raise ProtocolFault(_TITLE, MARKER, "an object is required")
    kind = status.get("kind")
    if kind == "none":
        return AuthStatus("unauthenticated")
    if not isinstance(kind, str) or not kind:
        return AuthStatus("unknown")
    account = status.get("account")
    account = account if isinstance(account, dict) else {}
    more = (_text(told) for told in (status.get("detail"), account.get("email"), account.get("organization")))
    known = Account(_text(status.get("label")), tuple(filter(None, more)), active=True)
    return AuthStatus("authenticated", (known,) if known.label or known.more else ())


def _text(told: Any) -> str:
    return told[:LONGEST].strip() if isinstance(told, str) else ""


AUTH_READERS: Mapping[str, Callable[[Any], AuthStatus]] = {
    "auth/status_update": read_auth_status,
    PUSHED: _read_pushed,
}
"""By the notification that brings it."""


class PromptOffer(Model):
    """`session.prompt`, or `promptCapabilities`."""

    image: Lenient[Marker] = False
    audio: Lenient[Marker] = False
    embedded_context: Lenient[Marker] = False


class SystemPromptModes(Model):
    """`systemPrompt.mode`; adding to the agent's own needs no word."""

    override: Lenient[Marker] = False


class SystemPromptOffer(Model):
    """`systemPrompt` of a session."""

    mode: Lenient[SystemPromptModes | None] = None


class SessionOffer(Model):
    """`session`, or `sessionCapabilities`; those from `fork` on are unstable."""

    list: Lenient[Marker] = False
    delete: Lenient[Marker] = False
    additional_directories: Lenient[Marker] = False
    system_prompt: Lenient[SystemPromptOffer | None] = None
    resume: Lenient[Marker] = False
    close: Lenient[Marker] = False
    fork: Lenient[Marker] = False
    archive: Lenient[Marker] = False
    status: Lenient[Marker] = False
    title: Lenient[Marker] = False
    options: Lenient[Marker] = False


def capabilities_of(session: SessionOffer, prompt: PromptOffer, **more: bool) -> AgentCapabilities:
    """What the agent offers; `more` is what the versions do not have in common."""
    return AgentCapabilities(
        list_sessions=session.list,
        resume_session=session.resume,
        close_session=session.close,
        delete_session=session.delete,
        fork_session=session.fork,
        archive_session=session.archive,
        title_session=session.title,
        session_status=session.status,
        additional_directories=session.additional_directories,
        system_prompt=_system_prompt(session.system_prompt),
        session_options=session.options,
        prompt=PromptCapabilities(image=prompt.image, audio=prompt.audio, embedded_context=prompt.embedded_context),
        **more,
    )


def _system_prompt(offer: SystemPromptOffer | None) -> Literal["", "append", "override"]:
    if offer is None:
        return ""
    return "override" if offer.mode is not None and offer.mode.override else "append"


class TerminalCommand(Model):
    """What a method names to be run in a terminal."""

    command: str = Field(min_length=1)
    args: NullAsEmpty[list[str]] = []
    env: NullAsEmpty[dict[str, str]] = {}


def read_auth_methods(items: Any) -> tuple[AuthMethod, ...]:
    """The ways to log in among `items`, also of an error's `data.authMethods`; bad ones are left out."""
    methods: list[AuthMethod] = []
    for item in items if isinstance(items, list) else ():
        try:
            methods.append(_with_command(read(AuthMethod, _renamed(item))))
        except ProtocolFault:
            continue  # the schema marks the items of this array as skipped when invalid
    return tuple(methods)


def _renamed(method: Any) -> Any:
    """`id` is called `methodId` in the vocabulary, an environment is a mapping, and no `command` stands here."""
    if not isinstance(method, dict):
        return method
    renamed = {key: value for key, value in method.items() if key not in ("id", "command")}
    if "id" in method:
        renamed.setdefault("methodId", method["id"])
    if isinstance(method.get("env"), list):
        renamed["env"] = _environment(method["env"])
    return renamed


def _with_command(method: AuthMethod) -> AuthMethod:
    """Where the method names a command, it runs that; what the spec has for this says more and counts first."""
    told = (method.meta or {}).get("terminal-auth")
    if method.type not in ("agent", "terminal") or method.args or method.env or not isinstance(told, dict):
        return method
    if isinstance(told.get("env"), list):
        told = {**told, "env": _environment(told["env"])}
    try:
        command = read(TerminalCommand, told)
    except ProtocolFault:
        return method
    named = {"command": command.command, "args": command.args, "env": command.env}
    return method.model_copy(update={"type": "terminal", **named})


def _environment(variables: list[Any]) -> Any:
    """A list of names and values as a mapping; as it came if any of it is neither."""
    try:
        return {each["name"]: each["value"] for each in variables}
    except (KeyError, TypeError):
        return variables
