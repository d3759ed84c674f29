"""Snapshots as rows: what is written is read, only differences are added, and what is dropped is gone from the disk."""

import sqlite3
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.snapshots import content, database, snapshot_rows
from acp_tui.host.snapshots.content import Content, digest_of
from acp_tui.host.snapshots.database import ASIDE, FILE_NAME, Database, StoreFault
from acp_tui.host.snapshots.path_state import FILE, FOLDER, IGNORED, LINK, UNKNOWN, Row
from acp_tui.host.snapshots.proof import Addition, Look, packed, unpacked
from acp_tui.host.snapshots.snapshot_rows import Overtaken, Snapshots

IN_NAMES = st.characters(exclude_categories=["Cs"], exclude_characters="\0/")
NAMES = st.text(IN_NAMES, min_size=1, max_size=3) | st.sampled_from(["a\nb", "\udcff", ".GIT", "git~1", " "])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
CONTENTS = [b"", b"one", b"two", b"three" * 1000]
NO_STAT = (0, 0, 0, 0, 0)


def file(data: bytes, mode: int = 0o100644) -> Row:
    return Row(FILE, 0, mode, len(data), digest_of(data))


FOLDER_ROW = Row(FOLDER, 0, 0o40755, 0, bytes(20))
ROWS = st.one_of(
    st.builds(file, st.sampled_from(CONTENTS), st.sampled_from([0o100644, 0o100600])),
    st.builds(lambda data: Row(LINK, 0, 0o120777, len(data), digest_of(data)), st.sampled_from(CONTENTS)),
    st.just(FOLDER_ROW),
)
TABLES = st.dictionaries(PATHS, ROWS, max_size=8)


class Kept:
    """A store of snapshots that are made of plain tables."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.database = folder, Database(folder)
        self.content, self.snapshots = Content(self.database), Snapshots(self.database)
        self.tables: dict[str, dict[str, Row]] = {}
        with self.content.writing() as writer:
            for data in CONTENTS:
                writer.keep(data)

    def write(self, table: Mapping[str, Row], run: str = "") -> str:
        look = self.snapshots.look()
        then = {path: row for path, row in self.snapshots.current([*look.paths, *look.others]) if row is not None}
        rows = [(path, row, NO_STAT) for path, row in table.items() if then.get(path) != row]
        paths = [path for path, row in table.items() if row.kind != FOLDER]
        others = {path: row for path, row in table.items() if row.kind == FOLDER}
        now = Look(look.generation, 0, paths, [NO_STAT] * len(paths), others)
        name = self.snapshots.add(look, now, Addition(rows, [], then.keys() - table.keys()), {"run": run})
        self.tables[name] = dict(table)
        return name

    def read(self, name: str) -> dict[str, Row]:
        return {**self.snapshots.tree(name).rows}


@given(st.lists(TABLES, min_size=1, max_size=4), st.data())
def test_they_come_back_and_so_after_some_are_dropped_and_after_more_are_added(
    tmp_path_factory: pytest.TempPathFactory, tables: list[dict[str, Row]], data: st.DataObject
) -> None:
    kept = Kept(tmp_path_factory.mktemp("store") / "s")
    names = [kept.write(table) for table in tables]
    assert [kept.read(name) for name in names] == tables
    dropped = data.draw(st.sets(st.sampled_from(names)))
    kept.snapshots.drop([*dropped])
    again = kept.write(data.draw(TABLES.map(lambda table: {p: r for p, r in table.items() if r.kind == FOLDER})))
    left = [name for name in names if name not in dropped] + [again]
    assert kept.snapshots.names() == left
    assert [kept.read(name) for name in left] == [kept.tables[name] for name in left]
    named = {row.digest for name in left for row in kept.tables[name].values() if row.kind != FOLDER}
    assert kept.content.missing(named) == set()


@given(st.lists(TABLES, min_size=2, max_size=4))
def test_what_a_chain_has_is_enough_to_compare_it(
    tmp_path_factory: pytest.TempPathFactory, tables: list[dict[str, Row]]
) -> None:
    kept = Kept(tmp_path_factory.mktemp("store") / "s")
    trees, paths = kept.snapshots.chain([kept.write(table) for table in tables])
    differing = {p for one in tables for p in one if len({t.get(p) for t in tables}) > 1}
    assert differing <= {*paths} <= {path for table in tables for path in table}
    assert [[tree.row(path) for path in paths] for tree in trees] == [[t.get(p) for p in paths] for t in tables]


def test_a_long_chain_has_each_row_once(tmp_path: Path) -> None:
    """300 trees of 50,000 paths would take 4 GB."""
    kept = Kept(tmp_path / "s")
    names = [kept.write({"a": file(b"one"), "b": file(b"two" if number else b"one")}) for number in range(4)]
    trees, paths = kept.snapshots.chain(names)
    assert paths == ["b"]
    assert len({id(tree.row("b")) for tree in trees}) == 2
    assert [{**tree.rows} == {"b": tree.row("b")} for tree in trees] == [True] * 4
    assert len(trees[0].rows) == 1


def test_only_what_differs_is_added(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    table = {f"{number}": file(b"one") for number in range(50)}
    kept.write(table)
    kept.write(table)
    kept.write(table | {"7": file(b"two"), "new": file(b"")})
    with kept.database.reading() as connection:
        assert connection.execute("SELECT count(*), count(until) FROM row").fetchone() == (52, 1)


def test_many_rows_are_written_in_parts_and_are_one_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_rows, "ROWS_AT_ONCE", 3)
    kept = Kept(tmp_path / "s")
    first = {f"{number}": file(b"one") for number in range(9)}
    second = {f"{number}": file(b"two") for number in range(5, 20)}
    names = [kept.write(first), kept.write(second)]
    assert [kept.read(name) for name in names] == [first, second]


def test_one_that_was_not_finished_is_none_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_rows, "ROWS_AT_ONCE", 3)
    kept = Kept(tmp_path / "s")
    name = kept.write({"a": file(b"one"), "b": file(b"one"), "c": file(b"one"), "d": file(b"one")})
    with monkeypatch.context() as context:
        context.setattr(snapshot_rows, "_end", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            kept.write({f"{number}": file(b"two") for number in range(5)})
    assert kept.snapshots.names() == [name]
    assert kept.read(name).keys() == {"a", "b", "c", "d"}
    after = {"a": file(b"one"), "0": file(b"three" * 1000)}
    later = kept.write(after)
    assert kept.read(later) == after
    monkeypatch.setattr(snapshot_rows, "UNNAMED_FOR", -1.0)
    kept.snapshots.drop([])
    assert [kept.read(each) for each in (name, later)] == [kept.tables[name], after]
    assert digest_of(b"two") in kept.content.missing({digest_of(b"two")})


class Killed(BaseException):
    """The process ends here."""


def at_the_second_part(context: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something between the first two parts of a snapshot that is written in parts of three rows."""
    pauses = iter((act,))
    context.setattr(snapshot_rows, "ROWS_AT_ONCE", 3)
    context.setattr(time, "sleep", lambda _: next(pauses, lambda: None)())


def kill() -> None:
    raise Killed


def test_a_kill_between_two_parts_leaves_no_path_with_two_newest_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(tmp_path / "s")
    kept.write({f"{number}": file(b"one") for number in range(9)})
    with monkeypatch.context() as context:
        at_the_second_part(context, kill)
        with pytest.raises(Killed):
            kept.write({f"{number}": file(b"two") for number in range(5, 9)})
    look = kept.snapshots.look()
    assert len(look.paths) == len({*look.paths})


def test_what_was_looked_at_by_one_that_was_killed_is_no_older_than_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept(tmp_path / "s")
    kept.write({})
    prompt = time.time_ns()
    with monkeypatch.context() as context:
        at_the_second_part(context, kill)
        with pytest.raises(Killed):
            kept.write({f"{number}": file(b"two") for number in range(5)})
    assert kept.snapshots.look().at >= prompt


def test_one_that_was_forgotten_while_it_was_written_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A laptop that slept: it is older than an hour, and another program has pruned."""
    kept, other = Kept(tmp_path / "s"), Snapshots(Database(tmp_path / "s"))
    table = {f"{number}": file(b"one") for number in range(7)}
    kept.write({"0": file(b"one")})

    def prune() -> None:
        with monkeypatch.context() as within:
            within.setattr(snapshot_rows, "UNNAMED_FOR", -1.0)
            other.drop([])

    with monkeypatch.context() as context:
        at_the_second_part(context, prune)
        with pytest.raises(Overtaken):
            kept.write(table)
    assert kept.read(kept.write(table)) == table


def test_who_was_overtaken_hears_of_it(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    old, empty = kept.snapshots.look(), Addition([], [], ())
    name = kept.write({"a": file(b"one")})
    with pytest.raises(Overtaken):
        kept.snapshots.add(old, old, empty, {})
    look = kept.snapshots.look()
    kept.snapshots.drop([name])  # its rows were the newest ones
    with pytest.raises(Overtaken):
        kept.snapshots.add(look, look, empty, {})
    rows = [("b", file(b"never kept"), NO_STAT)]
    with pytest.raises(Overtaken):
        kept.snapshots.add(kept.snapshots.look(), look, Addition(rows, [], ()), {})
    assert kept.snapshots.names() == []


def test_the_last_look_comes_back_as_it_was_packed_or_from_the_rows(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    stats = (0o100644, 3, 5, 6, 7)
    ignored = Row(UNKNOWN, IGNORED, 0o40755, 0, bytes(20))
    now = Look(0, 0, ["a\udcff"], [stats], {"": FOLDER_ROW, "i": ignored})
    rows = [("a\udcff", file(b"one"), stats), ("", FOLDER_ROW, NO_STAT), ("i", ignored, NO_STAT)]
    kept.snapshots.add(kept.snapshots.look(), now, Addition(rows, [], ()), {})
    look = kept.snapshots.look()
    assert look[2:] == now[2:]
    with kept.database.writing() as connection:
        connection.execute("UPDATE listing SET data = substr(data, 2)")
    assert kept.snapshots.look() == look
    touched = (0o100644, 3, 8, 9, 10)
    kept.snapshots.add(look, now._replace(stats=[touched]), Addition([], [("a\udcff", touched)], ()), {})
    with kept.database.writing() as connection:
        connection.execute("DELETE FROM listing")
    assert kept.snapshots.look().stats == [touched]


@pytest.mark.parametrize("data", [b"", b"x" * 30, packed(Look(0, 0, ["a"], [NO_STAT], {}))[:-1]])
def test_what_is_no_listing_is_said(data: bytes) -> None:
    with pytest.raises(ValueError, match="no listing"):
        unpacked(data)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_dropped_bytes_are_gone_from_the_disk_and_no_others(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    secrets = {name: content.digest_of(name.encode()) * 200 for name in ("secret", "plain", "shared", "held")}
    for data in secrets.values():
        kept.content.keep(data)
    one = kept.write({"secret-name": file(secrets["secret"]), "s": file(secrets["shared"])})
    other = kept.write({"b": file(secrets["plain"]), "s": file(secrets["shared"])})
    assert kept.snapshots.hold([digest_of(secrets["held"]).hex(), digest_of(secrets["plain"]).hex(), "00" * 20], "run")
    aside = kept.folder / f"{ASIDE}1.db"
    aside.write_bytes(secrets["secret"])
    kept.snapshots.drop([one])
    left = everything(kept.folder)
    assert not aside.exists()
    assert b"secret-name" not in left
    assert secrets["secret"][:40] not in left
    assert [name for name, data in secrets.items() if kept.content.has(digest_of(data).hex())] == [
        "plain",
        "shared",
        "held",
    ]
    kept.snapshots.drop([other])
    assert {name for name, data in secrets.items() if kept.content.has(digest_of(data).hex())} == {"plain", "held"}
    kept.snapshots.drop(kept.snapshots.forget(["run"], 0.0))
    left = everything(kept.folder)
    assert not [name for name, data in secrets.items() if data[:40] in left or digest_of(data) in left]


def test_nothing_is_held_where_nothing_is_kept(tmp_path: Path) -> None:
    assert not Kept(tmp_path / "s").snapshots.hold(["00" * 20], "run")


def test_content_that_nothing_has_named_yet_stays_for_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(tmp_path / "s")
    kept.snapshots.drop([])
    assert kept.content.missing([digest_of(b"one")]) == set()
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + snapshot_rows.UNNAMED_FOR + 1)
    kept.snapshots.drop([])
    assert kept.content.digests() == set()


def test_what_runs_need_stays_and_what_no_run_needs_goes_in_time(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    one, other, unheard = kept.write({}, "one"), kept.write({}, "other"), kept.write({}, "other")
    kept.snapshots.hold([digest_of(b"one").hex()], "one")
    kept.snapshots.need("one", [one])
    kept.snapshots.need("branch", [one], like=["one"])
    kept.snapshots.need("other", [other])
    assert kept.snapshots.forget(["one"], 0.0) == []
    assert kept.snapshots.forget([], time.time() + 1) == [unheard]
    assert kept.snapshots.forget(["other"], 0.0) == [other, unheard]
    assert len(kept.snapshots.forget(["branch"], 0.0)) == 2


def test_many_that_nothing_names_go_in_parts_behind_what_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in (("UNNAMED_FOR", -1.0), ("SCANNED_AT_ONCE", 7), ("BLOBS_AT_ONCE", 3)):
        monkeypatch.setattr(snapshot_rows, name, most)
    kept = Kept(tmp_path / "s")
    with kept.content.writing() as writer:
        digests = [writer.keep(b"%d" % number) for number in range(40)]
    named = {f"{number}": file(b"%d" % number) for number in [*range(12), 30]}
    name = kept.write(named)
    kept.snapshots.drop([])
    assert kept.content.digests() == {digests[number] for number in [*range(12), 30]}
    kept.snapshots.drop([name])
    assert kept.content.digests() == set()
    with kept.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM row").fetchone() == (0,)


@pytest.mark.parametrize("edit", ["snapshot SET info = '{'", "row SET path = 5"])
def test_what_somebody_else_wrote_into_the_file_is_a_fault(tmp_path: Path, edit: str) -> None:
    kept = Kept(tmp_path / "s")
    name = kept.write({"a": file(b"one")})
    with kept.database.writing() as connection:
        connection.execute(f"UPDATE {edit}")
    with pytest.raises(StoreFault, match="cannot be used"):
        print(kept.snapshots.info(name), kept.snapshots.tree(name))


def test_a_missing_one_is_a_fault(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    for name in ("../lock", "none"):
        with pytest.raises(StoreFault, match="gone"):
            kept.read(name)


def test_a_path_below_what_is_not_known_is_not_absent(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    ignored = Row(UNKNOWN, IGNORED, 0o40755, 0, bytes(20))
    name = kept.write({"": FOLDER_ROW, "a": FOLDER_ROW, "a/b": ignored})
    read = kept.snapshots.tree(name, ["x", "a/x", "a/b/x", "a/b/x/y"])
    assert [read.cover(path) for path in ("x", "a/x", "a/b/x", "a/b/x/y")] == [0, 0, IGNORED, IGNORED]


def test_what_is_below_a_folder_is_no_neighbour_of_it(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    table = {path: file(b"one") for path in ("a/b", "a/b/c", "a.b", "a0", "b", "a/\udcff")}
    tree = kept.snapshots.below(kept.write(table), "a")
    assert tree.rows.keys() == {"a/b", "a/b/c", "a/\udcff"}


def test_no_transaction_is_left_open(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "s")
    kept.write({"a": file(b"one")})
    kept.snapshots.names()
    connection = sqlite3.connect(kept.folder / FILE_NAME, 0.0, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    connection.close()


@pytest.mark.parametrize("small", [0, 1 << 30], ids=["by parts", "whole"])
def test_no_copy_is_left_of_what_was_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """Where pages are balanced SQLite leaves copies, which it does not overwrite."""
    monkeypatch.setattr(database, "SMALL", small)
    kept, random = Kept(tmp_path / "s"), Random(1)
    data = {f"name-{random.randbytes(8).hex()}": random.randbytes(random.randrange(60, 3000)) for _ in range(1500)}
    with kept.content.writing() as writer:
        for each in data.values():
            writer.keep(each)
    chosen = set(random.sample(sorted(data), 900))
    kept.write({path: file(each) for path, each in data.items()}, "one")
    kept.write({path: file(each) for path, each in data.items() if path not in chosen}, "two")
    left = kept.write(
        {path: file(each) for path, each in data.items() if path not in chosen and path < "name-8"}, "three"
    )
    for run in ("one", "two"):
        kept.snapshots.drop(kept.snapshots.forget([run], 0.0))
    kept.snapshots.rewrite()
    stored = everything(kept.folder)
    gone = [path for path in data if path in chosen or path >= "name-8"]
    assert not [path for path in gone if path.encode() in stored]
    assert not [path for path in gone if data[path][:40] in stored or digest_of(data[path]) in stored]
    assert kept.read(left) == kept.tables[left]
    assert all(kept.content.get(row.digest.hex()) == data[path] for path, row in kept.read(left).items())
    assert kept.write(kept.tables[left]) in kept.snapshots.names()


@pytest.mark.parametrize("seed", range(3))
def test_no_copy_is_left_in_the_first_page_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """SQLite never gives it back, however often rows are moved: it fills it with those of the next page."""
    monkeypatch.setattr(database, "SMALL", 0)
    kept, random = Kept(tmp_path / "s"), Random(seed)
    names = [f"name-{random.randbytes(8).hex()}" for _ in range(3000)]
    gone = [(number, name) for number, name in enumerate(names) if random.random() < 0.6 or name > "name-8"]
    with kept.database.writing() as connection:
        connection.executemany("INSERT INTO step VALUES (1, ?, '', 0, ?)", enumerate(names))
    for at in range(0, len(gone), 200):
        with kept.database.writing() as connection:
            connection.executemany("DELETE FROM step WHERE taking = ? AND data = ?", gone[at : at + 200])
    kept.snapshots.rewrite()
    stored = everything(kept.folder)
    assert [name for _, name in gone if name.encode() in stored] == []
    with kept.database.reading() as connection:
        left = connection.execute("SELECT data FROM step ORDER BY rowid").fetchall()
    assert left == [(name,) for number, name in enumerate(names) if (number, name) not in {*gone}]


@pytest.mark.parametrize(
    "change",
    ["kind = 99", "kind = 'x'", "reason = -1", "mode = 'x'", "size = 'x'", "digest = 'text'", "digest = x'00'"],
)
def test_a_row_that_was_never_written_so_is_a_fault_in_words(tmp_path: Path, change: str) -> None:
    kept = Kept(tmp_path / "s")
    name = kept.write({"a": file(b"one")})
    with kept.database.writing() as connection:
        connection.execute(f"UPDATE row SET {change}")
        connection.execute("DELETE FROM listing")
    for read in (partial(kept.snapshots.tree, name), kept.snapshots.look, partial(kept.snapshots.tree, name, ["a"])):
        with pytest.raises(StoreFault, match="cannot be used"):
            read()
