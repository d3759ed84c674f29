"""What a kill leaves beside a file, and what only looks so."""

import os
from hashlib import blake2b
from pathlib import Path

import pytest

from acp_tui.host.revert.apply import clear_up
from acp_tui.host.revert.steps import Step
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState
from acp_tui.host.system import atomic_replace
from acp_tui.host.system.atomic_replace import beside, written
from acp_tui.host.system.sandbox_paths import SandboxPath, SandboxRoots


def state(data: bytes) -> PathState:
    return PathState("file", 0o644, len(data), blake2b(data, digest_size=20).hexdigest())


def step(root: Path, path: str = "d/a") -> Step:
    now, before = state(b"now"), state(b"before")
    return Step(PathChange(str(root), path, "changed", before, now), "write", now, before)


def left(root: Path, name: str, data: bytes) -> Path:
    (root / "d").mkdir(exist_ok=True)
    path = root / "d" / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "stays"),
    [
        (".a.0123456789ab", b"now", False),
        (".a.0123456789ab", b"before", False),
        (".a.0123456789ab", b"what somebody wrote meanwhile", True),
        (".b.0123456789ab", b"now", True),
        (".a.0123456789abc", b"now", True),
        (".a.0123456789aX", b"now", True),
        ("a.0123456789ab", b"now", True),
    ],
)
def test_only_what_is_kept_and_has_such_a_name_goes(tmp_path: Path, name: str, data: bytes, *, stays: bool) -> None:
    path = left(tmp_path, name, data)
    left(tmp_path, "a", b"what is there now")
    clear_up([step(tmp_path)], SandboxRoots([tmp_path]))
    assert path.exists() is stays


def test_a_file_that_lost_its_name_gets_it_again(tmp_path: Path) -> None:
    """Where two files cannot be exchanged at once, one has no name for a moment."""
    path = left(tmp_path, ".a.0123456789ab", b"now")
    clear_up([step(tmp_path)], SandboxRoots([tmp_path]))
    assert not path.exists()
    assert (tmp_path / "d/a").read_bytes() == b"now"


@pytest.mark.parametrize(("mode", "inside", "stays"), [(0o700, "", False), (0o700, "own", True), (0o755, "", True)])
def test_a_folder_that_has_not_got_its_name_goes_if_it_is_empty(
    tmp_path: Path, mode: int, inside: str, *, stays: bool
) -> None:
    path = tmp_path / "d/.a.0123456789ab"
    path.mkdir(mode, parents=True)
    path.chmod(mode)
    if inside:
        (path / inside).touch()
    folder = PathState("folder", 0o755)
    change = PathChange(str(tmp_path), "d/a", "deleted", folder, ABSENT)
    clear_up([Step(change, "folder", ABSENT, folder)], SandboxRoots([tmp_path]))
    assert path.exists() is stays


def test_no_link_on_the_way_is_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    path = left(other, ".a.0123456789ab", b"now")
    root = tmp_path / "root"
    root.mkdir()
    (root / "d").symlink_to(other / "d")
    clear_up([step(root)], SandboxRoots([root]))
    assert path.exists()


def test_a_name_beside_is_one_that_is_cleared_up(tmp_path: Path) -> None:
    for name in ("a", "x" * 200, "n\nl", ".env"):
        place = SandboxPath(str(tmp_path / "d" / name), name, None)
        path = left(tmp_path, beside(place).name, b"before")
        clear_up([step(tmp_path, f"d/{name}")], SandboxRoots([tmp_path]))
        assert not path.exists(), name


@pytest.mark.parametrize("unnamed", [True, False])
def test_a_file_that_is_not_written_whole_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, unnamed: bool
) -> None:
    if not unnamed:
        monkeypatch.setattr(atomic_replace, "_unnamed", lambda _place, _mode: None)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no unnamed files")
    names: list[list[Path]] = []
    handle = os.open(tmp_path, os.O_RDONLY)
    place = SandboxPath(str(tmp_path / "a"), "a", handle)
    with written(place, 0o600) as file:
        file.write(b"half")
        file.flush()
        names.append([*tmp_path.iterdir()])
    assert names == [[] if unnamed else [tmp_path / "a"]]
    assert (tmp_path / "a").read_bytes() == b"half"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        _write(place)
    assert (tmp_path / "a").read_bytes() == b"half"
    os.close(handle)


def _write(place: SandboxPath) -> None:
    with written(place) as file:
        file.write(b"other")
