"""A recorded session named on the command line, and facts that its record hears of later."""

import json
import os
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.records.records import Records
from acp_tui.session.facts import HandedOver, TakenOver
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.session.state import Session
from tests.unit.session.speech import say


def put(records: Records, session_id: str, *, agent: str = "A", cwd: str = "/p", at: int = 0, lines: str = "") -> Path:
    """A record of this session; a later one has a higher `at`."""
    records.folder.mkdir(exist_ok=True)
    path = records.folder / f"20261123-12{at:04}-{session_id or 'none'}.jsonl"
    head = {"kind": "record", "session_id": session_id, "agent": agent, "cwd": cwd, "title": f"title {at}"}
    path.write_text(json.dumps(head) + "\n" + lines)
    os.utime(path, (1_000_000 + at, 1_000_000 + at))
    return path


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "records")


def test_a_whole_id_or_its_start_means_the_last_record_of_it(records: Records) -> None:
    put(records, "abc", at=1)
    put(records, "abcdef", at=2)
    last = put(records, "abcdef", at=3)
    put(records, "", at=4)
    assert records.meant("abcd", None).path == last
    assert records.meant("abcdef", None).path == last
    assert records.meant("abc", None).session_id == "abc", "a whole id is no start of another one"


def test_latest_is_the_last_of_the_folder(records: Records) -> None:
    mine = put(records, "one", at=1)
    put(records, "two", cwd="/elsewhere", at=2)
    assert records.meant("latest", "/p").path == mine
    with pytest.raises(UserFault, match="No recorded session in this folder"):
        records.meant("latest", "/nowhere")


def test_what_nobody_has_is_said(records: Records) -> None:
    with pytest.raises(UserFault, match="No recorded session has an ID that starts with x␛"):
        records.meant("x\x1b", None)


def test_several_are_named_and_counted(records: Records) -> None:
    for at in range(7):
        put(records, f"abc{at}", at=at)
    with pytest.raises(UserFault, match="Several recorded sessions") as raised:
        records.meant("abc", None)
    told = raised.value.message.split("\n")
    assert told[0] == "abc6  A, title 6"
    assert told[-1] == "and 2 more"


class TestTelling:
    """What has become of a session after its record ended."""

    def test_it_is_told_once_more_and_the_record_is_not_newer(self, records: Records) -> None:
        path = put(records, "one", at=1, lines='{"t": 1, "kind": "torn')
        before = path.stat().st_mtime_ns
        records.tell(path, HandedOver("x", "B", "b-1"))
        assert path.stat().st_mtime_ns == before
        link = records.load(path).entries[0]
        assert isinstance(link, HandOverEntry)
        assert (link.way, link.mark, link.agent, link.session_id) == ("to", "x", "B", "b-1")

    def test_what_is_no_record_of_ours_or_gone_stays_so(self, records: Records, tmp_path: Path) -> None:
        path = put(records, "one")
        path.unlink()
        for where in (path, tmp_path / "other.jsonl"):
            with pytest.raises(UserFault):
                records.tell(where, HandedOver("x", "B"))
            assert not where.exists()


class TestLinked:
    """The record of the other side of a hand-over."""

    def test_of_several_of_one_id_it_is_the_one_that_bears_the_mark(self, records: Records) -> None:
        old, new = put(records, "one", at=1), put(records, "one", at=2)
        put(records, "one", agent="Other", at=3)
        records.tell(old, TakenOver('ma"rk', "B", "b-1"))
        found = records.linked("A", "one", 'ma"rk')
        assert found is not None
        assert found.path == old
        other = records.linked("A", "one", "lost")
        assert other is not None
        assert other.path == new, "an agent that told its session anew has no mark in its record"

    def test_nothing_is_found_without_an_id_or_a_record(self, records: Records) -> None:
        put(records, "", at=1)
        assert records.linked("A", "", "x") is None
        assert records.linked("A", "gone", "x") is None


def test_links_of_all_records_of_a_session(records: Records) -> None:
    old, new = put(records, "one", at=1), put(records, "one", at=2)
    other = put(records, "one", agent="Other", at=3)
    told = [TakenOver("x", "B", "b-1"), HandedOver("y", "C", "c-1")]
    records.tell(new, told[1])
    records.tell(old, told[0])
    records.tell(other, HandedOver("z", "D"))
    with new.open("a") as file:
        file.write('{"kind":"HandedOver","data":7}\n{"kind":"HandedOver"\n{"data":{"kind":"HandedOver"}}\n')
    os.utime(new, (1_000_002, 1_000_002))
    assert records.links("A", "one") == told


def test_a_link_in_an_open_session_is_recorded(records: Records) -> None:
    session = Session("one", "/p", "A")
    records.record(session)
    session.apply(say("hi"))
    session.apply(HandedOver("x", "B", "b-1"))
    records.close()
    [info] = records.list()
    links = [entry for entry in records.load(info.path).entries if isinstance(entry, HandOverEntry)]
    assert [link.session_id for link in links] == ["b-1"]
