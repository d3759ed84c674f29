"""What is kept of files: what goes in comes out, what is damaged is no data, and large ones go through in pieces."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.snapshots import content
from acp_tui.host.snapshots.content import PIECE, WHOLE_AT_MOST, Content, digest_of, is_sparse, move_blobs
from acp_tui.host.snapshots.database import ASIDE, FILE_NAME, Database, StoreFault

BLOBS = st.lists(
    st.binary(max_size=200) | st.builds(lambda one, n: one * n, st.binary(max_size=9), st.integers(0, 9000))
)


def random_bytes(size: int, seed: int = 1) -> bytes:
    return Random(seed).randbytes(size)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def kept(tmp_path: Path) -> Content:
    return Content(Database(tmp_path / "s"))


def elsewhere(folder: Path, statement: str, *given: object) -> None:
    """As another program does it."""
    connection = sqlite3.connect(folder / FILE_NAME)
    with connection:
        connection.execute(statement, given)
    connection.close()


@given(BLOBS)
def test_what_is_kept_comes_back(tmp_path_factory: pytest.TempPathFactory, blobs: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("store") / "s"
    with Content(Database(folder)).writing() as writer:
        digests = [writer.keep(blob).hex() for blob in blobs]
    again = Content(Database(folder))
    assert [again.get(digest) for digest in digests] == blobs
    assert digests == [digest_of(blob).hex() for blob in blobs]
    assert again.digests() == {digest_of(blob) for blob in blobs}


@pytest.mark.parametrize("size", [0, 1, PIECE, WHOLE_AT_MOST - 1, WHOLE_AT_MOST, 9 << 20])
@pytest.mark.parametrize("plain", [True, False])
def test_large_and_small_ones_by_pieces(kept: Content, size: int, plain: bool) -> None:
    data = bytes(size) if plain else random_bytes(size)
    assert kept.keep(BytesIO(data)) == digest_of(data).hex()
    assert kept.keep(data) == digest_of(data).hex()
    assert max(map(len, kept.pieces(digest_of(data).hex())), default=0) <= PIECE
    assert kept.get(digest_of(data).hex()) == data


def test_many_megabytes_are_compressed_beside_and_all_of_them_come_back(
    kept: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "GATHERED", 1 << 20)
    blobs = [random_bytes(300_000, seed) for seed in range(20)]
    with kept.writing() as writer:
        digests = [writer.keep(blob).hex() for blob in blobs]
        assert kept.has(digests[0]), "it is written before the end"
    assert [kept.get(digest) for digest in digests] == blobs


def test_the_same_bytes_are_kept_once(kept: Content, tmp_path: Path) -> None:
    data = random_bytes(5 << 20)
    for _ in range(3):
        kept.keep(data)
        kept.keep(BytesIO(data))
    with Database(tmp_path / "s").reading() as connection:
        assert connection.execute("SELECT count(*), sum(size) FROM blob").fetchone() == (1, len(data))
        assert connection.execute("SELECT count(*) FROM piece").fetchone() == (5,)


def test_two_writers_keep_the_same_at_once(tmp_path: Path) -> None:
    one, other = Content(Database(tmp_path / "s")), Content(Database(tmp_path / "s"))
    with one.writing() as first, other.writing() as second:
        both = [first.keep(b"a"), second.keep(b"a"), first.keep(b"b"), second.keep(b"c")]
        assert (len(first.known), len(second.known)) == (2, 2)
        first.commit()
    assert [one.get(each.hex()) for each in both] == [b"a", b"a", b"b", b"c"]


def test_another_one_keeps_the_same_under_a_number_that_is_free_again(kept: Content, tmp_path: Path) -> None:
    kept.keep(b"first")
    with kept.writing() as writer:
        writer.keep(b"the same")
        for table in ("piece", "blob"):
            elsewhere(tmp_path / "s", f"DELETE FROM {table}")
        kept.keep(b"the same")
    assert len(kept.digests()) == 1


def test_more_than_may_be_kept_leaves_nothing(kept: Content) -> None:
    for size in (10, WHOLE_AT_MOST + 10):
        with kept.writing() as writer, suppress(ValueError):
            pytest.fail(writer.keep_file(BytesIO(bytes(size)), size - 1).hex())
    assert kept.digests() == set()


def test_what_was_never_kept_is_a_fault(kept: Content) -> None:
    with pytest.raises(StoreFault, match="gone"):
        kept.get("00" * 20)


@pytest.mark.parametrize("data", [random_bytes(90_000), b"plain text " * 9000, bytes(3 << 20)])
def test_a_damaged_one_is_a_fault_no_data_and_costs_no_other(kept: Content, tmp_path: Path, data: bytes) -> None:
    other, digest = kept.keep(b"other"), kept.keep(data)
    for way in ("data = zeroblob(length(data))", "id = id + 1, data = zeroblob(9)"):
        elsewhere(tmp_path / "s", f"UPDATE piece SET {way} WHERE id = (SELECT max(id) FROM piece)")
        with pytest.raises(StoreFault, match="damaged"):
            kept.get(digest)
        assert (kept.has(digest), kept.get(other)) == (False, b"other")
        assert kept.keep(data) == digest
        assert kept.get(digest) == data
    assert not [*(tmp_path / "s").glob(f"{ASIDE}*")]


def test_who_reads_what_is_pruned_meanwhile_hears_that_it_is_gone_and_nothing_is_put_aside(
    kept: Content, tmp_path: Path
) -> None:
    digest = kept.keep(random_bytes(3 << 20))
    pieces = kept.pieces(digest)
    next(pieces)
    for table in ("piece", "blob"):
        elsewhere(tmp_path / "s", f"DELETE FROM {table}")
    with pytest.raises(StoreFault, match="gone"):
        next(pieces)
    assert not [*(tmp_path / "s").glob(f"{ASIDE}*")]


def test_who_reads_what_is_moved_meanwhile_gets_all_of_it(kept: Content, tmp_path: Path) -> None:
    data = random_bytes(3 << 20)
    pieces = kept.pieces(kept.keep(data))
    begun = next(pieces)
    moved = move_all(Database(tmp_path / "s"))
    assert moved > 0
    assert begun + b"".join(pieces) == data


def test_a_large_one_that_is_being_written_is_not_moved(kept: Content, tmp_path: Path) -> None:
    data = random_bytes(6 << 20)

    class Moved(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell():
                move_all(Database(tmp_path / "s"))
            return super().read(size)

    kept.keep(b"other")
    assert kept.get(kept.keep(Moved(data))) == data


def test_a_large_one_that_was_pruned_while_it_was_written_is_said(kept: Content, tmp_path: Path) -> None:
    class Pruned(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell():
                elsewhere(tmp_path / "s", "DELETE FROM blob WHERE digest IS NULL")
            return super().read(size)

    file = Pruned(random_bytes(5 << 20))
    with pytest.raises(StoreFault, match="not saved"):
        kept.keep(file)
    with Database(tmp_path / "s").reading() as connection:
        assert connection.execute("SELECT count(*) FROM piece").fetchone() == (0,)


def test_who_reads_what_is_pruned_costs_nothing_that_has_its_number_now(kept: Content, tmp_path: Path) -> None:
    pieces = kept.pieces(kept.keep(random_bytes(3 << 20)))
    next(pieces)
    for table in ("piece", "blob"):
        elsewhere(tmp_path / "s", f"DELETE FROM {table}")
    other = kept.keep(random_bytes(3 << 20, 2))
    with pytest.raises(StoreFault):
        list(pieces)
    assert kept.has(other)


def move_all(database: Database) -> int:
    with database.reading() as connection:
        end = connection.execute("SELECT max(id) + 1 FROM blob").fetchone()[0]
    count, left = 0, end
    while left is not None:
        with database.writing() as connection:
            left = move_blobs(end, connection)
        count += 1
    return count - 1


def test_moved_ones_are_the_same_in_fuller_pages(kept: Content, tmp_path: Path) -> None:
    database = Database(tmp_path / "s")
    with kept.writing() as writer:
        digests = [writer.keep(random_bytes(3000, seed)) for seed in range(2000)]
    elsewhere(tmp_path / "s", "DELETE FROM piece WHERE id / (1 << 20) % 2")
    elsewhere(tmp_path / "s", "DELETE FROM blob WHERE id % 2")
    database.vacuum()
    with database.reading() as connection:
        assert is_sparse(connection)
    move_all(database)
    database.vacuum()
    with database.reading() as connection:
        assert not is_sparse(connection)
    left = [digest for digest in digests if kept.has(digest.hex())]
    assert len(left) == 1000
    assert [digest_of(kept.get(digest.hex())) for digest in left] == left
    assert (tmp_path / "s" / FILE_NAME).stat().st_size < 1.2 * 3000 * 1000 + content.SMALL


def test_one_of_long_paths_and_small_files_is_not_sparse(tmp_path: Path) -> None:
    """Else each pruning would move all of it, again and again."""
    database = Database(tmp_path / "s")
    with Content(database).writing() as writer:
        digests = [writer.keep(b"%d" % number) for number in range(10_000)]
    with database.writing() as connection:
        connection.executemany(
            "INSERT INTO row VALUES (NULL, ?, 1, NULL, 1, 0, 0, 1, ?, 0, 0, 0)",
            [(b"%032d" % (number * 7919 % 10_000) * 6, digest) for number, digest in enumerate(digests)],
        )
    with database.reading() as connection:
        assert not is_sparse(connection)


@pytest.fixture
def bare_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("bare_umask")
def test_only_the_owner_can_read_it_whatever_the_umask(tmp_path: Path) -> None:
    Content(Database(tmp_path / "state" / "s")).keep(b"secret")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").rglob("*") if path.is_file()}
    folders = [tmp_path / "state", *(path for path in (tmp_path / "state").rglob("*") if path.is_dir())]
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_what_is_compressed_already_is_kept_as_it_is(kept: Content, tmp_path: Path) -> None:
    kept.keep(random_bytes(60_000))
    kept.keep(b"a" * 60_000)
    with Database(tmp_path / "s").reading() as connection:
        rows = connection.execute("SELECT packed, length(data) < 1000 FROM piece ORDER BY id").fetchall()
    assert rows == [(0, 0), (1, 1)]
