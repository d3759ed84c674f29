"""A session that goes on from another one: its record has all of it, whatever becomes of the other record."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from acp_tui.host.records.records import Records
from acp_tui.host.records.replay import continue_in
from acp_tui.host.records.session_recording import BEGINS, ENDS
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate, Update
from acp_tui.session import facts
from acp_tui.session.entries import MessageEntry, NoticeEntry, TextPart
from acp_tui.session.export import to_json
from acp_tui.session.folds.file_changes import TurnEntry
from acp_tui.session.state import CopiedHistory, Session
from tests.examples import SHARING
from tests.unit.session.folds.test_invariants import EVENTS
from tests.unit.session.speech import Clock, idle, running, say, user

FORKED = "It was forked."


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    records = Records(tmp_path / "records")
    yield records
    records.close()


def begun(records: Records, name: str, told: Session | None = None, *events: Update | facts.Fact) -> Session:
    """A recorded session that goes on from `told`, one second for each of the events."""
    clock = Clock()
    session = Session(name, f"/{name}", agent_name="Scripted", clock=clock)
    records.record(session)
    if told is not None:
        session.apply(CopiedHistory(told, FORKED))
    tell(session, clock, *events)
    return session


def tell(session: Session, clock: Clock, *events: Update | facts.Fact) -> None:
    for event in events:
        clock.now += 1
        session.apply(event)


def again(folder: Path, name: str) -> Session:
    """What is there after a crash, to another run of the program."""
    records = Records(folder)
    [info] = records.list(f"/{name}")
    return records.load(info.path)


def said(session: Session) -> list[str]:
    messages = [entry for entry in session.entries if isinstance(entry, MessageEntry)]
    return ["".join(part.text for part in entry.parts if isinstance(part, TextPart)) for entry in messages]


def notices(session: Session) -> list[str]:
    return [entry.title for entry in session.entries if isinstance(entry, NoticeEntry)]


def turn(question: str, answer: str) -> list[Update | facts.Fact]:
    """All turns of all sessions use the same names for their messages, as agents may."""
    return [user(question), running(), say(answer), idle()]


def test_a_fork_is_there_whole(records: Records) -> None:
    root = begun(records, "root", None, *turn("who are you?", "the root"))
    fork = begun(records, "fork", root, *turn("and you?", "the branch"))
    tell(root, Clock(), *turn("still?", "yes"))
    records.close()
    session = again(records.folder, "fork")
    assert said(session) == said(fork) == ["who are you?", "the root", "and you?", "the branch"]
    assert notices(session) == ["Restored from a local record"]
    assert session.id == "fork"
    assert all(entry.sealed for entry in session.entries)
    times = [entry.started_at for entry in session.entries]
    assert times == sorted(times)
    assert times[-1] <= session.clock()


def test_the_other_record_may_go(records: Records) -> None:
    root = begun(records, "root", None, *turn("who are you?", "the root"))
    begun(records, "fork", root, *turn("and you?", "the branch"))
    records.close()
    [path] = [info.path for info in records.list() if info.session_id == "root"]
    records.delete(path)
    assert said(again(records.folder, "fork"))[:2] == ["who are you?", "the root"]
    assert [info.title for info in records.list()] == ["and you?"]


def test_a_fork_of_a_fork_and_of_what_was_recorded(records: Records) -> None:
    root = begun(records, "root", None, *turn("1", "one"))
    begun(records, "fork", root, *turn("2", "two"))
    records.close()
    later = Records(records.folder)
    told = again(records.folder, "fork")
    branch = begun(later, "branch", told, *turn("3", "three"))
    begun(later, "twig", branch, *turn("4", "four"))
    later.close()
    session = again(records.folder, "twig")
    assert said(session) == ["1", "one", "2", "two", "3", "three", "4", "four"]
    assert notices(session) == ["Restored from a local record"] * 3


def test_a_session_that_follows_a_record_is_there_whole(records: Records) -> None:
    begun(records, "old", None, *turn("1", "one"))
    records.close()
    later = Records(records.folder)
    session = begun(later, "new")
    continue_in(session, again(records.folder, "old"), records.list()[0])
    session.apply(user("2", "another"))
    later.close()
    assert said(again(records.folder, "new")) == ["1", "one", "2"]


def test_a_prompt_that_came_before_the_history_is_below_it(records: Records) -> None:
    root = begun(records, "root", None, *turn("1", "one"))
    fork = begun(records, "fork", None, facts.PromptQueued([]))
    fork.apply(CopiedHistory(root, FORKED))
    tell(fork, Clock(), facts.QueuedPromptTaken(1), *turn("2", "two"))
    records.close()
    assert said(again(records.folder, "fork")) == ["1", "one", "2", "two"]


def test_a_fork_in_which_nothing_was_said_has_no_record(records: Records) -> None:
    root = begun(records, "root", None, *turn("1", "one"))
    begun(records, "fork", root)
    records.close()
    assert [info.session_id for info in records.list()] == ["root"]


def test_where_nothing_was_recorded_nothing_is_copied(records: Records) -> None:
    told = Session("t", "/project")
    told.apply(user("1"))
    begun(records, "fork", told, *turn("2", "two"))
    records.close()
    [info] = records.list()
    assert BEGINS.encode() not in info.path.read_bytes()
    assert said(records.load(info.path)) == ["2", "two"]


def test_a_record_that_is_gone_is_said(records: Records) -> None:
    begun(records, "old", None, *turn("1", "one"))
    records.close()
    told = again(records.folder, "old")
    records.delete(records.list()[0].path)
    later = Records(records.folder)
    fork = begun(later, "fork", told, *turn("2", "two"))
    later.close()
    assert notices(again(records.folder, "fork"))[-1] == "Earlier messages are only partly recorded"
    fork.apply(say("more"))  # what is to be said of the record is said with what happens next
    assert notices(fork)[-1] == "Earlier messages are only partly recorded"


def test_history_leaves_room_for_what_is_said_now(records: Records) -> None:
    root = begun(records, "root", None, *(user(f"{number} {'x' * 2_000}", f"m{number}") for number in range(60)))
    small = begun(records, "fork")
    records._recordings[small]._cap = 100_000
    small.apply(CopiedHistory(root, FORKED))
    tell(small, Clock(), *turn("now", "here"))
    records.close()
    session = again(records.folder, "fork")
    assert said(session)[0].startswith("0 x")
    assert said(session)[-2:] == ["now", "here"]
    assert "Earlier messages are only partly recorded" in notices(session)


def test_a_history_within_a_history_that_is_too_long_ends_with_it(records: Records) -> None:
    long = (user(f"{number} {'x' * 2_000}", f"m{number}") for number in range(60))
    root = begun(records, "root", None, *turn("1", "one"), *long)
    fork = begun(records, "fork", root, *turn("2", "two"))
    twig = begun(records, "twig")
    records._recordings[twig]._cap = 100_000
    twig.apply(CopiedHistory(fork, FORKED))
    tell(twig, Clock(), *turn("now", "here"))
    records.close()
    session = again(records.folder, "twig")
    assert (said(session)[:2], said(session)[-2:]) == (["1", "one"], ["now", "here"])
    assert [type(entry) for entry in session.entries[-3:]] == [MessageEntry, MessageEntry, TurnEntry]  # no history


def test_a_record_cut_off_in_its_history_is_read_as_far_as_it_goes(records: Records) -> None:
    root = begun(records, "root", None, *turn("1", "one"))
    begun(records, "fork", root, *turn("2", "two"))
    records.close()
    [path] = [info.path for info in records.list() if info.session_id == "fork"]
    data = path.read_bytes()
    for length in range(data.index(b"\n") + 1, len(data), 5):
        path.write_bytes(data[:length])
        whole = ["1", "one", "2", "two"]
        told = said(records.load(path))
        assert told == whole[: len(told)]
    cut = data.index(ENDS.encode()) - 9
    path.write_bytes(data[:cut])
    later = Records(records.folder)
    begun(later, "next", later.load(path), *turn("3", "three"))
    later.close()
    assert said(again(records.folder, "next")) == ["1", "one", "3", "three"]


@SHARING
@given(EVENTS, EVENTS)
def test_any_history_is_told_again_as_it_was(
    tmp_path: Path, before: list[Update | facts.Fact], after: list[Update | facts.Fact]
) -> None:
    records = Records(tmp_path)
    root = begun(records, "root", None, user("begin"), *before)
    fork = begun(records, "fork", root, user("go on"), *after)
    records.close()
    session = again(tmp_path, "fork")
    for info in records.list():
        records.delete(info.path)
    ours = [entry for entry in to_json(fork)["entries"] if entry["type"] == "message"]
    theirs = [entry for entry in to_json(session)["entries"] if entry["type"] == "message"]
    assert [(entry["id"], entry["parts"]) for entry in theirs] == [(entry["id"], entry["parts"]) for entry in ours]


def named(question: str, answer: str) -> list[Update | facts.Fact]:
    return [user(question, question), running(), say(answer, answer), idle()]


def branch(records: Records, name: str, told: Session, prompts: int, *events: Update | facts.Fact) -> Session:
    """A recorded session that goes on from before the prompt number `prompts` of `told`."""
    session = Session(name, f"/{name}", agent_name="Scripted", clock=Clock())
    records.record(session)
    session.apply(CopiedHistory(told, "", prompts))
    session.apply(facts.Branched(told.id, "m", prompts, "how it began"))
    for event in events:
        session.apply(event)
    return session


def test_a_branch_has_what_was_said_before_it_and_no_word_of_what_followed(records: Records) -> None:
    root = begun(records, "root", None, *named("1", "one"), *named("2", "two"), *named("3", "three"))
    live = branch(records, "branch", root, 1, *named("4", "four"))
    tell(root, Clock(), *named("5", "five"))
    records.close()
    session = again(records.folder, "branch")
    assert said(session) == said(live) == ["1", "one", "4", "four"]
    assert notices(session) == notices(live) == ["Branched from here"]
    assert session.branched == facts.Branched("root", "m", 1, "how it began")
    [info] = [info for info in records.list() if info.session_id == "branch"]
    assert b"two" not in info.path.read_bytes()
    assert (info.branched, info.own_prompt) == (session.branched, "4")
    records.rename(info.path, "Another name")
    [named_since] = [each for each in records.list() if each.session_id == "branch"]
    assert (named_since.branched, named_since.own_prompt) == (session.branched, "4")


def test_the_last_prompt_is_in_the_header_data_unless_it_is_the_first(records: Records) -> None:
    def sent(text: str) -> MessageUpdate:
        content = [TextContent(text=text)]
        return MessageUpdate(session_update="user_message", message_id=text, content=content, from_here=True)

    begun(records, "one", None, sent("a"), say("x", "x"), idle())
    begun(records, "two", None, sent("a"), idle(), sent("b"), say("y", "y"), idle())
    records.close()
    assert {info.session_id: info.last_prompt for info in records.list()} == {"one": "", "two": "b"}


def test_a_branch_before_the_first_prompt_has_nothing_of_it(records: Records) -> None:
    root = begun(records, "root", None, *named("1", "one"))
    branch(records, "branch", root, 0, *named("2", "two"))
    records.close()
    assert said(again(records.folder, "branch")) == ["2", "two"]


def test_a_branch_of_a_branch_may_begin_in_what_that_began_with(records: Records) -> None:
    root = begun(records, "root", None, *named("1", "one"), *named("2", "two"), *named("3", "three"))
    fork = begun(records, "fork", root, *named("4", "four"), *named("5", "five"))
    for prompts in range(6):
        branch(records, f"twig {prompts}", fork, prompts, *named("6", "six"))
    records.close()
    words = ["1", "one", "2", "two", "3", "three", "4", "four", "5", "five"]
    for prompts in range(6):
        assert said(again(records.folder, f"twig {prompts}")) == [*words[: 2 * prompts], "6", "six"]


def test_a_prompt_that_was_taken_back_does_not_count(records: Records) -> None:
    root = begun(records, "root", None, *named("1", "one"))
    gone = MessageUpdate(session_update="user_message", message_id="g", content=[TextContent(text="g")], from_here=True)
    tell(root, Clock(), gone, running(), StateUpdate(state="idle", stop_reason="cancelled"))
    tell(root, Clock(), *named("2", "two"), *named("3", "three"))
    assert said(root) == ["1", "one", "2", "two", "3", "three"]
    branch(records, "branch", root, 2, *named("4", "four"))
    records.close()
    assert said(again(records.folder, "branch")) == ["1", "one", "2", "two", "4", "four"]


def test_records_without_a_parent_and_with_a_damaged_one_are_read(records: Records) -> None:
    root = begun(records, "root", None, *named("1", "one"))
    branch(records, "branch", root, 0, *named("2", "two"))
    records.close()
    for info in records.list():
        info.path.write_bytes(info.path.read_bytes().replace(b'"prompt":"0"', b'"prompt":"many"'))
    assert {info.session_id: info.branched and info.branched.prompt for info in records.list()} == {
        "root": None,
        "branch": 0,
    }
