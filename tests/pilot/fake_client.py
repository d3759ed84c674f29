"""A client without an agent: acts change a real session, and tests tell what an agent would say."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.host.agent.agent_services import NOTHING, Branches
from acp_tui.host.agent.logins import Logins
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.changes.turn_tracker import TurnWatch
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.choices import Choice, KeptChoices
from acp_tui.host.rules.rule import NO_RULES, READERS, Rule, RuleOffer, RulePreview
from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.host.sessions.chosen_options import ChosenOptions
from acp_tui.host.sessions.continuation import branched_fact
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.known_sessions import KnownSessions
from acp_tui.host.sessions.questions import InputOptionsChoice, LastOptions, Questions
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.protocol.vocabulary.config_options import (
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    SelectOption,
)
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.initialization import Implementation, SessionInfo
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommand,
    AvailableCommandsUpdate,
    CommandInput,
    Cost,
    MessageChunk,
    MessageUpdate,
    StateUpdate,
    Update,
    UsageUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session import facts
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.session.tools.running_work import WorkItem
from tests.pilot.fake_changes import FakeChanges


class FakeClient(Client):
    """Remembers what the user did in `acts`; answers nothing by itself."""

    def __init__(self, phase: str = "ready") -> None:
        super().__init__(LaunchPlan(AgentCommand(("fake-agent",)), Path("/home/someone/project")))
        self.connection.agent = Implementation(name="OpenCode", version="1.18")
        self._lifecycle.started()
        if phase == "ready":
            self._lifecycle.enter("ready")
        self.acts: list[tuple[object, ...]] = []
        self._conversations: dict[int, FakeConversation] = {}  # by the ids of their sessions as objects
        self._parts.known_sessions = FakeKnownSessions(self)
        self._parts.logins = FakeLogins(self)
        self._parts.kept = FakeKept(self)
        self._parts.branches = FakeBranches(self)
        self.submitted: list[list[ContentBlock]] = []
        self.offered: tuple[Choice, ...] = ()
        self.unkept: tuple[Choice, ...] = ()
        self.errors: list[str] = []
        self._messages = 0
        self._ids = count(1)
        self._ended = asyncio.Event()
        self.stuck = False
        self.recent: dict[str, tuple[str, ...]] = {}
        self.work_tree = FakeChanges()
        self.folders: list[str] = []

    def changes(self, session: Session) -> FakeChanges:
        return self.work_tree

    def open_session(self, cwd: str | None = None) -> Session:
        return self._begun(Session(id=f"s{next(self._ids)}", cwd=cwd or self.cwd, agent_name="OpenCode"))

    def load_session(self, info: SessionInfo, told: Session | None = None, folders: Collection[str] = ()) -> Session:
        self.acts.append(("load", info.session_id))
        self.folders = list(folders)
        cwd = info.cwd if info.cwd in folders else self.cwd
        return self._begun(Session(id=info.session_id, cwd=cwd, agent_name="OpenCode", title=info.title))

    def fork_session(self, session: Session) -> Session:
        self.acts.append(("fork", session.id))
        return self.open_session(session.cwd)

    def fork_known(self, info: SessionInfo, told: Session | None = None, folders: Collection[str] = ()) -> Session:
        self.acts.append(("fork", info.session_id))
        self.folders = list(folders)
        session = self.open_session(info.cwd)
        if told is not None:
            session.apply(CopiedHistory(told, "forked"))
        return session

    def close_session(self, session: Session) -> None:
        self.acts.append(("close session", session.id))
        self._context.sessions.remove(session)

    def _begun(self, session: Session) -> Session:
        self._context.sessions.begin(SessionSource(session, self._scope))
        session.index.identified_at = 0.0  # long ago, so that nothing waits for the agent's commands
        return session

    def of(self, session: Session) -> "FakeConversation":
        made = self._conversations.get(id(session))
        if made is None:
            made = self._conversations[id(session)] = FakeConversation(self, session)
        return made

    def restart(self) -> None:
        self.acts.append(("restart",))
        self._lifecycle.begin("starting the agent")

    async def run(self, then: object = None) -> None:
        await self._ended.wait()
        if self.stuck:
            await asyncio.Event().wait()
        self._lifecycle.enter("closed")

    def close(self) -> None:
        self.acts.append(("close",))
        self._lifecycle.enter("closing")
        self._ended.set()

    def choose_input_options(self, session: Session, options: Mapping[str, Any]) -> None:
        self.acts.append(("options", dict(options)))
        session.apply(facts.InputOptionsSettled())

    def stderr_tail(self, lines: int = 20) -> list[str]:
        return self.errors[-lines:]


class FakeConversation(Conversation):
    """Remembers what the user did among the acts of its client."""

    def __init__(self, client: FakeClient, session: Session) -> None:
        no_options = InputOptionsChoice(session, lambda method: LastOptions((), method), (), asks=False)
        super().__init__(SessionSource(session, client._scope), no_options, lambda _parent, _update: "", TurnWatch())
        self._client = client
        self.rules = FakeRules(client)
        self.questions = FakeQuestions(client, session)
        self.chosen = FakeChosen(client, session)

    def submit(self, blocks: list[ContentBlock], place: int | None = None) -> None:
        self._client.acts.append(("submit", texts(blocks)))
        self._client.submitted.append(blocks)
        if self.session.turn.active or self._client.connection.phase in ("starting", "gone"):
            self.session.apply(facts.PromptQueued(blocks))
            if place is not None:
                self.session.apply(facts.QueuedPromptMoved(self.session.queue[-1].id, place))
            return
        self._client._messages += 1
        message_id = f"u{self._client._messages}"
        told = MessageUpdate(session_update="user_message", message_id=message_id, content=blocks, from_here=True)
        self.session.apply(told)
        self.session.apply(StateUpdate(state="running"))

    def withdraw_queued(self, queued_id: int) -> None:
        self._client.acts.append(("withdraw", queued_id))
        self.session.apply(facts.QueuedPromptTaken(queued_id))

    def move_queued(self, queued_id: int, place: int) -> None:
        self.session.apply(facts.QueuedPromptMoved(queued_id, place))

    def cancel(self) -> None:
        self._client.acts.append(("cancel",))
        self.session.apply(facts.CancelRequested())

    def cancel_work(self, work: WorkItem) -> None:
        self._client.acts.append(("work", work))

    def choose(self, option_id: str, value: str | bool, then: Callable[[str], None] | None = None) -> None:
        self._client.acts.append(("choose", option_id, value))
        self.session.apply(facts.ConfigOptionRequested(option_id, value))
        if then is not None:
            told = [each.with_value(value) if each.id == option_id else each for each in self.session.config_options]
            tell_options(self.session, told)
            self.session.apply(facts.ConfigOptionSettled(option_id))
            then("")


class FakeQuestions(Questions):
    """The same."""

    def __init__(self, client: FakeClient, session: Session) -> None:
        super().__init__(session)
        self._client = client

    def answer_permission(self, key: int, option_id: str | None) -> None:
        self._client.acts.append(("answer", key, option_id))
        self._session.apply(facts.PermissionAnswered(key, option_id))

    def answer_elicitation(self, key: int, action: str, content: Mapping[str, Any] | None = None) -> None:
        self._client.acts.append(("elicited", key, action, None if content is None else dict(content)))
        self._session.apply(facts.ElicitationAnswered(key, action, content))


class FakeRules(SessionRules):
    """Has what the test says, and remembers what was made and changed among the acts of its client."""

    def __init__(self, client: "FakeClient | None" = None) -> None:
        self.acts = client.acts if client is not None else []
        self.setup = NO_RULES
        self.offered, self.previewed = RuleOffer(), RulePreview(0, ())
        self.rules: list[Rule] = []
        self.used: dict[str, tuple[int, float]] = {}
        self.reads, self.previews = False, 0  # `previews`: how many were asked for
        self.fault: UserFault | None = None

    def offer(self, pending: PendingPermission) -> RuleOffer:
        return self.offered

    def preview(self, pending: PendingPermission, drafts: Sequence[Rule], *, readers: bool) -> RulePreview:
        self.previews += 1
        return self.previewed

    def make(self, drafts: Sequence[Rule], *, readers: bool) -> list[Rule]:
        self._may_fail()
        self.acts.append(("rules", [(rule.verdict, rule.kind, rule.words, rule.scope) for rule in drafts], readers))
        self.rules += drafts
        self.reads = self.reads or readers
        return list(drafts)

    def listed(self) -> Sequence[Rule]:
        self._may_fail()
        return self.rules

    def uses(self) -> Mapping[str, tuple[int, float]]:
        return self.used

    def turn_off(self, rules: Collection[str]) -> None:
        self._turn(rules, off=True)

    def turn_on(self, rules: Collection[str]) -> None:
        self._turn(rules, off=False)

    def _turn(self, rules: Collection[str], *, off: bool) -> None:
        self._may_fail()
        self.acts.append(("rules off" if off else "rules on", *rules))
        self.rules = [replace(rule, off=off) if rule.id in rules else rule for rule in self.rules]
        if READERS in rules:
            self.reads = not off

    def remove(self, rule: str) -> None:
        self._may_fail()
        self.acts.append(("remove rule", rule))
        self.rules = [each for each in self.rules if each.id != rule]

    @property
    def readers(self) -> bool:
        return self.reads

    def _may_fail(self) -> None:
        if self.fault is not None:
            raise self.fault


class FakeChosen(ChosenOptions):
    """Has what the test says."""

    def __init__(self, client: FakeClient, session: Session) -> None:
        super().__init__(session, lambda _: None, lambda _: None)
        self._client = client

    @property
    def made(self) -> tuple[Choice, ...]:
        return self._client.unkept or self._client.offered


class FakeKnownSessions(KnownSessions):
    """Remembers what was asked among the acts of its client."""

    def __init__(self, client: FakeClient) -> None:
        super().__init__(client._context.sessions, client)
        self._acts = client.acts

    def ask(self, cwd: str | None = None, *, archived: bool = False) -> None:
        self._acts.append(("list archive", cwd) if archived else ("list", cwd))
        self.list.loading, self.list.archived = True, archived
        self.list.changed()

    def delete(self, session_id: str) -> None:
        self._acts.append(("delete", session_id))

    def archive(self, session_id: str, *, archived: bool) -> None:
        self._acts.append(("archive" if archived else "take out", session_id))

    def title(self, session_id: str, title: str) -> None:
        self._acts.append(("title", session_id, title))

    def look(self, session_id: str) -> None:
        self._acts.append(("look", session_id))


class FakeBranches(Branches):
    """Plans as the real ones do; a branch begins with what was said, and an aside is what the test makes of it."""

    def __init__(self, client: FakeClient) -> None:
        super().__init__(client._context)
        self._fake = client

    def begin(
        self,
        session: Session,
        message: MessageEntry | None,
        blocks: Sequence[ContentBlock],
        choose: Mapping[str, str | bool] = NOTHING,
    ) -> Session:
        act = ("branch", message.id if message else "", texts(list(blocks)))
        self._fake.acts.append((*act, dict(choose)) if choose else act)
        self._fake.submitted.append(list(blocks))
        branch, fact = self._fake.open_session(session.cwd), branched_fact(session, message)
        branch.apply(CopiedHistory(session, "", None if message is None else fact.prompt))
        branch.apply(fact)
        return branch

    def aside(self, session: Session) -> Session | None:
        self._fake.acts.append(("aside", session.id))
        if not self._context.lifecycle.connection.capabilities.fork_session:
            return None
        return Session(id="aside", cwd=session.cwd, agent_name="OpenCode")

    def end_aside(self, aside: Session) -> None:
        self._fake.acts.append(("end aside", aside.id))


class FakeLogins(Logins):
    """Remembers who wanted to log in, and how."""

    def __init__(self, client: FakeClient) -> None:
        super().__init__(client._context, client._parts.sessions)
        self._acts = client.acts

    def log_in(self, method_id: str, session: Session | None = None) -> None:
        self._acts.append(("log in", method_id))

    def cancel(self) -> None:
        self._acts.append(("cancel log in",))

    def finished(self, exit_code: int | None, output: bytes = b"") -> None:
        self._acts.append(("login finished", exit_code))

    def log_in_with_variables(self, values: Mapping[str, str]) -> None:
        self._acts.append(("variables", dict(values)))

    def log_out(self) -> None:
        self._acts.append(("log out",))


class FakeKept(KeptChoices):
    """Has what the test says."""

    def __init__(self, client: FakeClient) -> None:
        super().__init__(None)
        self._client = client

    def unknown(self, choices: Iterable[Choice]) -> tuple[Choice, ...]:
        return self._client.offered

    def unkept(self, choices: Iterable[Choice]) -> tuple[Choice, ...]:
        return self._client.unkept or self._client.offered

    def keep(self, choices: Iterable[Choice]) -> None:
        self._client.acts.append(("keep",))
        self._client.offered = ()

    def decline(self, choices: Iterable[Choice]) -> None:
        self._client.acts.append(("decline",))
        self._client.offered = ()

    def forget(self) -> None:
        self._client.acts.append(("forget",))

    def recent_values(self, option_id: str) -> tuple[str, ...]:
        return self._client.recent.get(option_id, ())


def texts(blocks: list[ContentBlock]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, TextContent))


def say(session: Session, text: str, message_id: str = "a1") -> None:
    """The agent writes."""
    session.apply(
        MessageChunk(session_update="agent_message_chunk", message_id=message_id, content=TextContent(text=text))
    )


def end_turn(session: Session, stop_reason: str = "end_turn") -> None:
    session.apply(StateUpdate(state="idle", stop_reason=stop_reason))


def select(
    option_id: str, name: str, category: str | None, values: list[str], current: str | None = None
) -> SelectOption:
    return SelectOption(
        id=option_id,
        name=name,
        category=category,
        current_value=values[0] if current is None else current,
        values=[ConfigValue(value=value, name=value) for value in values],
    )


def options() -> list[ConfigOption]:
    """One option of every category, one beside them, in the agent's order."""
    model = SelectOption(
        id="model",
        name="Model",
        category="model",
        description="Which model answers",
        current_value="sonnet",
        values=[
            ConfigValue(value="sonnet", name="Sonnet 5", description="Fast and able", group="Anthropic"),
            ConfigValue(value="opus", name="Opus 5", description="The most able", group="Anthropic"),
            ConfigValue(value="k3", name="Kimi K3", description="Long context", group="Moonshot"),
        ],
    )
    return [
        select("mode", "Mode", "mode", ["Ask", "Code", "Plan"]),
        model,
        select("thought", "Thinking", "thought_level", ["High", "Low"]),
        BooleanOption(id="fast", name="Fast", category="model_config", current_value=False),
    ]


def tell_options(session: Session, told: list[ConfigOption] | None = None) -> None:
    session.apply(ConfigOptionUpdate(config_options=options() if told is None else told))


def tell_commands(session: Session) -> None:
    commands = [
        AvailableCommand(name="init", description="Analyse the project and write AGENTS.md"),
        AvailableCommand(name="review", description="Review changes", input=CommandInput(hint="commit or branch")),
        AvailableCommand(name="compact", description="Summarise the conversation so far"),
    ]
    session.apply(AvailableCommandsUpdate(available_commands=commands))


def tell_usage(session: Session) -> None:
    session.apply(UsageUpdate(used=68_000, size=200_000, cost=Cost(amount=0.05, currency="USD")))


def ask_permission(session: Session, key: int = 1, title: str = "Write login.py") -> None:
    call = ToolCallUpdate(
        tool_call_id=f"t{key}",
        title=title,
        kind="edit",
        status="pending",
        content=[Diff(path="/home/someone/project/login.py", old_text="return None\n", new_text="return 1\n")],
    )
    request = PermissionRequest(
        session_id="s1",
        title=title,
        subject=PermissionSubject(type="tool_call", tool_call=call),
        options=[
            PermissionOption(option_id="once", name="Allow once", kind="allow_once"),
            PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
            PermissionOption(option_id="no", name="Reject", kind="reject_once"),
        ],
    )
    session.apply(call)
    session.apply(facts.PermissionReceived(key, request))


def all_at_once(session: Session, *updates: Update) -> None:
    for update in updates:
        session.apply(update)
