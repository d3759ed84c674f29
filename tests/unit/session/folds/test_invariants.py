"""What holds for every sequence of updates and facts, sensible or not."""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.config_options import BooleanOption, ConfigOption, ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import ImageContent, ResourceLink, TextContent, UnknownContent
from acp_tui.protocol.vocabulary.elicitation import (
    ElicitationSchema,
    FormElicitation,
    StringProperty,
    UnknownProperty,
    UrlElicitation,
)
from acp_tui.protocol.vocabulary.session_updates import (
    CompactionSummaryChunk,
    CompactionUpdate,
    MessageChunk,
    MessageUpdate,
    Notice,
    Plan,
    PlanEntry,
    PlanRemoved,
    PlanUpdate,
    RejectedUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    StateUpdate,
    SubagentUpdate,
    UnknownUpdate,
    Update,
    UsageUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    PERMISSION_KINDS,
    BackgroundWork,
    ContentItem,
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalReference,
    TerminalUpdate,
    ToolCallContent,
    ToolCallContentChunk,
    ToolCallUpdate,
    WorkCapabilities,
)
from acp_tui.session import facts
from acp_tui.session.changes import EntryChanged
from acp_tui.session.entries import ElicitationEntry, SubagentEntry
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.folds.tool_calls import is_own
from tests.examples import THOROUGH
from tests.unit.session.speech import Told, running, say, told

T = TypeVar("T")


def build(make: Callable[..., T], /, **members: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """What `make` makes of these members and no others."""
    return st.fixed_dictionaries(members).map(lambda given: make(**given))


WORDS = st.text(max_size=8)
IDS = st.sampled_from(["1", "2", "3"])
BLOCKS = st.one_of(
    build(TextContent, text=WORDS),
    build(ImageContent, data=WORDS, mime_type=WORDS),
    build(ResourceLink, uri=WORDS, name=WORDS),
    WORDS.map(lambda word: UnknownContent(type=f"new {word}", raw={"type": f"new {word}", "a": word})),
)
ITEMS: st.SearchStrategy[ToolCallContent] = st.one_of(
    build(ContentItem, content=BLOCKS),
    build(Diff, path=WORDS, old_text=st.none() | WORDS, new_text=WORDS),
    build(TerminalReference, terminal_id=IDS),
)
STATUSES = st.sampled_from(["pending", "in_progress", "completed", "failed", "cancelled", "paused", "new", None])
BLOCK_LISTS = st.none() | st.lists(BLOCKS, max_size=3)
OPTIONS: st.SearchStrategy[ConfigOption] = build(BooleanOption, id=IDS, name=WORDS, current_value=st.booleans())


SCHEMAS: st.SearchStrategy[ElicitationSchema] = build(
    ElicitationSchema,
    properties=st.dictionaries(
        st.sampled_from(["a", "token"]),
        st.one_of(
            build(StringProperty, title=st.none() | WORDS), st.just(UnknownProperty(type="new", raw={"type": "new"}))
        ),
        max_size=2,
    ),
    required=st.none() | st.lists(st.sampled_from(["a", "token", "gone"]), max_size=2),
)
ELICITATIONS = st.one_of(
    build(FormElicitation, mode=st.just("form"), message=WORDS, session_id=IDS, requested_schema=SCHEMAS),
    build(UrlElicitation, mode=st.just("url"), message=WORDS, session_id=IDS, elicitation_id=IDS, url=WORDS),
)


def members(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the members, omitted, null or with a value."""
    return st.fixed_dictionaries({}, optional=strategies)


UPDATES: list[st.SearchStrategy[Update]] = [
    build(
        MessageChunk,
        session_update=st.sampled_from(["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]),
        message_id=IDS,
        content=BLOCKS,
    ),
    st.builds(
        lambda kind, message_id, given: MessageUpdate(session_update=kind, message_id=message_id, **given),
        st.sampled_from(["user_message", "agent_message", "agent_thought"]),
        IDS,
        members(content=BLOCK_LISTS),
    ),
    build(
        StateUpdate,
        state=st.sampled_from(["running", "idle", "requires_action", "new"]),
        stop_reason=st.sampled_from(["end_turn", "cancelled", "refusal", "error", "new", None]),
        error=st.none() | st.dictionaries(st.sampled_from(["code", "message", "data"]), WORDS | st.integers()),
        background=st.none() | st.lists(build(BackgroundWork, type=st.just("tool_call"), tool_call_id=IDS), max_size=2),
    ),
    st.builds(
        lambda tool_call_id, given: ToolCallUpdate(tool_call_id=tool_call_id, **given),
        IDS,
        members(title=st.none() | WORDS, status=STATUSES, content=st.none() | st.lists(ITEMS, max_size=3)),
    ),
    build(ToolCallContentChunk, tool_call_id=IDS, content=ITEMS),
    st.builds(
        lambda terminal_id, given: TerminalUpdate(terminal_id=terminal_id, **given),
        IDS,
        members(output=st.none() | st.binary(max_size=8), exit_status=st.none() | build(TerminalExitStatus)),
    ),
    build(TerminalOutputChunk, terminal_id=IDS, data=st.binary(max_size=8)),
    build(PlanUpdate, plan=build(Plan, plan_id=IDS, entries=st.lists(build(PlanEntry, content=WORDS)))),
    build(PlanRemoved, plan_id=IDS),
    build(ConfigOptionUpdate, config_options=st.lists(OPTIONS, max_size=3)),
    build(SessionInfoUpdate, title=st.none() | WORDS),
    build(UsageUpdate, used=st.integers(0), size=st.integers(0)),
    build(Notice, severity=WORDS, title=IDS),
    build(CompactionUpdate, compaction_id=IDS, status=STATUSES, summary=BLOCK_LISTS),
    build(CompactionSummaryChunk, compaction_id=IDS, content=BLOCKS),
    build(UnknownUpdate, kind=IDS, raw=st.dictionaries(WORDS, WORDS, max_size=2)),
    build(RejectedUpdate, kind=IDS, path=WORDS, reason=WORDS, raw=WORDS),
    build(SessionMessageChunk, message_id=IDS, content=BLOCKS),
    st.builds(
        lambda message_id, given: SessionMessage(message_id=message_id, **given),
        IDS,
        members(sender_session_id=st.none() | IDS, content=BLOCK_LISTS),
    ),
]
UPDATES.append(
    st.builds(
        lambda child_id, given: SubagentUpdate(session_id=child_id, **given),
        IDS,
        members(
            title=st.none() | WORDS,
            description=st.none() | WORDS,
            capabilities=st.none() | build(WorkCapabilities, cancel=st.booleans()),
            state=st.none() | UPDATES[2],
            cwd=st.none() | WORDS,
            additional_directories=st.none() | st.lists(WORDS, max_size=2),
        ),
    )
)
FACTS: list[st.SearchStrategy[facts.Fact]] = [
    build(facts.PromptQueued, blocks=st.lists(BLOCKS, max_size=2)),
    build(facts.QueuedPromptTaken, id=st.integers(0, 4)),
    build(facts.QueuedPromptMoved, id=st.integers(0, 4), place=st.integers(-1, 4)),
    build(facts.CancelRequested),
    build(facts.OwnCommandRun, id=IDS, command=WORDS, cwd=WORDS),
    build(facts.OwnCommandEnded, id=IDS, stopped=st.booleans()),
    build(
        facts.PermissionReceived,
        key=st.integers(0, 4),
        request=build(PermissionRequest, session_id=WORDS, title=WORDS, options=st.just([])),
    ),
    build(facts.PermissionAnswered, key=st.integers(0, 4), option_id=st.none() | WORDS),
    build(
        facts.PermissionAnsweredByRule,
        key=st.integers(0, 4),
        request=build(
            PermissionRequest,
            session_id=WORDS,
            title=WORDS,
            subject=build(PermissionSubject, type=st.just("tool_call"), tool_call_id=IDS),
            options=st.just([PermissionOption(option_id=kind, name=kind, kind=kind) for kind in PERMISSION_KINDS]),
        ),
        option_id=st.sampled_from(PERMISSION_KINDS),
        reason=WORDS,
        rules=st.just(("r",)),
    ),
    build(facts.ConfigOptionRequested, option_id=IDS, value=WORDS),
    build(facts.ConfigOptionSettled, option_id=IDS, refused=WORDS),
    build(facts.ElicitationReceived, key=st.integers(0, 4), request=ELICITATIONS),
    build(
        facts.ElicitationAnswered,
        key=st.integers(0, 4),
        action=st.sampled_from(["accept", "decline", "cancel", "new"]),
        content=st.none() | st.dictionaries(st.sampled_from(["a", "token"]), WORDS, max_size=2),
    ),
    build(facts.ElicitationCompleted, elicitation_id=IDS),
    build(facts.InputOptionsOffered, schema=SCHEMAS, refused=WORDS),
    build(facts.InputOptionsSettled),
    build(facts.AgentGone, title=WORDS),
    build(facts.AgentReturned, forgotten=st.booleans()),
    build(facts.SessionLoaded),
    build(facts.SessionIdentified, session_id=WORDS, agent_name=WORDS),
    build(facts.SessionNamed, title=WORDS),
    build(facts.SystemPromptSent, override=WORDS, append=st.lists(WORDS, max_size=2).map(tuple)),
    build(facts.PromptPutBack, blocks=st.lists(BLOCKS, max_size=2), reason=WORDS),
    build(facts.Noticed, severity=WORDS, title=WORDS),
    build(facts.SubagentEvent, session_id=IDS, event=st.one_of(*UPDATES)),
]
EVENTS = st.lists(st.one_of(*UPDATES, *FACTS), max_size=12)


def applied(events: Sequence[Update | facts.Fact]) -> Told:
    one = told()
    one.apply(*events)
    return one


@THOROUGH
@given(EVENTS)
def test_nothing_raises_and_everything_can_be_exported(events: list[Update | facts.Fact]) -> None:
    session = applied(events).session
    assert json.dumps(to_json(session))
    assert to_markdown(session).startswith("# ")


@THOROUGH
@given(EVENTS)
def test_versions_strictly_grow(events: list[Update | facts.Fact]) -> None:
    one = told()
    seen: dict[int, int] = {}

    def look(change: object) -> None:
        if isinstance(change, EntryChanged):
            assert change.entry.version > seen.get(id(change.entry), 0)
            seen[id(change.entry)] = change.entry.version

    one.session.subscribe(look)
    one.apply(*events)


@THOROUGH
@given(EVENTS)
def test_a_change_of_an_entry_never_goes_untold(events: list[Update | facts.Fact]) -> None:
    one = told()
    for event in events:
        before = {id(entry): (entry.version, repr(entry)) for entry in one.session.entries}
        one.apply(event)
        for entry in one.session.entries:
            if id(entry) in before and before[id(entry)] != (entry.version, repr(entry)):
                assert entry.version > before[id(entry)][0]


@THOROUGH
@given(EVENTS)
def test_nothing_spins_once_the_turn_is_over(events: list[Update | facts.Fact]) -> None:
    one = applied([*events, running(), StateUpdate(state="idle", background=[])])
    assert one.session.index.open_tool_calls == {}
    for entry in one.session.entries:
        # the user may answer later, what they run themselves is theirs, and subagents have turns of their own
        assert entry.sealed or isinstance(entry, ElicitationEntry | SubagentEntry) or is_own(one.session, entry)


@THOROUGH
@given(WORDS, WORDS, st.lists(st.integers(0, 16), max_size=6))
def test_any_split_of_a_text_gives_the_same_session(first: str, second: str, cuts: list[int]) -> None:
    words = first + second
    edges = [0, *sorted(min(cut, len(words)) for cut in cuts), len(words)]
    pieces = [words[start:end] for start, end in pairwise(edges)]
    whole, split = applied([running(), say(words)]), applied([running(), *map(say, pieces)])
    assert to_json(whole.session) == to_json(split.session)
    assert to_markdown(whole.session) == to_markdown(split.session)


IDEMPOTENT = st.one_of(UPDATES[1], UPDATES[3], UPDATES[5], UPDATES[7], UPDATES[9], UPDATES[10], UPDATES[11])


@THOROUGH
@given(EVENTS, IDEMPOTENT)
def test_an_update_said_twice_is_as_said_once(events: list[Update | facts.Fact], update: Update) -> None:
    once, twice = applied([*events, update]), applied([*events, update, update])
    assert to_json(once.session) == to_json(twice.session)


@THOROUGH
@given(EVENTS)
def test_a_permission_is_settled_exactly_once(events: list[Update | facts.Fact]) -> None:
    one = applied([*events, facts.AgentGone("gone")])
    asked = sum(isinstance(event, facts.PermissionReceived) for event in events)
    settled = sum(type(change).__name__ == "PermissionSettled" for change in one.changes)
    assert (settled, one.session.permissions) == (asked, [])


@THOROUGH
@given(EVENTS)
def test_an_elicitation_is_settled_exactly_once_and_waits_for_no_agent_that_is_gone(
    events: list[Update | facts.Fact],
) -> None:
    one = applied([*events, facts.AgentGone("gone")])
    asked = sum(isinstance(event, facts.ElicitationReceived) for event in events)
    settled = sum(type(change).__name__ == "ElicitationSettled" for change in one.changes)
    assert (settled, one.session.elicitations, one.session.input_options) == (asked, [], None)
    assert all(entry.sealed or is_own(one.session, entry) for entry in one.session.entries)
