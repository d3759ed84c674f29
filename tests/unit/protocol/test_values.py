"""Values made from the official schema: valid ones are read without loss, bad ones are borne as they are marked."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from acp_tui.protocol.base import Model, read
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.elicitation import read_elicitation
from acp_tui.protocol.vocabulary.initialization import read_auth_methods
from tests.examples import times
from tests.rows import each_of
from tests.unit.protocol.official import marks
from tests.unit.protocol.readers import VERSION_1
from tests.unit.protocol.readers_v2 import VERSION_2

ON_ERROR, SKIP_ITEMS, ON_NULL = (
    "x-deserialize-default-on-error",
    "x-deserialize-skip-invalid-items",
    "x-deserialize-default-on-null",
)
JUNK: tuple[Any, ...] = (None, -5, 1.5, 2**70, "", "x", True, [], [5], [None], {}, {"type": 5}, [{"a": 1}], {"a": 5})
ELICITATIONS = {"ElicitationFormMode", "ElicitationUrlMode", "ElicitationSessionScope", "ElicitationRequestScope"}
OPTIONS = {"SessionConfigSelect", "SessionConfigBoolean", "SessionConfigOption"}
PARTS = {
    1: ELICITATIONS | OPTIONS | {"ContentChunk"},
    2: ELICITATIONS
    | OPTIONS
    | {"ContentChunk", "UserMessage", "AgentMessage", "AgentThought", "SessionConfigSelectGroup", "DiffChange"}
    | {"DiffPathChange", "DiffPathPairChange", "BackgroundTerminal", "BackgroundToolCall", "ErrorStopReason"}
    | {"RunningStateUpdate", "IdleStateUpdate", "RequiresActionStateUpdate", "TerminalOutputChunk", "StateUpdate"},
}
"""Definitions that are no whole by themselves, or that a dialect reads first."""
TABLES = {1: VERSION_1, 2: VERSION_2}
WHOLE = [(version, name) for version, table in TABLES.items() for name in sorted(table.readers.keys() - PARTS[version])]
READ_LATER = {
    ("SessionNotification", "update"),
    ("UpdateSessionNotification", "update"),
    ("RequestPermissionRequest", "toolCall"),
    ("RequestPermissionRequest", "title"),  # a draft's request has none
    ("RequestPermissionRequest", "subject"),
    ("InitializeResponse", "authMethods"),
    ("AuthMethodTerminal", "env"),  # a list of names and values in protocol 2, a mapping in protocol 1
    ("AvailableCommand", "input"),  # an input without a hint is one in protocol 2
    ("Command", "input"),
    ("PromptResponse", "messageId"),  # drafts have none
    ("ElicitationSchema", "type"),
    ("SessionInfo", "additionalDirectories"),
    ("ListSessionsResponse", "nextCursor"),
    ("ResourceLink", "size"),  # any integer
    ("Annotations", "priority"),  # any number
    ("ToolCallLocation", "line"),  # version 1 counts from 0
}
READ_LATER |= {
    (name, member)
    for table in TABLES.values()
    for name in table.readers
    for member in ("configOptions", "availableCommands")
}
KINDER_VALUES: dict[str, Any] = {
    "ToolCall": None,  # null says nothing, as in tool_call_update
    "CancelRequestNotification": None,  # protocol 1 has such ids
    "UnstructuredCommandInput": None,
    "TextCommandInput": None,
    "CompactionUpdate": None,  # the dialect wants a status, see test_updates
    "TerminalExitStatus": -5,  # an exit code of protocol 2
    "SessionCapabilities": True,  # drafts had booleans here
    "AgentAuthCapabilities": True,
    "PromptCapabilities": True,
    "McpCapabilities": True,
    "ToolCallCapabilities": True,
    "TerminalCapabilities": True,
}
MARKERS = {"InitializeResponse", "AgentCapabilities", "SessionCapabilities", "AgentAuthCapabilities"}
MARKERS_2 = {"PromptCapabilities", "McpCapabilities", "ToolCallCapabilities", "TerminalCapabilities", "ToolCallUpdate"}
MARKERS_2 |= {"TerminalUpdate", "ToolCallPermissionSubject", "AuthMethodTerminal"}
CONVERTED = {1: MARKERS, 2: MARKERS | MARKERS_2}
"""Definitions whose members are objects that are only there or not, and so are not given back as they came."""

few = settings(times(0.5), phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))


def reader(version: int, name: str) -> Callable[[Any], Model]:
    if name == "CreateElicitationRequest":
        return read_elicitation
    if name.startswith("AuthMethod"):
        return _read_auth_method
    return partial(read, TABLES[version].readers[name])


def _read_auth_method(value: Any) -> Model:
    found = read_auth_methods([value])
    if not found:
        raise ProtocolFault("left out")
    return found[0]


def dumped(word: Model) -> dict[str, Any]:
    return word.model_dump(by_alias=True, exclude_unset=True)


@each_of(("version", "name"), WHOLE)
def test_valid_values_are_read_without_loss_and_bad_members_are_borne_as_marked(version: int, name: str) -> None:
    """Both laws look at the same values: to make one costs more than to look at it."""
    choices: dict[str, list[Any]] = {}
    for member, junk in _cases(version, name):
        choices.setdefault(member, []).append(junk)
    bad_members = st.fixed_dictionaries({member: st.sampled_from(junk) for member, junk in choices.items()})

    @few
    @given(TABLES[version].official.defined(name), bad_members)
    def check(value: dict[str, Any], bad: dict[str, Any]) -> None:
        _check_whole(version, name, value)
        for member, junk in bad.items():
            _check_member(version, name, value, member, junk)

    check()


def test_most_definitions_have_members_that_can_be_bad() -> None:
    assert sum(any(_cases(version, name)) for version, name in WHOLE) > len(WHOLE) * 0.9


def _cases(version: int, name: str) -> Any:
    table = TABLES[version]
    for member, schema in table.official.properties(name).items():
        words = any(isinstance(each.get("const"), str) for each in table.official.alternatives(schema))
        for junk in JUNK:
            newer = words and isinstance(junk, str)  # words that are newer than the schema are kept
            kinder = name in KINDER_VALUES and junk is KINDER_VALUES[name]
            kinder |= junk == [] and "minItems" in schema and name != "RequestPermissionRequest"  # no choice is no harm
            elsewhere = (name, member) in READ_LATER or (name, member) in table.folded
            if not newer and not kinder and not elsewhere and not table.official.valid(schema, junk):
                yield member, junk


def _check_whole(version: int, name: str, value: dict[str, Any]) -> None:
    table = TABLES[version]
    told = dumped(reader(version, name)(value))
    for member, schema in table.official.properties(name).items():
        if member in value and (name, member) not in table.folded and name not in CONVERTED[version]:
            lost = value[member] is None and ON_NULL in marks(schema)
            assert lost or told[member] == value[member]


def _check_member(version: int, name: str, value: dict[str, Any], member: str, junk: Any) -> None:
    marked = marks(TABLES[version].official.properties(name)[member])
    reads = reader(version, name)
    bad = {**value, member: junk}
    without = {key: each for key, each in value.items() if key != member}
    if SKIP_ITEMS in marked and isinstance(junk, list):
        expected = {**value, member: []}
    elif ON_ERROR in marked or (ON_NULL in marked and junk is None):
        required = _required(version, name, member)
        expected = {**without, member: []} if required else without
    else:
        with pytest.raises(ProtocolFault):
            reads(bad)
        return
    assert dumped(reads(bad)) == dumped(reads(expected))


def _required(version: int, name: str, member: str) -> bool:
    fields = TABLES[version].readers[name].model_fields.items()
    return any(field.is_required() for key, field in fields if (field.alias or key) == member)
