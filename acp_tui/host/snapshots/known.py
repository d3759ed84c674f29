"""What the last look at a folder has left: by it a file that did not change need not be read again.

A file is unchanged if size, mode, inode and times are those of the last look, and older than that look. All of it may
be lost without harm.
"""

import marshal
from contextlib import suppress
from typing import NamedTuple

from acp_tui.host.snapshots.listing import Stat
from acp_tui.host.snapshots.pack import digest_of
from acp_tui.host.snapshots.store import Store, write_whole
from acp_tui.host.snapshots.table import Row, kind_of
from acp_tui.host.system.regular_files import read_regular

TICK = 20_000_000  # nanoseconds within which a change may have the same time; clocks of kernels tick each 1 to 10 ms
COARSE = 2_000_000_000  # the same where times have no parts of a second
_VERSION = 1
_SECOND = 1_000_000_000


class Known(NamedTuple):
    """Paths with their stat data and digests (20 bytes each), in order, and rows of all else.

    `odd`: those of paths that are listed, but not kept. `manifest`: the last one, which has the same rows if `exact`.
    """

    manifest: str
    exact: bool
    paths: list[str]
    stats: list[Stat]
    digests: bytes
    odd: dict[str, Row]
    folders: dict[str, Row]
    unknown: dict[str, Row]

    def digest(self, place: int) -> bytes:
        return self.digests[20 * place : 20 * place + 20]

    def row(self, place: int) -> Row:
        """That of a path, by its place in order."""
        mode, size, *_ = self.stats[place]
        return self.odd.get(self.paths[place]) or Row(kind_of(mode), 0, mode, size, self.digest(place))


NOTHING_KNOWN = Known("", False, [], [], b"", {}, {}, {})


def load_known(store: Store) -> Known:
    """That of a store; nothing where it is lost, or speaks of packs that are not there any more."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        data = read_regular(store.folder / "known")
        if digest_of(data[20:]) == data[:20]:
            version, packs, *values, odd, folders, unknown = marshal.loads(data[20:])  # noqa: S302 (ours, checked)
            sizes = _pack_sizes(store)
            if version == _VERSION and all(sizes.get(name, -1) >= size for name, size in packs.items()):
                manifest, exact, paths, stats, digests = values
                return Known(manifest, exact, paths, stats, digests, _rows(odd), _rows(folders), _rows(unknown))
    return NOTHING_KNOWN


def _rows(table: dict[str, tuple[int, int, int, int, bytes]]) -> dict[str, Row]:
    return {path: Row(*row) for path, row in table.items()}


def save_known(store: Store, known: Known) -> None:
    """Raises OSError."""
    tables = [{path: tuple(row) for path, row in table.items()} for table in (known.odd, known.folders, known.unknown)]
    data = marshal.dumps((_VERSION, _pack_sizes(store), *known[:5], *tables), 4)
    write_whole(store.folder / "known", digest_of(data) + data, sync=False)


def forget_pruned(store: Store, before: Known, kept: set[bytes]) -> None:
    """Save what was known without what is not kept any more; raises OSError."""
    left = [place for place in range(len(before.paths)) if before.digest(place) in kept]
    save_known(
        store,
        NOTHING_KNOWN._replace(
            paths=[before.paths[place] for place in left],
            stats=[before.stats[place] for place in left],
            digests=b"".join([before.digest(place) for place in left]),
        ),
    )


def _pack_sizes(store: Store) -> dict[str, int]:
    return {pack.name: pack.stat().st_size for pack in store.packs}


def newest(data: Stat) -> int:
    """When something was changed last: contents, mode or name."""
    return max(data[3], data[4])


def slack(data: Stat) -> int:
    """Nanoseconds by which a change may be later than its time says."""
    return TICK if data[3] % _SECOND or data[4] % _SECOND else COARSE


def provable(data: Stat, looked: int) -> Stat:
    """Stat data by which a later look can prove that nothing changed; it proves nothing if that was too recent.

    `looked`: nanoseconds, before the look began.
    """
    return data if newest(data) < looked - slack(data) else (data[0], data[1], 0, 0, 0)
