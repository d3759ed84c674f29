"""The same story told in both versions gives the same session."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.state import Session
from tests.golden.replay import replay

PAIRS = Path(__file__).parent / "pairs"
STORIES = sorted(path.name.removesuffix(".v1.jsonl") for path in PAIRS.glob("*.v1.jsonl"))


def both(story: str) -> tuple[Session, Session]:
    older = replay(PAIRS / f"{story}.v1.jsonl", Version1Dialect())
    newer = replay(PAIRS / f"{story}.v2.jsonl", Version2Dialect())
    older.agent_name = newer.agent_name = story
    return older, newer


def told(session: Session) -> dict[str, Any]:
    """The whole session but for ids of messages, and diffs, which each version writes in its own way."""
    data = to_json(session)
    for entry in data["entries"]:
        if entry["type"] == "message":
            del entry["id"]
        if entry["type"] == "tool_call":
            entry["content"] = [item["type"] for item in entry["content"]]
            entry.pop("diffs", None)
    for plan_id, plan in data["plans"].items():
        plan.setdefault("planId", plan_id)  # version 1 has one plan without a name
    return data


def test_there_are_pairs() -> None:
    assert STORIES == ["command", "edit"]
    assert sorted(path.name for path in PAIRS.iterdir()) == [
        f"{story}.{version}.jsonl" for story in STORIES for version in ("v1", "v2")
    ]


@pytest.mark.parametrize("story", STORIES)
def test_both_export_the_same_transcript(story: str) -> None:
    older, newer = both(story)
    assert to_markdown(newer) == to_markdown(older)
    assert len(older.entries) >= 5


@pytest.mark.parametrize("story", STORIES)
def test_both_leave_the_same_state(story: str) -> None:
    older, newer = both(story)
    assert told(newer) == told(older)
    assert not newer.turn.active
    assert newer.index.open_tool_calls == {}
