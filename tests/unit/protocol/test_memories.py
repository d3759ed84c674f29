"""What a dialect remembers of sessions: it does not grow with the ids that an agent makes up."""

import pytest

from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.update_readers import HELD, Memories
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent


def test_the_memory_that_was_used_longest_ago_goes_first() -> None:
    memories = Memories[list[int]](list)
    first, second = memories.of("first"), memories.of("second")
    for number in range(HELD - 2):
        memories.of(str(number))
    assert memories.of("first") is first
    memories.of("one more")
    assert len(memories) == HELD
    assert memories.of("first") is first
    assert memories.of("second") is not second


def test_what_is_forgotten_begins_anew() -> None:
    memories = Memories[list[int]](list)
    memories.of("s").append(1)
    memories.forget("s")
    memories.forget("s")
    assert len(memories) == 0
    assert memories.of("s") == []


@pytest.mark.parametrize("dialect", [Version1Dialect(), Version2Dialect()], ids=lambda each: str(each.name))
def test_updates_for_sessions_that_nobody_opened_are_not_remembered_for_good(
    dialect: Version1Dialect | Version2Dialect,
) -> None:
    for number in range(HELD + 10):
        dialect.read_update({"sessionId": str(number), "update": {"sessionUpdate": "session_info_update"}})
    assert len(dialect._memories) == HELD


@pytest.mark.parametrize("dialect", [Version1Dialect(), Version2Dialect()], ids=lambda each: str(each.name))
def test_a_session_that_was_put_away_is_forgotten(dialect: Dialect) -> None:
    blocks: list[ContentBlock] = [TextContent(text="hi")]
    before = dialect.prompt_sent(dialect.prompt("s", blocks), blocks)
    assert dialect.prompt_sent(dialect.prompt("s", blocks), blocks) != before
    dialect.forget("s")
    assert dialect.prompt_sent(dialect.prompt("s", blocks), blocks) == before
