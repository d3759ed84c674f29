"""Opens sessions on one connection, in whichever way the agent can: new, load, resume or fork.

A session that was open before is brought back: resumed, else loaded (what is told again is not shown again), else
a new one takes its place, whose agent has forgotten what the user still sees. The latest session of a folder is found
by the agent's list, or else by the records here.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import anyio
from anyio.abc import TaskGroup

from acp_tui.errors import AgentFault, Fault, UserFault
from acp_tui.host.agent.agent_services import AgentParts
from acp_tui.host.agent.preparation import NONE_SO_NEW, Closings, ForkCheck, LastSession, Preparation
from acp_tui.host.connection.connection import AgentLink, words_of
from acp_tui.host.connection.lifecycle import Lifecycle
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.replay import continue_in
from acp_tui.host.sessions.continuation import carry, is_prompt_offered, offered_prompt, prompt_sent
from acp_tui.host.sessions.conversation import INSTEAD, Conversation, carry_branch
from acp_tui.host.sessions.replay_filter import ReplayFilter, finish_loading
from acp_tui.host.sessions.session_source import RECORDED
from acp_tui.host.system.paths import folder_problem, is_program
from acp_tui.host.system.workspace import Workspace, find_edits
from acp_tui.host.system.workspace_files import SkipBudget
from acp_tui.protocol.base_dialect import Way
from acp_tui.protocol.capabilities import AgentCapabilities, SessionScope
from acp_tui.protocol.faults import AUTH_REQUIRED, INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, ProtocolFault
from acp_tui.protocol.session_setup import Call, SessionSetup, forked_after
from acp_tui.protocol.vocabulary.config_options import with_input_options
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.session.facts import (
    AgentReturned,
    FileWritten,
    Noticed,
    OptionsAwaited,
    SessionIdentified,
    SubagentEvent,
)
from acp_tui.session.folds.file_changes import unfinished_edits
from acp_tui.session.state import CopiedHistory
from acp_tui.startup import late
from acp_tui.wire.jsonrpc import Error, Response

REMEMBERED = "The agent remembers this conversation."
UNSEEN = "The agent remembers them but does not send them again."
CHOOSING = 15.0
"""Seconds that an agent has to take the options of a session; after that prompts no longer wait for it."""
KNOWN = ("load", "resume")
FORKS = ("at_message", "whole")
WAYS: dict[str, tuple[Way, ...]] = {
    "again": ("resume", "load", "new"),
    "known": ("load", "resume", "new"),  # new where a record stands in for what the agent has forgotten
    "fork": ("fork",),
    "branch": ("fork", "new"),
    "new": ("new",),
}
"""The ways in which each kind of session can be opened, in the order in which they are tried."""


class Openings:
    """Opens the sessions of one connection, each with a workspace. `refused` hears what was not opened."""

    def __init__(
        self,
        parts: AgentParts,
        link: AgentLink,
        tasks: TaskGroup,
        refused: Callable[[Conversation, Error | Fault], None],
    ) -> None:
        self._parts, self._link, self._sessions, self._tasks = parts, link, parts.sessions, tasks
        self._refused, self._lifecycle = refused, parts.context.lifecycle
        self._last = LastSession(parts.context, link, tasks, self.open)
        self._closings = Closings(link, parts.sessions)
        self._forks = ForkCheck(link, parts.sessions, self._closings)
        self._preparation = Preparation(parts, link, tasks)
        self._skip_budget = SkipBudget()  # of all its sessions

    def open(self, conversation: Conversation) -> None:
        """Ask the agent for the session; not twice, and not before the user has chosen what it asks for."""
        over = conversation.source.aside and conversation.was_open  # its agent has gone, and nobody waits for it
        if conversation.asking is not None or conversation.is_open or over:
            return
        if conversation.source.kind == "latest" and not conversation.was_open:
            self._last.find(conversation)
            return
        ways = self._ways(conversation)
        if not ways:
            message = "It cannot load, resume or fork sessions."
            self._refused(conversation, AgentFault("The agent cannot open this session", message, RECORDED))
        elif ways == ["new"] and (problem := folder_problem(conversation.source.scope.cwd)):
            self._refused(conversation, UserFault("Cannot open a session", problem))
        elif conversation.was_open or self._decided(conversation, ways[0]):
            self._preparation.prepare(conversation, ways[0], partial(self._try, conversation, ways))

    def leave(self, conversation: Conversation) -> None:
        conversation.left = True
        connection, dialect = self._link.connection, self._link.dialect
        session_id = conversation.session.id
        if conversation.asking is not None:
            connection.withdraw(conversation.asking)
        opened = bool(session_id) and self._sessions.leave(session_id)
        if not opened or not self._closings.close(session_id, forget=conversation.source.aside):
            at_work = [session_id] if conversation.session.turn.active else []
            for each in (*at_work, *conversation.children.cancellable):
                connection.notify(dialect.cancel(each))
        for each in (session_id, *conversation.session.family):
            dialect.forget(each)
        self._closings.go_on()

    def go_on(self) -> None:
        self._closings.go_on()

    def _ways(self, conversation: Conversation) -> list[Way]:
        can, source, branch = self._link.can, conversation.source, conversation.source.branch
        offers: dict[Way, bool] = {"load": can.load_session, "resume": can.resume_session, "fork": can.fork_session}
        ways = WAYS["again" if conversation.was_open else source.kind]
        if branch is not None and (branch.plan.way not in FORKS or branch.problem):
            offers["fork"] = False
        stands_in = source.kind != "known" or source.record is not None
        return [way for way in ways if offers.get(way, conversation.was_open or stands_in)]

    def _decided(self, conversation: Conversation, way: Way) -> bool:
        method = f"session/{way}"  # by which an agent says what options each way takes
        try:
            if conversation.input_options.decide(method, self._link.initialized.input_options.get(method)):
                return True
        except UserFault as fault:
            self._refused(conversation, fault)
            return False
        self._lifecycle.enter("ready")  # from here on it waits for the user
        return False

    def _scope(self, conversation: Conversation) -> SessionScope:
        return offered(conversation.source.scope, self._link.can)[0]

    def _call(self, way: Way, conversation: Conversation) -> Call:
        dialect, scope = self._link.dialect, self._scope(conversation)
        session_id = conversation.session.id if conversation.was_open else conversation.source.session_id
        call = dialect.open_session(way, scope, None if way == "new" else session_id)
        branch = conversation.source.branch
        if way == "fork" and branch is not None and branch.plan.after:
            call = forked_after(call, branch.plan.after)
        initial = conversation.chosen.initial
        if initial:
            return Call(call.method, {**call.params, "configOptions": list(initial)})
        return Call(call.method, with_input_options(call.params, conversation.input_options.chosen(f"session/{way}")))

    def _try(self, conversation: Conversation, ways: list[Way]) -> None:
        way, session = ways[0], conversation.session
        conversation.prompt_refused = False
        session.apply(OptionsAwaited())
        call = self._call(way, conversation)
        if self._lifecycle.connection.phase == "starting":
            what = "open a session" if way == "new" else f"{way} the session"
            self._lifecycle.wait_for(f"waiting for the agent to {what}")
        self._sessions.expect()
        conversation.replay = ReplayFilter() if way in KNOWN and conversation.was_open else None
        if way == "fork":
            conversation.replay = self._forks.filter_of(conversation)
        if way in KNOWN:  # its updates come before the answer
            if not session.id:
                session.apply(SessionIdentified(conversation.source.session_id))
            self._enter(conversation)
        conversation.asking = self._link.connection.call(call, partial(self._answered, conversation, call, ways))

    def _answered(self, conversation: Conversation, call: Call, ways: list[Way], answer: Response) -> None:
        conversation.asking = None
        problem: Error | Fault | None = answer.error
        if problem is None:
            try:
                self._forks.check_id(conversation, ways[0], answer.result)
                setup = self._link.dialect.read_session_setup(call, answer.result)
                self._begin(conversation, call, ways[0], setup)
            except ProtocolFault as fault:
                problem = fault
        self._sessions.settle()
        if problem is not None:
            self._failed(conversation, ways, problem)
        self._closings.go_on()

    def _begin(self, conversation: Conversation, call: Call, way: Way, setup: SessionSetup) -> None:
        """Give the session its name, its updates (the early ones came first), its workspace and its choices."""
        session, was_open = conversation.session, conversation.was_open
        if was_open or session.closed:
            session.apply(AgentReturned(forgotten=way == "new"))
        session.apply(SessionIdentified(setup.session_id, self._link.agent_name))
        if conversation.left:
            self._enter(conversation)
            self.leave(conversation)
            return
        conversation.note_prompt(prompt_sent(call, conversation.source.scope.system_prompt))
        if way not in KNOWN:
            self._enter(conversation)  # what came early may tell again what a fork begins with
        if way == "fork" and self._forks.is_to_be_told(conversation):
            self._forks.have_told(conversation, self._scope(conversation), partial(self._told, conversation, setup))
        else:
            self._go_on(conversation, way, setup)

    def _told(self, conversation: Conversation, setup: SessionSetup) -> None:
        try:
            self._go_on(conversation, "fork", setup)
        except ProtocolFault as fault:
            self._failed(conversation, ["fork", "new"], fault)
        self._closings.go_on()

    def _go_on(self, conversation: Conversation, way: Way, setup: SessionSetup) -> None:
        """Raises ProtocolFault where the agent forked something else than what was asked for."""
        session, was_open = conversation.session, conversation.was_open
        if way == "fork":
            self._forks.check(conversation)
        conversation.open(self._link)
        conversation.watch.opened(session.agent_name, session.id)
        replay = conversation.replay
        conversation.replay = replay.opened() if replay is not None else None
        conversation.fold(setup.updates)
        if way in KNOWN and not was_open:
            finish_loading(session, conversation.source.setup)
        self._lifecycle.opened()
        self._tell(conversation, way, was_open, replay)
        conversation.choose_again(self._link, self._parts.kept)
        self._tasks.start_soon(_choose_in_time, conversation, self._lifecycle)

    def _enter(self, conversation: Conversation) -> None:
        session = conversation.session
        scope, watch = conversation.source.scope, conversation.watch
        workspace = Workspace(scope, self._happened, self._written, watch.before_write, self._skip_budget)
        self._tasks.start_soon(workspace.terminals.run)
        self._sessions.add(conversation, workspace)

        def look_for_edits() -> None:
            if unfinished_edits(session):
                self._tasks.start_soon(find_edits, workspace, session)

        conversation.after_each_turn(look_for_edits)

    def _happened(self, session_id: str, update: Update) -> None:
        """What happens in a terminal of this machine re-enters like anything else."""
        self._sessions.deliver(session_id, [update])

    def _written(self, session_id: str, fact: FileWritten) -> None:
        """A file was written for the agent. Where that is a row of its own, text after it is another message."""
        if opened := self._sessions.find(session_id):
            root = opened.conversation.session
            session = root.whose(session_id)
            before = len(session.entries)
            root.apply(fact if session is root else SubagentEvent(session_id, fact))
            if len(session.entries) > before:
                self._link.dialect.break_message(session_id)

    def _tell(self, conversation: Conversation, way: Way, was_open: bool, replay: ReplayFilter | None) -> None:
        notices = [] if was_open else offered(conversation.source.scope, self._link.can)[1]
        if was_open and way == "new":
            carry(conversation.session)
            notices.append(Noticed("info", "Agent restarted", INSTEAD))
        elif was_open and way == "load" and replay and (short := replay.shortfall(conversation.session)):
            carry(conversation.session, "offered")
            notices.append(short)
        elif conversation.source.aside:
            notices = []
        elif way == "fork" and conversation.source.branch is not None:
            notices += filter(None, [replay.shortfall(conversation.session) if replay and replay.prompts else None])
        elif not was_open and way == "new" and conversation.source.branch is not None:
            notices += carry_branch(conversation.session, conversation.source.branch)
        elif not was_open and way in ("resume", "fork") and not conversation.session.entries:
            conversation.limits.start_from(conversation.source.told)
            if conversation.source.told is not None:
                conversation.session.apply(CopiedHistory(conversation.source.told, REMEMBERED))
            if not conversation.session.entries:
                conversation.source.unseen = True
                notices.append(Noticed("info", "Earlier messages are not shown", UNSEEN))
        elif not was_open and way == "new" and conversation.source.record is not None:
            notices += self._begin_with_record(conversation, conversation.source.record)
        conversation.source.told = None
        for notice in notices:
            conversation.session.apply(notice)

    def _begin_with_record(self, conversation: Conversation, record: RecordInfo) -> list[Noticed]:
        """The agent cannot bring back what was recorded, or has forgotten it: what was said is its history at least."""
        conversation.source.kind = "new"
        if conversation.source.told is None:
            return [Noticed("warning", NONE_SO_NEW, "The agent could not restore the last one.", RECORDED)]
        continue_in(conversation.session, conversation.source.told, record)
        carry(conversation.session)
        return []

    def _failed(self, conversation: Conversation, ways: list[Way], problem: Error | Fault) -> None:
        conversation.replay = None
        if ways[0] in KNOWN:
            self._sessions.leave(conversation.session.id)
        if conversation.left:
            return
        error = problem if isinstance(problem, Error) else None
        code, method = error.code if error else None, f"session/{ways[0]}"
        prompted = error is not None and is_prompt_offered(conversation.source.scope.system_prompt, self._link.can)
        if error and code == INVALID_PARAMS and conversation.input_options.refuse(method, error.message):
            return
        if code == INVALID_PARAMS and conversation.chosen.initial:
            conversation.chosen.initial = ()  # they are chosen afterwards, by an agent that knows no such values before
            self._try(conversation, ways)
        elif ways[1:] and code != AUTH_REQUIRED and not (prompted and _forgets(ways, code)):
            if conversation.source.branch is not None:
                conversation.source.branch.problem = words_of(error) if error else str(problem)
            self._try(conversation, ways[1:])
        elif ways[0] in KNOWN and error and code == RESOURCE_NOT_FOUND:
            self._refused(conversation, AgentFault("The agent does not know this session", words_of(error), RECORDED))
        else:
            conversation.prompt_refused = prompted and code != AUTH_REQUIRED
            self._refused(conversation, problem)


async def _choose_in_time(conversation: Conversation, lifecycle: Lifecycle) -> None:
    await anyio.sleep(CHOOSING)
    if lifecycle.connection.login is None:  # else it is the user who is waited for
        conversation.chosen.give_up()


def _forgets(ways: list[Way], code: int | None) -> bool:
    """Whether the next way begins anew although the agent may know the session, were it not for its system prompt."""
    return ways[0] in KNOWN and ways[1] == "new" and code not in (RESOURCE_NOT_FOUND, METHOD_NOT_FOUND)


def offered(scope: SessionScope, can: AgentCapabilities) -> tuple[SessionScope, list[Noticed]]:
    """The scope without what the agent does not take, and what the user is told of that."""
    notices: list[Noticed] = []
    takes = {"stdio": can.mcp_stdio, "http": can.mcp_http, "sse": can.mcp_sse}
    servers = tuple(server for server in scope.mcp_servers if takes[server.transport])
    left_out = [f"{server.name} ({server.transport})" for server in scope.mcp_servers if server not in servers]
    if left_out:
        notices.append(Noticed("warning", "The agent does not support these MCP servers", ", ".join(left_out)))
    missing = [each for each in servers if each.transport == "stdio" and not is_program(each.command)]
    if missing:
        without_values: Callable[..., str] = late("acp_tui.session.text.secret_masking").without_values
        written = ", ".join(f"{each.name}: {without_values(each.command, each.put_in)}" for each in missing)
        told = f"{written}. The agent gets the command as written and may not find it either."
        notices.append(Noticed("warning", "MCP server command not found", told))
    unsaid = [f"{server.name}: {', '.join(server.not_sent)}" for server in servers if server.not_sent]
    if unsaid:
        notices.append(Noticed("warning", "MCP server settings that are not sent to the agent", "; ".join(unsaid)))
    prompt, of_prompt = offered_prompt(scope.system_prompt, can)
    notices += of_prompt
    folders = scope.additional_directories
    if folders and not can.additional_directories:
        notices.append(Noticed("warning", "The agent does not support additional folders", ", ".join(folders)))
        folders = ()
    return replace(scope, additional_directories=folders, mcp_servers=servers, system_prompt=prompt), notices
