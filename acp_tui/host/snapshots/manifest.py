"""Manifests: how a folder was at one moment, path by path, in a file of the store.

Most paths are the same from one moment to the next, so a manifest names a tree, which has all rows, and says what
differs from it. Nobody sees trees: they come and go with the manifests that name them.
"""

import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp_tui.errors import reason_of
from acp_tui.host.snapshots.pack import digest_of
from acp_tui.host.snapshots.store import Store, StoreFault, write_whole
from acp_tui.host.snapshots.table import GONE, KEPT, NOTHING, UNKNOWN, Row, packed, unpacked
from acp_tui.host.system.regular_files import read_regular

_MAGIC = b"acp-tui snapshot 1\n"
_NO_ROW = Row(GONE, 0, 0, 0, NOTHING)
_FULL_FROM = 1000  # rows that may differ from a tree, however small that is
_FULL_SHARE = 8  # or this part of its rows; then the manifest gets a tree of its own

Rows = Mapping[str, Row]


class Manifest:
    """A manifest that was read. `info` is what its maker wrote beside the rows."""

    def __init__(self, name: str, info: dict[str, Any], tree: dict[str, Row], differing: dict[str, Row]) -> None:
        self.name, self.info, self.tree, self.differing = name, info, tree, differing

    def row(self, path: str) -> Row | None:
        """The row of a path; None for a path that has none."""
        row = self.differing.get(path) or self.tree.get(path)
        return None if row is None or row.kind == GONE else row

    def rows(self) -> dict[str, Row]:
        """All of them."""
        return {path: row for path, row in (self.tree | self.differing).items() if row.kind != GONE}

    def cover(self, path: str) -> int:
        """Why nothing can be said of a path that has no row; 0: it was not there."""
        while path:
            path = path.rpartition("/")[0]
            row = self.row(path)
            if row is not None:
                return row.reason
        return KEPT


class Manifests:
    """The manifests of a store. Every call blocks; `StoreFault` says what cannot be read, OSError what not be written.

    Who writes is within `Store.writing`, so that nothing is pruned meanwhile.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folder, self._trees = store.folder / "manifests", store.folder / "trees"
        self._tree: tuple[str, dict[str, Row]] = "", {}

    def names(self) -> list[str]:
        """All, the oldest first."""
        with suppress(OSError):
            return sorted(path.name for path in self._folder.iterdir() if not path.name.startswith("."))
        return []

    def write(self, rows: Rows, info: dict[str, Any], like: str = "") -> str:
        """Write one and return its name; the tree of the manifest `like` serves it too, if it fits."""
        tree = ""
        with suppress(StoreFault, ValueError):
            tree = self._parts(like)[0]["tree"] if like else ""
            all_rows = self._rows_of(tree)
            differing = _difference(all_rows, rows)
            if len(differing) > max(_FULL_FROM, len(all_rows) // _FULL_SHARE):
                tree = ""
        if not tree:
            tree, differing = self._write_tree(rows), {}
        return self._write(tree, info, packed(differing))

    def write_again(self, like: str, info: dict[str, Any]) -> str:
        """Write one with the same rows as another one, which need not be looked at."""
        head, body = self._parts(like)
        return self._write(head["tree"], info, body)

    def info(self, name: str) -> dict[str, Any]:
        """What is written beside the rows."""
        info: dict[str, Any] = self._parts(name)[0]["info"]
        return info

    def read(self, name: str) -> Manifest:
        head, body = self._parts(name)
        return Manifest(name, head["info"], self._rows_of(head["tree"]), self._table(body, name))

    def drop(self, names: Collection[str], check: Callable[[], None] = lambda: None) -> None:
        """Forget manifests, and the bytes that no other one names; within `locked(exclusive=True)`.

        `check` is called between the steps, and may raise to end it there.
        """
        for name in set(names).intersection(self.names()):  # whatever a journal calls one
            (self._folder / name).unlink(missing_ok=True)
        left, alive = self._by_tree(), set[bytes]()
        for tree in [path.name for path in self._trees.iterdir()] if self._trees.is_dir() else ():
            if tree not in left:
                (self._trees / tree).unlink()
        for tree, using in left.items():
            check()
            alive |= self._prune_tree(tree, using)
        self._store.retain(alive, check)

    def _prune_tree(self, tree: str, using: Collection[str]) -> set[bytes]:
        """What is named by those that use a tree; one that names more is written anew without that."""
        read = [self.read(name) for name in using]
        unused = set.intersection(*[set(manifest.differing) for manifest in read])
        left = {path: row for path, row in read[0].tree.items() if path not in unused}
        if len(left) < len(read[0].tree):
            name = self._write_tree(left)
            for manifest in read:
                body = packed(_difference(left, manifest.rows()))
                self._write(name, manifest.info, body, manifest.name)
            (self._trees / tree).unlink(missing_ok=True)
        alive = {row.digest for row in left.values()}
        return alive.union(*[[row.digest for row in manifest.differing.values()] for manifest in read])

    def _by_tree(self) -> dict[str, list[str]]:
        using: dict[str, list[str]] = {}
        for name in self.names():
            try:
                using.setdefault(self._parts(name)[0]["tree"], []).append(name)
            except StoreFault:  # nobody can read it any more
                (self._folder / name).unlink(missing_ok=True)
        return using

    def _rows_of(self, tree: str) -> dict[str, Row]:
        if self._tree[0] != tree:
            self._tree = tree, self._table(self._checked(self._trees / Path(tree).name), tree)
        return self._tree[1]

    def _table(self, data: bytes, name: str) -> dict[str, Row]:
        try:
            return unpacked(data)
        except ValueError as error:
            raise StoreFault("A snapshot is damaged", f"{name} in {self._store.folder}") from error

    def _write_tree(self, rows: Rows) -> str:
        data = packed(rows)
        name = digest_of(data).hex()
        if not (self._trees / name).exists():
            write_whole(self._trees / name, _MAGIC + digest_of(data) + data)
        return name

    def _write(self, tree: str, info: dict[str, Any], body: bytes, name: str = "") -> str:
        name = name or f"{time.time_ns():016x}-{os.urandom(4).hex()}"
        data = json.dumps({"tree": tree, "info": info}).encode() + b"\n" + body
        write_whole(self._folder / name, _MAGIC + digest_of(data) + data)
        return name

    def _parts(self, name: str) -> tuple[dict[str, Any], bytes]:
        head, _, body = self._checked(self._folder / Path(name).name).partition(b"\n")
        return json.loads(head), body

    def _checked(self, path: Path) -> bytes:
        try:
            data = read_regular(path)
        except FileNotFoundError as error:
            raise StoreFault("A snapshot is gone", f"{path.name} in {self._store.folder}", "it was pruned") from error
        except OSError as error:
            raise StoreFault("A snapshot cannot be read", f"{path}: {reason_of(error)}") from error
        start = len(_MAGIC) + 20
        if data[: len(_MAGIC)] != _MAGIC or digest_of(data[start:]) != data[len(_MAGIC) : start]:
            raise StoreFault("A snapshot is damaged", str(path))
        return data[start:]


def _difference(tree: Rows, rows: Rows) -> dict[str, Row]:
    differing = {path: row for path, row in rows.items() if tree.get(path) != row}
    return differing | dict.fromkeys(tree.keys() - rows.keys(), _NO_ROW)


def kept_digests(rows: Rows) -> Iterator[bytes]:
    """The digests of what the store must hold for these rows."""
    return (row.digest for row in rows.values() if row.kind != UNKNOWN)
