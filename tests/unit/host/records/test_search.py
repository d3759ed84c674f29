"""Words in recorded sessions: found wherever they were said, however they came."""

from pathlib import Path

import pytest

from acp_tui.host.records.records import Records
from acp_tui.host.records.search import SNIPPET, RecordSearch, SearchResult
from acp_tui.protocol.vocabulary.session_updates import SubagentUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import Diff, TerminalOutputChunk
from acp_tui.session.facts import Fact, Noticed, SubagentEvent
from acp_tui.session.state import Session
from tests.unit.session.speech import idle, running, say, tool, user


@pytest.fixture(params=["files", "texts"])
def records(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Records:
    """Records that are searched in their files, and by texts that a search has made."""
    monkeypatch.setattr("acp_tui.host.records.index.WORTH", 0)
    return Records(tmp_path / "records", cache=tmp_path / "cache" if request.param == "texts" else None)


def said(records: Records, *events: Update | Fact, session_id: str = "s") -> None:
    session = Session(session_id, "/project", agent_name="Scripted")
    records.record(session)
    for event in events:
        session.apply(event)
    session.apply(idle())


def snippets(records: Records, *words: str) -> list[str]:
    return [hit.snippet for hit in found(records, *words).hits]


def found(records: Records, *words: str) -> SearchResult:
    """The same each time: the first search may read the files, the next one what was made of them."""
    records.close()
    first, again = records.search(words), records.search(words)
    assert again == first
    return first


def test_words_are_found_in_any_case_and_in_every_kind_of_text(records: Records) -> None:
    change = tool("1", title="Edit login.py", content=[Diff(path="/p/login.py", new_text="return TOKEN_NAME")])
    said(records, user("Why does it FAIL?"), running(), say("The fixture"), change, Noticed("info", "Mind the gap"))
    for word in ("fail", "FIXTURE", "login.py", "token_name", "gap"):
        assert len(snippets(records, word)) == 1, word
    assert snippets(records, "agent_message_chunk") == []


def test_a_word_that_came_in_pieces_is_found(records: Records) -> None:
    said(records, user("go"), running(), say("log"), tool("1", title="Look"), say("in"), say(" fixture"))
    assert snippets(records, "login") == ["login fixture"]


def test_output_of_terminals_is_found(records: Records) -> None:
    output = [TerminalOutputChunk(terminal_id="1", data=data) for data in (b"3 fai", b"led")]
    said(records, user("go"), output[0], say("."), output[1])
    assert snippets(records, "failed") == ["3 failed"]


def test_all_words_must_be_there_but_not_in_one_place(records: Records) -> None:
    said(records, user("about cats"), running(), say("and dogs, and cats"))
    assert snippets(records, "cats", "dogs") == ["and dogs, and cats"]
    assert snippets(records, "cats", "birds") == []


def test_a_snippet_is_cut_around_the_word(records: Records) -> None:
    said(records, user("go"), say("before " * 100 + "needle\n  here " + "after " * 100))
    [snippet] = snippets(records, "needle")
    assert "needle here" in snippet
    assert snippet[0] == snippet[-1] == "…"
    assert len(snippet) <= SNIPPET + 2


def test_what_was_said_in_a_subagent_is_found_and_the_hit_says_in_which(records: Records) -> None:
    def inside(child_id: str, *events: Update) -> list[SubagentEvent]:
        return [SubagentEvent(child_id, event) for event in events]

    titled = SubagentUpdate(session_id="kid", title="Read the docs", description="Find timeouts")
    later = SubagentUpdate(session_id="kid", state=running())
    nested = inside("kid", SubagentUpdate(session_id="nameless"))
    words: list[Update | Fact] = [
        *inside("kid", say("need"), tool("1")),
        say("un", "a"),
        *inside("kid", say("le")),
        say("related", "a"),
    ]
    said(records, user("go"), titled, *nested, *words, later, *inside("nameless", tool("1", title="Search haystack")))
    records.close()

    def lines(*words: str) -> list[str]:
        return [hit.line for hit in records.search(words).hits]

    assert lines("needle") == ["in subagent Read the docs: needle"]
    assert lines("haystack") == ["in subagent nameless: Search haystack"]
    assert lines("unrelated") == ["unrelated"]
    assert lines("timeouts") == ["Read the docs Find timeouts"]
    assert lines("SubagentEvent") == []


def test_one_session_recorded_twice_is_found_once(records: Records) -> None:
    said(records, user("go"), say("needle"), session_id="same")
    said(records, user("go"), say("needle"), session_id="same")
    said(records, user("go"), say("needle"), session_id="other")
    assert len(snippets(records, "needle")) == 2


def test_what_is_left_out_is_said(records: Records) -> None:
    for number in range(4):
        said(records, user(f"needle {number}"), session_id=str(number))
    records.close()
    infos, search = records.list(), RecordSearch().search
    told: list[int] = []
    assert len(search(infos, ["needle"]).hits) == 4
    first = search(infos, ["needle"], most=1)
    assert (len(first.hits), first.unsearched) == (1, 3)
    assert "3 older sessions" in first.shortfall
    search(infos, ["needle"], on_found=lambda each: told.append(len(each.hits)))
    assert told == [1, 2, 3, 4]
    assert search(infos, ["needle"], stop=lambda: True).searched == 0
    assert search(infos, [" "]).hits == []
    infos[0].path.unlink()
    assert search(infos, ["needle"]).unread == 1
