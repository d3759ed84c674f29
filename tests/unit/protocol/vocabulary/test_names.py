"""A walk through the official schemas: every stable name of either version has someone who reads it."""

from collections.abc import Collection
from typing import Any

import pytest

from acp_tui.protocol import faults
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.negotiation import choose
from acp_tui.protocol.update_readers import PLAN_TYPES
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary import config_options, content, elicitation, session_updates, tool_calls
from tests.rows import each_of
from tests.unit.protocol.methods import ANSWERS, PARAMETERS
from tests.unit.protocol.official import SCHEMAS, Official

Sets = dict[tuple[str, str | None], Collection[Any]]

BOTH: Sets = {
    ("ContentBlock", "type"): content.CONTENT_TYPES,
    ("ToolCallContent", "type"): tool_calls.TOOL_CALL_CONTENT_TYPES,
    ("ToolKind", None): tool_calls.TOOL_KINDS,
    ("ToolCallStatus", None): tool_calls.TOOL_CALL_STATUSES,
    ("PlanEntryPriority", None): session_updates.PLAN_PRIORITIES,
    ("PlanEntryStatus", None): session_updates.PLAN_STATUSES,
    ("PermissionOptionKind", None): tool_calls.PERMISSION_KINDS,
    ("NoticeSeverity", None): session_updates.NOTICE_SEVERITIES,
    ("CompactionStatus", None): session_updates.COMPACTION_STATUSES,
    ("SessionConfigOption", "type"): config_options.OPTION_TYPES,
    ("SessionConfigOptionCategory", None): config_options.CONFIG_CATEGORIES,
    ("ErrorCode", None): faults.ERROR_MEANINGS,
    ("ElicitationPropertySchema", "type"): elicitation.PROPERTY_TYPES,
    ("CreateElicitationRequest", "mode"): elicitation.MODES,
}
NAMED: dict[int, Sets] = {
    1: BOTH
    | {
        ("SessionUpdate", "sessionUpdate"): Version1Dialect.readers,
        ("StopReason", None): session_updates.STOP_REASONS,
    },
    2: BOTH
    | {
        ("SessionUpdate", "sessionUpdate"): Version2Dialect.readers,
        ("IdleStateUpdate", "stopReason"): session_updates.STOP_REASONS,
        ("StateUpdate", "state"): session_updates.STATES,
        ("BackgroundWork", "type"): tool_calls.BACKGROUND_TYPES,
        ("DiffChange", "operation"): tool_calls.FILE_OPERATIONS,
        ("PlanUpdateContent", "type"): PLAN_TYPES,
        ("RequestPermissionSubject", "type"): tool_calls.SUBJECT_TYPES,
    },
}
SENT = {"RequestPermissionOutcome", "CreateElicitationResponse", "SetSessionConfigOptionRequest"}  # test_sent
PLAIN = {"AuthMethod", "McpServer", "Role", "StringFormat", "ElicitationSchemaType", "MultiSelectItems"}
OTHERS = {
    1: SENT | PLAIN,
    # Shown as they come, whatever they are; `ReplayFrom` is sent.
    2: SENT
    | PLAIN
    | {"AvailableCommand", "AvailableCommandInput", "DiffFileType", "DiffPatchFormat", "IconTheme"}
    | {"ReplayFrom"},
}
EACH = [(version, name, member) for version, sets in NAMED.items() for name, member in sets]
KINDS = [
    (each, kind)
    for each, schema in SCHEMAS.items()
    for kind in sorted(schema.constants("SessionUpdate", "sessionUpdate"))
]


@each_of(("version", "name", "member"), EACH)
def test_every_named_value_is_known(version: int, name: str, member: str | None) -> None:
    named = SCHEMAS[version].constants(name, member)
    assert named
    assert named - set(NAMED[version][name, member]) == set()


@pytest.mark.parametrize("version", SCHEMAS)
def test_the_schema_names_no_other_sets_of_values(version: int) -> None:
    official = SCHEMAS[version]
    definitions = official.definitions
    sets = {
        name for name in definitions for member in (None, *_members(official, name)) if official.constants(name, member)
    }
    assert sets - {name for name, _ in NAMED[version]} == OTHERS[version]


def _members(official: Official, name: str) -> set[str]:
    definition = official.definitions[name]
    branches = [*definition.get("oneOf", []), *definition.get("anyOf", [])]
    return {member for branch in branches for member in branch.get("properties", {})}


@pytest.mark.parametrize("version", [1, 2])
def test_every_method_has_a_reader(version: int) -> None:
    official = SCHEMAS[version]
    asked = {method for name, method in official.methods("client") if not name.endswith("Response")}
    answered = {method for name, method in official.methods("agent") if name.endswith("Response")}
    both = {method for _, method in official.methods("protocol")}
    assert (len(asked), len(answered)) >= {1: (11, 12), 2: (4, 12)}[version]
    assert (asked | both) - PARAMETERS[version].keys() == set()
    assert answered - ANSWERS[version].keys() == set()


def _capabilities(official: Official, name: str, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for member, schema in official.properties(name).items():
        parts = [*schema.get("allOf", []), *schema.get("anyOf", [])]
        reference = next((str(part["$ref"]).rsplit("/", 1)[-1] for part in parts if "$ref" in part), "")
        if member == "_meta":
            continue
        inner = _capabilities(official, reference, (*path, member)) if reference else []
        found += inner or [(*path, member)]
    return found


OFFERS = [(version, path) for version in SCHEMAS for path in _capabilities(SCHEMAS[version], "AgentCapabilities")]


@each_of(("version", "path"), OFFERS)
def test_every_capability_of_an_agent_is_noticed(version: int, path: tuple[str, ...]) -> None:
    if path == ("auth",):  # what it holds is unstable
        return
    marker: Any = {} if version == 2 or path[0] in ("sessionCapabilities", "auth") else True
    bare: Any = {}
    for member in reversed(path):
        marker = {member: marker}
    for member in reversed(path[:-1]):
        bare = {member: bare}
    assert _offered(version, marker) != _offered(version, bare)


def _offered(version: int, capabilities: Any) -> AgentCapabilities:
    info = {"name": "a", "version": "1"}
    name = "agentCapabilities" if version == 1 else "capabilities"
    return choose({"protocolVersion": version, "info": info, name: capabilities}, "auto")[1].capabilities


@each_of(("version", "kind"), KINDS)
def test_a_known_update_without_members_is_rejected_not_unknown(version: int, kind: str) -> None:
    dialect = Version1Dialect() if version == 1 else Version2Dialect()
    _, (told,) = dialect.read_update({"sessionId": "s", "update": {"sessionUpdate": kind}})
    if kind == "session_info_update":
        assert isinstance(told, session_updates.SessionInfoUpdate)
    else:
        assert isinstance(told, session_updates.RejectedUpdate)
        assert told.path
