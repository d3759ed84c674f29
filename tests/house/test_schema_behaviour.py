"""Every stable name of either version does something here, or is listed as deliberately not used, with the reason.

That each of them can be *read* is walked in tests/unit/protocol/vocabulary/test_names.py. Here the walk goes on: what
an agent can say is named by code above the protocol, every update changes a session, every block has words and a way
to be opened, every request has someone who answers it. A member counts as named where its word occurs in that code,
whichever of the schema's definitions is meant there: that it does the right thing is for the tests of its room.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from acp_tui.host.system.workspace import SERVICES
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import Change
from acp_tui.session.entries import MessageEntry, NoticeEntry, TextPart
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.session.state import Session
from acp_tui.ui.entries.message import told
from acp_tui.ui.export_actions import opening_of
from tests.house.sources import PACKAGE, nodes_of, sources, text_of
from tests.rows import each_of
from tests.unit.protocol.official import SCHEMAS, Official

ABOVE = ("session", "host", "ui", "headless", "cli.py", "compose.py")

IN_OTHER_WORDS = {
    1: {
        "agentCapabilities": "read into `capabilities`",
        "agentInfo": "read into `agent`",
        "promptCapabilities": "read into `capabilities.prompt`",
        "mcpCapabilities": "read into `capabilities`",
        "sessionCapabilities": "read into `capabilities`",
        "auth": "read into `capabilities`",
        "protocolVersion": "decides about the dialect",
        "modes": "told as a config option",
        "availableModes": "told as the values of a config option",
        "currentModeId": "told as the value of a config option",
        "annotations": "asked for their audience by `for_agent_only`",
        "audience": "asked by `for_agent_only`",
    },
    2: {
        "auth": "read into `capabilities`",
        "protocolVersion": "decides about the dialect",
        "configId": "told as the id of a config option",
        "groupId": "told as the group of its values",
        "annotations": "asked for their audience by `for_agent_only`",
        "audience": "asked by `for_agent_only`",
        "supported": "told with all that an error says beside its message",
    },
}
NOT_USED = {
    "lastModified": "how old a block is does not change what a user does with it; `priority` neither",
}
NOT_USED_IN_2 = {
    "icons": "pictures of resources would be fetched from wherever the agent says",
    "sizes": "of such pictures",
}

TEXT: dict[str, Any] = {"type": "text", "text": "hello"}
OPTION = {"id": "o", "name": "O", "type": "select", "currentValue": "a", "options": [{"value": "a", "name": "A"}]}
OPTION_IN_2 = {"configId": "o", **{name: value for name, value in OPTION.items() if name != "id"}}
UPDATES: dict[int, dict[str, dict[str, Any]]] = {
    1: {
        "user_message_chunk": {"content": TEXT},
        "agent_message_chunk": {"content": TEXT},
        "agent_thought_chunk": {"content": TEXT},
        "tool_call": {"toolCallId": "t", "title": "Read"},
        "tool_call_update": {"toolCallId": "t", "status": "completed"},
        "plan": {"entries": [{"content": "Step", "priority": "high", "status": "pending"}]},
        "available_commands_update": {"availableCommands": [{"name": "go", "description": "Goes"}]},
        "current_mode_update": {"currentModeId": "ask"},
        "config_option_update": {"configOptions": [OPTION]},
        "session_info_update": {"title": "A title"},
        "usage_update": {"used": 1, "size": 2},
        "notice": {"severity": "info", "title": "Hello"},
        "compaction_update": {"compactionId": "c", "status": "completed"},
        "compaction_summary_chunk": {"compactionId": "c", "content": TEXT},
    },
    2: {
        "user_message": {"messageId": "u", "content": [TEXT]},
        "user_message_chunk": {"messageId": "u", "content": TEXT},
        "agent_message": {"messageId": "a", "content": [TEXT]},
        "agent_message_chunk": {"messageId": "a", "content": TEXT},
        "agent_thought": {"messageId": "a", "content": [TEXT]},
        "agent_thought_chunk": {"messageId": "a", "content": TEXT},
        "state_update": {"state": "running"},
        "tool_call_update": {"toolCallId": "t", "title": "Read"},
        "tool_call_content_chunk": {"toolCallId": "t", "content": {"type": "content", "content": TEXT}},
        "terminal_update": {"terminalId": "t", "command": "ls"},
        "terminal_output_chunk": {"terminalId": "t", "data": "aGk="},
        "plan_update": {"plan": {"type": "items", "planId": "p", "entries": []}},
        "available_commands_update": {"availableCommands": [{"type": "command", "name": "go", "description": "Goes"}]},
        "config_option_update": {"configOptions": [OPTION_IN_2]},
        "session_info_update": {"title": "A title"},
        "usage_update": {"used": 1, "size": 2},
        "notice": {"severity": "info", "title": "Hello"},
        "compaction_update": {"compactionId": "c", "status": "completed"},
        "compaction_summary_chunk": {"compactionId": "c", "content": TEXT},
    },
}
BLOCKS: dict[str, dict[str, Any]] = {
    "text": TEXT,
    "image": {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    "audio": {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    "resource_link": {"type": "resource_link", "uri": "https://a.example", "name": "a"},
    "resource": {"type": "resource", "resource": {"uri": "x:y", "text": "a"}},
}
DIALECTS: dict[int, type[Version1Dialect | Version2Dialect]] = {1: Version1Dialect, 2: Version2Dialect}
ELSEWHERE = {
    "session/update": "tests below, tests/integration/test_conversation.py",
    "session/request_permission": "tests/integration/test_conversation.py",
    "elicitation/create": "tests/integration/test_elicitation.py",
    "elicitation/complete": "tests/integration/test_elicitation.py",
}


def said_by_agents(official: Official) -> dict[str, set[str]]:
    """The members of all that an agent sends, each with the definitions that have it."""
    waiting = [name for name, _ in official.methods("client") if not name.endswith("Response")]
    waiting += [name for name, _ in official.methods("agent") if name.endswith("Response")]
    found: dict[str, set[str]] = {}
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += references(official.definitions[name])
            for member in members(official.definitions[name]):
                found.setdefault(member, set()).add(name)
    return found


def references(schema: Any) -> Iterator[str]:
    for key, value in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if key == "$ref":
            yield str(value).rsplit("/", 1)[-1]
        elif isinstance(value, dict | list):
            yield from references(value)


def members(definition: dict[str, Any]) -> Iterator[str]:
    branches = (branch for union in ("oneOf", "anyOf", "allOf") for branch in definition.get(union, []))
    for part in (definition, *branches):
        yield from part.get("properties", {})


@cache
def named_above_the_protocol() -> set[str]:
    """Attributes, names matched by patterns, and words in the code that acts."""
    found: set[str] = set()
    files = [path for name in ABOVE for path in ([PACKAGE / name] if name.endswith(".py") else sources(name))]
    for node in (node for path in files for node in nodes_of(path)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.MatchClass):
            found.update(node.kwd_attrs)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", name)


@pytest.mark.parametrize(("version", "besides"), [(1, {}), (2, NOT_USED_IN_2)])
def test_every_member_is_used_or_listed(version: int, besides: dict[str, str]) -> None:
    named = named_above_the_protocol()
    unused = {member for member in said_by_agents(SCHEMAS[version]) if snake(member) not in named}
    assert unused == IN_OTHER_WORDS[version].keys() | NOT_USED.keys() | besides.keys()


def test_the_walk_sees_the_whole_schema() -> None:
    older, newer = (said_by_agents(SCHEMAS[version]) for version in (1, 2))
    assert min(len(older), len(newer)) > 100
    both = {"stopReason", "minLength", "nextCursor", "compactionId"}
    assert both | {"oldText", "outputByteLimit"} <= older.keys()
    assert both | {"background", "oldPath", "exitStatus"} <= newer.keys()


@pytest.mark.parametrize("version", SCHEMAS)
def test_there_is_a_sample_of_every_update_and_block(version: int) -> None:
    assert SCHEMAS[version].constants("SessionUpdate", "sessionUpdate") == UPDATES[version].keys()
    assert SCHEMAS[version].constants("ContentBlock", "type") == BLOCKS.keys()


@each_of(("version", "kind"), [(version, kind) for version in UPDATES for kind in UPDATES[version]])
def test_every_update_changes_a_session(version: int, kind: str) -> None:
    update = {"sessionUpdate": kind, **UPDATES[version][kind]}
    SCHEMAS[version].validator("SessionUpdate").validate(update)
    session = Session("s", "/")
    changes: list[Change] = []
    session.subscribe(changes.append)
    _, updates = DIALECTS[version]().read_update({"sessionId": "s", "update": update})
    for each in updates:
        session.apply(each)
    assert changes
    assert not any(isinstance(entry, UnknownEntry | NoticeEntry) for entry in session.entries)


@each_of(("dialect", "kind"), [(DIALECTS[version](), kind) for version in DIALECTS for kind in BLOCKS])
def test_every_block_is_shown_and_can_be_opened(kind: str, dialect: Dialect) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "messageId": kind, "content": BLOCKS[kind]}
    session = Session("s", "/")
    for each in dialect.read_update({"sessionId": "s", "update": update})[1]:
        session.apply(each)
    (entry,) = session.entries
    assert isinstance(entry, MessageEntry)
    (part,) = entry.parts
    block = TextContent(text=part.text) if isinstance(part, TextPart) else part
    sign, name, _ = told(block)
    assert sign not in ("", "?")
    assert name
    assert opening_of(block).ways


@pytest.mark.parametrize(("version", "services"), [(1, SERVICES.keys()), (2, set())])
def test_every_request_of_an_agent_has_someone_who_answers_it(version: int, services: set[str]) -> None:
    asked = {method for name, method in SCHEMAS[version].methods("client") if not name.endswith("Response")}
    assert asked == services | ELSEWHERE.keys()


@pytest.mark.parametrize(("version", "other"), [(1, "v2"), (2, "v1")])
def test_every_request_that_an_agent_takes_is_made(version: int, other: str) -> None:
    taken = {method for name, method in SCHEMAS[version].methods("agent") if not name.endswith("Response")}
    files = [path for path in sources("protocol", "host") if path.name != "methods.py" and other not in path.parts]
    source = "".join(map(text_of, files))
    assert taken
    assert {method for method in taken if f'"{method}"' not in source} == set()
