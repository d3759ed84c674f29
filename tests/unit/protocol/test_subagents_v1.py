"""Protocol 1's messages without ids, where subagents come between them."""

from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.session_updates import MessageChunk


class Spoken:
    """What an agent says without naming its messages: the id that each piece gets."""

    def __init__(self) -> None:
        self.dialect = Version1Dialect()

    def say(self, session_id: str) -> str:
        text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
        _, [chunk] = self.dialect.read_update({"sessionId": session_id, "update": text})
        assert isinstance(chunk, MessageChunk)
        return chunk.message_id

    def child(self, **members: object) -> None:
        update = {"sessionUpdate": "subagent_update", "sessionId": "kid", **members}
        self.dialect.read_update({"sessionId": "root", "update": update})


def test_an_announcement_has_a_place_and_a_patch_comes_amid_a_sentence() -> None:
    spoken = Spoken()
    before = spoken.say("root")
    spoken.child(title="Explore")
    after = spoken.say("root")
    spoken.child(state={"state": "running"})
    assert (before == after, spoken.say("root") == after) == (False, True)


def test_what_a_child_says_when_it_works_again_is_another_message() -> None:
    spoken = Spoken()
    spoken.child(state={"state": "running"})
    first = spoken.say("kid")
    spoken.child(state={"state": "running"})
    spoken.child(title="Still at it")
    assert spoken.say("kid") == first
    spoken.child(state={"state": "idle", "stopReason": "end_turn"})
    spoken.child(state={"state": "running"})
    second = spoken.say("kid")
    spoken.child(state=None)
    assert len({first, second, spoken.say("kid")}) == 3
