"""A system prompt of the client's: read from what an agent offers, written as the schema wants it."""

from typing import Any

import pytest

from acp_tui.protocol.base_dialect import Way, system_prompt_of
from acp_tui.protocol.capabilities import SessionScope, SystemPrompt
from acp_tui.protocol.negotiation import choose
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from tests.rows import each_of
from tests.unit.protocol.official import Official

UNSTABLE = {1: Official(1, "schema.unstable.json"), 2: Official(2, "schema.unstable.json")}
DIALECTS: dict[int, type[Version1Dialect | Version2Dialect]] = {1: Version1Dialect, 2: Version2Dialect}
BOTH = SystemPrompt("You are a pirate.", ("Say arr.", "\ud83c\udff4"))


def offered(version: int, told: Any) -> str:
    session = {"systemPrompt": told}
    capabilities = {"sessionCapabilities": session} if version == 1 else {"session": session}
    name = "agentCapabilities" if version == 1 else "capabilities"
    info = {"name": "a", "version": "1"}
    result = {"protocolVersion": version, "info": info, name: capabilities}
    return choose(result, "auto")[1].capabilities.system_prompt


@each_of("version", DIALECTS)
@each_of(
    ("told", "means"),
    [
        ({}, "append"),
        ({"mode": {}}, "append"),
        ({"mode": None}, "append"),
        ({"mode": {"override": {}}}, "override"),
        ({"mode": {"override": {}, "prepend": {}}, "_meta": {"x": 1}}, "override"),
        ({"mode": {"override": None}}, "append"),
        (None, ""),
        # What makes no sense says nothing, and all else that the agent offers still counts.
        ("yes", ""),
        ([], ""),
        (5, ""),
        ({"mode": "override"}, "append"),
        ({"mode": ["override"]}, "append"),
        ({"mode": {"override": "yes"}}, "append"),
        ({"mode": {"override": 1}}, "append"),
    ],
)
def test_what_an_agent_does_with_one(version: int, told: Any, means: str) -> None:
    assert offered(version, told) == means


@each_of("version", DIALECTS)
@each_of("way", ["new", "load", "resume", "fork"])
@each_of(
    ("prompt", "sent"),
    [
        (SystemPrompt(), None),
        (SystemPrompt("", ("One.", "", "Two.")), ("append", ["One.", "Two."])),
        (SystemPrompt("Own."), ("override", ["Own."])),
        (BOTH, ("override", ["You are a pirate.", "Say arr.", "\ud83c\udff4"])),
    ],
)
def test_every_request_that_opens_a_session_has_it(
    version: int, way: Way, prompt: SystemPrompt, sent: tuple[str, list[str]] | None
) -> None:
    scope = SessionScope("/project", system_prompt=prompt)
    call = DIALECTS[version]().open_session(way, scope, None if way == "new" else "s")
    official = UNSTABLE[version]
    named = {method: name for name, method in official.methods("agent") if not name.endswith("Response")}
    official.validator(named[call.method]).validate(call.params)
    told = call.params.get("systemPrompt")
    assert (told is None) is (sent is None)
    if told is not None:
        assert (told["mode"], [block["text"] for block in told["content"]]) == sent
        assert {block["type"] for block in told["content"]} == {"text"}


@pytest.mark.parametrize(
    ("params", "prompt"),
    [
        ({"systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "A"}]}}, SystemPrompt("", ("A",))),
        (
            {"systemPrompt": {"mode": "override", "content": [{"text": "A"}, 5, {"text": 5}, {"text": "B"}]}},
            SystemPrompt("A", ("B",)),
        ),
        ({"systemPrompt": {"mode": ["override"], "content": "x"}}, SystemPrompt()),
        ({"systemPrompt": 5}, SystemPrompt()),
        ([], SystemPrompt()),
        (None, SystemPrompt()),
    ],
)
def test_what_a_request_had_is_read_again(params: Any, prompt: SystemPrompt) -> None:
    assert system_prompt_of(params) == prompt
