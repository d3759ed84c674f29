"""Prompts that an agent suggests, in both forms in which they come."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import ClientCapabilities, introduction
from acp_tui.protocol.update_readers import MOST_SUGGESTIONS
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import (
    PromptSuggestionsUpdate,
    RejectedUpdate,
    SessionInfoUpdate,
    Update,
)
from tests.unit.protocol.official import json_values
from tests.unit.protocol.told import only

DIALECTS = (Version1Dialect, Version2Dialect)
both = pytest.mark.parametrize("dialect", DIALECTS)


def say(dialect: type[Dialect], kind: str, **members: Any) -> list[Update]:
    return dialect().read_update({"sessionId": "s", "update": {"sessionUpdate": kind, **members}})[1]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def texts(updates: list[Update]) -> list[list[str]]:
    found = [each for each in updates if isinstance(each, PromptSuggestionsUpdate)]
    return [
        [block.text for block in suggestion.prompt if isinstance(block, TextContent)]
        for update in found
        for suggestion in update.suggestions
    ]


@both
def test_the_update_of_the_protocol(dialect: type[Dialect]) -> None:
    updates = say(
        dialect,
        "prompt_suggestions_update",
        suggestions=[
            {"prompt": [text("Run it"), text("twice")]},
            {"prompt": []},
            {"text": "x"},
            7,
            {"prompt": [text("Stop")]},
        ],
    )
    assert texts(updates) == [["Run it", "twice"], ["Stop"]]


@both
def test_what_claude_s_adapter_tells_stands_in_the_meta_of_another_update(dialect: type[Dialect]) -> None:
    told = {"suggestions": [{"text": "Run it"}, {"prompt": "x"}, "y", {"text": 7}, {"text": "Stop"}]}
    updates = say(dialect, "session_info_update", title="T", _meta={"promptSuggestions": told, "more": 1})
    assert only(SessionInfoUpdate, updates[:1]).title == "T"
    assert texts(updates) == [["Run it"], ["Stop"]]


@both
@pytest.mark.parametrize(
    "update",
    [
        {"kind": "prompt_suggestions_update", "suggestions": []},
        {"kind": "session_info_update", "_meta": {"promptSuggestions": {"suggestions": []}}},
    ],
)
def test_an_empty_list_withdraws_them(dialect: type[Dialect], update: dict[str, Any]) -> None:
    members = dict(update)
    [found] = [each for each in say(dialect, members.pop("kind"), **members) if not isinstance(each, SessionInfoUpdate)]
    assert isinstance(found, PromptSuggestionsUpdate)
    assert found.suggestions == []


@both
@pytest.mark.parametrize("meta", [None, {}, {"promptSuggestions": None}, {"promptSuggestions": {"suggestions": "x"}}])
def test_where_none_are_told_nothing_changes(dialect: type[Dialect], meta: Any) -> None:
    assert [type(each) for each in say(dialect, "session_info_update", _meta=meta)] == [SessionInfoUpdate]


@both
@pytest.mark.parametrize("members", [{}, {"suggestions": None}, {"suggestions": {}}])
def test_an_update_without_a_list_is_refused(dialect: type[Dialect], members: dict[str, Any]) -> None:
    assert only(RejectedUpdate, say(dialect, "prompt_suggestions_update", **members)).path == "suggestions"


@both
def test_of_a_hundred_thousand_the_first_are_taken(dialect: type[Dialect]) -> None:
    many = [{"text": str(number)} for number in range(100_000)]
    updates = say(dialect, "session_info_update", _meta={"promptSuggestions": {"suggestions": many}})
    assert texts(updates) == [[str(number)] for number in range(MOST_SUGGESTIONS)]
    prompts = [{"prompt": [text(str(number))]} for number in range(100_000)]
    updates = say(dialect, "prompt_suggestions_update", suggestions=prompts)
    assert texts(updates) == [[str(number)] for number in range(MOST_SUGGESTIONS)]


@given(st.sampled_from(DIALECTS), json_values, st.booleans())
def test_nothing_is_ever_raised(dialect: type[Dialect], told: Any, in_meta: bool) -> None:
    if in_meta:
        updates = say(dialect, "session_info_update", _meta={"promptSuggestions": told})
        assert isinstance(updates[0], SessionInfoUpdate)
    else:
        say(dialect, "prompt_suggestions_update", suggestions=told)


def test_they_are_asked_for_where_a_user_writes_prompts() -> None:
    attended = ClientCapabilities().with_user()
    one, two = introduction("1", attended), introduction("auto", attended)
    assert one["clientCapabilities"]["session"]["promptSuggestions"] == {}
    assert two["capabilities"]["session"] == {"promptSuggestions": {}}
    alone = introduction("auto", ClientCapabilities(prompt_suggestions=False).with_user())
    assert "promptSuggestions" not in alone["clientCapabilities"]["session"]
    assert "session" not in alone["capabilities"]
