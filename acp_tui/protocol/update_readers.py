"""Reads `session/update` by a table of readers, and remembers what a dialect needs of each session.

The readers of both versions are here, one for each kind of update. The store is bounded:
the agent chooses the ids of sessions, and may name some that nobody opened. Of more than are held, those go that were
used longest ago.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

from acp_tui.protocol.base import LenientItems, Model, read, renamed
from acp_tui.protocol.faults import REQUEST_CANCELLED, ProtocolFault
from acp_tui.protocol.session_setup import Call, SessionOptions
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.session_updates import (
    PLACED,
    AccountLimit,
    CompactionUpdate,
    MessageUpdate,
    Notice,
    Plan,
    PlanEntry,
    PlanRemoved,
    PlanUpdate,
    PromptSuggestionsUpdate,
    RejectedUpdate,
    SessionInfoUpdate,
    StateUpdate,
    UnknownUpdate,
    Update,
    UsageUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate

Memory_co = TypeVar("Memory_co", covariant=True)

HELD = 20_000
"""Sessions that are remembered at once, so that the many subagents of one push out no session of the user's."""


class SessionMemory(ABC):
    """The memory of one session: what can be chosen in it, and its prompt turn (see `Dialect`)."""

    options: SessionOptions

    @abstractmethod
    def prompt_sent(self, call: Call, blocks: list[ContentBlock]) -> list[Update]: ...

    @abstractmethod
    def prompt_answered(self, call: Call, result: Any) -> list[Update]: ...

    @abstractmethod
    def prompt_failed(self, call: Call, code: int, message: str, data: Any) -> list[Update]: ...

    @abstractmethod
    def turn_ended(self) -> None: ...

    @abstractmethod
    def close_message(self) -> None:
        """Something stands between: the next chunk without an id begins a new message."""


class Memories(Generic[Memory_co]):
    """One memory per session; `fresh` makes one."""

    def __init__(self, fresh: Callable[[], Memory_co]) -> None:
        self.fresh = fresh
        self._held: dict[str, Memory_co] = {}

    def __len__(self) -> int:
        return len(self._held)

    def of(self, session_id: str) -> Memory_co:
        """That of a session, the one that was used last from now on."""
        memory = self._held.pop(session_id, None)
        if memory is None:
            memory = self.fresh()
            if len(self._held) >= HELD:
                del self._held[next(iter(self._held))]
        self._held[session_id] = memory
        return memory

    def forget(self, session_id: str) -> None:
        self._held.pop(session_id, None)


CLAUDE = "_claude/rateLimit"
KINDS_AT_MOST = 8  # Claude has five
LATEST = 253_402_300_799  # the last second of the year 9999
MOST_USED = 10.0  # times a limit; more is no share
_STANDINGS: dict[Any, Literal["near", "reached"]] = {"allowed_warning": "near", "rejected": "reached"}


def read_usage(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `usage_update`, and what its `_meta` says of the account; what is odd there is left out."""
    told = read(UsageUpdate, {name: value for name, value in update.items() if name != "limits"})
    limits = _claude((told.meta or {}).get(CLAUDE))
    return [told.model_copy(update={"limits": limits}) if limits else told]


def _claude(info: Any) -> list[AccountLimit]:
    if not isinstance(info, dict):
        return []
    windows = info.get("unifiedWindows")
    windows = islice(windows.items(), KINDS_AT_MOST) if isinstance(windows, dict) else ()
    limits = {kind: _limit(kind, window) for kind, window in windows if isinstance(window, dict)}
    kind = info.get("rateLimitType")
    kind = kind if isinstance(kind, str) else ""
    status = info.get("status")
    standing = _STANDINGS.get(status, "") if isinstance(status, str) else ""
    window, main = limits.get(kind), _limit(kind, info)
    if kind or standing or main.used is not None:
        limits[kind] = AccountLimit(
            kind=kind,
            standing=standing,
            used=main.used if window is None or main.used is not None else window.used,
            resets_at=main.resets_at if window is None or main.resets_at is not None else window.resets_at,
            extra=standing == "reached" and info.get("isUsingOverage") is True,
        )
    return list(limits.values())


def _limit(kind: str, told: dict[str, Any]) -> AccountLimit:
    used, resets_at = _number(told.get("utilization"), MOST_USED), _number(told.get("resetsAt"), LATEST)
    return AccountLimit(kind=kind, used=used, resets_at=resets_at or None)


def _number(value: Any, most: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        return None
    return float(value)


Memory = TypeVar("Memory")
Closed = TypeVar("Closed", bound=SessionMemory)
Reader = Callable[[Memory, dict[str, Any]], list[Update]]
MOST_SUGGESTIONS = 20  # of prompts; only the likeliest is ever shown, so that nobody misses the others
PLAN_TYPES: dict[str, tuple[str, type]] = {
    "items": ("entries", list),
    "file": ("uri", str),
    "markdown": ("content", str),
}
"""What a plan of each type must have; the last two are unstable."""


def read_as(model: type[Any]) -> Callable[[object, dict[str, Any]], list[Update]]:
    """A reader for an update that comes as the vocabulary has it."""
    return lambda _memory, update: [read(model, update)]


def lost_content(update: ToolCallUpdate | MessageUpdate, given: Any) -> list[Update]:
    """What is told where content of a tool call or a message has a shape that nobody can read."""
    if given is None or (isinstance(given, list) and len(update.content or ()) == len(given)):
        return []
    reason = "an array is required"
    if isinstance(given, list):
        lost = len(given) - len(update.content or ())
        reason = f"{lost:,} of {len(given):,} item{'s' * (len(given) != 1)} cannot be read"
    return [RejectedUpdate(update.session_update, "content", reason, given)]


def between(read_it: Reader[Closed]) -> Reader[Closed]:
    """What has a place in the conversation of its own, so that what follows without an id is another message."""

    def read_and_close(memory: Closed, update: dict[str, Any]) -> list[Update]:
        updates = read_it(memory, update)
        memory.close_message()
        return updates

    return read_and_close


def read_compaction(_memory: object, update: dict[str, Any]) -> list[Update]:
    """Read `compaction_update`, which needs a status."""
    if not isinstance(update.get("status"), str):
        raise ProtocolFault("The agent sent an invalid compaction", "status", "a string is required")
    return [read(CompactionUpdate, update)]


class WholePlan(Model):
    """The `plan` update."""

    entries: LenientItems[list[PlanEntry]]


def read_whole_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan` replaces the session's one plan."""
    return [PlanUpdate(plan=Plan(entries=read(WholePlan, update).entries))]


def read_plan(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan_update` (unstable in protocol 1) replaces the plan of its id, which some call `id` instead of `planId`."""
    plan = renamed(update.get("plan"), "planId", "planId", "id")
    if isinstance(plan, dict):
        more = PLAN_TYPES.get(str(plan.get("type")))
        for name, kind in (("type", str), ("planId", str), *([more] if more else [])):
            if not isinstance(plan.get(name), kind):
                reason = f"{'a string' if kind is str else 'an array'} is required"
                raise ProtocolFault("The agent sent an invalid plan", f"plan.{name}", reason)
    return [read(PlanUpdate, {**update, "plan": plan})]


def read_plan_removed(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`plan_removed` (unstable)."""
    return [read(PlanRemoved, renamed(update, "planId", "planId", "id"))]


def read_suggestions(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`prompt_suggestions_update` (unstable); of many suggestions the first."""
    told = update.get("suggestions")
    return [read(PromptSuggestionsUpdate, {**update, "suggestions": _first(told) if isinstance(told, list) else told})]


def read_info(_memory: object, update: dict[str, Any]) -> list[Update]:
    """`session_info_update`, in whose `_meta.promptSuggestions` Claude's adapter tells its suggestions."""
    info = read(SessionInfoUpdate, update)
    told = (info.meta or {}).get("promptSuggestions")
    suggestions = told.get("suggestions") if isinstance(told, dict) else None
    if not isinstance(suggestions, list):
        return [info]
    texts = [each.get("text") for each in _first(suggestions) if isinstance(each, dict)]
    blocks = [{"prompt": [{"type": "text", "text": text}]} for text in texts if isinstance(text, str)]
    return [info, read(PromptSuggestionsUpdate, {"suggestions": blocks})]


def _first(suggestions: list[Any]) -> list[Any]:
    return suggestions[:MOST_SUGGESTIONS]


SHARED: dict[str, Reader[SessionMemory]] = {
    "plan_update": between(read_plan),  # unstable in protocol 1
    "plan_removed": between(read_plan_removed),  # unstable
    "session_info_update": read_info,
    "prompt_suggestions_update": read_suggestions,  # unstable
    "usage_update": read_usage,
    "notice": read_as(Notice),
    "compaction_update": between(read_compaction),
    **{model.model_fields["session_update"].default: between(read_as(model)) for model in PLACED},
}
"""The readers that both versions have alike."""


def read_update(
    readers: Mapping[str, Reader[Memory]], memories: Memories[Memory], params: Any
) -> tuple[str, list[Update]]:
    """Read `session/update`: the session's id and the updates; what cannot be read is a value too."""
    session_id = params.get("sessionId") if isinstance(params, dict) else None
    if not isinstance(session_id, str):
        return "", [RejectedUpdate("session/update", "sessionId", "a string is required", params)]
    update = params.get("update")
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    if not isinstance(kind, str):
        return session_id, [RejectedUpdate("session/update", "update.sessionUpdate", "a string is required", update)]
    reader = readers.get(kind)
    if reader is None:
        return session_id, [UnknownUpdate(kind, update)]
    try:
        return session_id, reader(memories.of(session_id), update)
    except ProtocolFault as fault:
        return session_id, [RejectedUpdate(kind, fault.path, fault.reason, update)]


def turn_failed(code: int, message: str, data: Any) -> StateUpdate:
    """The session idle: the prompt was answered with an error, or cancelled before its turn began."""
    if code == REQUEST_CANCELLED:
        return StateUpdate(state="idle", stop_reason="cancelled")
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return StateUpdate(state="idle", stop_reason="error", error=error)
