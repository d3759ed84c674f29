"""A run as JSON lines: one object for each change of the session, `type` first; ASCII, so that any reader takes it.

| type | members |
|---|---|
| session | session_id, cwd, agent: the agent has opened the session |
| waiting | step, last_words: the agent has answered nothing for a while |
| message_chunk | role, message_id, content: a block to append; text joins the text before it |
| message | role, message_id, content: replaces all that was said under this id |
| tool_call, notice, compaction, elicitation, unknown | the whole entry, as in the JSON export |
| subagent, session_message | the whole entry, too |
| removed | entry_type, id: an entry is no longer part of the conversation |
| terminal_output | terminal_id, text: appended; escapes are kept |
| terminal | terminal_id, command, cwd, size, exit_status, released; with `output` (replaces all) |
| plan, plan_removed | plan or plan_id |
| file_written | path: the agent wrote this file through acp-tui |
| permission_asked | key, request |
| permission_settled | key, option_id (null: cancelled) |
| config_options, commands, usage, suggestions, info, turn, queue | the state as it is now |
| prompt_returned | text: the agent never took it |
| omitted | reason: a change that cannot be written down |
| end | exit_code, stop_reason, fault |
"""

import codecs
import json
from collections.abc import Sequence
from typing import Any, assert_never

from acp_tui.console import Output
from acp_tui.errors import Fault
from acp_tui.headless.growth import MessageGrowth, TerminalGrowth
from acp_tui.host.client import Connection
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session import changes
from acp_tui.session.entries import Entry, MessageEntry
from acp_tui.session.export.json import plain
from acp_tui.session.state import Session


class JsonReport:
    """Tells a run to programs; nothing here waits."""

    def __init__(self, output: Output, session: Session) -> None:
        self._output, self._session = output, session
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

    def _change(self, change: changes.Change) -> None:
        session, turn = self._session, self._session.turn
        match change:
            case changes.EntryAdded(entry) | changes.EntryChanged(entry):
                self._entry(entry)
            case changes.EntryRemoved(entry):
                self._write("removed", entry_type=plain(entry)["type"], id=entry.id)
            case changes.TerminalChanged(terminal_id):
                self._terminal(terminal_id)
            case changes.PermissionAsked(key):
                request = next(asked.request for asked in session.permissions if asked.key == key)
                self._write("permission_asked", key=key, request=request)
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
            case changes.SubagentChanged() | changes.OwnCommandsChanged():
                pass  # entries tell of the former; nobody runs commands
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
            case changes.PromptReturned(text):
                self._write("prompt_returned", text=text)
            case _:
                assert_never(change)

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
        line = _encode(plain(entry))
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
        self._output.answer(_encode(members))


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
