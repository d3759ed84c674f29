"""One prompt to one agent without a screen, from start to exit code.

Listeners of a session must not act, so what they notice is acted on soon after.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from typing import Any, Literal

import anyio

from acp_tui.console import Output
from acp_tui.errors import Fault, UserFault
from acp_tui.frozen import Frozen
from acp_tui.headless.json_report import JsonReport
from acp_tui.headless.run_snapshots import RunSnapshots, Sleep, SnapshotOrder
from acp_tui.headless.text_report import TextReport
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import Client
from acp_tui.host.records.record_info import RecordInfo, Runs
from acp_tui.host.records.records import Records
from acp_tui.host.rules.rule import RulePolicy
from acp_tui.host.rules.rule_book import book_of
from acp_tui.host.sessions.children import LEFT_AT_WORK
from acp_tui.host.system.processes import ending_signals
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import SUBJECT_TYPES, PermissionRequest
from acp_tui.session.changes import Change, EntryAdded, PermissionAsked, TurnChanged, UsageChanged
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.views.session_facts import reached_limit_words

Policy = Literal["reject", "allow-once", "allow-always", "rules", "yolo"]

# Kinds by preference. An allowing policy never answers with more than it was given, so allow-once takes no
# allow_always; a rejecting one would rather reject for good than let the agent wait. Those by rules get what no rule
# has answered.
_KINDS: dict[Policy, tuple[str, ...]] = {
    **dict.fromkeys(("reject", "rules", "yolo"), ("reject_once", "reject_always")),
    "allow-once": ("allow_once",),
    "allow-always": ("allow_always", "allow_once"),
}


def choose(policy: Policy, request: PermissionRequest) -> str | None:
    """The id of the option that `policy` takes, the agent's first of its kind; `None` (cancelled) if there is none.

    What a request of an unknown kind of subject would allow, nobody here knows: no policy allows it.
    """
    subject = request.subject
    if subject is not None and subject.type not in SUBJECT_TYPES:
        policy = "reject"
    for kind in _KINDS[policy]:
        for option in request.options:
            if option.kind == kind:
                return option.option_id
    return None


def check_policy(policy: RulePolicy) -> None:
    """Raises `UserFault` if its file of rules cannot be used."""
    book_of(policy).contents()


OK, FAILED, USAGE, STOPPED, LIMITED, CANCELLED = 0, 1, 2, 3, 4, 130
LAST_WORDS = 3  # lines of standard error of an agent that does not answer
CANCEL_GRACE = 5.0  # seconds that an agent has to end the turn after it was cancelled

_EXIT_CODES = {
    "end_turn": OK,
    "max_tokens": STOPPED,
    "max_turn_requests": STOPPED,
    "refusal": STOPPED,
    "cancelled": CANCELLED,
    "error": FAILED,
}


class RunOrder(Frozen):
    """A run by a launch plan, and how it is reported. `snapshots`: of the files."""

    plan: LaunchPlan
    prompt: str
    format: Literal["text", "json"] = "text"
    policy: Policy = "reject"
    snapshots: SnapshotOrder = field(default_factory=SnapshotOrder)


def run(order: RunOrder) -> int:
    """Send the prompt, tell what comes of it, leave no process behind; the result is the exit code.

    0 the turn ended, 1 the agent failed or its answer cannot be written, 2 there are no such options, 3 it refused or
    met a limit of its own, 4 a limit of the user's was reached, 130 the turn was cancelled, 128 and the number of the
    signal that asked to leave.
    """
    return anyio.run(_run, order)


async def _run(order: RunOrder) -> int:
    ended = anyio.Event()
    loop = asyncio.get_running_loop()
    output = Output(sys.stdout.fileno(), sys.stderr.fileno(), lambda: _wake(loop, ended))
    exit_code = await Run(order, output, ended).serve()
    output.close()
    await ended.wait()
    return FAILED if output.failed else exit_code


def _wake(loop: asyncio.AbstractEventLoop, event: anyio.Event) -> None:
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)


class RunRecords(Records):
    """Records of runs, which go on with the last session, a run or not; its transcript would be of no use here."""

    def record(
        self, session: Session, agent: str = "", start: Callable[[], Mapping[str, Any]] = dict, *, run: bool = True
    ) -> None:
        super().record(session, agent, start, run=run)

    def look_up(self, agent: str, cwd: str, *, retold: bool) -> tuple[RecordInfo, None] | None:  # noqa: ARG002
        info = self.last(agent, cwd, runs=True)
        return (info, None) if info is not None else None

    def runs(self, cwd: str) -> Runs:  # noqa: ARG002
        return Runs()


class Run:
    """One prompt turn, from its connection's start to its end."""

    def __init__(self, order: RunOrder, output: Output, unheard: anyio.Event, sleep: Sleep = anyio.sleep) -> None:
        """`unheard` is set when nobody reads the answer any more; `sleep` is the clock of the wait for snapshots."""
        self._order, self._unheard, self._sleep = order, unheard, sleep
        plan = order.plan
        self._client = Client(replace(plan, title="", snapshots=order.snapshots.settings))
        self._records = RunRecords() if plan.recorded else None
        if self._records is not None:
            self._client.record_with(self._records)
        if plan.wire is not None:
            plan.wire.attend(self._client.traffic, self._client.sessions)
        self._session = self._client.begin_session(plan.resume, plan.settings, plan.preset)
        self._report = (
            JsonReport(output, self._session)
            if order.format == "json"
            else TextReport(output, self._session, safe=sys.stdout.isatty(), policy=order.policy)
        )
        self._introduced = False
        self._waited_for = ""
        self._began = False
        self._stop_reason: str | None = None
        self._leaving: int | None = None
        self._limit = anyio.Event()  # one of the user's is reached
        self._over = anyio.Event()
        self._gone = anyio.Event()
        self._closed = anyio.Event()
        self._snapshots: RunSnapshots | None = None
        self._settled = anyio.Event()

    async def serve(self) -> int:
        self._client.of(self._session).submit([TextContent(text=self._order.prompt)])  # waits for the agent to be ready
        if not self._order.snapshots.settings.off:
            changes = self._client.changes(self._session)
            self._snapshots = RunSnapshots(changes, self._order.snapshots, self._sleep)
        self._session.subscribe(self._changed)
        self._client.subscribe(self._connection_changed)
        async with anyio.create_task_group() as tasks:
            for act in (self._obey_signals, self._connect, self._notice_silence, self._obey_limit):
                tasks.start_soon(act)
            await self._over.wait()
            await self._end()
            await self._closed.wait()
            tasks.cancel_scope.cancel()
        for notice in self._snapshots.missing() if self._snapshots is not None else ():
            self._session.apply(notice)
        if self._records is not None:
            for notice in self._records.close():
                self._session.apply(notice)
        code = self._exit_code()
        self._report.ended(code, self._untold_fault() if code in (FAILED, USAGE) else None)
        return code

    async def _end(self) -> None:
        """Leave the agent when the snapshots of the turn are there; if it did not end the turn, leave it before."""
        working = self._session.turn.active
        if self._snapshots is not None:
            self._snapshots.look()
        if working:
            self._client.close()
            await self._gone.wait()
        if self._snapshots is not None:
            self._report.answered()
            for notice in await self._snapshots.wait():
                self._session.apply(notice)
        self._settled.set()
        if not working:
            self._client.close()

    async def _agent_gone(self) -> None:
        """Snapshots are taken until those of the turn are there, however the agent went."""
        self._gone.set()
        self._over.set()
        await self._settled.wait()

    def _changed(self, change: Change) -> None:
        if self._is_past(change) or _is_known(change):
            return
        if self._session.id and not self._introduced:
            self._introduced = True
            self._report.began(self._client.connection)
        self._report.changed(change)
        if isinstance(change, TurnChanged):
            self._turn_changed()
        if isinstance(change, UsageChanged):
            asyncio.get_running_loop().call_soon(self._check_limits)
        if isinstance(change, PermissionAsked):
            asyncio.get_running_loop().call_soon(self._answer_questions)

    def _connection_changed(self) -> None:
        """Tell that the agent is slow, once for each thing that it is slow with."""
        connection = self._client.connection
        if connection.phase == "starting" and connection.late and connection.step != self._waited_for:
            self._waited_for = connection.step
            self._report.waits(connection.step, self._client.stderr_tail(LAST_WORDS))

    def _is_past(self, change: Change) -> bool:
        """Whether it is told again while a session is loaded, and so was said in an earlier run."""
        notice = isinstance(change, EntryAdded) and isinstance(change.entry, NoticeEntry)
        return bool(self._order.plan.resume) and self._client.connection.phase == "starting" and not notice

    def _turn_changed(self) -> None:
        turn = self._session.turn
        if turn.active:
            if not self._began:
                asyncio.get_running_loop().call_soon(self._check_limits)
            self._began = True
        elif self._began and not self._over.is_set():
            self._stop_reason = turn.stop_reason or "end_turn"
            working = [child for child in self._session.family.values() if child.session.turn.active]
            if working:
                self._report.left(working)
            self._over.set()

    async def _connect(self) -> None:
        await self._client.run(self._agent_gone)
        self._gone.set()
        self._closed.set()
        self._over.set()

    def _answer_questions(self) -> None:
        for asked in list(self._session.permissions):
            option_id = choose(self._order.policy, asked.request)
            self._client.of(self._session).questions.answer_permission(asked.key, option_id)

    def _check_limits(self) -> None:
        """Cancel the turn at a limit, once; look again when the turn has taken as long as it may.

        A cost counts that is reported with the end of the turn, too: whether it is read before that is chance.
        """
        limits, active = self._client.of(self._session).limits, self._session.turn.active
        if self._limit.is_set() or not self._began:
            return
        reached = limits.reached
        if reached is not None and (active or reached.name == "session_cost"):
            self._limit.set()
            cancelled = "The turn was cancelled." if active else ""
            self._session.apply(Noticed("warning", reached_limit_words(reached), cancelled))
        elif active and (left := limits.turn_seconds_left) is not None:
            asyncio.get_running_loop().call_later(left, self._check_limits)

    async def _obey_limit(self) -> None:
        await self._limit.wait()
        if self._session.turn.active:
            await self._end_turn()

    async def _notice_silence(self) -> None:
        await self._unheard.wait()
        await self._cancel()

    async def _obey_signals(self) -> None:
        with _signals(signal.SIGINT, *ending_signals()) as received:
            async with anyio.create_task_group() as tasks:
                async for number in received:
                    first, self._leaving = self._leaving is None, self._leaving or number
                    if first and number == signal.SIGINT and not self._over.is_set():
                        tasks.start_soon(self._cancel)
                        continue
                    self._over.set()
                    if self._snapshots is not None:
                        self._snapshots.hurry()

    async def _cancel(self) -> None:
        """End the turn as the protocol says, so that the agent can keep its house in order; then leave anyway."""
        self._leaving = self._leaving or signal.SIGINT
        await self._end_turn()

    async def _end_turn(self) -> None:
        self._client.of(self._session).cancel()
        if self._session.turn.active:
            with anyio.move_on_after(CANCEL_GRACE):
                await self._over.wait()
        self._over.set()

    def _exit_code(self) -> int:
        if self._leaving is not None:
            return 128 + self._leaving
        if self._limit.is_set():
            return LIMITED
        if self._stop_reason is None:
            return USAGE if isinstance(self._client.connection.fault, UserFault) else FAILED
        return _EXIT_CODES.get(self._stop_reason, OK)

    def _untold_fault(self) -> Fault | None:
        fault = self._client.connection.fault
        told = {entry.title for entry in self._session.entries if isinstance(entry, NoticeEntry)}
        return fault if fault is not None and fault.title not in told else None


def _is_known(change: Change) -> bool:
    """Whether it only says that the run has ended while subagents worked, which was told when it did."""
    entry = change.entry if isinstance(change, EntryAdded) else None
    return isinstance(entry, NoticeEntry) and entry.title == LEFT_AT_WORK


@contextmanager
def _signals(*numbers: int) -> Iterator[AsyncIterable[int]]:
    """Receive these signals; those that the caller's caller wants ignored (`nohup`) stay ignored."""
    wanted = [signal.Signals(number) for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    with anyio.open_signal_receiver(*wanted) as received:
        yield received
