"""What both versions say alike in the answer to `initialize`, and ways to log in as any version and draft writes them.

A convention outside of the spec, older than its terminal methods: `_meta` of a method has `terminal-auth` with a
`command`, `args`, `env` and a `label`, where the client asked for that (`introduction.TERMINAL_LOGIN`).
"""

from typing import Any, Literal

from pydantic import Field

from acp_tui.protocol.base import Lenient, Model, NullAsEmpty
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.initialization import AuthMethod, Marker


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
