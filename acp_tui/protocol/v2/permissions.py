"""Permission requests of protocol 2: a title of their own, and what they are about."""

from typing import Annotated, Any

from pydantic import Field

from acp_tui.protocol.base import Lenient, Model
from acp_tui.protocol.calls import PermissionRead
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.reading import read
from acp_tui.protocol.vocabulary.permissions import PermissionOption, PermissionRequest, PermissionSubject
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate


class PermissionAsked(Model):
    """`session/request_permission` as it comes; drafts had `toolCall` in place of title and subject."""

    session_id: str
    title: str | None = None
    description: Lenient[str | None] = None
    subject: dict[str, Any] | None = None
    tool_call: dict[str, Any] | None = None
    options: Annotated[list[PermissionOption], Field(min_length=1)]


class ToolCallSubject(Model):
    """A tool call; it is an update like any other."""

    tool_call: ToolCallUpdate


class CommandSubject(Model):
    """A command in an absolute folder."""

    command: str
    cwd: str
    tool_call_id: Lenient[str | None] = None
    terminal_id: Lenient[str | None] = None


def read_permission(params: Any) -> PermissionRead:
    """The request, and its tool call as an update. The request's title is not the tool call's."""
    asked = read(PermissionAsked, params)
    given = asked.subject
    if given is None and asked.tool_call is not None:
        given = {"type": "tool_call", "toolCall": asked.tool_call}
    subject = None if given is None else _subject(given)
    call = subject.tool_call if subject else None
    title = asked.title
    if title is None:
        if asked.tool_call is None:
            raise ProtocolFault("The agent sent a bad permission request", "title", "a string is required")
        title = (call and (call.title or call.name or call.kind)) or "Permission"
    request = PermissionRequest(
        meta=asked.meta,
        session_id=asked.session_id,
        title=title,
        description=asked.description,
        subject=subject,
        options=asked.options,
    )
    return PermissionRead(request, [call] if call else [])


def _subject(given: dict[str, Any]) -> PermissionSubject:
    kind = given.get("type")
    if not isinstance(kind, str):
        raise ProtocolFault("The agent sent a bad permission request", "subject.type", "a string is required")
    if kind == "tool_call":
        call = read(ToolCallSubject, given).tool_call
        return PermissionSubject(type=kind, tool_call=call, tool_call_id=call.tool_call_id)
    if kind == "command":
        asked = read(CommandSubject, given)
        return PermissionSubject(type=kind, **{name: getattr(asked, name) for name in CommandSubject.model_fields})
    return PermissionSubject(type=kind, raw=given)
