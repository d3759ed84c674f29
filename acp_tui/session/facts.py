"""Facts: what this side did or saw, applied to a session beside the agent's updates; and what waits for the user."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.config_options import OptionValue
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, FormElicitation, UrlElicitation
from acp_tui.protocol.vocabulary.tool_calls import Diff, PermissionRequest
from acp_tui.session.entries import ElicitationEntry, See

UNWRITTEN = {"written": False}
"""The metadata of a field that holds what a user typed: it is in no record and no export."""


class Fact(Frozen):
    """What this side did or saw; each kind is a record of its own."""


class PromptQueued(Fact):
    """The user sent a prompt while the agent worked."""

    blocks: list[ContentBlock]


class QueuedPromptTaken(Fact):
    """A queued prompt was sent or taken back."""

    id: int


class QueuedPromptMoved(Fact):
    """A queued prompt has another place, counted from 0; behind the last it is the last."""

    id: int
    place: int


class PromptSteered(Fact):
    """A prompt is on its way into the turn that runs."""

    blocks: list[ContentBlock]


class SteeringAnswered(Fact):
    """The agent has said what becomes of a steered prompt."""

    id: int


class CancelRequested(Fact):
    """The user cancelled the turn; unfinished tool calls are marked at once."""


class PermissionReceived(Fact):
    """The agent asks; `key` names the request on this connection."""

    key: int
    request: PermissionRequest


class PermissionAnswered(Fact):
    """The user (or a policy) answered; `option_id` None is cancelled or withdrawn."""

    key: int
    option_id: str | None


class PermissionAnsweredByRule(Fact):
    """A request that the user's rules answered before it was shown, by one of its own options.

    `reason` names the rules with their scopes, `rules` has their ids.
    """

    key: int
    request: PermissionRequest
    option_id: str
    reason: str
    rules: tuple[str, ...] = ()


class ElicitationReceived(Fact):
    """The agent asks by a form or an address; `key` names the request on this connection."""

    key: int
    request: FormElicitation | UrlElicitation


class ElicitationAnswered(Fact):
    """The user answered `accept`, `decline` or `cancel`; what was withdrawn is cancelled.

    Facts are recorded: `content` is what may be written down of a form (`elicitations.recordable_answer`).
    """

    key: int
    action: str
    content: Mapping[str, Any] | None = None


class ElicitationCompleted(Fact):
    """The agent says that what it asked by an address is done."""

    elicitation_id: str


class InputOptionsOffered(Fact):
    """The agent takes options for a session that is to be opened.

    `last` is what was chosen last time, `refused` why the agent did not take what was chosen just now. `way` says how
    the session is opened: new, load, resume, fork.
    """

    schema: ElicitationSchema
    last: Mapping[str, Any] = field(default_factory=dict, repr=False, metadata=UNWRITTEN)
    refused: str = ""
    way: str = "new"


class InputOptionsSettled(Fact):
    """The user has chosen, or wants the session without."""


class ConfigOptionRequested(Fact):
    """The user chose a value; the change is in flight until the agent answers."""

    option_id: str
    value: OptionValue


class ConfigOptionSettled(Fact):
    """The agent answered a choice; `refused` is its reason, empty when it agreed.

    `unsupported`: it does not know how to change this option at all.
    """

    option_id: str
    refused: str = ""
    unsupported: bool = False


class OptionsAwaited(Fact):
    """The session is being opened: until `OptionsSettled` nothing that the agent says of its options is news."""


class OptionsSettled(Fact):
    """The session is open and what was wanted of its options was set; `told` are the ids of those spoken of already."""

    told: tuple[str, ...] = ()


class AgentGone(Fact):
    """The agent exited or the connection closed: the turn ends, what was open is sealed, a notice says why."""

    title: str
    message: str = ""
    hint: str = ""


class AgentReturned(Fact):
    """The session goes on with another process of its agent; `forgotten` where that knows nothing of it.

    What was said stays. Names that updates gave to messages (and, if forgotten, to anything) mean new things now.
    """

    forgotten: bool = False


class SessionIdentified(Fact):
    """The session has this id with its agent, which calls itself `agent_name`; empty where it does not say."""

    session_id: str
    agent_name: str = ""


class Branched(Fact):
    """The session goes on from an earlier place of another one of the same agent, the session `parent`.

    It begins with what was said there before the prompt `before`, an id of the parent's; that is its prompt number
    `prompt`, from 0, and began with `words`. Where nothing is left out, `before` and `words` are empty.
    """

    parent: str
    before: str
    prompt: int
    words: str


class CarryingChosen(Fact):
    """The next prompt carries the conversation so far (`wanted`), may if the user wants that, or need not (empty)."""

    carrying: Literal["", "offered", "wanted"]


class SystemPromptSent(Fact):
    """The agent opened the session with this: `override` in place of its own system prompt, `append` added to it.

    It is sent again whenever the session is gone on with, so it is recorded; both empty: without any from now on.
    """

    override: str
    append: tuple[str, ...]


class SessionNamed(Fact):
    """The user gave the session a name that its agent does not keep; titles of the agent do not replace it."""

    title: str


class SessionLoaded(Fact):
    """All that was said in earlier runs has been told: the last of it is finished."""


class MessageInjected(Fact):
    """A message that the agent told as the user's is none of theirs: it is not among the prompts recorded here.

    Not `injected`: it is theirs, although it looks like what agents put there.
    """

    message_id: str
    injected: bool = True


class PromptPutBack(Fact):
    """The prompt of the turn was not taken (`reason` in words): it leaves the transcript and is next in the queue."""

    blocks: list[ContentBlock]
    reason: str


class FileWritten(Fact):
    """A file was written for the agent; lines added and removed, and the first that differs (from 1).

    `created` where there was none before. `diff` has both texts, or only the fact where they are long or no text.
    """

    path: str
    added: int
    removed: int
    line: int
    created: bool = False
    diff: Diff | None = None


class TurnNumbered(Fact):
    """The turn that has begun is that of prompt number `turn`, from 1: its files are looked at."""

    turn: int


class FilesChanged(Fact):
    """The turn of prompt number `turn`, from 1, has ended, and these files of the work tree are not as they were.

    `added` and `removed` count lines, `names` has the first few paths, relative, `unknown` counts those that are
    probably the user's. `gaps` is what has to be said of what is not kept, one idea each. Said again it corrects the
    turn's.
    """

    turn: int
    files: int
    added: int
    removed: int
    names: tuple[str, ...] = ()
    unknown: int = 0
    gaps: tuple[str, ...] = ()


class FilesTakenBack(Fact):
    """The user took files back to how they were before what `words` names (`Turn 3`), or undid that (`undone`).

    `files` counts those that were, `names` has the first few paths, relative; `left` counts what was left alone.
    """

    words: str
    files: int
    left: int = 0
    names: tuple[str, ...] = ()
    undone: bool = False


class EditFound(Fact):
    """The files of a tool call that its agent never ended hold what its diffs say."""

    tool_call_id: str


class OwnCommandRun(Fact):
    """The user runs a command in the folder `cwd`; its terminal has the same id."""

    id: str
    command: str
    cwd: str


class OwnCommandEnded(Fact):
    """It has ended; `stopped` where the user wanted that."""

    id: str
    stopped: bool = False


class SubagentEvent(Fact):
    """Something happened in a child session, at whatever depth; `session_id` names it."""

    session_id: str
    event: Any  # an update or a fact


class HandedOver(Fact):
    """The conversation goes on in another session, whose agent calls itself `agent`.

    `mark` is any text that both sides of one hand-over have in common, and nothing else has. The same said again with
    another id corrects it.
    """

    mark: str
    agent: str
    session_id: str = ""


class TakenOver(Fact):
    """This session goes on with the conversation of another one; `mark` is the one of its `HandedOver`."""

    mark: str
    agent: str
    session_id: str = ""


class Noticed(Fact):
    """Something that a user must be told (wire noise, a refused file, a late answer)."""

    severity: str
    title: str
    message: str = ""
    hint: str = ""
    see: See = ""


@dataclass(slots=True)
class PendingPermission:
    """One request; `key` is this connection's name for it, `tool_call_id` links it to its entry.

    `call_id` is the call that it belongs to, where the request names another one.
    """

    key: int
    request: PermissionRequest
    asked_at: float = 0.0
    call_id: str | None = None

    @property
    def tool_call_id(self) -> str | None:
        if self.call_id is not None:
            return self.call_id
        subject = self.request.subject
        if subject is None:
            return None
        return subject.tool_call.tool_call_id if subject.tool_call else subject.tool_call_id


@dataclass(slots=True)
class PendingElicitation:
    """One that waits; `key` is this connection's name for it, `entry` its place in the transcript."""

    key: int
    entry: ElicitationEntry
    asked_at: float = 0.0

    @property
    def request(self) -> FormElicitation | UrlElicitation:
        return self.entry.request


@dataclass(slots=True)
class InputOptions:
    """The form that comes before the session; `last` is what was chosen last time, `refused` why it was not taken.

    `way` is how the session is opened: new, load, resume, fork.
    """

    schema: ElicitationSchema
    last: Mapping[str, Any] = field(default_factory=dict, repr=False, metadata=UNWRITTEN)
    refused: str = ""
    asked_at: float = 0.0
    way: str = "new"
