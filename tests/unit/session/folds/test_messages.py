"""Messages and thoughts: how they begin, grow and end."""

from collections.abc import Callable

import pytest

from acp_tui.protocol.vocabulary.content import Annotations, ImageContent, TextContent, for_agent_only
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, MessageUpdate
from acp_tui.session.changes import EntryAdded, EntryChanged
from acp_tui.session.entries import MessageEntry, Part, TextPart
from acp_tui.session.facts import Noticed
from acp_tui.session.folds.messages import ASIDE, append_block, text_of
from acp_tui.session.text.markdown import block_markdown
from tests.unit.session.speech import Told, idle, running, say, text, think, told, tool, user

IMAGE = ImageContent(data="AAAA", mime_type="image/png")


def messages(one: Told) -> list[MessageEntry]:
    return [entry for entry in one.session.entries if isinstance(entry, MessageEntry)]


def words(entry: MessageEntry) -> list[str]:
    return [part.text if isinstance(part, TextPart) else part.type for part in entry.parts]


def test_chunks_of_one_message_grow_one_text() -> None:
    one = told()
    one.apply(say("Hel"), say("lo"))
    (entry,) = messages(one)
    assert words(entry) == ["Hello"]
    assert entry.version == 1
    assert one.changes == [EntryAdded(entry), EntryChanged(entry)]


def test_the_answer_after_a_thought_tells_of_its_own_growth() -> None:
    one = told()
    one.apply(think("h"), think("m"), say("s"), say("o"))
    thought, answer = messages(one)
    grown = [change.entry for change in one.changes if isinstance(change, EntryChanged)]
    assert grown == [thought, thought, answer]  # the second time it is sealed


def test_a_text_part_counts_its_chunks_and_length() -> None:
    one = told()
    one.apply(say("Hel"), say("lo"))
    assert messages(one)[0].parts == [TextPart(["Hel", "lo"], 5)]


def test_another_block_stands_alone_between_texts() -> None:
    one = told()
    image = MessageChunk(session_update="agent_message_chunk", message_id="a", content=IMAGE)
    one.apply(say("before"), image, say("after"))
    assert words(messages(one)[0]) == ["before", "image", "after"]


def test_one_id_in_two_roles_is_two_messages() -> None:
    one = told()
    one.apply(think("hm", "x"), say("so", "x"))
    assert [entry.role for entry in messages(one)] == ["thought", "agent"]


def test_a_thought_ends_when_the_answer_begins() -> None:
    one = told()
    one.apply(think("hm"))
    one.apply(say("so"), after=6)
    thought, answer = messages(one)
    assert (thought.sealed, thought.started_at, thought.finished_at) == (True, 100, 106)
    assert (answer.sealed, answer.finished_at) == (False, None)


def test_a_tool_call_seals_the_message_before_it() -> None:
    one = told()
    one.apply(running(), say("look"), tool())
    assert messages(one)[0].sealed


def test_a_notice_leaves_the_message_open() -> None:
    one = told()
    one.apply(say("look"), Noticed("warning", "noise"), say(" here"))
    assert not messages(one)[0].sealed
    assert words(messages(one)[0]) == ["look here"]


def test_the_end_of_the_turn_seals_the_message() -> None:
    one = told()
    one.apply(running(), say("so"), idle())
    assert messages(one)[0].sealed


def test_a_late_chunk_reaches_a_sealed_message() -> None:
    one = told()
    one.apply(running(), think("one"), say("two"))
    one.apply(think(" more"), after=2)
    thought = messages(one)[0]
    assert words(thought) == ["one more"]
    assert (thought.sealed, thought.finished_at) == (True, 102)
    assert one.changes[-1] == EntryChanged(thought)


def test_an_update_replaces_all_content() -> None:
    one = told()
    one.apply(say("old"), MessageUpdate(session_update="agent_message", message_id="a", content=[text("new"), IMAGE]))
    assert words(messages(one)[0]) == ["new", "image"]


def test_an_update_without_content_changes_nothing() -> None:
    one = told()
    one.apply(say("old"), MessageUpdate(session_update="agent_message", message_id="a"))
    assert words(messages(one)[0]) == ["old"]


def test_an_update_with_null_clears() -> None:
    one = told()
    one.apply(say("old"), MessageUpdate(session_update="agent_message", message_id="a", content=None))
    assert words(messages(one)[0]) == []


def test_an_update_begins_an_unknown_message() -> None:
    one = told()
    one.apply(MessageUpdate(session_update="user_message", message_id="u", content=[text("hi")]))
    assert [(entry.role, words(entry)) for entry in messages(one)] == [("user", ["hi"])]


def test_a_replaced_text_is_another_part_object() -> None:
    one = told()
    one.apply(say("same"))
    before = messages(one)[0].parts[0]
    one.apply(MessageUpdate(session_update="agent_message", message_id="a", content=[text("same")]))
    assert messages(one)[0].parts[0] is not before


def test_the_users_message_is_an_entry_like_any_other() -> None:
    one = told()
    one.apply(user("hi"), running(), say("hello"))
    assert [entry.role for entry in messages(one)] == ["user", "agent"]


def test_text_that_is_not_for_the_user_stays_apart() -> None:
    aside = Annotations(audience=["assistant"])
    parts: list[Part] = []
    user_too = Annotations(audience=["user", "assistant"])
    for letter, annotations in (("a", None), ("b", aside), ("c", aside), ("d", None), ("e", user_too)):
        append_block(parts, TextContent(text=letter, annotations=annotations))
    assert text_of(parts) == "ade"
    assert parts[1] == TextContent(text="bc", annotations=aside)
    assert len(parts) == 3
    assert block_markdown(TextContent(text="bc", annotations=aside)).startswith("(For the agent only)")


@pytest.mark.parametrize("size", [1, 1_000, ASIDE, ASIDE + 1, 5 * ASIDE])
def test_much_text_that_is_not_for_the_user_is_in_blocks_however_it_was_split(size: int) -> None:
    aside, words = Annotations(audience=["assistant"]), "abcdefg" * (ASIDE // 3)
    parts: list[Part] = []
    for start in range(0, len(words), size):
        append_block(parts, TextContent(text=words[start : start + size], annotations=aside))
    texts = [words[start : start + ASIDE] for start in range(0, len(words), ASIDE)]
    assert parts == [TextContent(text=each, annotations=aside) for each in texts]


@pytest.mark.parametrize(("audience", "hidden"), [(None, False), ([], False), (["user"], False), (["assistant"], True)])
def test_whom_a_block_is_for(audience: list[str] | None, hidden: bool) -> None:
    assert for_agent_only(TextContent(text="x", annotations=Annotations(audience=audience))) is hidden


@pytest.mark.parametrize("speak", [say, think])
def test_a_message_of_blanks_is_none_until_it_has_words(speak: Callable[[str], MessageChunk]) -> None:
    one = told()
    one.apply(speak("\n"), speak(""), speak("  "))
    assert one.session.entries == []
    assert one.changes == []
    one.apply(speak("so"))
    assert [words(entry) for entry in messages(one)] == [["\n  so"]]


def test_blanks_without_words_go_with_their_turn() -> None:
    """Nothing is kept without bound; and a conversation that is told again begins anew."""
    one = told()
    one.apply(running(), *(think("\n", f"t{number}") for number in range(20)), idle("end_turn"))
    assert one.session.index.blank == {}


def test_blanks_do_not_end_the_message_before_them() -> None:
    one = told()
    one.apply(say("One"), think("\n"), say(" two"))
    assert [words(entry) for entry in messages(one)] == [["One two"]]


def test_what_a_blank_message_says_about_itself_is_kept() -> None:
    one = told()
    update = {"session_update": "agent_message", "message_id": "a"}
    one.apply(MessageUpdate.model_validate({**update, "content": [text(" ")], "_meta": {"a": 1}}))
    assert messages(one) == []
    one.apply(MessageUpdate.model_validate({**update, "content": [text("x")], "_meta": {"b": 2}}))
    assert [(words(entry), entry.meta) for entry in messages(one)] == [([" x"], {"a": 1, "b": 2})]
