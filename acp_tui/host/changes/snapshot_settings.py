"""The settings of snapshots: what the user lets be kept of files, and for how long."""

from typing import Any, Protocol

from acp_tui.frozen import Frozen

MB = 1024 * 1024


class SnapshotSettings(Frozen):
    """Whether snapshots are taken (`off` says in words why not), and how much of them is kept.

    `everywhere`: in the home folder and the like, too. `passing`: nothing outlives this run. `store`: bytes that all
    stores together may take. `days`: since a session was used last.
    """

    off: str = ""
    everywhere: bool = False
    passing: bool = False
    store: int = 4096 * MB
    days: int = 30

    @property
    def kept(self) -> int:
        """Bytes over which the oldest sessions go, so that there is room for the one that runs."""
        return self.store - self.store // 8


class Says(Protocol):
    """What the user's own config file says of a setting, or `otherwise`."""

    def __call__(self, name: str, otherwise: Any, /) -> Any: ...


def snapshot_settings(says: Says) -> SnapshotSettings:
    wanted = says("snapshots", True)
    return SnapshotSettings(
        "" if wanted else SWITCHED_OFF.off,
        wanted == "everywhere",
        store=says("snapshot_store_mb", SWITCHED_OFF.store // MB) * MB,
        days=says("snapshot_days", SWITCHED_OFF.days),
    )


SWITCHED_OFF = SnapshotSettings(off="Snapshots are switched off")
