"""What another agent is told of a session: bounded, readable, without what tools gave out."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.content import EmbeddedResource, ImageContent, TextContent, TextResource
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, Plan, PlanEntry, PlanUpdate, SessionInfoUpdate
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, TerminalOutputChunk, TerminalReference
from acp_tui.session.digest import (
    DIGEST,
    DIGEST_LINES,
    PICTURES,
    ROWS,
    TRANSCRIPT,
    digest,
    pictures,
    shortened,
    tokens_in,
    transcript,
)
from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.session.facts import HandedOver
from acp_tui.session.state import Session
from acp_tui.session.tools.patches import ChangedFile
from tests.strategies import nasty_texts
from tests.unit.session.speech import Told, idle, running, say, text, think, told, tool, user

PNG = ImageContent(data="AAAA", mime_type="image/png")


def steps(*contents: str) -> PlanUpdate:
    return PlanUpdate(
        plan=Plan(
            type="items", plan_id="plan", entries=[PlanEntry(content=each, status="pending") for each in contents]
        )
    )


def whole() -> Told:
    one = told()
    one.session.agent_name, one.session.title = "OpenCode", "Fix the login"
    one.apply(user("find it", "u1"), running(), think("hmm"), say("looking", "a1"), idle())
    one.apply(user("now fix it", "u2"), running())
    output = [ContentItem(content=text("secret output"))]
    one.apply(tool("t", title="pytest -q", kind="execute", status="completed", content=output))
    one.apply(steps("look", "mend"), say("mended", "a2"), idle())
    return one


def test_it_has_what_was_asked_planned_changed_and_answered() -> None:
    files = [ChangedFile("/project/old.py", 0, 3), ChangedFile("/project/src/login.py", 1200, 3, "new file")]
    assert digest(whole().session, files) == (
        "Continue: Fix the login (from OpenCode)\n\n"
        "Continue this work in the same folder. Read the files first; they may have changed.\n\n"
        "## First message\n\nfind it\n\n"
        "## Last message\n\nnow fix it\n\n"
        "## Plan\n\n- [ ] look\n- [ ] mend\n\n"
        "## Changed files\n\n- src/login.py +1,200 −3 (new file)\n- old.py −3\n\n"
        "## Last answer\n\nmended"
    )


def test_one_message_is_told_once_and_what_is_missing_has_no_heading() -> None:
    one = told()
    one.apply(user("only this"))
    assert digest(one.session).split("\n\n")[2:] == ["## Message", "only this"]
    assert digest(one.session).startswith("Continue: only this (from another agent)\n")
    assert digest(told().session) == ""


@pytest.mark.parametrize("words", ["!rm -rf /", "/quit", ":q"])
def test_it_is_no_command_whatever_was_said(words: str) -> None:
    one = told()
    one.apply(user(words), SessionInfoUpdate(title=words))
    assert digest(one.session).startswith("Continue: ")
    one.session.entries.clear()
    one.session.title = None
    one.apply(say(words))
    assert digest(one.session).startswith("Continue the work of another agent\n")


def test_a_message_that_says_nothing_is_passed_over() -> None:
    one = told()
    one.apply(user(" \n", "u0"), user("this", "u1"), user("\n", "u2"))
    assert digest(one.session).split("\n\n")[2:] == ["## Message", "this"]


def test_the_transcript_tells_messages_and_what_tools_were_about() -> None:
    assert transcript(whole().session) == (
        "# Transcript of OpenCode\n\n## User\n\nfind it\n\n## Agent\n\nlooking\n\n- 1 s\n\n## User\n\nnow fix it\n\n"
        "- Run: pytest -q (done)\n\n## Agent\n\nmended\n\n- 1 s\n"
    )


class TestOutputs:
    """What tools gave out."""

    def test_it_is_there_if_the_user_wants_it(self) -> None:
        session = whole().session
        assert "secret output" not in digest(session) + transcript(session)
        assert "(done)\n\n```\nsecret output\n```" in transcript(session, outputs=True)

    def test_a_terminals_and_a_raw_output_too(self) -> None:
        one = told()
        one.apply(running(), tool("t", content=[TerminalReference(terminal_id="t1")]))
        one.apply(TerminalOutputChunk(terminal_id="t1", data=b"printed\x1b[31m red"))
        one.apply(tool("r", raw_output={"answer": ["forty", 2]}))
        wanted = transcript(one.session, outputs=True)
        assert "printed red" in wanted
        assert '"forty"' in wanted
        assert "printed" not in transcript(one.session)

    def test_secrets_are_in_neither_titles_nor_commands_nor_outputs(self) -> None:
        one = told()
        secret = "login --password hunter2"
        output = [ContentItem(content=text(f"before\n{secret}\nafter"))]
        one.session.title = one.session.agent_name = secret
        one.apply(user("x"), running(), steps(secret))
        one.apply(tool("t", title=secret, kind="execute", content=output, raw_input={"command": secret}))
        wanted = transcript(one.session, outputs=True)
        assert "hunter2" not in wanted + digest(one.session)
        assert "after" in wanted

    def test_a_key_that_begins_before_what_is_looked_at_is_hidden(self) -> None:
        one = told()
        key = "-----BEGIN PRIVATE KEY-----\n" + "hunter2hunter2\n" * 500 + "-----END PRIVATE KEY-----\n"
        long = key + "after\n" * 10_000
        output = [ContentItem(content=text(long))]
        one.apply(running(), tool("t", title="x", content=output), say(f"{key}{'after ' * 30_000}"))
        wanted = transcript(one.session, outputs=True)
        assert "hunter2" not in wanted + digest(one.session)
        assert "after" in wanted

    def test_endless_data_is_cut(self) -> None:
        one = told()
        one.apply(running(), tool("t", raw_output=["x" * 100] * 10_000))
        assert len(transcript(one.session, outputs=True)) < 6_000


def test_what_is_for_the_agent_alone_or_went_with_a_prompt_is_named_only() -> None:
    one = told()
    resource = EmbeddedResource(resource=TextResource(uri="file:///a.py", text="contents"))
    aside = TextContent.model_validate({"type": "text", "text": "hidden", "annotations": {"audience": ["assistant"]}})
    blocks = [text("look"), resource, aside, PNG]
    one.apply(MessageUpdate(session_update="user_message", message_id="u", content=blocks))
    said = digest(one.session)
    assert "look\n\n(file:///a.py)\n\n(image image/png, 3 bytes)" in said
    assert "contents" not in said + transcript(one.session)
    assert "hidden" not in said + transcript(one.session)


def test_the_pictures_of_its_messages_go_along() -> None:
    one = told()
    others = [ImageContent(data=f"AAA{number}", mime_type="image/png") for number in range(2 * PICTURES)]
    one.apply(MessageUpdate(session_update="user_message", message_id="1", content=[text("a"), PNG, PNG]))
    one.apply(MessageUpdate(session_update="user_message", message_id="2", content=[text("between"), others[0]]))
    one.apply(MessageUpdate(session_update="user_message", message_id="3", content=[text("b"), *others[1:]]))
    assert pictures(one.session) == [PNG, *others[1:PICTURES]]


def test_links_are_told() -> None:
    one = told()
    one.apply(user("hi"), HandedOver("x", "Codex", "c"))
    assert transcript(one.session).endswith("- Handed over to Codex\n")


def test_long_lists_are_counted() -> None:
    one = told()
    one.apply(user("go"), steps(*("step" for _ in range(ROWS + 60))))
    said = digest(one.session, [ChangedFile(f"/project/{number}", 1, 0) for number in range(ROWS + 60)])
    assert "- 60 more steps" in said
    assert "- 60 more files" in said
    assert "lines cut …]" in said


def test_a_long_session_keeps_its_beginning_and_its_end() -> None:
    one = told()
    for number in range(3_000):
        one.apply(user(f"question {number} " + "x" * 200, f"u{number}"))
    said = transcript(one.session)
    assert len(said.encode()) <= TRANSCRIPT
    assert "question 0 " in said
    assert "question 2999 " in said
    assert "question 1000 " not in said
    told_of = sum(f"question {number} " in said for number in range(3_000))
    assert f"[… {3_000 - told_of:,} messages and tool calls cut …]" in said


def test_a_message_of_100_mb_is_neither_joined_nor_lost() -> None:
    session = Session("s", "/project", agent_name="A")
    chunks = ["the beginning ", *["x" * 1_000_000] * 100, " the end"]
    part = TextPart(chunks, sum(map(len, chunks)))
    session.entries += [MessageEntry("u", "user", [TextPart(["hi"], 2)]), MessageEntry("a", "agent", [part])]
    for said in (digest(session), transcript(session)):
        assert "the beginning" in said
        assert "the end" in said
        assert "characters cut …]" in said
        assert len(said) < 40_000


texts = st.builds(lambda words, times: words * times, nasty_texts, st.integers(1, 2_000))


@given(st.lists(texts, min_size=1, max_size=4), texts, texts, st.lists(texts, max_size=3))
def test_a_digest_is_never_larger_than_it_says(
    said: Sequence[str], answer: str, title: str, planned: Sequence[str]
) -> None:
    one = told()
    one.session.agent_name = title
    one.apply(SessionInfoUpdate(title=title), steps(*planned))
    for number, words in enumerate(said):
        one.apply(user(words, str(number)))
    one.apply(say(answer))
    result = digest(one.session, [ChangedFile(words, 1, 1, "new file") for words in said])
    assert len(result.encode("utf-8", "surrogatepass")) <= DIGEST
    assert result.count("\n") < DIGEST_LINES
    assert len(transcript(one.session, 5_000, outputs=True).encode("utf-8", "surrogatepass")) <= 5_000


@given(texts, st.integers(100, 5_000))
def test_a_text_is_whole_or_says_what_was_cut(words: str, most: int) -> None:
    short = shortened(words, most)
    size = len(words.encode("utf-8", "surrogatepass"))
    assert len(short.encode("utf-8", "surrogatepass")) <= max(most, 0)
    assert (short == words) is (size <= most)
    assert ("characters cut …]" in short) or short == words


def test_lines_are_cut_too() -> None:
    assert shortened("\n".join("abcdefghij"), 100, 6) == "a\nb\n[… 4 lines cut …]\ng\nh\ni\nj"


def test_tokens_are_about_a_fourth() -> None:
    assert [tokens_in(size) for size in (0, 1, 4, 4_001)] == [0, 1, 1, 1_001]
