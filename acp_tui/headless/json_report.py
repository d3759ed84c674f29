"""A run as JSON lines: one object for each change of the session, `type` first; ASCII, so that any reader takes it.

| type | members |
|---|---|
| session | session_id, cwd, agent: the agent has opened the session |
| waiting | step, last_words: the agent has answered nothing for a while |
| message_chunk | role, message_id, content: a block to append; text joins the text before it |
| message | role, message_id, content: replaces all that was said under this id |
| tool_call, notice, compaction, elicitation, unknown | the whole entry, as in the JSON export |
| subagent | the whole entry, too: a session that the agent made for a part of the work; `id` is its id |
| session_message | the whole entry: what one of these sessions says to another |
| removed | entry_type, id: an entry is no longer part of the conversation |
| terminal_output | terminal_id, text: appended; escapes are kept |
| terminal | terminal_id, command, cwd, size, exit_status, released; with `output` (replaces all) |
| plan, plan_removed | plan or plan_id |
| file_written | path: the agent wrote this file through acp-tui |
| files | what the turn changed, by the snapshots of the files: how many, lines added and removed, the first names |
| permission_asked | key, request; with the session_id of the subagent that asks |
| permission_settled | key, option_id (null: cancelled) |
| permission_ruled | as permission_asked, with option_id, reason, rules: the user's rules answered it, and which |
| config_options, commands, usage, suggestions, info, turn, queue | the state as it is now |
| prompt_returned | text: the agent never took it |
| omitted | reason: a change that cannot be written down |
| left_working | subagents: the turn has ended and with it the run, while these (id, title) still worked |
| end | exit_code, stop_reason, fault |

What happens in a subagent is told in the same words, with its id as `session_id` behind the type: a line without one is
about the session itself. A subagent is told of by its parent before anything happens in it.
"""

import codecs
import json
from collections.abc import Sequence
from typing import Any, assert_never

from acp_tui.console import Output
from acp_tui.errors import Fault
from acp_tui.headless.text_report import MessageGrowth, TerminalGrowth
from acp_tui.host.client import Connection
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session import changes
from acp_tui.session.entries import Entry, MessageEntry, SubagentEntry
from acp_tui.session.export import plain
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session, Subagent

StateChange = (
    changes.ConfigOptionsChanged
    | changes.CommandsChanged
    | changes.SuggestionsChanged
    | changes.UsageChanged
    | changes.InfoChanged
    | changes.TurnChanged
    | changes.QueueChanged
)


class JsonReport:
    """Tells a run to programs, and what happens in its subagents; nothing here waits."""

    def __init__(self, output: Output, session: Session, family: set[str] | None = None) -> None:
        """`family` is for a subagent: the ids of those of the session that the user talks to which are told of."""
        self._output, self._session = output, session
        self._whose = {} if family is None else {"session_id": session.id}
        self._family: set[str] = set() if family is None else family
        self._messages: dict[tuple[str, str], MessageGrowth] = {}
        self._terminals: dict[str, _TerminalTold] = {}
        self._told: dict[str, str] = {}

    def began(self, connection: Connection) -> None:
        session = self._session
        self._write("session", session_id=session.id, cwd=session.cwd, agent=connection.agent)

    def waits(self, step: str, last_words: Sequence[str]) -> None:
        self._write("waiting", step=step, last_words=list(last_words))

    def changed(self, change: changes.Change) -> None:
        try:
            self._change(change)
        except RecursionError:
            self._line({"type": "omitted", "reason": f"{type(change).__name__}: nested too deeply"})

    def left(self, children: Sequence[Subagent]) -> None:
        """Some still work, and the run does not wait for them."""
        self._write(
            "left_working", subagents=[{"id": child.entry.id, "title": child.entry.title} for child in children]
        )

    def answered(self) -> None:
        """Each line is complete."""

    def _change(self, change: changes.Change) -> None:
        session = self._session
        match change:
            case changes.EntryAdded(entry) | changes.EntryChanged(entry):
                self._entry(entry)
                if isinstance(entry, SubagentEntry) and entry.id in session.subagents:
                    self._follow(session.subagents[entry.id])
            case changes.EntryRemoved(entry):
                self._write("removed", entry_type=plain(entry)["type"], id=entry.id)
            case changes.TerminalChanged(terminal_id):
                self._terminal(terminal_id)
            case changes.PermissionAsked(key):
                self._permission("asked", next(asked for asked in session.permissions if asked.key == key))
            case changes.PermissionRuled(asked, option_id, reason, rules):
                self._permission("ruled", asked, option_id=option_id, reason=reason, rules=rules)
            case changes.PermissionSettled(key, option_id):
                self._write("permission_settled", key=key, option_id=option_id)
            case changes.PlanChanged(plan_id):
                self._plan(plan_id)
            case changes.NoticeRaised(notice):
                self._line(plain(notice))
            case changes.FileChanged(path):
                self._write("file_written", path=path)
            case changes.ElicitationAsked() | changes.ElicitationSettled() | changes.InputOptionsChanged():
                pass  # nobody is here to fill in forms, so that none is offered
            case changes.SubagentChanged(session_id):  # of one that was known before this run its row says nothing
                self._follow(session.family[session_id].session)
            case changes.OwnCommandsChanged():
                pass  # or to run commands
            case changes.PromptReturned(text):
                self._write("prompt_returned", text=text)
            case _:
                self._state(change)

    def _permission(self, what: str, asked: PendingPermission, **more: Any) -> None:
        request = asked.request
        whose = {"session_id": request.session_id} if request.session_id in self._session.family else {}
        self._write(f"permission_{what}", **whose, key=asked.key, request=request, **more)

    def _state(self, change: StateChange) -> None:
        session, turn = self._session, self._session.turn
        match change:
            case changes.ConfigOptionsChanged():
                options, unknown = session.config_options, session.unknown_config_options
                self._write("config_options", config_options=options, unknown=unknown)
            case changes.CommandsChanged():
                self._write("commands", commands=session.commands)
            case changes.SuggestionsChanged():
                self._write("suggestions", suggestions=session.suggestions)
            case changes.UsageChanged():
                self._write("usage", usage=session.usage)
            case changes.InfoChanged():
                self._write("info", title=session.title, updated_at=session.updated_at)
            case changes.TurnChanged():
                self._write("turn", state=turn.state, stop_reason=turn.stop_reason, error=turn.error, usage=turn.usage)
            case changes.QueueChanged():
                self._write("queue", waiting=len(session.queue))
            case _:
                assert_never(change)

    def _follow(self, child: Session) -> None:
        if child.id not in self._family:
            self._family.add(child.id)
            child.subscribe(JsonReport(self._output, child, self._family).changed)

    def _plan(self, plan_id: str) -> None:
        if plan_id in self._session.plans:
            self._write("plan", plan=self._session.plans[plan_id])
        else:
            self._write("plan_removed", plan_id=plan_id)

    def ended(self, exit_code: int, fault: Fault | None) -> None:
        told = fault and {"title": fault.title, "message": fault.message, "hint": fault.hint}
        self._write("end", exit_code=exit_code, stop_reason=self._session.turn.stop_reason, fault=told)

    def _entry(self, entry: Entry) -> None:
        if isinstance(entry, MessageEntry):
            self._message(entry)
            return
        line = _encode(self._named(plain(entry)))
        if self._told.get(entry.id) != line:  # an update may say nothing new
            self._told[entry.id] = line
            self._output.answer(line)

    def _message(self, entry: MessageEntry) -> None:
        replaced, new = self._messages.setdefault((entry.role, entry.id), MessageGrowth()).look(entry)
        if replaced:
            self._write("message", role=entry.role, message_id=entry.id, content=[_block(item) for item in new])
            return
        for item in new:
            self._write("message_chunk", role=entry.role, message_id=entry.id, content=_block(item))

    def _terminal(self, terminal_id: str) -> None:
        terminal = self._session.terminals[terminal_id]
        told = self._terminals.setdefault(terminal_id, _TerminalTold())
        replaced, new = told.growth.look(terminal)
        about = {name: plain(getattr(terminal, name)) for name in ("command", "cwd", "exit_status", "released")}
        about["size"] = plain(terminal.dimensions)
        if replaced:
            told.decoder.reset()
            self._write("terminal", terminal_id=terminal_id, **about, output=told.decoder.decode(new))
        elif new and (text := told.decoder.decode(new)):
            self._write("terminal_output", terminal_id=terminal_id, text=text)
        if not replaced and about != told.about:
            self._write("terminal", terminal_id=terminal_id, **about)
        told.about = about

    def _write(self, kind: str, **members: Any) -> None:
        self._line({"type": kind, **plain(members)})

    def _line(self, members: dict[str, Any]) -> None:
        self._output.answer(_encode(self._named(members)))

    def _named(self, members: dict[str, Any]) -> dict[str, Any]:
        return {"type": members["type"], **self._whose, **members} if self._whose else members


class _TerminalTold:
    def __init__(self) -> None:
        self.growth = TerminalGrowth()
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.about: dict[str, Any] = {}


def _block(item: str | ContentBlock) -> Any:
    return {"type": "text", "text": item} if isinstance(item, str) else plain(item)


def _encode(members: Any) -> str:
    try:
        return json.dumps(members, default=str, allow_nan=False) + "\n"
    except ValueError:  # NaN and its kin, which are no JSON: tell them as text
        return json.dumps(json.loads(json.dumps(members, default=str), parse_constant=str)) + "\n"
