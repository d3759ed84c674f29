"""The index of the records: it says what the files say, leaves nothing of what is deleted, and is never needed."""

import errno
import os
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.records import index, search
from acp_tui.host.records.record_info import INDEX_COLUMNS, TABLE_VERSION
from acp_tui.host.records.records import Records
from acp_tui.session.facts import Branched
from acp_tui.session.state import Session
from tests.rows import each_of
from tests.unit.session.speech import idle, running, say, user

SECRET = "hunter2-is-a-secret"


@pytest.fixture(autouse=True)
def used(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few records there are, the index and the texts are used."""
    monkeypatch.setattr(search, "BREAK_EVEN", 0)
    monkeypatch.setattr(search, "AT_REST", 1_000)
    monkeypatch.setattr(index, "WORTH", 0)
    monkeypatch.setattr(index, "PATIENCE", 0.05)
    monkeypatch.setattr(index, "DELETING", 0.05)


def opened(folder: Path) -> Records:
    return Records(folder / "records", cache=folder / "cache")


def record(folder: Path, id_: str, words: str, cwd: str = "/p", branched: Branched | None = None) -> Path:
    records = opened(folder)
    session = Session(id=id_, cwd=cwd, agent_name="Ägent")
    records.record(session)
    if branched is not None:
        session.apply(branched)
    for event in (user(words), running(), say(f"about {words}"), idle()):
        session.apply(event)
    records.close()
    path = records.path_of(session)
    assert path is not None
    return path


def agrees(folder: Path) -> list[str]:
    """List and search by the index, which agree with the files; the ids of the sessions."""
    plain = Records(folder / "records")
    plain._cached = search.RecordsCache(plain.folder, None)
    for _ in range(2):
        assert opened(folder).list() == plain.list()
        assert opened(folder).list("/p") == plain.list("/p")
        assert opened(folder).search(["about"]) == plain.search(["about"])
    return [info.session_id for info in plain.list()]


def texts_in(folder: Path) -> list[Path]:
    return list((folder / "cache" / "text").iterdir())


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_it_says_what_the_files_say_whatever_becomes_of_them(tmp_path: Path) -> None:
    assert agrees(tmp_path) == []
    paths = [record(tmp_path, id_, f"word {id_} \udc80", f"/{id_}") for id_ in ("p", "q", "r")]
    record(tmp_path, "b", "branched", "/p", Branched("p", "u1", 3, "words\x00"))
    (tmp_path / "records" / "none.jsonl").write_text("no record\n")
    assert sorted(agrees(tmp_path)) == ["b", "p", "q", "r"]
    opened(tmp_path).rename(paths[0], "Another title")
    assert "Another title" in [info.title for info in opened(tmp_path).list()]
    agrees(tmp_path)
    paths[1].unlink()  # by hand
    os.utime(paths[2], (1, 1))  # a clock that was put back
    assert sorted(agrees(tmp_path)) == ["b", "p", "r"]
    assert b"word q" not in bytes_in(tmp_path / "cache")
    with paths[2].open("ab") as file:
        file.write(b'{"t":1,"kind":"Noticed","data":{"severity":"info","title":"grown about"}}\n')
    agrees(tmp_path)
    assert [hit.info.session_id for hit in opened(tmp_path).search(["grown"]).hits] == ["r"]


def test_other_columns_are_another_version() -> None:
    """An index of other columns must be made anew; what a program of before has made has these."""
    assert (TABLE_VERSION, len(INDEX_COLUMNS)) == (3, 14)


def test_what_is_deleted_is_nowhere(tmp_path: Path) -> None:
    path = record(tmp_path, "s", SECRET)
    record(tmp_path, "t", "something else")
    agrees(tmp_path)
    assert SECRET.encode() in bytes_in(tmp_path / "cache")
    opened(tmp_path).delete(path)
    assert SECRET.encode() not in bytes_in(tmp_path)
    assert len(texts_in(tmp_path)) == 1
    assert agrees(tmp_path) == ["t"]


def test_pruning_takes_text_and_row_too(tmp_path: Path) -> None:
    path = record(tmp_path, "old", SECRET)
    os.utime(path, (1, 1))
    agrees(tmp_path)
    records = Records(tmp_path / "records", 1, tmp_path / "cache")
    session = Session(id="new", cwd="/p", agent_name="A")
    records.record(session)
    session.apply(user("hello"))
    records.close()
    assert SECRET.encode() not in bytes_in(tmp_path)


def test_only_its_owner_can_look_inside(tmp_path: Path) -> None:
    record(tmp_path, "s", SECRET)
    before = os.umask(0)
    try:
        agrees(tmp_path)
    finally:
        os.umask(before)
    for path in (tmp_path / "cache").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def locked(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN EXCLUSIVE")
    KEPT_OPEN.append(connection)


KEPT_OPEN: list[sqlite3.Connection] = []


def newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def without_tables(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE text; DROP TABLE record")
    connection.close()


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def each_text(act: Callable[[Path], object]) -> Callable[[Path], None]:
    def act_on_all(path: Path) -> None:
        for each in (path.parent / "text").iterdir():
            act(each)

    return act_on_all


SPOILT: list[tuple[str, Callable[[Path], object]]] = [
    ("garbage", lambda path: path.write_bytes(os.urandom(5_000))),
    ("truncated", lambda path: os.truncate(path, 5_000)),
    ("cut short", lambda path: os.truncate(path, 10)),
    ("empty", lambda path: os.truncate(path, 0)),
    ("a folder", lambda path: replaced(path, Path.mkdir)),
    ("a pipe", lambda path: replaced(path, os.mkfifo)),
    ("a link", lambda path: replaced(path, lambda each: each.symlink_to("/etc/passwd"))),
    ("locked for ever", locked),
    ("of a newer version", newer),
    ("without tables", without_tables),
    ("a journal of garbage", lambda path: path.with_name("index.db-journal").write_bytes(b"\xd9\xd5\x05" * 900)),
    ("a journal that is a folder", lambda path: path.with_name("index.db-journal").mkdir()),
    ("without texts", each_text(Path.unlink)),
    ("texts cut", each_text(partial(os.truncate, length=3))),
    ("texts that are pipes", each_text(partial(replaced, make=os.mkfifo))),
    ("texts that are folders", each_text(partial(replaced, make=Path.mkdir))),
]


@pytest.mark.parametrize(("what", "spoil"), SPOILT, ids=[what for what, _ in SPOILT])
def test_where_it_is_spoilt_the_files_are_read(tmp_path: Path, what: str, spoil: Callable[[Path], object]) -> None:
    record(tmp_path, "s", "one")
    record(tmp_path, "t", "two")
    agrees(tmp_path)
    spoil(tmp_path / "cache" / "index.db")
    try:
        if what != "texts cut":
            assert sorted(agrees(tmp_path)) == ["s", "t"]
        assert len(opened(tmp_path).list()) == 2
    finally:
        while KEPT_OPEN:
            KEPT_OPEN.pop().close()


def test_deleting_says_so_where_something_may_stay(tmp_path: Path) -> None:
    path = record(tmp_path, "s", SECRET)
    agrees(tmp_path)
    locked(tmp_path / "cache" / "index.db")
    try:
        with pytest.raises(UserFault, match="index of the records"):
            opened(tmp_path).delete(path)
    finally:
        KEPT_OPEN.pop().close()
    opened(tmp_path).delete(path)
    assert SECRET.encode() not in bytes_in(tmp_path)


def test_on_a_disk_of_the_network_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(tmp_path, "s", "one")
    monkeypatch.setattr(index, "file_system_of", lambda _path: "nfs4")
    agrees(tmp_path)
    assert not (tmp_path / "cache" / "index.db").exists()


def test_where_it_cannot_be_written_there_is_none(tmp_path: Path) -> None:
    record(tmp_path, "s", "one")
    (tmp_path / "cache").write_text("a file in its place")
    agrees(tmp_path)


def test_on_a_full_disk_the_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    record(tmp_path, "s", "one")
    with monkeypatch.context() as patch:
        patch.setattr(index, "write_private", full)
        agrees(tmp_path)
        assert not (tmp_path / "cache" / "text").exists()
        patch.setattr(index, "private_folder", full)
        agrees(tmp_path)
    agrees(tmp_path)
    assert len(texts_in(tmp_path)) == 1


def test_ten_programs_at_once_agree(tmp_path: Path) -> None:
    for number in range(20):
        record(tmp_path, str(number), "one")
    found: list[int] = []

    def look() -> None:
        for _ in range(5):
            found.append(len(opened(tmp_path).list()))
            found.append(len(opened(tmp_path).search(["about"]).hits))

    threads = [threading.Thread(target=look) for _ in range(10)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert set(found) == {20}
    agrees(tmp_path)


def test_a_thread_makes_the_texts_beforehand_and_ends_with_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path, "s", "one")
    monkeypatch.setattr(search, "AT_REST", 0)
    records = opened(tmp_path)
    records._cached._keep_texts(records.list)
    assert len(texts_in(tmp_path)) == 1
    monkeypatch.setattr(search, "AT_REST", 1_000)
    record(tmp_path, "t", "two")
    records.close()
    records._cached._keep_texts(records.list)
    assert len(texts_in(tmp_path)) == 1


def test_few_records_make_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BREAK_EVEN", 100)
    monkeypatch.setattr(index, "WORTH", 1 << 20)
    record(tmp_path, "s", "one")
    agrees(tmp_path)
    assert not (tmp_path / "cache").exists()


@each_of("word", ["groß", "GROSS", "İ", "é", "e\u0301", "漢字", "\udc80", "a.b*c", "%", "\x00x"])
def test_words_of_any_kind_are_found_alike(word: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("words")
    record(folder, "s", f"before {word} after")
    record(folder, "t", "Groß é e\u0301 strasse i̇")
    plain = Records(folder / "records")
    expected = plain.search([word])
    for _ in range(2):
        assert opened(folder).search([word]) == expected


@given(st.lists(st.lists(st.sampled_from(["cat", "Dog", "bird", "fish cat", "dogbird"]), max_size=4), max_size=4))
def test_the_same_sessions_and_the_same_snippets_are_found(said: list[list[str]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, words in enumerate(said):
            record(folder, str(number), " / ".join(words) or "nothing")
        for sought in (["cat"], ["dog", "bird"], ["cat", "nothing"]):
            expected = Records(folder / "records").search(sought)
            assert [opened(folder).search(sought) for _ in range(2)] == [expected, expected]
