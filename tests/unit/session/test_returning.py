from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate, SessionMessage, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.changes import QueueChanged, TurnChanged
from acp_tui.session.entries import MessageEntry, NoticeEntry, ToolCallEntry
from acp_tui.session.facts import AgentGone, AgentReturned, ConfigOptionRequested, Noticed, PromptPutBack, PromptQueued
from acp_tui.session.folds.messages import text_of
from acp_tui.session.folds.subagents import SessionMessageEntry
from acp_tui.session.state import Session


def prompted(text: str = "hello") -> Session:
    session = Session(id="s", cwd="/")
    blocks = [TextContent(text=text)]
    session.apply(MessageUpdate(session_update="user_message", message_id="u1", content=blocks, from_here=True))
    session.apply(StateUpdate(state="running"))
    return session


def say(session: Session, text: str) -> None:
    content = TextContent(text=text)
    session.apply(MessageChunk(session_update="agent_message_chunk", message_id="m1", content=content))


def texts(session: Session) -> list[str]:
    return [text_of(entry.parts) for entry in session.entries if isinstance(entry, MessageEntry)]


def test_a_session_that_comes_back_is_open_and_says_new_things_apart() -> None:
    session = prompted()
    say(session, "old")
    session.apply(ConfigOptionRequested("model", "x"))
    session.apply(AgentGone("gone"))
    session.apply(AgentReturned())
    say(session, "new")
    assert not session.closed
    assert session.config_in_flight == {}
    assert texts(session) == ["hello", "old", "new"]


def test_after_a_restart_neither_the_turn_is_red_nor_the_notice_asks_for_one() -> None:
    session = prompted()
    session.apply(AgentGone("gone", "killed", "Press Enter to restart it."))
    before = session.turn.error
    session.apply(AgentReturned())
    assert before
    assert session.turn.error is None
    assert session.turn.stop_reason is None
    notices = [entry for entry in session.entries if isinstance(entry, NoticeEntry)]
    assert [(each.message, each.hint) for each in notices] == [("killed", "")]
    session.apply(AgentGone("gone", "killed", "Press Enter to restart it."))
    assert sum(isinstance(entry, NoticeEntry) and bool(entry.hint) for entry in session.entries) == 1


def test_a_turn_that_the_new_process_has_begun_stays() -> None:
    session = prompted()
    session.apply(AgentGone("gone"))
    session.apply(StateUpdate(state="running"))
    session.apply(AgentReturned())
    assert session.turn.active


def test_tool_calls_are_known_again_unless_all_is_forgotten() -> None:
    for forgotten in (False, True):
        session = prompted()
        session.apply(ToolCallUpdate(tool_call_id="t", title="T"))
        session.apply(AgentGone("gone"))
        session.apply(AgentReturned(forgotten))
        session.apply(ToolCallUpdate(tool_call_id="t", title="T"))
        assert sum(isinstance(entry, ToolCallEntry) for entry in session.entries) == 1 + forgotten


def test_messages_between_sessions_are_known_again_unless_all_is_forgotten() -> None:
    for forgotten in (False, True):
        session = prompted()
        session.apply(SessionMessage(message_id="x", content=[TextContent(text="before")]))
        session.apply(AgentGone("gone"))
        session.apply(AgentReturned(forgotten))
        session.apply(SessionMessage(message_id="x", content=[TextContent(text="after")]))
        said = [text_of(entry.parts) for entry in session.entries if isinstance(entry, SessionMessageEntry)]
        assert said == (["before", "after"] if forgotten else ["after"])


def test_a_prompt_that_was_not_taken_is_first_in_the_queue() -> None:
    session = prompted("first")
    session.apply(PromptQueued([TextContent(text="second")]))
    session.apply(Noticed("info", "by the way"))
    changes: list[object] = []
    session.subscribe(changes.append)
    session.apply(PromptPutBack([TextContent(text="first")], "log in"))
    assert texts(session) == []
    assert [prompt.blocks[0] for prompt in session.queue] == [TextContent(text="first"), TextContent(text="second")]
    assert not session.turn.active
    assert {QueueChanged(), TurnChanged()} <= set(
        filter(lambda one: isinstance(one, QueueChanged | TurnChanged), changes)
    )


def test_a_prompt_that_was_answered_stays_where_it_is() -> None:
    session = prompted()
    say(session, "well")
    session.apply(PromptPutBack([TextContent(text="hello")], "log in"))
    assert texts(session) == ["hello", "well"]
    assert len(session.queue) == 1
