"""Manifests: what is written is read, with few rows where little differs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.snapshots import manifest
from acp_tui.host.snapshots.manifest import Manifests
from acp_tui.host.snapshots.store import Store, StoreFault
from acp_tui.host.snapshots.table import FILE, FOLDER, IGNORED, LINK, UNKNOWN, Row, packed, unpacked

IN_NAMES = st.characters(exclude_categories=["Cs"], exclude_characters="\0/")
NAMES = st.text(IN_NAMES, min_size=1, max_size=3) | st.sampled_from(["a\nb", "\udcff", ".GIT", "git~1", " "])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
ROWS = st.builds(
    Row,
    st.sampled_from([FILE, LINK, FOLDER]),
    st.just(0),
    st.sampled_from([0o100644, 0o100600, 0o120777, 0o40700]),
    st.integers(0, 2**63),
    st.binary(min_size=20, max_size=20),
)
TABLES = st.dictionaries(PATHS, ROWS, max_size=8)


@given(TABLES)
def test_a_table_comes_back_in_its_order(table: dict[str, Row]) -> None:
    assert list(unpacked(packed(table)).items()) == list(table.items())


@pytest.mark.parametrize("data", [b"", b"x" * 30, packed({"a": Row(1, 0, 1, 1, bytes(20))})[:-1]])
def test_what_is_no_table_is_said(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"no table|shorter"):
        unpacked(data)


@given(st.lists(TABLES, min_size=1, max_size=4), st.data())
def test_manifests_come_back_and_so_after_some_are_dropped(
    tmp_path_factory: pytest.TempPathFactory, tables: list[dict[str, Row]], data: st.DataObject
) -> None:
    store = Store(tmp_path_factory.mktemp("store") / "s")
    manifests, names = Manifests(store), list[str]()
    for number, table in enumerate(tables):
        names.append(manifests.write(table, {"number": number}, names[-1] if names else ""))
    read = {name: manifests.read(name).rows() for name in names}
    assert read == dict(zip(names, tables, strict=True))
    assert len(list((store.folder / "trees").iterdir())) == 1
    dropped = data.draw(st.sets(st.sampled_from(names)))
    with store.locked(exclusive=True):
        manifests.drop(dropped)
    left = Manifests(store)
    assert {name: left.read(name).rows() for name in left.names()} == {
        name: table for name, table in zip(names, tables, strict=True) if name not in dropped
    }
    assert [left.info(name)["number"] for name in left.names()] == [
        number for number, name in enumerate(names) if name not in dropped
    ]


def test_where_much_differs_there_is_a_tree_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "_FULL_FROM", 2)
    manifests = Manifests(Store(tmp_path / "s"))
    row = Row(FILE, 0, 0o100644, 1, bytes(20))
    first = manifests.write({str(n): row for n in range(10)}, {})
    second = manifests.write({str(n): row for n in range(11)}, {}, first)
    third = manifests.write({str(n): row for n in range(20)}, {}, second)
    assert len(list((tmp_path / "s" / "trees").iterdir())) == 2
    assert len(manifests.read(third).rows()) == 20
    assert manifests.read(third).differing == {}


def test_written_again_it_is_the_same(tmp_path: Path) -> None:
    manifests = Manifests(Store(tmp_path / "s"))
    table = {"a": Row(FILE, 0, 0o100644, 1, bytes(20))}
    again = manifests.write_again(manifests.write(table, {"is": 1}), {"is": 2})
    assert (manifests.read(again).rows(), manifests.info(again)) == (table, {"is": 2})


def test_damaged_and_missing_ones_are_faults(tmp_path: Path) -> None:
    manifests = Manifests(Store(tmp_path / "s"))
    name = manifests.write({}, {})
    with pytest.raises(StoreFault, match="gone"):
        manifests.read("../lock")
    path = tmp_path / "s" / "manifests" / name
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreFault, match="damaged"):
        manifests.read(name)


def test_a_path_below_what_is_not_known_is_not_absent(tmp_path: Path) -> None:
    manifests = Manifests(Store(tmp_path / "s"))
    folder, ignored = Row(FOLDER, 0, 0o40755, 0, bytes(20)), Row(UNKNOWN, IGNORED, 0o40755, 0, bytes(20))
    read = manifests.read(manifests.write({"": folder, "a": folder, "a/b": ignored}, {}))
    assert [read.cover(path) for path in ("x", "a/x", "a/b/x", "a/b/x/y")] == [0, 0, IGNORED, IGNORED]
