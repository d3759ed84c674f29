"""The store: what goes in comes out, torn ends are no data, what nothing names is gone from the disk."""

import errno
import os
import stat
import zlib
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.snapshots import pack, store
from acp_tui.host.snapshots.manifest import Manifests
from acp_tui.host.snapshots.pack import digest_of
from acp_tui.host.snapshots.store import Store, StoreFault
from acp_tui.host.snapshots.table import FILE, Row

BLOBS = st.lists(
    st.binary(max_size=200) | st.builds(lambda one, n: one * n, st.binary(max_size=9), st.integers(0, 9000))
)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def random_bytes(size: int, seed: int = 1) -> bytes:
    return Random(seed).randbytes(size)


@given(BLOBS)
def test_what_is_kept_comes_back(tmp_path_factory: pytest.TempPathFactory, blobs: list[bytes]) -> None:
    kept = Store(tmp_path_factory.mktemp("store") / "s")
    with kept.writing() as writer:
        digests = [writer.keep(blob).hex() for blob in blobs]
    again = Store(kept.folder)
    assert [again.get(digest) for digest in digests] == blobs
    assert digests == [digest_of(blob).hex() for blob in blobs]
    assert again.digests() == {digest_of(blob) for blob in blobs}


@pytest.mark.parametrize("size", [0, 1, pack.PIECE, pack.WHOLE_AT_MOST - 1, pack.WHOLE_AT_MOST, 9 << 20])
@pytest.mark.parametrize("plain", [True, False])
def test_large_and_small_ones_by_pieces(tmp_path: Path, size: int, plain: bool) -> None:
    content = bytes(size) if plain else random_bytes(size)
    kept = Store(tmp_path / "s")
    assert kept.keep(BytesIO(content)) == digest_of(content).hex()
    assert kept.keep(content) == digest_of(content).hex()
    assert max(map(len, kept.pieces(digest_of(content).hex()))) <= pack.PIECE
    assert kept.get(digest_of(content).hex()) == content
    assert len(list(kept.folder.rglob("*.pack"))) == 1


def test_many_megabytes_are_compressed_beside_and_all_of_them_come_back(tmp_path: Path) -> None:
    blobs = [random_bytes(300_000, seed) for seed in range(40)]
    kept = Store(tmp_path / "s")
    with kept.writing() as writer:
        digests = [writer.keep(blob).hex() for blob in blobs]
    assert [Store(kept.folder).get(digest) for digest in digests] == blobs


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    content = random_bytes(5 << 20)
    for _ in range(3):
        kept.keep(content)
        kept.keep(BytesIO(content))
    (only,) = kept.packs
    assert only.stat().st_size < 5.1 * (1 << 20)


def test_only_the_owner_can_read_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        kept = Store(tmp_path / "state" / "s")
        kept.keep(b"secret")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").rglob("*") if path.is_file()}
    folders = [tmp_path / "state", *(path for path in (tmp_path / "state").rglob("*") if path.is_dir())]
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


@pytest.mark.parametrize("cut", [1, 20, 45, 60, 89])
def test_a_torn_index_hides_only_what_was_torn(tmp_path: Path, cut: int) -> None:
    kept = Store(tmp_path / "s")
    first, second = kept.keep(b"first"), kept.keep(b"second")
    (path,) = kept.packs
    index = path.with_suffix(".index")
    index.write_bytes(index.read_bytes()[:-cut])
    torn = Store(kept.folder)
    assert torn.get(first) == b"first"
    assert not torn.has(second)
    third = torn.keep(b"third")  # behind what was torn
    assert [Store(kept.folder).get(each) for each in (first, third, torn.keep(b"second"))] == [
        b"first",
        b"third",
        b"second",
    ]


def test_an_index_with_a_wrong_bit_is_not_believed(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    digest = kept.keep(b"first")
    index = kept.packs[0].with_suffix(".index")
    data = bytearray(index.read_bytes())
    data[-3] ^= 1
    index.write_bytes(data)
    assert not Store(kept.folder).has(digest)


def test_each_row_of_an_index_is_found_and_no_other(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    with kept.writing() as writer:
        for part in range(3):  # batches of rows
            digests = [writer.keep(b"%d %d" % (part, number)) for number in range(40)]
            writer.commit()
    index = pack.index_of(kept.packs[0])
    finder, rows = pack.Finder(index), list(pack.blobs_in(index))
    assert len(rows) == 3 * 40
    assert [finder.find(row.digest) for row in rows] == rows
    assert finder.find(bytes(20)) is finder.find(b"\xff" * 20) is finder.find(digests[0][1:] + b"\0") is None
    assert pack.Finder(b"").find(digests[0]) is None


def test_a_damaged_blob_is_a_fault_and_no_data(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    for content in (random_bytes(90_000), b"plain text " * 9000):
        digest = kept.keep(content)
        blob = pack.Finder(pack.index_of(kept.packs[0])).find(bytes.fromhex(digest))
        assert blob is not None
        data = bytearray(kept.packs[0].read_bytes())
        data[blob.offset + blob.length // 2] ^= 0x55
        kept.packs[0].write_bytes(data)
        with pytest.raises(StoreFault, match="damaged"):
            kept.get(digest)


def test_a_short_pack_is_a_fault(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    digest = kept.keep(random_bytes(1000))
    os.truncate(kept.packs[0], 500)
    with pytest.raises(StoreFault, match="damaged"):
        kept.get(digest)


def test_what_was_never_kept_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(StoreFault, match="gone"):
        Store(tmp_path / "none").get("00" * 20)


def test_a_full_disk_is_a_fault_and_the_store_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Store(tmp_path / "s")
    first = kept.keep(b"first")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(os, "write", full)
        with pytest.raises(StoreFault, match="No space left"):
            kept.keep(random_bytes(3 << 20))
    second = kept.keep(b"second")
    assert [kept.get(first), kept.get(second)] == [b"first", b"second"]


def test_a_place_that_cannot_be_written_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFault):
        Store(tmp_path / "file" / "s").keep(b"")


def test_two_writers_have_packs_of_their_own(tmp_path: Path) -> None:
    one, other = Store(tmp_path / "s"), Store(tmp_path / "s")
    with one.writing() as first, other.writing() as second:
        digests = [first.keep(b"a"), second.keep(b"b"), first.keep(b"c")]
        first.commit()
        second.commit()
    assert len(one.packs) == 2
    assert [one.get(digest.hex()) for digest in digests] == [b"a", b"b", b"c"]
    assert one.keep(b"d")  # in one of them
    assert len(one.packs) == 2


def test_nobody_prunes_while_another_one_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LOCKED_FOR", 0.0)
    kept = Store(tmp_path / "s")
    with kept.writing(), pytest.raises(StoreFault, match="in use"), Store(kept.folder).locked(exclusive=True):
        pass


def test_a_full_pack_grows_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "PACK_AT_MOST", 10_000)
    monkeypatch.setattr(store, "_COMMIT_EACH", 1)
    kept = Store(tmp_path / "s")
    with kept.writing() as writer:
        digests = [writer.keep(random_bytes(6_000, seed)).hex() for seed in range(6)]
    assert len(kept.packs) >= 3
    assert [kept.get(digest) for digest in digests] == [random_bytes(6_000, seed) for seed in range(6)]


def rows_of(kept: Store, contents: dict[str, bytes]) -> dict[str, Row]:
    return {path: Row(FILE, 0, 0o100644, len(data), bytes.fromhex(kept.keep(data))) for path, data in contents.items()}


def test_pruned_bytes_are_gone_from_the_disk_and_no_others(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    secret, plain, shared = random_bytes(5000, 1), random_bytes(5000, 2), random_bytes(5000, 3)
    manifests = Manifests(kept)
    one = manifests.write(rows_of(kept, {"a": secret, "s": shared}), {})
    other = manifests.write(rows_of(kept, {"b": plain, "s": shared}), {}, one)
    torn = random_bytes(700, 4)
    with kept.packs[0].open("ab") as file:
        file.write(torn)  # what a crash has left
    reader = kept.pieces(digest_of(secret).hex())
    with kept.locked(exclusive=True):
        manifests.drop([one])
    left = everything(kept.folder)
    assert secret[100:200] not in left
    assert torn[:50] not in left
    assert plain in left
    again = Manifests(kept)
    assert again.names() == [other]
    assert {path: kept.get(row.digest.hex()) for path, row in again.read(other).rows().items()} == {
        "b": plain,
        "s": shared,
    }
    with pytest.raises(StoreFault, match="gone"):
        next(reader)
    with kept.locked(exclusive=True):
        manifests.drop([other])
    assert not kept.packs
    assert plain[:100] not in everything(kept.folder)


def test_who_reads_a_pack_that_is_pruned_still_gets_it(tmp_path: Path) -> None:
    kept = Store(tmp_path / "s")
    manifests, content = Manifests(kept), random_bytes(3 << 20)
    name = manifests.write(rows_of(kept, {"a": content}), {})
    pieces = kept.pieces(digest_of(content).hex())
    begun = next(pieces)
    with kept.locked(exclusive=True):
        manifests.drop([name])
    assert begun + b"".join(pieces) == content


def test_who_looked_before_it_was_rewritten_finds_it_in_its_new_place(tmp_path: Path) -> None:
    kept, other = Store(tmp_path / "s"), Store(tmp_path / "s")
    manifests = Manifests(kept)
    gone = manifests.write(rows_of(kept, {"a": b"gone"}), {})
    manifests.write(rows_of(kept, {"b": b"stays"}), {})
    assert other.get(digest_of(b"stays").hex()) == b"stays"
    with kept.locked(exclusive=True):
        manifests.drop([gone])
    assert other.get(digest_of(b"stays").hex()) == b"stays"


def test_what_is_compressed_already_is_kept_as_it_is() -> None:
    packed = zlib.compress(random_bytes(60_000), 9)
    assert pack.compressed(packed) == (packed, 0)
    assert pack.compressed(b"a" * 60_000)[1] == 1
