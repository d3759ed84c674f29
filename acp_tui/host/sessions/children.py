"""The subagents of one session, as far as the host has to do with them: whose questions end with what, whose folders.

They are the agent's: nothing is sent for them but answers, and a cancellation where it may be.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from acp_tui.host.sessions.questions import Questions
from acp_tui.host.system.workspace import ChildWorkspace, NamedFolders, Workspace
from acp_tui.protocol.vocabulary.session_updates import SubagentUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.safe_text import one_line
from acp_tui.session.facts import CancelRequested, Noticed, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import subagent_works

SHOWN = 3
"""How many of each kind are shown in full between two summaries."""

_TITLES = {
    "malformed": "Non-protocol line on the agent's stdout",
    "oversized": "Message from the agent too large",
    "duplicate": "Duplicate answer from the agent",
    "unasked": "Unexpected answer from the agent",
    "rejected": "Invalid update from the agent",
    "unknown session": "Update from the agent for an unknown session",
    "subagent": "Subagent refused",
    "folders": "Too many folders for a subagent",
    "too early": "Update from the agent before it was ready",
    "bad request": "Invalid request from the agent",
    "stumbled": "A message from the agent could not be processed",
}

_HINTS = {
    "malformed": "Ignored. If it is a log, have the agent write it to stderr.",
    "oversized": "Ignored, so something may be missing here. Please report it to the agent's developers.",
}
"""What to make of it; said once with the first of its kind."""


@dataclass(slots=True)
class NoiseMeter:
    """Decides what of the noise is told now; `tell` gets the notices."""

    tell: Callable[[Noticed], None]
    _heard: Counter[str] = field(default_factory=Counter)

    def allows(self, kind: str) -> bool:
        """Count one more of its kind; whether it is to be shown in full."""
        self._heard[kind] += 1
        count = self._heard[kind]
        if count > SHOWN and str(count).strip("0") == "1":
            # Powers of ten, so that a flood shows while it lasts.
            self.tell(Noticed("warning", _TITLES[kind], f"{count:,} times so far"))
        return count <= SHOWN

    def hear(self, kind: str, message: str) -> None:
        if self.allows(kind):
            hint = _HINTS.get(kind, "") if self._heard[kind] == 1 else ""
            self.tell(Noticed("warning", _TITLES[kind], message, hint))

    def settle(self) -> None:
        """A turn or the connection has ended: tell what was only counted, and begin anew."""
        heard, self._heard = self._heard, Counter()
        for kind, count in heard.items():
            if count > SHOWN:
                self.tell(Noticed("warning", _TITLES[kind], f"{count - SHOWN:,} more"))


FOLDERS = 100
"""Folders of one child that count beside the one that it works in."""
ASKED = 20
"""Folders outside that the user of one session is asked for."""
ALLOW, REJECT = "allow", "reject"
LEFT_AT_WORK = "Disconnected while subagents were working"
Announced = Callable[[str, SubagentUpdate], str]
"""Takes the parent's id and what is announced of a child; says why that is refused, if it is."""
NAME = 60  # characters of a child's title in a question


class Children:
    """Those of one session, of all depths. `attended`: a user is there who can be asked for folders.

    `announced` gets each announcement or patch of a child.
    """

    def __init__(self, session: Session, questions: Questions, announced: Announced, *, attended: bool) -> None:
        self._session, self._questions, self._attended = session, questions, attended
        self._announced = announced
        self._stopping: set[str] = set()
        self._allowed: list[str] = []
        self._settled: list[str] = []  # folders that are asked for, or were answered
        self._asked = 0

    @property
    def any_works(self) -> bool:
        return any(subagent_works(child) for child in self._session.family.values())

    @property
    def cancellable(self) -> list[str]:
        return [child_id for child_id in self._session.family if self.can_cancel(child_id)]

    def can_cancel(self, child_id: str) -> bool:
        """Whether it works and its agent says that it can be cancelled, which was not asked for yet."""
        child = self._session.family.get(child_id)
        return child is not None and child.entry.cancellable and subagent_works(child) and not self._stops(child_id)

    def cancelled(self, child_id: str) -> None:
        """What it was at is cancelled, and what its own children were at."""
        self._stopping = {each for each in self._stopping if self._stops(each)} | {child_id}
        self._mark(self._with_children({child_id}))

    def turn_cancelled(self) -> None:
        self._mark(self._of_turn())

    def is_stopping(self, session_id: str | None, *, turn: bool) -> bool:
        """Whether what a session asks now belongs to work that was cancelled; `turn`: that of the user's session."""
        if turn and session_id in self._of_turn():
            return True
        above = session_id or ""
        while above in self._session.family:
            if self._stops(above):
                return True
            above = self._session.family[above].parent.id
        return False

    def admitted(self, updates: Iterable[Update], child_id: str, noise: NoiseMeter) -> Iterator[Update]:
        """Updates of the session or of a child, without the children that are refused, which is said."""
        for update in updates:
            if not isinstance(update, SubagentUpdate):
                yield update
            elif problem := self._announced(child_id or self._session.id, update):
                noise.hear("subagent", problem)
            else:
                yield self._bounded(update, noise)

    def _bounded(self, update: SubagentUpdate, noise: NoiseMeter) -> SubagentUpdate:
        """An announcement or patch with no more folders than count."""
        folders = update.additional_directories
        if folders is None or len(folders) <= FOLDERS:
            return update
        noise.hear("folders", f"{update.session_id!r:.80} names {len(folders):,}; only the first {FOLDERS} are used.")
        return update.model_copy(update={"additional_directories": folders[:FOLDERS]})

    def workspace(self, session_id: str, outer: Workspace) -> Workspace:
        if session_id not in self._session.family:
            return outer
        return ChildWorkspace(outer, self._folders(session_id, outer), self._allowed)

    def lost(self, child_id: str) -> None:
        """It was opened as a session of its own and is told of there; in its parent nothing of it is confirmed."""
        child = self._session.family.get(child_id)
        if child is not None:
            update = SubagentUpdate(session_id=child_id, state=None, capabilities=None)
            above = child.parent.id
            self._session.apply(SubagentEvent(above, update) if above in self._session.family else update)

    def ask_for_folder(self, child_id: str, folder: str) -> None:
        """Ask the user once whether children may use a folder, by its real path, that one of them has named."""
        child, turn = self._session.family.get(child_id), self._session.turn
        cancelling = turn.active and turn.cancel_requested_at is not None
        if child is None or self.is_stopping(child_id, turn=cancelling) or self._is_settled(folder):
            return
        self._asked += 1
        if self._asked > ASKED:
            if self._asked == ASKED + 1:
                said = f"You have been asked about {ASKED} folders. The rest are refused."
                self._session.apply(Noticed("warning", "Subagents asked for too many folders", said))
            return
        self._settled.append(folder)
        name = one_line(child.entry.title or "", NAME)
        if not self._attended:
            hint = "To allow it, start acp-tui with --add-dir and this folder."
            self._session.apply(Noticed("warning", "A subagent may not use this folder", folder, hint))
            return
        self._questions.ask(None, _question(child_id, name, folder), partial(self._answered, folder))

    def _answered(self, folder: str, option_id: str | None) -> None:
        if option_id == ALLOW:
            self._allowed.append(folder)
            self._session.apply(Noticed("info", "Subagents may use this folder", folder))
        elif option_id is None:
            self._settled.remove(folder)  # cancelled with the work; nobody has decided
        else:
            self._session.apply(Noticed("info", "Subagents may not use this folder", folder))

    def _is_settled(self, folder: str) -> bool:
        return any(Path(folder).is_relative_to(each) for each in self._settled)

    def _folders(self, child_id: str, outer: Workspace) -> NamedFolders:
        """Its own folders; what it has not been given is its parent's."""
        cwd: str | None = None
        more: Collection[str] | None = None
        while (cwd is None or more is None) and (child := self._session.family.get(child_id)) is not None:
            cwd = cwd if cwd is not None else child.entry.cwd
            more = more if more is not None else child.entry.additional_directories
            child_id = child.parent.id
        given = [str(path) for path in outer.files.roots.paths]
        return NamedFolders(given[0] if cwd is None else cwd, tuple(given[1:] if more is None else more))

    def _of_turn(self) -> set[str | None]:
        """The sessions whose work is that of the turn: all but those in the background, and the children of these."""
        background = {item.session_id for item in self._session.turn.background if item.type == "subagent"}
        return self._with_children({self._session.id}, background)

    def _with_children(self, ids: set[str | None] | set[str], without: Collection[str | None] = ()) -> set[str | None]:
        found: set[str | None] = {*ids}
        for name, child in self._session.family.items():  # each after its parent
            if child.parent.id in found and name not in without:
                found.add(name)
        return found

    def _mark(self, ids: set[str | None]) -> None:
        """Have the calls of those that work marked as cancelled, and what they ask answered so."""
        for name, child in list(self._session.family.items()):
            if name in ids and child.session.turn.active:
                self._session.apply(SubagentEvent(name, CancelRequested()))
        self._questions.work_cancelled(ids)

    def _stops(self, child_id: str) -> bool:
        """Whether it was cancelled by itself, and the agent has not said since that this is over."""
        child = self._session.family.get(child_id)
        turn = child.session.turn if child is not None else None
        stops = turn is not None and turn.active and turn.cancel_requested_at is not None
        return stops and child_id in self._stopping


def _question(child_id: str, name: str, folder: str) -> PermissionRequest:
    """The question as a permission request of the child; its call is one that no agent can name."""
    who = f'the subagent "{name}"' if name else "a subagent"
    call_id = f"folder-{secrets.token_hex(8)}"
    call = ToolCallUpdate(tool_call_id=call_id, kind="edit", locations=[ToolCallLocation(path=folder)])
    return PermissionRequest(
        session_id=child_id,
        title=f"Let {who} use this folder?",
        description="It is outside this session's folders. Subagents could read, write and run commands there.",
        subject=PermissionSubject(type="tool_call", tool_call=call, tool_call_id=call_id),
        options=[
            PermissionOption(option_id=REJECT, name="Reject", kind="reject_once"),  # first: it moves no boundary
            PermissionOption(option_id=ALLOW, name="Allow for this session", kind="allow_once"),
        ],
    )
