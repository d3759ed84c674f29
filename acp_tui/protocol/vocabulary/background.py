"""Work that can be cancelled by itself, and work that goes on while the session is idle."""

from typing import ClassVar, Self

from pydantic import model_validator

from acp_tui.protocol.base import Lenient, Model, Open
from acp_tui.protocol.vocabulary.initialization import Marker

BACKGROUND_TYPES = ("terminal", "tool_call", "subagent")
_MEMBERS = {"terminal": "terminal_id", "tool_call": "tool_call_id", "subagent": "session_id"}


class WorkCapabilities(Model):
    """What can be done to a tool call or a terminal; what is not named cannot be done."""

    cancel: Lenient[Marker] = False


class BackgroundWork(Open):
    """One piece of work that is not part of the turn: a `terminal`, a `tool_call`, a `subagent`, or newer."""

    known: ClassVar = BACKGROUND_TYPES

    type: str
    terminal_id: str | None = None
    tool_call_id: str | None = None
    session_id: str | None = None

    @property
    def work_id(self) -> str | None:
        return self.terminal_id or self.tool_call_id or self.session_id

    @model_validator(mode="after")
    def _names_its_work(self) -> Self:
        if self.type in BACKGROUND_TYPES and getattr(self, _MEMBERS[self.type]) is None:
            raise ValueError(f"background work of the type {self.type} needs its id")
        return self
