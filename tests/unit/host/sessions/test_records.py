"""Records in their folder: written as it happens, read back whole, said when they are not."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from acp_tui.errors import UserFault
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.records import Records
from acp_tui.host.records.replay import continue_in
from acp_tui.host.records.session_recording import SessionRecording
from acp_tui.host.sessions.questions import Questions
from acp_tui.host.system.threads import WriteBehind
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, FormElicitation, StringProperty
from acp_tui.protocol.vocabulary.session_updates import SessionInfoUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk
from acp_tui.session import facts
from acp_tui.session.entries import MessageEntry, NoticeEntry
from acp_tui.session.export import to_json
from acp_tui.session.state import Event, Session
from tests.examples import SHARING
from tests.unit.session.folds.test_invariants import EVENTS
from tests.unit.session.speech import Clock, idle, running, say, text, tool, user


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    records = Records(tmp_path / "records")
    yield records
    records.close()


def talk(records: Records, *events: Update | facts.Fact, session_id: str = "s-1", cwd: str = "/project") -> Session:
    """A session in which this happened, one second each; it is recorded."""
    clock = Clock()
    session = Session(session_id, cwd, agent_name="Scripted", clock=clock)
    records.record(session)
    for event in events:
        clock.now += 1
        session.apply(event)
    return session


def only(records: Records) -> RecordInfo:
    [info] = records.list()
    return info


def notices(session: Session) -> list[str]:
    return [entry.title for entry in session.entries if isinstance(entry, NoticeEntry)]


TURN = (user("fix the login"), running(), say("I found"), say(" it"), tool(title="Edit"), idle())


def test_a_session_is_there_again(records: Records) -> None:
    session = talk(records, *TURN)
    records.close()
    info = only(records)
    assert (info.session_id, info.agent, info.cwd, info.title) == ("s-1", "Scripted", "/project", "fix the login")
    assert info.size == info.path.stat().st_size
    again = records.load(info.path)
    assert [repr(entry) for entry in again.entries] != []
    assert [type(entry) for entry in again.entries] == [type(entry) for entry in session.entries]
    assert notices(again) == []
    [first, answer, call, _] = again.entries
    assert answer.started_at - first.started_at == pytest.approx(2)
    assert again.clock() == again.clock()
    assert call.sealed


def test_nothing_is_created_before_a_word_was_said(records: Records) -> None:
    session = talk(records, SessionInfoUpdate(title="Fresh"), facts.Noticed("info", "ready"))
    records.close()
    assert not records.folder.exists()
    assert session.title == "Fresh"


def test_what_came_before_the_first_word_is_in_the_record(records: Records) -> None:
    talk(records, SessionInfoUpdate(title="Fresh"), facts.Noticed("info", "ready"), *TURN)
    records.close()
    assert only(records).title == "Fresh"
    assert notices(records.load(only(records).path)) == ["ready"]


def test_an_id_and_a_title_that_come_late_are_found(records: Records) -> None:
    session = talk(records, *TURN, session_id="")
    records.flush()
    session.id = "s-late"
    session.apply(SessionInfoUpdate(title="The login"))
    session.apply(say("x" * 200_000))
    records.close()
    assert (only(records).session_id, only(records).title) == ("s-late", "The login")


def test_only_the_owner_can_look(records: Records) -> None:
    talk(records, *TURN)
    records.close()
    assert stat.S_IMODE(only(records).path.stat().st_mode) == 0o600
    assert stat.S_IMODE(records.folder.stat().st_mode) == 0o700


def test_two_sessions_have_two_records_the_latest_first(records: Records) -> None:
    talk(records, *TURN, session_id="one")
    talk(records, *TURN, session_id="two", cwd="/elsewhere")
    records.close()
    assert {info.session_id for info in records.list()} == {"one", "two"}
    assert [info.session_id for info in records.list("/elsewhere")] == ["two"]
    assert [info.session_id for info in records.list("/project")] == ["one"]


def test_a_record_cut_off_anywhere_is_read_as_far_as_it_goes(records: Records) -> None:
    talk(records, *TURN)
    records.close()
    path = only(records).path
    data = path.read_bytes()
    for length in range(data.index(b"\n") + 1, len(data), 7):
        path.write_bytes(data[:length])
        session = records.load(path)
        assert not session.turn.active
        assert all(entry.sealed for entry in session.entries)


def test_damage_in_the_middle_is_said(records: Records) -> None:
    talk(records, *TURN)
    records.close()
    path = only(records).path
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"\xff{", b'{"kind": "MessageChunk", "data": 1}', *lines[1:]]))
    session = records.load(path)
    assert notices(session) == ["Parts of this record could not be read"]
    assert len(session.entries) == 5


def test_what_was_open_is_closed_and_what_waited_is_said(records: Records) -> None:
    talk(records, *TURN, user("again"), running(), tool("2"), facts.PromptQueued([text("and then?")]))
    records.close()
    session = records.load(only(records).path)
    assert not session.turn.active
    assert session.queue == []
    assert notices(session) == ["The record ends here", "This prompt was never sent"]


def test_a_new_session_takes_the_transcript_as_history(records: Records) -> None:
    talk(records, *TURN)
    records.close()
    info = only(records)
    told, session = records.load(info.path), Session("", "/project")
    continue_in(session, told, info)
    assert notices(session) == ["Restored from a local record"]
    assert session.title == "fix the login"
    assert session.entries[0].started_at < session.clock()
    assert not session.closed


def test_a_history_tells_what_it_is_called(records: Records) -> None:
    talk(records, *TURN, facts.SessionNamed("Doors"))
    records.close()
    told, session = records.load(only(records).path), Session("", "/project")
    observed: list[Event] = []
    session.observe(observed.append)
    continue_in(session, told, only(records))
    assert (session.title, session.named) == ("Doors", True)
    assert observed[0] == facts.SessionNamed("Doors")


def test_nothing_of_a_record_is_in_flight(records: Records) -> None:
    asked = facts.ConfigOptionRequested("mode", "plan")
    talk(records, *TURN, asked, asked)
    records.close()
    session = records.load(only(records).path)
    assert (session.config_in_flight, dict(session.index.config_requests)) == ({}, {})


def test_what_was_typed_into_forms_and_options_is_not_written(records: Records) -> None:
    schema = ElicitationSchema(properties={"name": StringProperty(), "model": StringProperty(enum=["large"])})
    form = FormElicitation(mode="form", message="?", session_id="s-1", requested_schema=schema)
    session = talk(records, user("hi"), facts.InputOptionsOffered(schema, {"name": "hunter2"}, "no"))
    sent: list[dict[str, Any]] = []
    asked = Questions(session)
    asked.ask(1, form, sent.append)
    asked.answer_elicitation(session.elicitations[0].key, "accept", {"name": "hunter2", "model": "large"})
    records.close()
    assert sent == [{"action": "accept", "content": {"name": "hunter2", "model": "large"}}]
    assert "hunter2" not in only(records).path.read_text()
    kept = {"name": "(not recorded)", "model": "large"}
    assert to_json(records.load(only(records).path))["entries"][1]["content"] == kept
    assert not session.elicitations


def test_a_disk_that_hangs_ends_the_record_which_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriteBehind, "put", lambda *_: False)
    session = talk(Records(tmp_path), *TURN)
    assert notices(session) == ["Recording of this session has stopped"]


def test_a_full_record_says_so_in_itself_and_on_the_screen_once(tmp_path: Path) -> None:
    recording = SessionRecording(tmp_path, lambda: {"agent": "a"}, cap=50_000)
    recording.write([(0, user("hi"))])
    for _ in range(20):
        recording.write([(1, say("x" * 10_000))])
    assert [notice.title for notice in recording.notices] == ["Recording of this session has stopped"]
    session = Records(tmp_path).load(only(Records(tmp_path)).path)
    assert notices(session) == ["Recording of this session has stopped"]
    assert only(Records(tmp_path)).size < 52_000


def test_terminals_leave_room_for_words(tmp_path: Path) -> None:
    recording = SessionRecording(tmp_path, lambda: {"agent": "a"}, cap=100_000)
    recording.write([(0, user("hi"))])
    for _ in range(20):
        recording.write([(1, TerminalOutputChunk(terminal_id="1", data=b"x" * 10_000))])
    recording.write([(2, say("a word"))])
    assert [notice.title for notice in recording.notices] == ["Terminal output is no longer recorded"]
    session = Records(tmp_path).load(only(Records(tmp_path)).path)
    assert isinstance(session.entries[-1], MessageEntry)
    assert 40_000 < session.terminals["1"].size < 70_000


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("in the way")
    records = Records(tmp_path / "records")
    session = talk(records, user("hi"), idle())
    records.close()
    session.apply(say("more"))
    session.apply(say("and more"))
    assert notices(session) == ["Recording of this session has stopped"]


def test_a_record_is_deleted_and_nothing_else_ever(records: Records, tmp_path: Path) -> None:
    talk(records, *TURN)
    records.close()
    other = tmp_path / "other.jsonl"
    other.write_text("mine")
    with pytest.raises(UserFault, match="Not a record"):
        records.delete(other)
    records.delete(only(records).path)
    assert records.list() == []
    assert other.exists()


def test_what_is_no_record_is_not_listed_and_cannot_be_loaded(records: Records) -> None:
    records.folder.mkdir()
    for name, data in (("a", b""), ("b", b"\xff\n"), ("c", b'{"kind":"about"}\n')):
        (records.folder / f"{name}.jsonl").write_bytes(data)
    assert records.list() == []
    with pytest.raises(UserFault, match="cannot be read"):
        records.load(records.folder / "a.jsonl")
    with pytest.raises(UserFault, match="cannot be read"):
        records.load(records.folder / "missing.jsonl")


@SHARING
@given(EVENTS)
def test_any_session_is_told_again_as_it_was(tmp_path: Path, events: list[Update | facts.Fact]) -> None:
    records = Records(tmp_path)
    session = talk(records, user("begin"), *events)
    records.close()
    info = only(records)
    again = records.load(info.path)
    records.delete(info.path)
    ours = [entry for entry in to_json(session)["entries"] if entry["type"] == "message"]
    theirs = [entry for entry in to_json(again)["entries"] if entry["type"] == "message"]
    assert [(entry["id"], entry["parts"]) for entry in theirs] == [(entry["id"], entry["parts"]) for entry in ours]


def test_a_name_that_the_user_gave_is_in_the_record(records: Records) -> None:
    talk(records, *TURN, facts.SessionNamed("Doors"), SessionInfoUpdate(title="Of the agent"))
    records.close()
    info = only(records)
    assert (info.title, info.named) == ("Doors", True)
    assert records.load(info.path).title == "Doors"


@pytest.mark.parametrize("end", [b"", b'{"kind":"Mess'])
def test_a_record_is_renamed_where_it_lies(records: Records, end: bytes) -> None:
    talk(records, *TURN)
    records.close()
    before = only(records)
    with before.path.open("ab") as file:
        file.write(end)
    os.utime(before.path, (1_000_000_000, 1_000_000_000))
    records.rename(before.path, "Cellar \u2022 door")
    info = only(records)
    assert (info.title, info.named, info.session_id) == ("Cellar \u2022 door", True, "s-1")
    assert info.updated.year == 2001
    assert len(records.load(info.path).entries) >= len(TURN) - 3
    records.rename(info.path, "Again")
    assert only(records).title == "Again"
    with pytest.raises(UserFault):
        records.rename(records.folder.parent / "other.jsonl", "X")
    with pytest.raises(UserFault):
        records.rename(records.folder / "none.jsonl", "X")
