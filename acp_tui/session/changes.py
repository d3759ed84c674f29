"""Changes of a session, as facts in the past tense, and what carries news to its subscribers, in order, at once.

A view takes what it needs and may drop repeats of one entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, ParamSpec

from acp_tui.frozen import Frozen
from acp_tui.session.entries import Entry, NoticeEntry

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock
    from acp_tui.session.facts import PendingPermission

News = ParamSpec("News")


class Publisher(Generic[News]):
    """Something that others hear from; a base class, or an attribute where there are several kinds of news."""

    _listeners: tuple[Callable[..., object], ...] = ()

    def subscribe(self, listener: Callable[News, object]) -> Callable[[], None]:
        """Call `listener` with all that is published from now on; the result ends the subscription."""

        def unsubscribe() -> None:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

        self._listeners = (*self._listeners, listener)
        return unsubscribe

    def publish(self, *news: News.args, **_: News.kwargs) -> None:
        for listener in self._listeners:
            listener(*news)


class EntryAdded(Frozen):
    """An entry was appended to the transcript."""

    entry: Entry


class EntryChanged(Frozen):
    """An entry's content, status or seal changed; its version was bumped."""

    entry: Entry


class EntryRemoved(Frozen):
    """An entry went away (a prompt that the agent never took, given back to the editor)."""

    entry: Entry


class TerminalChanged(Frozen):
    """A terminal's output, exit or release changed; the tool calls that show it are not told of one by one."""

    terminal_id: str


class FileChanged(Frozen):
    """A file was written for the agent; look at `session.index.writes`."""

    path: str


class PlanChanged(Frozen):
    """A plan was replaced or removed."""

    plan_id: str


class ConfigOptionsChanged(Frozen):
    """The config options were replaced, or a change to one is in flight, done or refused.

    `altered` tells what else changed beside what the user asked for (`Thinking → Low`, or only the name where the
    values to choose from did), `appeared` and `vanished` name options; `by_agent` if nothing had been asked for.
    `refused` is the agent's reason.
    """

    altered: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    by_agent: bool = False
    refused: str = ""


class CommandsChanged(Frozen):
    """The slash commands were replaced."""


class UsageChanged(Frozen):
    """Context usage or cost changed."""


class SuggestionsChanged(Frozen):
    """The agent suggests other prompts, or none."""


class InfoChanged(Frozen):
    """The session's title, time or id, or the name of its agent changed."""


class TurnChanged(Frozen):
    """The turn began, ended, or is being cancelled; look at `session.turn`."""


class OwnCommandsChanged(Frozen):
    """A command of the user's own began or ended; its entry has changed too."""


class PermissionAsked(Frozen):
    """A permission request joined the queue."""

    key: int


class PermissionSettled(Frozen):
    """A permission request was answered or withdrawn; `option_id` None is cancelled."""

    key: int
    option_id: str | None


class PermissionRuled(Frozen):
    """The user's rules answered a permission request by its `option_id`; it never joined the queue.

    `reason` names the rules with their scopes, `rules` has their ids.
    """

    request: PendingPermission
    option_id: str
    reason: str
    rules: tuple[str, ...] = ()


class ElicitationAsked(Frozen):
    """A form or an address that the agent asks about joined the queue."""

    key: int


class ElicitationSettled(Frozen):
    """It was answered or withdrawn; `action` is accept, decline or cancel."""

    key: int
    action: str


class InputOptionsChanged(Frozen):
    """What the agent wants to know before it opens the session is asked now, or no longer."""


class QueueChanged(Frozen):
    """The queue of prompts changed."""


class PromptReturned(Frozen):
    """A prompt that was cancelled before anything came: its text and its pictures belong back in the editor."""

    text: str
    attachments: tuple[ContentBlock, ...] = ()


class SubagentChanged(Frozen):
    """A child session, at whatever depth, was announced, changed its state or does something else now."""

    session_id: str


class NoticeRaised(Frozen):
    """A live notice; `again` if an equal one was reported before, and this is only counted."""

    notice: NoticeEntry
    again: bool = False


Change = (
    EntryAdded
    | EntryChanged
    | EntryRemoved
    | TerminalChanged
    | FileChanged
    | PlanChanged
    | ConfigOptionsChanged
    | CommandsChanged
    | UsageChanged
    | SuggestionsChanged
    | InfoChanged
    | TurnChanged
    | OwnCommandsChanged
    | PermissionAsked
    | PermissionSettled
    | PermissionRuled
    | ElicitationAsked
    | ElicitationSettled
    | InputOptionsChanged
    | QueueChanged
    | PromptReturned
    | SubagentChanged
    | NoticeRaised
)

ASKED, SETTLED = (PermissionAsked, ElicitationAsked), (PermissionSettled, ElicitationSettled)  # questions
