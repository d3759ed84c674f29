"""All records together have a cap: the oldest go, never one that is being written, and the log says so."""

import logging
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.records.records import Records
from acp_tui.host.records.session_recording import hold, make_room
from acp_tui.session.state import Session
from tests.unit.session.speech import idle, running, say, user


def record(folder: Path, name: str, size: int, age: int) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"x" * size)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.jsonl"))


def test_the_oldest_go_until_the_rest_fits_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("acp_tui"), "propagate", True)
    for age, name in enumerate(("e", "d", "c", "b", "a")):
        record(tmp_path, name, 100, age)
    (tmp_path / "other.txt").write_text("y" * 1000)
    assert [path.stem for path in make_room(tmp_path, 300)] == ["a", "b"]
    assert names(tmp_path) == ["c", "d", "e"]
    assert (tmp_path / "other.txt").exists()
    assert "deleted the 2 oldest, a.jsonl to b.jsonl" in caplog.text
    assert make_room(tmp_path, 300) == []


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    oldest = record(tmp_path, "a", 100, 9)
    record(tmp_path, "b", 100, 5)
    record(tmp_path, "c", 100, 1)
    descriptor = os.open(oldest, os.O_WRONLY | os.O_APPEND)
    try:
        hold(descriptor)
        make_room(tmp_path, 250)
        assert names(tmp_path) == ["a", "c"]
    finally:
        os.close(descriptor)
    make_room(tmp_path, 0)
    assert names(tmp_path) == []


def test_there_may_be_no_folder(tmp_path: Path) -> None:
    assert make_room(tmp_path / "none", 0) == []


@given(st.lists(st.integers(0, 50), max_size=8), st.integers(0, 200))
def test_what_stays_fits_and_nothing_more_would(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], total: int
) -> None:
    folder = tmp_path_factory.mktemp("records")
    for age, size in enumerate(sizes):
        record(folder, f"{age:02}", size, age)
    gone = make_room(folder, total)
    kept = sizes[: len(sizes) - len(gone)]
    assert names(folder) == [f"{age:02}" for age in range(len(kept))]
    assert sum(kept) <= total
    assert not gone or sum(sizes[: len(kept) + 1]) > total


def test_a_new_record_makes_room_for_itself(tmp_path: Path) -> None:
    record(tmp_path, "old", 5_000, 5)
    record(tmp_path, "older", 5_000, 9)
    records = Records(tmp_path, total=7_000)
    session = Session("s", "/project")
    records.record(session)
    for event in (user("hi"), running(), say("hello"), idle()):
        session.apply(event)
    records.close()
    assert [info.title for info in records.list()] == ["hi"]
    assert names(tmp_path)[1:] == ["old"]
    assert len(names(tmp_path)) == 2
