"""Which messages can be edited, and how they read in one line."""

import pytest

from acp_tui.protocol.vocabulary.content import ContentBlock, ImageContent, ResourceLink, TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, Role
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.ui.branches.rewind import in_one_line, is_own, messages_of

PICTURE = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")


def told(session: Session, role: Role, *content: ContentBlock) -> MessageEntry:
    kinds = {"user": "user_message", "agent": "agent_message", "thought": "agent_thought"}
    message_id = f"{role}{len(session.entries)}"
    update = {"session_update": kinds[role], "message_id": message_id, "content": list(content)}
    session.apply(MessageUpdate.model_validate(update))
    entry = session.entries[-1]
    assert isinstance(entry, MessageEntry)
    return entry


def test_only_the_users_own_words_are_listed() -> None:
    session = Session("s", "/project")
    first = told(session, "user", TextContent(text="first"))
    told(session, "agent", TextContent(text="answer"))
    session.apply(Noticed("info", "a notice"))
    empty = told(session, "user", TextContent(text=""))
    second = told(session, "user", PICTURE)
    assert messages_of(session) == [first, second]
    assert [is_own(entry) for entry in session.entries] == [entry in (first, second) for entry in session.entries]
    assert not is_own(empty)
    assert not is_own(None)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ([TextContent(text="one\ntwo")], "one ⏎ two"),
        ([TextContent(text="red \x1b[31m\u202etext")], "red �text"),
        ([TextContent(text="a very long line of words")], "a very lon…"),
        ([ResourceLink(uri="file:///x/a.py", name="a.py")], "@a.py"),
        ([PICTURE], "(image or…"),
    ],
)
def test_a_message_is_one_safe_line(content: list[ContentBlock], line: str) -> None:
    assert in_one_line(told(Session("s", "/project"), "user", *content), 11) == line
