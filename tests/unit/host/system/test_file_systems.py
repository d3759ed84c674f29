"""Which file system holds a path: the longest mount point, of equal ones the last."""

import sys
from pathlib import Path

import pytest

from acp_tui.host.system import paths
from acp_tui.host.system.paths import file_system_of, tells_change_times

LINES = rb"""22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 0:5 / /mnt/a\040b rw,nosuid shared:1 - nfs4 host:/x rw
24 22 0:6 / /work rw - overlay overlay rw
25 24 0:7 / /work rw - fuse.sshfs host: rw
26 22 0:8 / /work/in rw - tmpfs none rw
no line
"""


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home", "ext4"),
        ("/", "ext4"),
        ("/mnt/a b/c", "nfs4"),
        ("/work", "fuse.sshfs"),
        ("/work/in/x", "tmpfs"),
        ("/workshop", "ext4"),
    ],
)
def test_the_mount_that_holds_a_path(
    path: str, name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path_factory.mktemp("proc") / "mountinfo"
    table.write_bytes(LINES)
    monkeypatch.setattr(paths, "_MOUNTS", table)
    monkeypatch.setattr(sys, "platform", "linux")
    assert file_system_of(path) == name
    assert tells_change_times(path) is (name in ("ext4", "tmpfs"))


def test_where_the_system_says_nothing_no_time_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(paths, "_MOUNTS", Path("/nonexistent"))
    assert not tells_change_times("/")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert tells_change_times("/")
