"""A session of protocol 1 as an agent would tell it, in few words."""

from typing import Any, TypeVar

from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.config_options import ConfigOption, ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, Update

U = TypeVar("U")


class Told:
    """One session with the dialect; `say` gives what an update folds into."""

    def __init__(self) -> None:
        self.dialect = Version1Dialect()
        self.prompted: Call | None = None

    def say(self, kind: str, /, **members: Any) -> list[Update]:
        session_id, updates = self.dialect.read_update({"sessionId": "s", "update": {"sessionUpdate": kind, **members}})
        assert session_id == "s"
        return updates

    def chunk(self, role: str = "agent", text: str = "x", **members: Any) -> MessageChunk:
        kind = "agent_thought_chunk" if role == "thought" else f"{role}_message_chunk"
        return only(MessageChunk, self.say(kind, content={"type": "text", "text": text}, **members))

    def options(self, kind: str, /, **members: Any) -> list[ConfigOption]:
        return only(ConfigOptionUpdate, self.say(kind, **members)).config_options

    def setup(self, **answer: Any) -> list[Update]:
        call = self.dialect.open_session("new", SessionScope("/project"))
        return self.dialect.read_session_setup(call, {"sessionId": "s", **answer}).updates

    def prompt(self, *texts: str, blocks: list[ContentBlock] | None = None) -> list[Update]:
        sent: list[ContentBlock] = [*(blocks or []), *(TextContent(text=text) for text in texts)]
        self.prompted = self.dialect.prompt("s", sent)
        return self.dialect.prompt_sent(self.prompted, sent)

    def answer(self, result: Any) -> list[Update]:
        assert self.prompted is not None
        return self.dialect.prompt_answered(self.prompted, result)


def only(kind: type[U], updates: list[Update]) -> U:
    (update,) = updates
    assert isinstance(update, kind)
    return update
