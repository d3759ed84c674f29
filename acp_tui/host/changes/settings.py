"""What the user lets be kept of files, and for how long."""

from acp_tui.frozen import Frozen

MB = 1024 * 1024


class SnapshotSettings(Frozen):
    """Whether snapshots are taken (`off` says in words why not), and how much of them is kept.

    `everywhere`: in the home folder and the like, too. `passing`: nothing outlives this run. `file`, `snapshot` and
    `store` are bytes: of one file, of what is new in one snapshot, of all stores together. `days`: since a session
    was used last.
    """

    off: str = ""
    everywhere: bool = False
    passing: bool = False
    file: int = 32 * MB
    snapshot: int = 1024 * MB
    store: int = 4096 * MB
    days: int = 30


SWITCHED_OFF = SnapshotSettings(off="Snapshots are switched off")
